"""The room of PATIENT, DOCTOR and PERSON: the same word gets the same surrogate word, whoever writes it how."""

from __future__ import annotations

from deid.document import Mention
from deid.labels import Label
from deid.substitution.dossier import Dossier
from deid.substitution.drafts import Draft
from deid.substitution.folding import flat, without_accents
from deid.substitution.names.parsing import Piece, Sort, despaced
from deid.substitution.names.roster import Roster
from deid.substitution.names.tables import NameTables, Pool, key
from deid.substitution.shapes import in_case_of

STRATEGY = "frequency_band"
_LETTERS = "ABCDEFGHJLMNPRSTV"
_TRIES = 200
_LOGIN_LEAST = 5


class People:
    """Names of one document and their surrogates.

    A word is drawn by (pool, surname or first name, word) within the scope, so a family keeps one surname, and a person
    written "DUPONT", "Mme Dupont" or "Dupont Marie" stays one, in all of a patient's documents
    (Tchouka et al. 2022, figure 5, without the lookup table). Initials are those of the surrogate names: a surrogate
    never starts with its original's letter.
    """

    def __init__(self, dossier: Dossier, tables: NameTables) -> None:
        self._dossier = dossier
        self._tables = tables
        self.roster = Roster(dossier, tables)
        self._drawn: dict[tuple[Pool, bool, str, int], str] = {}

    def write(self, mention: Mention, attempt: int) -> Draft:
        """The surrogate of a name."""
        original = self._dossier.text(mention)
        spaced = despaced(original)
        if spaced is not None:
            surrogate = self._word(mention, spaced, attempt)
            return Draft(original[1].join(surrogate.upper() if spaced.isupper() else surrogate), STRATEGY)
        found = self.roster.pieces(mention)
        if all(piece.sort is not Sort.WORD for piece in found):
            return Draft(self._initials(mention, found, attempt), STRATEGY)
        return Draft("".join(self._piece(mention, piece, found, attempt) for piece in found), STRATEGY)

    def _piece(self, mention: Mention, piece: Piece, found: list[Piece], attempt: int) -> str:
        match piece.sort:
            case Sort.WORD:
                return self._word(mention, piece.text, attempt)
            case Sort.INITIAL:
                return _cased(piece.text, self._initial(mention, piece.text, found, attempt))
            case _:
                return piece.text

    def _word(self, mention: Mention, written: str, attempt: int) -> str:
        word = key(written)
        login = self._login(mention, written)
        if login is not None:
            initial, surname = login
            return initial + self._word_of(mention, surname, True, attempt).lower()
        surrogate = self._word_of(mention, word, self.roster.is_surname(word, mention, written), attempt)
        if not self._dossier.accented or (written.isupper() and written.isascii()):
            surrogate = without_accents(surrogate)
        return in_case_of(written, surrogate)

    def _word_of(self, mention: Mention, word: str, surname: bool, attempt: int) -> str:
        pool = self.roster.pool(word, mention)
        return self.surrogate(word, surname, pool, None if surname else self.roster.sex(mention), attempt)

    def surrogate(self, word: str, surname: bool, pool: Pool, sex: str | None = None, attempt: int = 0) -> str:
        """The surrogate of a surname or first name (by its key): of its frequency band, with another first letter,
        and no name that the document or the patient's identity holds.
        """
        known = self._drawn.get((pool, surname, word, attempt))
        if known is not None:
            return known
        if surname:
            candidates = self._tables.surnames_like(word, pool)
        else:
            candidates = self._tables.first_names_like(word, sex, pool)
        stream = self._dossier.stream("name", pool, "surname" if surname else "first name", word, str(attempt))
        for _ in range(_TRIES):
            name = stream.choice(candidates)
            if flat(name)[0] != flat(word)[0] and not self._dossier.brings_back(name):
                break
        self._drawn[pool, surname, word, attempt] = name
        return name

    def _login(self, mention: Mention, written: str) -> tuple[str, str] | None:
        """Initial and surname of a login ("hklein"): its surrogate initial, and the key of the surname."""
        if not written.islower() or len(written) < _LOGIN_LEAST or mention.label is Label.PERSON:
            return None
        word = key(written)
        if self._tables.surname_births(word) or self._tables.first_name(word):
            return None
        for first, surname, _ in self.roster.full_names:
            if written[1:] == surname and first.startswith(written[0]):
                return flat(self._word_of(mention, first, False, 0))[0], surname
        if self._tables.surname_births(word[1:]):
            letter = self._letter(mention, word[1:], word[0], 0)
            return letter.lower(), word[1:]
        return None

    def _initial(self, mention: Mention, letter: str, found: list[Piece], attempt: int) -> str:
        """The initial of the surrogate of the name that a letter beside whole words abbreviates."""
        beside = [key(piece.text) for piece in found if piece.sort is Sort.WORD]
        plain = flat(letter)
        for first, surname, _ in self.roster.full_names:
            if surname in beside and first.startswith(plain):
                return self._word_of(mention, first, False, attempt)[0]
            if first in beside and surname.startswith(plain):
                return self._word_of(mention, surname, True, attempt)[0]
        return self._letter(mention, " ".join(beside), plain, attempt)

    def _letter(self, mention: Mention, beside: str, letter: str, attempt: int) -> str:
        stream = self._dossier.stream("initial", mention.label, beside, letter, str(attempt))
        while (drawn := stream.choice(_LETTERS)).lower() == letter[0]:
            pass
        return drawn

    def _initials(self, mention: Mention, found: list[Piece], attempt: int) -> str:
        """Initials that stand alone: those of someone named here if they fit, else others by the key."""
        letters = [flat(piece.text)[0] for piece in found if piece.sort is Sort.INITIAL]
        surrogates = self._initials_of_named(mention, letters, attempt)
        if surrogates is None:
            surrogates = [
                self._letter(mention, "".join(letters), f"{letter}{i}", attempt) for i, letter in enumerate(letters)
            ]
        drawn = iter(surrogates)
        return "".join(_cased(p.text, next(drawn)) if p.sort is Sort.INITIAL else p.text for p in found)

    def _initials_of_named(self, mention: Mention, letters: list[str], attempt: int) -> list[str] | None:
        if len(letters) != 2:
            return None
        for first, surname, source in self.roster.full_names:
            if source is not None and source.label is not mention.label:
                continue
            names = [(first, False), (surname, True)]
            for order in (names, names[::-1]):
                if [name[:1] for name, _ in order] == letters:
                    return [self._word_of(mention, name, kind, attempt)[0] for name, kind in order]
        return None


def _cased(model: str, letter: str) -> str:
    plain = without_accents(letter)
    return plain.lower() if model.islower() else plain.upper()
