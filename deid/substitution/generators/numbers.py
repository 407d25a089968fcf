"""IPP, NDA, RPPS and ID: the same layout, other characters, valid check digits if the original has some."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french import numerals
from deid.french.check_digits import iban_digits, luhn_digit, luhn_holds
from deid.french.folding import comparable, fold_line, in_case_of
from deid.french.organisation_heads import find_head
from deid.privacy.stream import KeyedStream
from deid.reference.packaged import packaged_rows
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, Generator, digits_of, redraw, redraw_digits
from deid.substitution.generators.nirs import is_nir
from deid.substitution.places.gazette import Gazette
from deid.substitution.temporal.calendar import Calendar

STRATEGY = "same_layout"
_IBAN = re.compile(r"[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]){11,30}", re.IGNORECASE)
_PLATE = re.compile(r"([A-Z]{2})([ -]?)(\d{3})([ -]?)([A-Z]{2})", re.IGNORECASE)
_PLATE_LETTERS = "ABCDEFGHJKLMNPQRSTVWXYZ"
# Ranges kept for documentation: RFC 5737 and RFC 3849.
_EXAMPLE_NETWORKS = ("192.0.2", "198.51.100", "203.0.113")
# Ranges of networks that are not reached from outside, which nobody has: RFC 1918 and RFC 4193.
_PRIVATE_NETWORKS = ("10", "172.16", "192.168")
_DOTS = 3
_LUHN_LENGTHS = frozenset({9, 11, 14, 16})
_ALWAYS_KEYED = frozenset({9, 11})
# FINESS and ADELI begin with a department.
_DEPARTMENTAL = 9
_NATIONAL, _RPPS = 11, "10"


# A slide, cassette or bag by the number of its sample and its rank: "24H0123-2", "24H0123-B", "07114A".
_OF_SERIES = r"(?:[-./](?:\d{1,2}|[A-Z]\d?)|(?<=\d)[A-Z])(?!\w)"
_PARTED = re.compile(rf"(?P<number>\w+(?:[-/.]\w+)*?)(?P<part>{_OF_SERIES})")
_LEAST_PARTED = 4  # digits of a number that has parts; a shorter one is redrawn with its part
# Letters that say what a number is of, and stay: "ACC 2126389845", "GEN-22-00871"
_KINDS = (
    "acc|accession|anapath|anat|bact|bio|bioch|cmd|cons|crh|cro|cyto|dos|dossier|echo|ecg|eeg|efr|emg|enmg|fact|gen|"
    "hem|hosp|iep|ipp|irm|lab|labo|lame|lot|nda|nip|ord|pet|pmt|psg|rcp|rdv|ref|rx|scan|siren|siret|sn|tdm|tep|udi|"
    "umj|urg|vir"
).replace("i", "[il]")  # as a scanner reads it
_KIND = re.compile(rf"(?<![^\W_])(?:{_KINDS})(?![^\W\d_])", re.IGNORECASE)
# Letters that open a number and may say its sort: "DAP 17-4420881", "HAD25-0397", "PV 2018/014477", "MAMMO2-SN8100".
# Many letters are an acronym of something, and the code of a site: as acronyms they are read only as a word apart.
_SORT = re.compile(r"[A-Z]{3,}(?=[-/. ]?\d)|[A-Z]{2}(?= \d)")
_LEAST_SHOWN = 3  # letters of a sort that the text writes elsewhere
_SHORTENED = 4  # letters from which a sort may be the beginning of a word: "MAMMO"
# "07412/2021", "2022/09/6617", "7/2022/311"; "12-88301", "PSG-13-0664", "21-UMJ-0388", "U22-48817"
_YEAR = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?:[-/._](?P<month>0[1-9]|1[0-2])(?=[-/._]))?(?=[-/._]\w)|"
    r"(?<=[-/._])(?P<last>(?:19|20)\d\d)(?!\w)|"
    r"\A(?:[A-Z]{1,5}[-/. ]?)?(?P<short>\d\d)(?=(?:[-/.][A-Z]{1,4}[-/.]|[-/.]|[A-Z]{1,4}-?)\d{3})"
)
# What is a year, and a month, only with a date of that year: "2503-18827", "EFS45-23-07114", "IRM 21 00874"
_OF_A_DATE = re.compile(
    r"(?:\A|(?<=[-/. A-Z]))(?P<short>\d\d)(?P<month>0[1-9]|1[0-2])?(?=(?:[-/. ]?[A-Z]{1,4}[-/. ]?|[-/. ])\d{3})",
    re.IGNORECASE,
)
# A whole day of the document, ahead of a rank: "2503120311", "20250312-0044", "A25-0312-0388"
_OF_A_DAY = re.compile(
    r"(?:\A|(?<=[-/. A-Z]))(?P<year>(?:20)??\d\d)-?(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?=[-/. ]?\d\d)",
    re.IGNORECASE,
)
_CENTURY = 2000  # of a year of two figures
# Numbers of one series are alike but for their last figures: "17-P-4401", "17-P-4402"
_RANKED = re.compile(r"(?P<stem>.*\d)(?P<rank> ?\d ?\d)")
_RANKS = 100
# What is drawn whole: accounts, plates, and figures that a scanner read as letters
_FORMED = re.compile(rf"(?i:{_IBAN.pattern}|{_PLATE.pattern})|.*(?:\d[OolI]|[OolI]\d).*")
# A sector of psychiatry, "14G05", and the file of an emergency call, "05-24-18842", open with a department.
_SECTOR = re.compile(r"(?P<code>0[1-9]|[1-8]\d|9[0-5A-F]|2[AB]|97[1-6]|98[678])(?P<sort>[GIZ])\d\d", re.IGNORECASE)
_CALL = re.compile(r"(?P<code>0[1-9]|[1-8]\d|9[0-5]|2[AB])[-/. ]\d.*", re.IGNORECASE)
_AT_CALL = re.compile(r"\b(?:samu|crra|smur)\b[^\n.;]{0,20}\Z")
_Part = tuple[int, int, str]  # start, end and text of a part of a number that is not redrawn
_DAYS = ("%d-%m-%y", "%d-%m-%Y", "%Y-%m-%d")


class Numbers:
    """Generator of identifying numbers for one document; without a gazette, no number follows a place.

    `nirs` writes a number with the key of a NIR, whatever its label, and `calendar` the year of a number that has one.
    """

    def __init__(
        self,
        context: DocumentContext,
        gazette: Gazette | None = None,
        nirs: Generator | None = None,
        calendar: Calendar | None = None,
    ) -> None:
        self._context = context
        self._calendar = calendar
        self._gazette = gazette
        self._nirs = nirs
        self._shared = context.policy.professionals == "corpus"
        self._natural = context.policy.hiding == "natural"
        self._moved: dict[str, Sequence[_Part]] = {}  # years of the numbers written so far

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return another number in the same layout."""
        whole, label = self._context.text(mention), mention.label
        if self._nirs is not None and is_nir(whole):
            return self._nirs.write(mention, attempt)
        original, part = self._of_series(whole)
        professional = label is Label.RPPS
        prefix = self._prefix(original) if professional else ""
        kept = [] if professional else self._kept(mention, original)
        if not professional and (ranked := self._ranked(original, label, kept, attempt)) is not None:
            return Draft(ranked + part, STRATEGY)
        stream_of = self._context.shared_stream if professional and self._shared else self._context.stream
        stream = stream_of("number", comparable(original), str(attempt))
        text = self._other(original, label, prefix, stream, kept) + part
        while _is_day(whole) and not _is_day(text):  # uniform over the days of its layout
            text = self._other(original, label, prefix, stream, kept) + part
        return Draft(text, STRATEGY)

    def _of_series(self, original: str) -> tuple[str, str]:
        """Return a number and its part ("24H0123", "-2") where the document has other parts; else the whole."""
        parted = _PARTED.fullmatch(original)
        if parted is None or sum(map(str.isdigit, parted["number"])) < _LEAST_PARTED:
            return original, ""
        number, part = parted.group("number", "part")
        text = self._context.document.text
        beside = re.compile(rf"(?<!\w){re.escape(number)}(?!{re.escape(part)}(?!\w))(?:{_OF_SERIES}|(?![\w-]))")
        listed = re.compile(rf"(?<!\w){re.escape(original)}(?: ?[,;/]| et| à| au)+ ?{_OF_SERIES}")
        return (number, part) if beside.search(text) or listed.search(text) else (original, "")

    def _ranked(self, original: str, label: Label, kept: Sequence[_Part], attempt: int) -> str | None:
        """Return a number drawn by its stem, its rank moved as all of that stem; None if it has a form or key."""
        found, digits = _RANKED.fullmatch(original), digits_of(original)
        if found is None or _FORMED.fullmatch(original) or _version(original) is not None or _is_day(original):
            return None
        if len(digits) < _LEAST_PARTED or _is_keyed(digits, label):
            return None
        if any(end > found.end("stem") for _, end, _ in kept):
            return None
        stem, rank = found.groups()
        stream = self._context.stream("number", "stem", comparable(stem), str(attempt))
        written = _overlaid(redraw(stem, stream), kept)
        moved = iter(f"{(int(rank.replace(' ', '')) + stream.below(_RANKS)) % _RANKS:02d}")
        written_rank = re.sub(r"\d", lambda _: next(moved), rank)
        return written + written_rank if written.casefold() != stem.casefold() else None

    def _other(self, original: str, label: Label, prefix: str, stream: KeyedStream, kept: Sequence[_Part]) -> str:
        if label is Label.ID and not original.isdigit():
            for reader in (_private if self._natural else _internet, _iban, _plate):
                if (text := reader(original, stream)) is not None:
                    return text
        written = _overlaid(redraw(original, stream), kept) if kept else ""
        if kept and written.casefold() != original.casefold():
            return written
        return _keyed(original, label, prefix, stream)

    def _kept(self, mention: Mention, original: str) -> Sequence[_Part]:
        """Return letters of a number's kind, and its year, moved; each with its place."""
        if sector := _SECTOR.fullmatch(original):
            return [*self._of_sector(sector)]
        if sum(map(str.isdigit, original)) < _LEAST_PARTED:
            return []
        kinds = [
            (*kind.span(), kind.group())
            for kind in _KIND.finditer(original)
            if not self._context.brings_back(kind.group())
        ]
        if _is_day(original):
            years: Sequence[_Part] = []
        elif (years := self._moved.get(comparable(original), ())) == ():  # alike at each mention
            years = self._moved[comparable(original)] = [*self._years(mention, original)]
        dated = any(start == 0 for start, _, _ in years)
        placed: Iterable[_Part] = () if dated else self._placed(mention, original)
        return [*kinds, *self._sort(original), *years, *placed]

    def _of_sector(self, sector: re.Match[str]) -> Iterator[_Part]:
        """Yield the letter of a sector, and the drawn department that it opens with."""
        if self._gazette is not None:
            drawn = self._gazette.standing_in(sector["code"].upper()).department
            yield *sector.span("sort"), sector["sort"]
            yield *sector.span("code"), drawn.lower() if sector["sort"].islower() else drawn

    def _placed(self, mention: Mention, original: str) -> Iterator[_Part]:
        """Yield the department that a call opens with, as drawn for a place of the document."""
        call = _CALL.fullmatch(original)
        if self._gazette is None or call is None or not _AT_CALL.search(self._context.plain_before(mention)):
            return
        if (drawn := self._gazette.drawn_in("department", call["code"].upper())) is not None:
            yield *call.span("code"), drawn.department

    def _sort(self, original: str) -> Iterator[_Part]:
        """Yield the letters that open a number, where they say its sort and no name or place that is hidden."""
        found = _SORT.match(original)
        letters = found.group().lower() if found else ""
        if found is None or self._context.tells_somebody(letters):
            return
        head = find_head(letters)
        apart = original[found.end() :].startswith(" ") and letters in _acronyms()
        hidden = any(word.startswith(letters) for word in self._context.forbidden)
        if (head and head.words == letters) or (not hidden and (apart or self._is_shown(found.group()))):
            yield *found.span(), found.group()

    def _is_shown(self, letters: str) -> bool:
        """Return whether the text writes letters as a word, or begins a word by several, outside of any mention."""
        shown, shortened = self._context.shown, len(letters) >= _SHORTENED
        begins = shortened and any(fold_line(word).startswith(letters.lower()) for word in shown)
        return begins or (letters in shown and len(letters) >= _LEAST_SHOWN)

    def _years(self, mention: Mention, original: str) -> Iterator[_Part]:
        """Yield the years of a number and their months, moved; each with its place."""
        ends = 0
        for found in _OF_A_DAY.finditer(original):
            if self._calendar and (day := self._calendar.moved_day(*map(int, found.groups()))):
                ends = found.end()
                yield from (
                    (*found.span(place), f"{day:{form}}"[-len(found[place]) :])
                    for place, form in (("year", "%Y"), ("month", "%m"), ("day", "%d"))
                )
        for found in sorted((*_YEAR.finditer(original), *_OF_A_DATE.finditer(original)), key=re.Match.start):
            name = next(one for one in ("year", "last", "short") if found.groupdict().get(one))
            year = int(found[name]) + (_CENTURY if name == "short" else 0)
            month = int(found["month"]) if found["month"] else None
            moved = self._calendar and self._calendar.moved_month(mention, year, month, told=found.re is _OF_A_DATE)
            if moved and found.start() >= ends:
                ends = found.end()
                yield *found.span(name), f"{moved.year}"[-len(found[name]) :]
                if month:
                    yield *found.span("month"), f"{moved.month:02d}"

    def _prefix(self, original: str) -> str:
        """Return the fixed beginning of a professional's or establishment's new number, or an empty text."""
        digits = digits_of(original)
        if len(digits) == _DEPARTMENTAL and self._gazette is not None and not _has_letters(original):
            return self._department(digits, self._gazette)
        return _RPPS if len(digits) == _NATIONAL else ""

    @staticmethod
    def _department(digits: str, gazette: Gazette) -> str:
        """Return the first digits of a FINESS or ADELI number: the department of the commune drawn for its own.

        Overseas, FINESS writes 9701 for Guadeloupe and ADELI 971; Corsica is 20 where only digits are written.
        """
        overseas = digits.startswith("97")
        long = not overseas or digits[2] == "0"
        written = f"97{digits[3] if long else digits[2]}" if overseas else digits[:2]
        code = gazette.standing_in(written).department
        if code.startswith("97"):
            return f"970{code[2]}" if long else code
        return "20" if code in ("2A", "2B") else code


def _overlaid(written: str, kept: Sequence[_Part]) -> str:
    """Return a drawn number with the parts that are not drawn."""
    for start, end, text in kept:
        written = written[:start] + text + written[end:]
    return written


@cache
def _acronyms() -> frozenset[str]:
    """Return the acronyms of care and its administration, folded."""
    return frozenset(row["term"] for row in packaged_rows("clinical_terms") if row["kind"] == "acronym")


def _keyed(original: str, label: Label, prefix: str, stream: KeyedStream) -> str:
    digits = digits_of(original)
    if not _is_keyed(digits, label) or _has_letters(original):
        numeric = digits or any(map(str.isdigit, original))
        return redraw(original, stream) if numeric else _wordy(original, stream)
    while True:
        drawn = prefix + redraw_digits(digits, stream)[len(prefix) :]
        drawn = drawn[:-1] + luhn_digit(drawn[:-1])
        if drawn != digits:
            if digits == original:
                return drawn
            source = iter(drawn)
            return "".join(next(source) if char.isdigit() else char for char in original)


def _is_day(text: str) -> bool:
    """Return whether a number reads as a day that exists, of this century or the last: "24-3-25"."""
    for form in _DAYS:
        with suppress(ValueError):
            return 1900 <= datetime.strptime(re.sub("[/.]", "-", text), form).year < 2100
    return False


def _is_keyed(digits: str, label: Label) -> bool:
    """Return whether the last digit of a number is a check digit: by length for RPPS, by length and Luhn for ID."""
    if label is Label.RPPS:
        return len(digits) in _ALWAYS_KEYED
    return label is Label.ID and len(digits) in _LUHN_LENGTHS and luhn_holds(digits)


def _has_letters(text: str) -> bool:
    return any(map(str.isalpha, text))


def _wordy(original: str, stream: KeyedStream) -> str:
    """Return another number in words for a number in words; redraw other letters.

    A number dictated figure by figure is redrawn word by word, with its lone letters: "h quatre vingt" as "b sept dix".
    """
    said = re.findall("[a-z]+", fold_line(original))
    if numerals.read_number(said) is not None:
        return numerals.write_number(stream.below(1000))
    if not all(len(word) == 1 or word in numerals.NUMBER_WORDS or word in _MARKS for word in said):
        return redraw(original, stream)
    return _SAID.sub(lambda word: _word_beside(word.group(), stream), original)


# Signs of a number that is dictated, and words for one that came with it.
_MARKS = frozenset("tiret slash barre point espace trait numero lot serie reference dossier bracelet".split())
_SAID = re.compile(r"[^\W\d_]+")


def _word_beside(word: str, stream: KeyedStream) -> str:
    """Return another word of a dictated number: a figure for a figure, a letter for a letter; signs stay."""
    bare = fold_line(word)
    value = numerals.read_number([bare])
    if value is not None:
        return in_case_of(word, numerals.write_number(stream.below(10)))
    return redraw(word, stream) if len(word) == 1 else word


def _version(original: str) -> int | None:
    """Return the version, 4 or 6, of an IP address; None for another text."""
    if original.count(".") != _DOTS and ":" not in original:
        return None
    try:
        return ipaddress.ip_address(original.strip()).version
    except ValueError:
        return None


def _internet(original: str, stream: KeyedStream) -> str | None:
    if (version := _version(original)) == 4:
        return f"{stream.choice(_EXAMPLE_NETWORKS)}.{1 + stream.below(254)}"
    return None if version is None else "2001:db8:" + ":".join(f"{stream.below(65536):x}" for _ in range(6))


def _private(original: str, stream: KeyedStream) -> str | None:
    if (version := _version(original)) == 4:
        network = stream.choice(_PRIVATE_NETWORKS).split(".")
        return ".".join(
            [*network, *(str(stream.below(255)) for _ in range(_DOTS - len(network))), str(1 + stream.below(254))]
        )
    return (
        None
        if version is None
        else f"fd{stream.below(256):02x}:" + ":".join(f"{stream.below(65536):x}" for _ in range(7))
    )


def _iban(original: str, stream: KeyedStream) -> str | None:
    if _IBAN.fullmatch(original.strip()) is None:
        return None
    plain = re.sub(r"\s", "", original)
    account = redraw(plain[4:], stream)
    drawn = plain[:2] + iban_digits(plain[:2], account) + account
    source = iter(drawn)
    return "".join(char if char.isspace() else next(source) for char in original)


def _plate(original: str, stream: KeyedStream) -> str | None:
    match = _PLATE.fullmatch(original.strip())
    if match is None:
        return None
    letters = ["".join(stream.choice(_PLATE_LETTERS) for _ in range(2)) for _ in range(2)]
    digits = f"{1 + stream.below(998):03d}"
    text = letters[0] + match[2] + digits + match[4] + letters[1]
    return text.lower() if original.islower() else text
