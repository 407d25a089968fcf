"""PHONE, in the original's layout: a number reserved for fiction, or without operator, by the policy's `hiding`.

A foreign number has the calling code of the country drawn for its own. One that is marked has zeros behind it, where no
national number begins; a natural one is redrawn, since no table of free foreign numbers is at hand.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french import numerals
from deid.french.folding import comparable, fold_line, in_case_of
from deid.privacy.stream import KeyedStream
from deid.reference import Commune
from deid.reference.packaged import number_kind, unassigned_numbers
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, digits_of, redraw_digits
from deid.substitution.places.abroad import CALLED
from deid.substitution.places.countries import Countries
from deid.substitution.places.gazette import Gazette

MARKED, NATURAL = "fiction_range", "unassigned_range"
# Arcep, decision 2018-0881, annex 2.1.11: numbers for audiovisual works, by zone.
FICTION = {"1": "019900", "2": "026191", "3": "035301", "4": "046571", "5": "053649", "6": "063998"}
# Zone of each region's numbers, by INSEE code; the overseas regions share those of the west and south-west.
_GEOGRAPHIC = "12345"
_ZONES = {
    "11": "1", "24": "2", "28": "2", "52": "2", "53": "2", "04": "2", "06": "2", "27": "3", "32": "3", "44": "3",
    "84": "4", "93": "4", "94": "4", "75": "5", "76": "5", "01": "5", "02": "5", "03": "5",
}  # fmt: skip
# Departments whose numbers are not their region's: Languedoc and Roussillon.
_OTHER_ZONES = dict.fromkeys(("11", "30", "34", "48", "66"), "4")
_SCANNED = str.maketrans("OoIl", "0011")
_NATIONAL, _SIGNIFICANT = 10, 9  # digits of a number with its zero and without
_CUT = re.compile(r"\s*0[1-9](?:[ .-]\d\d)?[ .-]*")  # the beginning of a number that a line or page ends in
_LETTERS, _SPOKEN = re.compile(r"[^\W\d_]{3}"), re.compile("[a-z]{3}")
_CODES = "|".join(sorted(CALLED, key=len, reverse=True))
_FOREIGN = re.compile(rf"(?P<sign>\s*\(?\s*(?:\+|00)\s*)(?!33)(?P<code>{_CODES}|\d{{2,3}})")
_DIGITS = "0123456789"
_ZEROS = 3  # that a marked foreign number begins with
# One number of several in a mention, with its country code or without.
_ONE_OF_SEVERAL = re.compile(r"(?<!\d)(?:(?:\+|00)\s?33\s?(?:\(0\)\s?)?|0)[1-9](?:[\s.\-]?\d{2}){4}(?!\d)")
_PREFIXED = re.compile(r"\s*(?:\(?(?:\+|00)\s*33\)?)\s*(?:\(0\)\s*)?")


_MOBILE = frozenset({"six", "sept"})  # behind "zéro", in words


class Phones:
    """Generator of PHONE for one document."""

    def __init__(self, context: DocumentContext, gazette: Gazette) -> None:
        self._context = context
        self._gazette = gazette
        self._natural = context.policy.hiding == "natural"
        self._countries = Countries(context, gazette)
        own = map(digits_of, context.document.patient.phones)
        self._own = frozenset(number[-_SIGNIFICANT:] for number in own if len(number) >= _SIGNIFICANT)

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return the mention with each number replaced; an extension is redrawn."""
        original = self._context.text(mention)
        if len(_ONE_OF_SEVERAL.findall(original)) > 1:
            text = _ONE_OF_SEVERAL.sub(lambda one: self._written(one.group(), attempt), original)
        else:
            text = self._written(original, attempt)
        return Draft(text, NATURAL if self._natural else MARKED)

    def _written(self, original: str, attempt: int) -> str:
        layout = _layout(original)
        if layout.lettered and (spoken := self._spoken(original, attempt)):
            return spoken
        if layout.national:
            number = self._number(layout.number, attempt)
            return layout.head + _filled(layout.rest, number[layout.unwritten :])
        rest = redraw_digits(layout.rest, self._context.stream("phone", layout.number, str(attempt)))
        if layout.head and not self._natural:
            rest = _filled(rest, "0" * _ZEROS + digits_of(rest)[_ZEROS:])
        return _FOREIGN.sub(lambda one: one["sign"] + self._countries.calling_code(one["code"]), layout.head) + rest

    def _number(self, digits: str, attempt: int) -> str:
        """Return another number with as many digits: a mobile stays one, a geographic zone follows the address.

        The zone becomes the one of the commune drawn for the document's place in it, and stays without such a place.
        Other numbers (08, 09) get the home's zone if marked, and keep two digits if natural. A short marked number that
        begins as its zone's fictional range gets another zone's: each has one beginning. The result is never a number
        of the patient.
        """
        stream = self._context.stream("phone", digits, str(attempt))
        number = self._drawn(digits, stream)
        while number[-_SIGNIFICANT:] in self._own:
            number = self._drawn(digits, stream)
        return number

    def _drawn(self, digits: str, stream: KeyedStream) -> str:
        zone = digits[1]
        if self._natural and len(digits) >= _NATIONAL - 4:
            return _unassigned(digits, f"0{self._moved(zone)}" if zone in _GEOGRAPHIC else digits[:2], stream)
        zone = (
            "6" if zone in "67" else self._moved(zone) if zone in _GEOGRAPHIC else _zone(self._gazette.surroundings[0])
        )
        return _fictional(digits, zone, stream)

    def _moved(self, zone: str) -> str:
        """Return the zone of the commune drawn for the document's first place in a zone; without one, the same zone."""
        places = (place for place in self._gazette.places.values() if place.commune and _zone(place.commune) == zone)
        place = next(places, None)
        return zone if place is None else _zone(self._gazette.surrogate(place))

    def _spoken(self, original: str, attempt: int) -> str | None:
        """Return a dictated number, as pairs of digits in words; None if the words are no numbers."""
        said = re.findall("[a-z]+", fold_line(original))
        if not any(word in numerals.NUMBER_WORDS or _glued_number(word) for word in said):
            return None
        number = self._number("06" + "0" * 8 if _MOBILE.intersection(said[:2]) else "01" + "0" * 8, attempt)
        stream = self._context.stream("phone", Label.PHONE, comparable(original), str(attempt))
        number = number[:6] + "".join(str(stream.below(10)) for _ in range(4))
        pairs = [number[index : index + 2] for index in range(0, _NATIONAL, 2)]
        words = [_pair(pair) for pair in pairs]
        return in_case_of(original, " ".join(words))


class _Layout(NamedTuple):
    """A number as written: `head` is kept, the digits of `rest` are replaced.

    `number` has all its digits, from the 0 of a national one; `unwritten` is 1 if that 0 is left out, else 0.
    """

    head: str
    rest: str
    number: str
    national: bool
    unwritten: int = 0
    lettered: bool = False


def _layout(original: str) -> _Layout:
    text = original.translate(_SCANNED) if any(map(str.isdigit, original)) else original
    lettered = _LETTERS.search(text) is not None and _SPOKEN.search(fold_line(text)) is not None
    country, prefix = _FOREIGN.match(text), _PREFIXED.match(text)
    head = prefix.group() if prefix else ""
    rest = text[len(head) :]
    digits = written = digits_of(rest)
    if not digits.startswith("0") and (prefix or len(digits) == _NATIONAL - 1):
        digits = "0" + digits  # what "+33" and spreadsheets leave out
    if digits.startswith("0") and (len(digits) >= _NATIONAL - 4 or _CUT.fullmatch(text)) and not country:
        return _Layout(head, rest, digits, True, len(digits) - len(written), lettered)
    head = country.group() if country else ""
    return _Layout(head, text[len(head) :], digits_of(text), False, lettered=lettered)


def _fictional(digits: str, zone: str, stream: KeyedStream) -> str:
    """Return another number of a zone, with as many digits."""
    start = FICTION[zone]
    if len(digits) < _NATIONAL and digits.startswith(start[: len(digits)]):
        start = FICTION[stream.choice([one for one in FICTION if one not in (zone, "6")])]
    while True:
        number = start + "".join([_DIGITS[stream.below(10)] for _ in range(max(4, len(digits) - 6))])
        if number[: len(digits)] != digits or len(digits) <= len(start):
            return number[: len(digits)]


def _unassigned(digits: str, start: str, stream: KeyedStream) -> str:
    """Return another number without an operator, with as many digits: of its overseas territory, else of `start`."""
    territories, blocks = unassigned_numbers()
    territory = territories.get(digits[:4], "")
    free = blocks.get((number_kind(digits if territory else start), territory)) or blocks["01", ""]
    while True:
        number = stream.choice(free) + "".join([_DIGITS[stream.below(10)] for _ in range(max(4, len(digits) - 6))])
        if number[: len(digits)] != digits:
            return number[: len(digits)]


def _zone(commune: Commune) -> str:
    return _OTHER_ZONES.get(commune.department) or _ZONES.get(commune.region, "1")


def _glued_number(word: str) -> bool:
    return any(word.startswith(start) for start in ("zero", "trente", "quarante", "cinquante", "soixante", "quatre"))


def _pair(digits: str) -> str:
    said = numerals.write_number(int(digits), hyphens=False)
    return f"zéro {said}" if digits[0] == "0" and digits != "00" else "zéro zéro" if digits == "00" else said


def _filled(layout: str, digits: str) -> str:
    """Put `digits` in the places of the digits of `layout`, then 0."""
    source = iter(digits)
    return "".join([next(source, "0") if char.isdigit() else char for char in layout])
