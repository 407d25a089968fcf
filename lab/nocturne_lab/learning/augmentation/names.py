"""Alter PATIENT, DOCTOR and PERSON mentions: one new word per word of a name, in the whole document."""

from __future__ import annotations

from collections.abc import Sequence

from deid.domain.document import Mention
from deid.french.folding import fold_line, in_case_of, titled, without_accents
from deid.reference.names import NameTables, name_key
from deid.substitution.context import DocumentContext
from deid.substitution.names.parsing import NamePiece, Sort, despaced
from deid.substitution.names.roster import Roster
from nocturne_lab.learning.augmentation import pools
from nocturne_lab.learning.augmentation.rates import Rates, SeededRandom

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOGIN_LEAST = 5
_TWO_WORDS = [Sort.WORD, Sort.BETWEEN, Sort.WORD]
_SHORTEST, _LONGEST = 4, 11  # letters of an invented surname


class Names:
    """Names of one copy; a surrogate may equal another or an original, since copies are not published."""

    def __init__(self, context: DocumentContext, roster: Roster, rng: SeededRandom, rates: Rates) -> None:
        self._context = context
        self._roster = roster
        self._tables: NameTables = roster.tables
        self._rng = rng
        self._rates = rates
        self._drawn: dict[tuple[bool, str], str] = {}
        self._letters: dict[str, str] = {}
        for mention in roster.mentions:
            self._draw(mention)

    def _draw(self, mention: Mention) -> None:
        """Draw for the words of a mention, before its initials."""
        found = self._roster.pieces(mention)
        for index, piece in enumerate(found):
            if piece.sort is Sort.WORD:
                surname = self._roster.is_surname(name_key(piece.text), mention, piece.text)
                drawn = self._word(piece.text, surname, mention, single=_beside_hyphen(found, index))
                self._letters.setdefault(fold_line(piece.text)[0], without_accents(drawn)[0].upper())

    @property
    def exchanged(self) -> dict[str, str]:
        """Map each folded word to its new word, for addresses built from names."""
        return {word: fold_line(drawn) for (_, word), drawn in self._drawn.items()}

    def write(self, mention: Mention) -> str:
        """Return the new text of a mention."""
        original = self._context.text(mention)
        spaced = despaced(original)
        if spaced is not None:
            return original[1].join(in_case_of(spaced, self._word(spaced, True, mention, single=True)))
        found = self._roster.pieces(mention)
        written = [self._piece(piece, mention) for piece in found]
        if self._rng.once(self._rates.lowered_name):
            return "".join(written).lower()
        if [piece.sort for piece in found] == _TWO_WORDS and self._rng.once(self._rates.reshaped_name):
            first = int(self._roster.is_surname(name_key(found[0].text), mention, found[0].text))
            return self._reshaped(written[2 * first], written[2 - 2 * first])
        return "".join(written)

    def _reshaped(self, first_name: str, surname: str) -> str:
        """Change the order or the case of a first name and a surname, or shorten the first name."""
        surname = self._rng.choice((surname.upper(), titled(surname), surname))
        first_name = self._rng.choice((first_name, first_name, f"{first_name[0]}.", first_name.upper()))
        return " ".join((surname, first_name) if self._rng.once(0.5) else (first_name, surname))

    def _piece(self, piece: NamePiece, mention: Mention) -> str:
        if piece.sort is Sort.WORD:
            surname = self._roster.is_surname(name_key(piece.text), mention, piece.text)
            return self._cased(piece.text, self._word(piece.text, surname, mention))
        if piece.sort is Sort.INITIAL:
            letter = self._letters.setdefault(fold_line(piece.text)[0], self._rng.choice(_LETTERS))
            return letter.lower() if piece.text.islower() else letter
        return piece.text

    def _cased(self, written: str, drawn: str) -> str:
        if not self._context.accented or (written.isupper() and written.isascii()):
            drawn = without_accents(drawn)
        return in_case_of(written, drawn)

    def _word(self, written: str, surname: bool, mention: Mention, *, single: bool = False) -> str:
        word = name_key(written)
        known = self._drawn.get((surname, word))
        if known is None:
            if self._is_login(written, word):
                known = self._rng.choice(_LETTERS).lower() + fold_line(self._surname(single=True))
            elif surname:
                known = self._surname(single=single)
            else:
                known = self._first_name(word, mention, single=single)
            self._drawn[surname, word] = known
        return known

    def _is_login(self, written: str, word: str) -> bool:
        """Return whether a word is an initial joined to a surname, as in "hklein"."""
        return (
            written.islower()
            and len(word) >= _LOGIN_LEAST
            and not self._tables.surname_births(word)
            and self._tables.first_name(word) is None
            and self._tables.surname_births(word[1:]) > 0
        )

    def _first_name(self, word: str, mention: Mention, *, single: bool) -> str:
        known = self._tables.first_name(word)
        sex = (known.sex if known else None) or self._roster.sex(mention) or self._rng.choice("FM")
        compound = not single and self._rng.once(0.1)
        return self._rng.choice(pools.first_name_pool()[sex, compound])

    def _surname(self, *, single: bool) -> str:
        name = self._any_surname()
        while single and not name.isalpha():
            name = self._any_surname()
        return name

    def _any_surname(self) -> str:
        rng, rates = self._rng, self._rates
        at = rng.random()
        for rate, draw in (
            (rates.invented, self._invented),
            (rates.town_surname, lambda: rng.choice(pools.town_pool().all).name),
            (rates.word_surname, lambda: rng.choice(pools.surname_pool().words)),
            (rates.calendar_surname, lambda: rng.choice(pools.CALENDAR)),
            (rates.eponym_surname, lambda: rng.choice(pools.eponym_pool()[""])),
            (rates.first_name_surname, lambda: rng.choice(pools.first_name_pool()[rng.choice("FM"), False])),
        ):
            if at < rate:
                return draw()
            at -= rate
        name = rng.choice(pools.surname_pool().real)
        return pools.accented(name) if rng.once(rates.accented_surname) else name

    def _invented(self) -> str:
        """Build a surname in no table from syllables of real surnames."""
        firsts, inners, lasts = pools.surname_pool().syllables
        while True:
            middle = self._rng.choice(inners) if self._rng.once(0.4) else ""
            name = self._rng.choice(firsts) + middle + self._rng.choice(lasts)
            if _SHORTEST <= len(name) <= _LONGEST and not self._tables.surname_births(name):
                return name[0].upper() + name[1:]


def _beside_hyphen(found: Sequence[NamePiece], index: int) -> bool:
    """Return whether a word is part of a compound, whose surrogate must be a single word."""
    around = (*found[max(0, index - 1) : index], *found[index + 1 : index + 2])
    return any(piece.sort is Sort.BETWEEN and piece.text == "-" for piece in around)
