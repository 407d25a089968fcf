"""The room of PATIENT, DOCTOR and PERSON: the same word gets the same surrogate word, whoever writes it how."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.document import Mention
from deid.privacy import KeyedStream
from deid.substitution.dossier import Dossier
from deid.substitution.drafts import Draft
from deid.substitution.folding import flat, without_accents
from deid.substitution.names import nicknames
from deid.substitution.names.parsing import Piece, Sort, despaced
from deid.substitution.names.roster import Given, Roster
from deid.substitution.names.shorthand import Shorthand
from deid.substitution.names.tables import NameTables, Pool, key
from deid.substitution.shapes import in_case_of

STRATEGY = "frequency_band"
_TRIES = 200
_NOBODY = "Anonyme"
_POOLS = tuple(Pool)
# A diminutive that as many people were given as their name is taken for a name, unless somebody here may be called so.
_NAME_OF_ITS_OWN = 10_000
_ELISION = re.compile(r"(?<![^\W\d_])([dl])['’](?=[^\W\d_])", re.IGNORECASE)


class People:
    """Names of one document and their surrogates.

    A word is drawn by (pool, surname or first name, word) within the scope, so a family keeps one surname, and a person
    written "DUPONT", "Mme Dupont" or "Dupont Marie" stays one, in all of a patient's documents
    (Tchouka et al. 2022, figure 5, without the lookup table). Initials, logins and diminutives are those of the
    surrogate names: a surrogate never starts with its original's letter.
    """

    def __init__(self, dossier: Dossier, tables: NameTables) -> None:
        self._dossier = dossier
        self._tables = tables
        self.roster = Roster(dossier, tables)
        self.shorthand = Shorthand(dossier, tables, self.roster, self.surrogate)
        self._drawn: dict[tuple[Pool, bool, str, str | None, int], str] = {}

    def write(self, mention: Mention, attempt: int) -> Draft:
        """The surrogate of a name."""
        original = self._dossier.text(mention)
        spaced = despaced(original)
        if spaced is not None:
            surrogate = self._word(mention, spaced, None, attempt)
            return Draft(original[1].join(surrogate.upper() if spaced.isupper() else surrogate), STRATEGY)
        found = self.roster.pieces(mention)
        if all(piece.sort is not Sort.WORD for piece in found):
            return Draft(self.shorthand.initials(mention, found, attempt), STRATEGY)
        return Draft(_joined([self._piece(mention, place, found, attempt) for place in range(len(found))]), STRATEGY)

    def _piece(self, mention: Mention, place: int, found: Sequence[Piece], attempt: int) -> str:
        piece = found[place]
        match piece.sort:
            case Sort.WORD:
                return self._word(mention, piece.text, self.roster.given[mention].get(place), attempt)
            case Sort.INITIAL:
                return self.shorthand.initial(mention, piece.text, found, attempt)
            case _:
                return piece.text

    def _word(self, mention: Mention, written: str, given: Given | None, attempt: int) -> str:
        word = key(written)
        login = self.shorthand.login(mention, written, attempt)
        if login is not None:
            return login
        pool = self.roster.pool(word, mention)
        surname = given is None and self.roster.is_surname(word, mention, written)
        surrogate = self._diminutive(mention, word, surname, pool, attempt)
        if surrogate is None:
            surrogate = self.surrogate(word, surname, pool, given.sex if given else None, attempt)
        if not self._dossier.accented or (written.isupper() and written.isascii()):
            surrogate = without_accents(surrogate)
        return in_case_of(written, surrogate)

    def surrogate(self, word: str, surname: bool, pool: Pool, sex: str | None = None, attempt: int = 0) -> str:
        """The surrogate of a surname or first name (by its key): of its frequency band, with another first letter,
        and no name that the document or the patient's identity holds.

        `sex` overrules what the first name itself tells; without it, the document may say what the name does not.
        """
        known = self._drawn.get((pool, surname, word, sex, attempt))
        if known is not None:
            return known
        if surname:
            candidates = self._tables.surnames_like(word, pool)
        else:
            told = sex or self.roster.sex_of(word, pool)
            candidates = self._tables.first_names_like(word, told, pool, whatever_it_tells=sex is not None)
        stream = self._stream(pool, "name", pool, "surname" if surname else "first name", word, str(attempt))
        name = self._chosen(stream, candidates, word)
        self._drawn[pool, surname, word, sex, attempt] = name
        return name

    def _stream(self, pool: Pool, *parts: str) -> KeyedStream:
        """The scope's stream; for professionals that of all patients, if the policy wants them known by one name."""
        if pool is Pool.PROFESSIONAL and self._dossier.policy.professionals == "corpus":
            return self._dossier.shared(*parts)
        return self._dossier.stream(*parts)

    def _chosen(self, stream: KeyedStream, candidates: Sequence[str], word: str) -> str:
        for _ in range(_TRIES):
            name = stream.choice(candidates)
            if flat(name)[0] != flat(word)[0] and not self._dossier.brings_back(name):
                return name
        return _NOBODY  # every name that fits would bring something back

    # Diminutives

    def _diminutive(self, mention: Mention, word: str, surname: bool, pool: Pool, attempt: int) -> str | None:
        """What the surrogate of whoever is called so is called; another diminutive where that cannot be known."""
        names = nicknames.NAMES_OF.get(word)
        if names is None:
            return None
        known = self._tables.first_name(word)
        bearer = next((one for of, one in self.roster.known_first_names if of is pool and one.word in names), None)
        if bearer is None and (
            (surname and self.roster.titled(mention)) or (known and known.births > _NAME_OF_ITS_OWN)
        ):
            return None
        sex = self.roster.sex(mention) or self.roster.sex_of(word, pool)
        stream = self._stream(pool, "diminutive", pool, word, str(attempt))
        if bearer is not None:
            name = self.surrogate(bearer.word, False, pool, bearer.sex)
            called = [one for one in nicknames.of(key(name), sex) if flat(one)[0] != flat(word)[0]]
            if called:
                return stream.choice(called).title()
        others = nicknames.every(sex or _sex_of(names))[_POOLS.index(pool) :: len(_POOLS)]
        return self._chosen(stream, others, word).title()


def _joined(pieces: Sequence[str]) -> str:
    """Pieces of a surrogate, "d'" written out before a consonant: "de Calland"."""
    written = "".join(pieces)

    def unelided(match: re.Match[str]) -> str:
        following = written[match.end() :]
        if flat(following)[:1] in tuple("aeiouyh"):
            return match.group()
        capitals = match[1].isupper() and following[:2].isupper()
        return f"{match[1]}{'E' if capitals else 'e'} "

    return _ELISION.sub(unelided, written)


def _sex_of(names: Sequence[str]) -> str | None:
    """The sex of all the people who bear one of these first names and have diminutives; None where both do."""
    sexes = [sex for sex in ("M", "F") if any(nicknames.of(name, sex) for name in names)]
    return sexes[0] if len(sexes) == 1 else None
