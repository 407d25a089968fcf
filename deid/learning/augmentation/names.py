"""PATIENT, DOCTOR and PERSON: another name per word, the same wherever the word stands in the document."""

from __future__ import annotations

from collections.abc import Sequence

from deid.domain.document import Mention
from deid.french.folding import fold_line, without_accents
from deid.french.shapes import in_case_of, titled
from deid.learning.augmentation import pools
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.rates import Rates
from deid.reference.names import NameTables, name_key
from deid.substitution.context import DocumentContext
from deid.substitution.names.parsing import Piece, Sort, despaced
from deid.substitution.names.roster import Roster

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOGIN_LEAST = 5
_TWO_WORDS = [Sort.WORD, Sort.BETWEEN, Sort.WORD]
_SHORTEST, _LONGEST = 4, 11  # letters of an invented surname


class Names:
    """The names of one copy. Surrogates may clash or repeat an original: nothing here is hidden from anyone."""

    def __init__(self, context: DocumentContext, roster: Roster, chance: Chance, rates: Rates) -> None:
        self._context = context
        self._roster = roster
        self._tables: NameTables = roster.tables
        self._chance = chance
        self._rates = rates
        self._drawn: dict[tuple[bool, str], str] = {}
        self._letters: dict[str, str] = {}
        for mention in roster.mentions:
            self._draw(mention)

    def _draw(self, mention: Mention) -> None:
        """Draw for the words of a mention before any is written: initials must follow them."""
        found = self._roster.pieces(mention)
        for index, piece in enumerate(found):
            if piece.sort is Sort.WORD:
                surname = self._roster.is_surname(name_key(piece.text), mention, piece.text)
                drawn = self._word(piece.text, surname, mention, single=_beside_hyphen(found, index))
                self._letters.setdefault(fold_line(piece.text)[0], without_accents(drawn)[0].upper())

    @property
    def exchanged(self) -> dict[str, str]:
        """Folded word → its new one, for addresses built from names."""
        return {word: fold_line(drawn) for (_, word), drawn in self._drawn.items()}

    def write(self, mention: Mention) -> str:
        """The new text of a mention."""
        original = self._context.text(mention)
        spaced = despaced(original)
        if spaced is not None:
            return original[1].join(in_case_of(spaced, self._word(spaced, True, mention, single=True)))
        found = self._roster.pieces(mention)
        written = [self._piece(piece, mention) for piece in found]
        if self._chance.once(self._rates.lowered_name):
            return "".join(written).lower()
        if [piece.sort for piece in found] == _TWO_WORDS and self._chance.once(self._rates.reshaped_name):
            first = int(self._roster.is_surname(name_key(found[0].text), mention, found[0].text))
            return self._reshaped(written[2 * first], written[2 - 2 * first])
        return "".join(written)

    def _reshaped(self, first_name: str, surname: str) -> str:
        """A first name and a surname in another order, in other capitals, or the first name cut short."""
        surname = self._chance.choice((surname.upper(), titled(surname), surname))
        first_name = self._chance.choice((first_name, first_name, f"{first_name[0]}.", first_name.upper()))
        return " ".join((surname, first_name) if self._chance.once(0.5) else (first_name, surname))

    def _piece(self, piece: Piece, mention: Mention) -> str:
        if piece.sort is Sort.WORD:
            surname = self._roster.is_surname(name_key(piece.text), mention, piece.text)
            return self._cased(piece.text, self._word(piece.text, surname, mention))
        if piece.sort is Sort.INITIAL:
            letter = self._letters.setdefault(fold_line(piece.text)[0], self._chance.choice(_LETTERS))
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
                known = self._chance.choice(_LETTERS).lower() + fold_line(self._surname(single=True))
            elif surname:
                known = self._surname(single=single)
            else:
                known = self._first_name(word, mention, single=single)
            self._drawn[surname, word] = known
        return known

    def _is_login(self, written: str, word: str) -> bool:
        """Whether a word is an initial glued to a surname, as in "hklein"."""
        return (
            written.islower()
            and len(word) >= _LOGIN_LEAST
            and not self._tables.surname_births(word)
            and self._tables.first_name(word) is None
            and self._tables.surname_births(word[1:]) > 0
        )

    def _first_name(self, word: str, mention: Mention, *, single: bool) -> str:
        known = self._tables.first_name(word)
        sex = (known.sex if known else None) or self._roster.sex(mention) or self._chance.choice("FM")
        compound = not single and self._chance.once(0.1)
        return self._chance.choice(pools.first_names()[sex, compound])

    def _surname(self, *, single: bool) -> str:
        name = self._any_surname()
        while single and not name.isalpha():
            name = self._any_surname()
        return name

    def _any_surname(self) -> str:
        chance, rates = self._chance, self._rates
        at = chance.random()
        for rate, draw in (
            (rates.invented, self._invented),
            (rates.town_surname, lambda: chance.choice(pools.towns().all).name),
            (rates.word_surname, lambda: chance.choice(pools.surnames().words)),
            (rates.calendar_surname, lambda: chance.choice(pools.CALENDAR)),
            (rates.eponym_surname, lambda: chance.choice(pools.eponyms()[""])),
            (rates.first_name_surname, lambda: chance.choice(pools.first_names()[chance.choice("FM"), False])),
        ):
            if at < rate:
                return draw()
            at -= rate
        name = chance.choice(pools.surnames().real)
        return pools.accented(name) if chance.once(rates.accented_surname) else name

    def _invented(self) -> str:
        """A surname of syllables of real ones that no table has."""
        firsts, inners, lasts = pools.surnames().syllables
        while True:
            middle = self._chance.choice(inners) if self._chance.once(0.4) else ""
            name = self._chance.choice(firsts) + middle + self._chance.choice(lasts)
            if _SHORTEST <= len(name) <= _LONGEST and not self._tables.surname_births(name):
                return name[0].upper() + name[1:]


def _beside_hyphen(found: Sequence[Piece], index: int) -> bool:
    """Whether a word is part of a compound: what stands for it must not be compound itself."""
    around = (*found[max(0, index - 1) : index], *found[index + 1 : index + 2])
    return any(piece.sort is Sort.BETWEEN and piece.text == "-" for piece in around)
