"""Values that a written file may not hold: those of persons, by the form in which any text is compared with them.

Sought are names, phone numbers, e-mails, identifiers and streets: those that were replaced in the document, and those
of its patient. Dates, ages, communes and postal codes are not: a draw may return the original one, and a file refused
for that would make its release depend on the draw, which the epsilon does not count. Likewise a value that the new
text holds, as a surrogate or as it was, is not sought.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import accumulate, chain

from ahocorasick_rs import AhoCorasick

from deid.domain.document import Document, Patient, Substitution
from deid.domain.labels import DIRECT, NAMES, Label
from deid.formats.fields import shown_day
from deid.formats.source import INVISIBLE
from deid.french.check_digits import nir_key
from deid.french.folding import fold, spaced

_SOUGHT = DIRECT - {Label.URL}
_OTHERS = NAMES - {Label.PATIENT}
_STRONG = 4  # letters of a name that points at a person alone
_SURE = 6  # characters from which a value is no chance among the bytes of a picture or a stream
_PHONE = 8  # digits
_STREET = 8  # characters
_NEAR = 8  # values before one that are looked at
_BESIDE = 60  # characters between two values of a person
_GLUED = 3  # letters of a name that another value of its person touches
_DIGITS = re.compile(r"(?<!\d)\d+(?: \d+)+")
_FEW_GROUPS = 3  # groups of digits that a short number is written in
_LONG_NUMBER = 10  # digits
_OID = re.compile(r"[0-2](?:\.\d{1,20}){4,}", re.ASCII)
_SPELT = re.compile(r"(?<= )\w(?: \w){5,}(?= )")
_INVISIBLE = re.compile(f"[{''.join(sorted(INVISIBLE))}]")


class Sought:
    """The values that a written file may not hold, by their bare form: folded words with one space between them.

    A weak form (a word of the language, a short name, a number that may be no person's) counts only beside another one
    of the same person.

    Args:
        document: with its text as it was, and its patient.
        substitution: what replaced its mentions.
        common: bare words of the language among those of `bare_words`.
    """

    def __init__(self, document: Document, substitution: Substitution, common: frozenset[str]) -> None:
        self._common = common
        self._persons: dict[str, set[str]] = {}
        self._weak: set[str] = set()
        self._kept: frozenset[str] = frozenset()
        for label, value in _known(document.patient):
            self._add(label, value, "", known=True)
        for label, value in _replaced(document, substitution):
            self._add(label, value, "" if label not in _OTHERS else bare_text(value))
        kept = f" {bare_text(substitution.text)} "
        self._kept = frozenset(form for form, _, _ in self._whole(kept))
        self._persons = {form: whose for form, whose in self._persons.items() if form not in self._kept}
        for made in ("_automaton", "_numbers"):
            self.__dict__.pop(made, None)

    def _add(self, label: Label, value: str, person: str, *, known: bool = False) -> None:
        for form, weak in _forms(label, value, self._common, known):
            if not weak:
                self._weak.discard(form)
            elif form not in self._persons:
                self._weak.add(form)
            self._persons.setdefault(form, set()).add(person)

    @cached_property
    def _automaton(self) -> tuple[AhoCorasick, list[str]]:
        forms = list(self._persons)
        return AhoCorasick(forms), forms

    @cached_property
    def _numbers(self) -> tuple[AhoCorasick, list[str]]:
        """Long numbers of digits alone, which count however they are grouped."""
        forms = [form for form in self._persons if form.isdigit() and len(form) >= _PHONE and form not in self._weak]
        return AhoCorasick(forms), forms

    def _matches(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield the forms that a bare text holds: as whole words or numbers, glued to one another, or in groups."""
        if not self._persons:
            return
        yield from self._whole(text, glued=True)
        yield from self._grouped(text)

    def _whole(self, text: str, *, glued: bool = False) -> Iterator[tuple[str, int, int]]:
        if not self._persons:
            return
        automaton, forms = self._automaton
        chains: dict[int, tuple[str, set[str]]] = {}
        for at, start, end in automaton.find_matches_as_indexes(text, overlapping=True):
            form, edges = forms[at], (text[start - 1], text[end])
            digits = end - start >= _PHONE and form.replace(" ", "").isdigit()
            if not any(edge.isdigit() if digits else edge != " " for edge in edges):
                yield form, start, end
            elif glued and form.isalpha() and end - start >= _GLUED:
                yield from self._glued(form, start, end, edges, chains)

    def _glued(
        self, form: str, start: int, end: int, edges: tuple[str, str], chains: dict[int, tuple[str, set[str]]]
    ) -> Iterator[tuple[str, int, int]]:
        """Yield a name that digits touch, or names of a person that touch: `chains` of names by their end."""
        before, after = edges
        whose = self._persons[form]
        named, others = chains.get(start, ("", whose))
        whose = whose & others
        if not whose or (before.isalpha() and not named):
            return
        if after.isalpha():
            chains[end] = named + form, whose
        elif named:
            yield named + form, start - len(named), end
        elif end - start >= _STREET:
            yield form, start, end

    def _grouped(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield the long numbers whose digits stand in groups: few enough that they are one number."""
        automaton, forms = self._numbers
        for run in _DIGITS.finditer(text) if forms else ():
            groups = run[0].split(" ")
            found = automaton.find_matches_as_indexes("".join(groups), overlapping=True)
            if not found:
                continue
            starts = {at: number for number, at in enumerate(accumulate(map(len, groups), initial=0))}
            for at, start, end in found:
                most = end - start + 3 >> 1 if end - start >= _LONG_NUMBER else _FEW_GROUPS
                if start in starts and end in starts and starts[end] - starts[start] <= most:
                    yield forms[at], run.start() + start, run.start() + end

    def found(self, text: str, *, opaque: bool, own: Callable[[], frozenset[str]] = frozenset) -> bool:
        """Return whether a bare text holds a sought value.

        `opaque` where it comes from bytes that are no text; `own` gives words that its format may write by itself,
        which are weak.
        """
        least = _SURE if opaque else _STRONG
        weak: list[tuple[int, int, str]] = []
        for form, start, end in self._matches(text):
            glued = form not in self._persons
            if glued and end - start >= _STREET and form not in self._kept:
                return True
            if glued:
                continue
            alone = not form.isalpha() or end - start >= _SURE or text[start - 1] == text[end] == " "
            if form not in self._weak and alone and end - start >= least and form not in own():
                return True
            weak.append((start, end, form))
        weak.sort()
        return any(
            form != other and end <= start <= end + _BESIDE and not self._persons[form].isdisjoint(self._persons[other])
            for at, (start, _, other) in enumerate(weak)
            for _, end, form in weak[max(0, at - _NEAR) : at]
        )

    def spelt(self, text: str) -> bool:
        """Return whether a bare text spells a sought value letter by letter."""
        runs = " ".join(run.replace(" ", "") for run in _SPELT.findall(text))
        strong = (form.replace(" ", "") for form in self._persons if form not in self._weak and len(form) >= _SURE)
        return bool(runs) and any(form in runs for form in strong)


def bare_text(text: str) -> str:
    """Return the words of a text without case, accents and signs, one space between them."""
    shown = text if text.isascii() else _INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    return " ".join(spaced(fold(shown)).replace("œ", "oe").replace("æ", "ae").split())


def bare_words(document: Document, substitution: Substitution) -> frozenset[str]:
    """Return the bare words of names and streets that are sought, of which a caller knows the common ones."""
    values = chain(_known(document.patient), _replaced(document, substitution))
    named = (value for label, value in values if label in NAMES or label is Label.STREET)
    return frozenset(word for value in named for word in bare_text(value).split() if word.isalpha())


def _replaced(document: Document, substitution: Substitution) -> Iterator[tuple[Label, str]]:
    for drawn in substitution.surrogates:
        if drawn.mention.label in _SOUGHT:
            yield drawn.mention.label, document.text[drawn.mention.start : drawn.mention.end]


def _known(patient: Patient) -> Iterator[tuple[Label, str]]:
    """Yield the values of a patient's identity that are sought."""
    numbers = (patient.ipp, patient.nda, patient.nir, *patient.identifiers)
    for label, values in (
        (Label.PATIENT, (" ".join(patient.names), *patient.names)),
        (Label.ID, numbers),
        (Label.PHONE, patient.phones),
        (Label.EMAIL, patient.emails),
        (Label.STREET, patient.addresses),
    ):
        yield from ((label, value) for value in values if value)


def _forms(label: Label, value: str, common: frozenset[str], known: bool) -> Iterator[tuple[str, bool]]:
    """Yield the bare forms of a value, and whether each is weak; `known` as the patient's, not by a mention."""
    whole = bare_text(value)
    words = whole.split()
    if label in NAMES:
        usual = all(word in common or len(word) < _STRONG for word in words)
        if len(words) > 1 and len(whole) > _SURE and not usual:
            yield whole, False
        for word in words:
            if word.isalpha() and len(word) >= (_STRONG if word in common else _STRONG - 1):
                yield word, word in common or len(word) < _STRONG
    elif label is Label.STREET:
        way = whole.lstrip("0123456789 ")
        usual = all(word in common or len(word) < _STRONG for word in way.split())
        for form in {whole, way} if len(way.split()) > 1 else {whole}:
            if len(form) >= _STREET:
                yield form, usual and (form == way or len(words) < 3)
    elif label is Label.EMAIL:
        if len(whole) >= _SURE:
            yield whole, False
    elif label is Label.PHONE:
        yield from ((form, False) for form in _phones(whole) if len(form) >= _PHONE)
    elif label is Label.COORDINATES or shown_day(value.strip()) is None:  # a number like a day may be a drawn one
        compact = whole.replace(" ", "")
        if len(compact) >= _SURE and sum(map(str.isdigit, compact)) >= _STRONG:
            # The number of a hospital or of a device, or an OID of identifiers, may stay elsewhere
            weak = not known and (label is Label.ID or _OID.fullmatch(value.strip()) is not None)
            yield from ((form, weak) for form in {whole, compact, *_registered(compact)})


def _registered(number: str) -> Iterator[str]:
    """Yield the other ways to write a number: a NIR with or without its key, and without the zeros that sheets drop."""
    if re.fullmatch(r"[1-478]\d{12}(?:\d\d)?", number):
        yield number[:13]
        yield number[:13] + nir_key(number[:13])
    if number.isdigit() and len(short := number.lstrip("0")) >= _PHONE:
        yield short


def _phones(written: str) -> set[str]:
    """Return the ways to write a phone number: at home and from abroad, without the zero that sheets drop."""
    digits = "".join(filter(str.isdigit, written))
    home = re.sub(r"^(?:00)?33(?=[1-9]\d{8}$)", "0", digits)
    if len(home) != 10 or home[0] != "0":
        return {written, digits}
    return {written, digits, home, home[1:], *(f"{code}{home[1:]}" for code in ("33", "330", "0033", "00330"))}
