"""Generator of PATIENT, DOCTOR and PERSON: the same word gets the same surrogate word, whoever writes it how."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.domain.document import Mention
from deid.french.folding import fold_line, in_case_of, without_accents, words
from deid.reference.names import NameTables, Pool, name_key
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft
from deid.substitution.names import nicknames
from deid.substitution.names.drawing import Drawing, Shorthand
from deid.substitution.names.parsing import BETWEEN, INITIAL
from deid.substitution.names.reading import NameWord, word_of
from deid.substitution.names.roster import POOLS, Roster

STRATEGY = "frequency_band"
_POOLS = tuple(Pool)
# A diminutive that as many people were given as their name is taken for a name, unless somebody here may be called so.
_NAME_OF_ITS_OWN = 10_000
_ELISION = re.compile(r"(?<![^\W\d_])([dl])['’](?=[^\W\d_])", re.IGNORECASE)
# Particles that are rare enough to tell a family, and words between two names that another says as well.
_PLAIN_PARTICLES = dict.fromkeys(("del", "della", "delle", "degli"), "de")
_LINKS = {"dit": "alias", "dite": "alias", "epouse": "ép.", "veuve": "vve", "vve": "veuve"}


class People:
    """Names of one document and their surrogates.

    A person written "DUPONT", "Mme Dupont" or "Dupont Marie" stays one, in all of a patient's documents. Initials,
    logins and diminutives are those of the surrogate names.
    """

    def __init__(self, context: DocumentContext, tables: NameTables) -> None:
        self._context = context
        self._tables = tables
        self.roster = Roster(context, tables)
        self.drawing = Drawing(context, tables, self.roster)
        self.shorthand = Shorthand(context, tables, self.roster, self.drawing)

    def write(self, mention: Mention, attempt: int) -> Draft:
        """The surrogate of a name."""
        reading = self.roster.readings[mention.start]
        found, whole = reading.cut, reading.words
        if len(whole) == 1 and (lone := whole[0]) is not None:
            written = self._word(mention, lone, attempt)
        elif found.spaced is not None:
            return Draft(self._spaced(mention, found.spaced, attempt), STRATEGY)
        elif not found.words:
            return Draft(self.shorthand.initials(mention, found.pieces, attempt), STRATEGY)
        else:
            written = ""
            for (sort, text), word in zip(found.pieces, whole, strict=True):
                if word is not None:
                    written += self._word(mention, word, attempt)
                elif sort is BETWEEN:
                    written += text
                elif sort is INITIAL:
                    written += self.shorthand.initial(mention, text, attempt)
                else:
                    written += self._particle(text)
        return Draft(_unelided(written) if "'" in written or "’" in written else written, STRATEGY)

    def _spaced(self, mention: Mention, spaced: str, attempt: int) -> str:
        """The surrogate of a word that is written letter by letter, written so."""
        surname = self.roster.is_surname(name_key(spaced), mention, spaced)
        surrogate = self._word(mention, word_of(spaced, name_key(spaced), surname), attempt)
        return self._context.text(mention)[1].join(surrogate.upper() if spaced.isupper() else surrogate)

    def _particle(self, written: str) -> str:
        """A particle as it is; but "del" tells a family, and a "dit" that the identity holds is a word of its name."""
        bare = fold_line(written)
        plain = _PLAIN_PARTICLES.get(bare)
        if plain is None and bare in _LINKS and bare in _words_of(self._context):
            plain = _LINKS[bare]
        return written if plain is None else in_case_of(written, plain)

    def _word(self, mention: Mention, word: NameWord, attempt: int) -> str:
        if word.small and (login := self.shorthand.login(mention, word.text, attempt)) is not None:
            return login
        pool = POOLS.get(mention.label) or self.roster.pool(word.key, mention.label)
        surrogate = self._diminutive(mention, word, pool, attempt) if word.called else None
        if surrogate is None:
            surrogate = self.drawing.surrogate(word.key, word.surname, pool, word.sex, attempt)
        if word.plain or not self._context.accented:
            surrogate = without_accents(surrogate)
        return word.cased(surrogate)

    def _diminutive(self, mention: Mention, called: NameWord, pool: Pool, attempt: int) -> str | None:
        """What the surrogate of whoever is called so is called; another diminutive where that cannot be known."""
        word = called.key
        names = nicknames.NAMES_OF[word]
        known = self._tables.first_name(word)
        bearer = next((one for of, one in self.roster.known_first_names if of is pool and one.word in names), None)
        if bearer is None and (
            (called.surname and self.roster.titled(mention)) or (known and known.births > _NAME_OF_ITS_OWN)
        ):
            return None
        sex = self.roster.sex(mention) or self.roster.sex_of(word, pool)
        stream = self.drawing.stream(pool, "diminutive", pool, word, str(attempt))
        if bearer is not None:
            name = self.drawing.surrogate(bearer.word, False, pool, bearer.sex)
            fitting = [one for one in nicknames.of(name_key(name), sex) if fold_line(one)[0] != fold_line(word)[0]]
            if fitting:
                return stream.choice(fitting).title()
        others = nicknames.every(sex or _sex_of(names))[_POOLS.index(pool) :: len(_POOLS)]
        return self.drawing.chosen(stream, others, word).title()


def _words_of(context: DocumentContext) -> frozenset[str]:
    """Folded words of the patient's names, as the warehouse knows them."""
    return frozenset(word for name in context.document.patient.names for word in words(name))


def _unelided(written: str) -> str:
    """A surrogate with "d'" written out before a consonant: "de Calland"."""

    def spelt(match: re.Match[str]) -> str:
        following = written[match.end() :]
        if fold_line(following)[:1] in tuple("aeiouyh"):
            return match.group()
        capitals = match[1].isupper() and following[:2].isupper()
        return f"{match[1]}{'E' if capitals else 'e'} "

    return _ELISION.sub(spelt, written)


def _sex_of(names: Sequence[str]) -> str | None:
    """The sex of all the people who bear one of these first names and have diminutives; None where both do."""
    sexes = [sex for sex in ("M", "F") if any(nicknames.of(name, sex) for name in names)]
    return sexes[0] if len(sexes) == 1 else None
