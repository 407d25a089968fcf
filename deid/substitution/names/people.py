"""Generator of PATIENT, DOCTOR and PERSON: a word of a name has one surrogate, however it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.articles import PERSON, Kind, Noun
from deid.french.folding import fold_line, in_case_of, without_accents, words
from deid.reference.accents import is_accented, usual_spelling
from deid.reference.names import NameTables, name_key
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft
from deid.substitution.names import nicknames
from deid.substitution.names.drawing import SMALL, Drawing
from deid.substitution.names.forms import glue, shortened, tells_letter, told_letter, with_elisions
from deid.substitution.names.parsing import BETWEEN, INITIAL, ORIGIN, PARTICLE, TITLE, key_of
from deid.substitution.names.reading import NameReading, NameWord, Pool, word_of
from deid.substitution.names.roster import Roster
from deid.substitution.names.shorthand import Shorthand

STRATEGY = "frequency_band"
_POOLS = tuple(Pool)
_WOMAN = Noun(Kind.PERSON, "la")  # the article of a first name of the people: "la Jeanne" for "l'Anne"
_REACH = 60  # characters before a letter that is told of the name ahead: "Fleury avec un y"
_PARTS = 1 << 20  # of the probability that a repeated name keeps its surrogate
# A diminutive that as many people were given as their name is taken for a name, unless somebody here may be called so.
_NAME_OF_ITS_OWN, _SURNAME_OF_ITS_OWN = 10_000, 500
# Words between two names that another says as well.
_LINKS = {"dit": "alias", "dite": "alias", "epouse": "ép.", "veuve": "vve", "vve": "veuve"}


class People:
    """Names of one document and their surrogates.

    A person written "DUPONT", "Mme Dupont" or "Dupont Marie" stays one person, in all of a patient's documents.
    Initials, logins and diminutives are made from the surrogate names.
    """

    def __init__(self, context: DocumentContext, tables: NameTables) -> None:
        self._context = context
        self._tables = tables
        self.roster = Roster(context, tables)
        self.drawing = Drawing(context, tables, self.roster)
        self.shorthand = Shorthand(context, tables, self.roster, self.drawing, self._word)
        self._natural = context.policy.hiding == "natural"

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return the surrogate of a name."""
        reading = self.roster.readings[mention.start]
        found, whole = reading.cut, reading.words
        if (letter := self._told_letter(mention)) is not None:
            return Draft(letter, STRATEGY)
        if len(whole) == 1 and (lone := whole[0]) is not None:
            written = self._word(mention, lone, attempt)
        elif found.spaced is not None:
            return Draft(self._spaced(mention, found.spaced, attempt), STRATEGY, noun=PERSON)
        elif not found.words:
            return Draft(self.shorthand.initials(mention, found.pieces, attempt), STRATEGY, noun=PERSON)
        else:
            written = self._pieces(mention, reading, attempt)
        particles = any(sort is PARTICLE for sort, _ in found.pieces)
        if particles or "'" in written or "’" in written:
            written = with_elisions(written)
        sex = next((word.sex for word in whole if word is not None and not word.surname), None)
        return Draft(written, STRATEGY, noun=_WOMAN if sex == "F" else PERSON)

    def _pieces(self, mention: Mention, reading: NameReading, attempt: int) -> str:
        written = ""
        left_out = False
        for (sort, text), word in zip(reading.cut.pieces, reading.words, strict=True):
            if word is not None:
                written += self._word(mention, word, attempt)
            elif sort is BETWEEN:
                written += "" if left_out else text
            elif sort is INITIAL:
                written += self.shorthand.initial(mention, text, attempt)
            elif sort is TITLE:
                written += self.shorthand.title(mention, text)
            elif sort is not ORIGIN:
                written += self._particle(text)
            left_out = sort is ORIGIN
        return written

    def _told_letter(self, mention: Mention) -> str | None:
        """Return a letter of the surrogate of the name ahead, where the mention is one of that name; else None."""
        written, before = self._context.text(mention), self._context.plain_before(mention, _REACH)
        if not tells_letter(before, written):
            return None
        ahead = [one for one in self.roster.mentions if one.end <= mention.start and self.roster.words(one)]
        words = [word for word in self.roster.readings[ahead[-1].start].words if word is not None] if ahead else []
        fitting = [word for word in words if fold_line(written[0]) in word.key] or words[-1:]
        if not fitting:
            return None
        surrogate = self._word(ahead[-1], fitting[-1], 0)
        return told_letter(before, written, fitting[-1].key, surrogate)

    def _spaced(self, mention: Mention, spaced: str, attempt: int) -> str:
        """Return the surrogate of a word written letter by letter, spaced in the same way."""
        surname = self.roster.is_surname(key_of(spaced), mention, spaced)
        surrogate = self._word(mention, word_of(spaced, key_of(spaced), surname), attempt)
        gap = "." if self._context.text(mention)[1] == "." else " "  # "double v" has a letter there
        return gap.join(surrogate.upper() if spaced.isupper() else surrogate)

    def _particle(self, written: str) -> str:
        """Return a particle as it is, or another for one in the patient's own names: "alias" for "dit"."""
        bare = fold_line(written)
        if bare in _LINKS and bare in _words_of(self._context):
            return in_case_of(written, _LINKS[bare])
        return written

    def _word(self, mention: Mention, word: NameWord, attempt: int) -> str:
        unmixed = word.text in (word.text.lower(), word.text.upper())
        if unmixed and not word.called and (login := self.shorthand.login(mention, word.text, attempt)) is not None:
            return login
        pool = self.roster.pool(word.key, mention)
        own = pool is Pool.PATIENT  # what the warehouse calls the patient is no diminutive
        surrogate = None if own else self._diminutive(mention, word, pool, attempt)
        if surrogate is None:
            turn = self._turns.get((mention.start, word.key), 0)
            sex = word.sex if word.surname or own else self.roster.sex_of_namesake(word.key, mention, pool) or word.sex
            surrogate = (
                self.drawing.renewed(word.key, word.surname, pool, sex, turn)
                if turn
                else self.drawing.surrogate(word.key, word.surname, pool, sex)
            )
        surrogate = usual_spelling(surrogate, word.surname)
        if word.plain or not self._context.accented or self._lacks_accents(word):
            surrogate = without_accents(surrogate)
        if word.form in self.roster.forms.short:
            surrogate = shortened(surrogate, word.text)
        return word.cased(glue(self.roster.forms.glued.get(word.form, ""), surrogate, word.text))

    def _lacks_accents(self, word: NameWord) -> bool:
        """Return whether a name, if hiding is natural, lacks its usual accents; its surrogate then lacks them too."""
        return self._natural and word.text.isascii() and is_accented(word.key, word.surname)

    @cached_property
    def _turns(self) -> Mapping[tuple[int, str], int]:
        """Count the changes of a word's surrogate up to a mention: (start, key) → above 0.

        At each mention that names somebody again, its words change together unless a keyed draw keeps them, with the
        policy's probability: a Markov chain that forgets all but the surrogate before.
        """
        policy, document = self._context.policy, self._context.document
        if policy.repeated_names == "consistent":
            return {}
        kept = round(policy.keep_name * _PARTS)
        turns: dict[tuple[int, str], int] = {}
        latest: dict[str, int] = {}
        for place, mention in enumerate(self.roster.mentions):
            coin = self._context.stream("kept name", document.id, str(place))
            changes = coin.below(_PARTS) >= kept
            for key in dict.fromkeys(self.roster.words(mention)):
                turn = latest[key] = latest[key] + changes if key in latest else 0
                if turn:
                    turns[mention.start, key] = turn
        return turns

    def _diminutive(self, mention: Mention, called: NameWord, pool: Pool, attempt: int) -> str | None:
        """Return a diminutive of the bearer's surrogate, or any for an unknown bearer; None if it is itself a name."""
        word = called.key
        names = nicknames.NAMES_OF.get(word, ())
        known = self._tables.first_name(word)
        bearers = self.roster.bearers(word)
        if bearers and bearers[0].label is Label.PATIENT:
            pool = Pool.PATIENT
        elif bearers:
            pool = self.roster.pool(word, bearers[0])  # one diminutive, however its mentions are labelled
        many = word in self.roster.accompanied  # then a name, wherever it stands
        alone = len(self.roster.words(mention)) == 1 and not self._is_name(called, mention)
        called_so = self.roster.is_nickname(word)
        known_here = [
            (whose, one)
            for whose, one in self.roster.known_first_names
            if one.word in names or (alone and nicknames.like(one.word, word, one.word, told=called_so) is not None)
        ]
        ranked = sorted(known_here, key=lambda found: found[0] is not pool)
        whose, bearer = ranked[0] if ranked else (pool, None)
        if bearer is None and (
            not (names or (alone and called_so))
            or (called.surname and self.roster.titled(mention))
            or (known and (known.births > _NAME_OF_ITS_OWN or many))
        ):
            return None
        pool = pool if bearer is None else whose
        told = self.roster.sex_of(word, pool) or next(filter(None, map(self.roster.sex, bearers)), None)
        sex = told or self.roster.sex(mention)
        stream = self.drawing.stream(pool, "diminutive", pool, word, str(attempt))
        if bearer is not None:
            name = name_key(self.drawing.surrogate(bearer.word, False, whose, bearer.sex))
            fitting = [one for one in nicknames.of(name, sex) if fold_line(one)[0] != fold_line(word)[0]]
            if fitting and bearer.word in names:
                return stream.choice(fitting).title()
            made = nicknames.like(bearer.word, word, name, told=called_so)
            if made and made[0] != word[0] and made not in SMALL and not self._context.brings_back(made):
                return made.title()
        others = nicknames.every(sex or _sex_of(names))[_POOLS.index(pool) :: len(_POOLS)]
        return self.drawing.chosen(stream, others, word).title()

    def _is_name(self, called: NameWord, mention: Mention) -> bool:
        """Return whether a lone word that may be a diminutive is rather a name, here or by how many bear it."""
        word, known = called.key, self._tables.first_name(called.key)
        births = known.births if known else 0
        borne = births > _NAME_OF_ITS_OWN or self._tables.surname_births(word) >= _SURNAME_OF_ITS_OWN
        alone = word not in self.roster.accompanied
        return not alone or (borne and word not in nicknames.NAMES_OF) or self.roster.titled(mention)


def _words_of(context: DocumentContext) -> frozenset[str]:
    """Return the folded words of the patient's names in the warehouse."""
    return frozenset(word for name in context.document.patient.names for word in words(name))


def _sex_of(names: Sequence[str]) -> str | None:
    """Return the only sex with diminutives of one of these first names; None if both or neither have some."""
    sexes = [sex for sex in ("M", "F") if any(nicknames.of(name, sex) for name in names)]
    return sexes[0] if len(sexes) == 1 else None
