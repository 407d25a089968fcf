"""Public facts of a patient's documents, read from the list of docs/privacy.md with nothing of the substitution.

Two inputs are adjacent when these facts are equal. `claimed_loss` then adds up what is claimed of the secrets in which
they differ. The forms read are those that `adjacent_pairs` writes: 12/03/2019, mars 2019, 2019, 72 ans, 18 mois.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from math import inf

from nocturne_lab.evaluation.audit.documents import Text

MONTHS = ("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
          "novembre", "décembre")  # fmt: skip
_TOLD = re.compile(r"\[\[(?P<label>[A-Z]+)\|(?P<text>[^]]*)\]\]")
_NUMBERS = re.compile(r"\d+")
# First month of life of each stage, and nats per month of other persons' ages in it: docs/privacy.md, "ε, in words".
_LIFE = ((0, 1), (1, 1 / 2), (12, 1 / 4), (36, 1 / 12), (72, 1 / 12), (132, 1 / 12), (180, 1 / 12), (216, 1 / 24),
         (600, 1 / 24), (1080, 1 / 24))  # fmt: skip
_PER_EPISODE, _PER_MONTH, _PER_YEAR, _AROUND, _LONGEST = 0.005, 0.5, 1.0, 183, 366
_KIN = re.compile(r"\b(?:mère|père|frère|sœur|fils|fille|oncle|cousin|tante|femme|mari)s?\b")
_ANOTHER_TIME = re.compile(r"(?:\bà|l'âge de|depuis|avant|vers) $")
_MONTHS_A_YEAR, _DAYS_A_MONTH, _SATURDAY = 12, 365 / 12, 5


@dataclass(frozen=True, slots=True)
class PatientFile:
    """Documents of one patient, in the markup of annotations, the birth date that the warehouse has, the last day."""

    documents: tuple[Text, ...]
    birth: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """Mention as this module reads it.

    Attributes:
        document: number of its document.
        label: DATE, AGE or another.
        unit: "day", "month", "year" of a DATE or AGE; the layout of another label.
        value: days, months or years since year 0; an age in its unit; None of another label.
        ahead: text ahead of it in its document, with mentions by their label.
        text: of the mention, to compare numbers and names, whose equality shows.
    """

    document: int
    label: str
    unit: str
    value: int | None
    ahead: str
    text: str

    @property
    def span(self) -> tuple[int, int]:
        """First and last day of a DATE, as ordinals."""
        return span_of(self.unit, self.value or 0)

    @property
    def months(self) -> float:
        """An AGE in months."""
        scale = {"year": _MONTHS_A_YEAR, "month": 1, "day": 1 / _DAYS_A_MONTH}[self.unit]
        return (self.value or 0) * scale


def span_of(unit: str, value: int) -> tuple[int, int]:
    """Return the first and last day, as ordinals, of a day, month or year."""
    match unit:
        case "day":
            return value, value
        case "month":
            year, month = divmod(value, _MONTHS_A_YEAR)
            days = monthrange(year, month + 1)[1]
            return date(year, month + 1, 1).toordinal(), date(year, month + 1, days).toordinal()
    return date(value, 1, 1).toordinal(), date(value, 12, 31).toordinal()


def told_value(label: str, text: str) -> tuple[str, int | None]:
    """Return the unit and value of a mention; for another label than DATE and AGE its layout and None."""
    numbers = [int(one) for one in _NUMBERS.findall(text)]
    if label == "AGE" and numbers:
        return ("month" if "mois" in text else "day" if "jour" in text else "year"), numbers[0]
    if label == "DATE" and len(numbers) == 3:
        return "day", date(numbers[2], numbers[1], numbers[0]).toordinal()
    if label == "DATE" and len(numbers) == 1:
        month = next((at for at, name in enumerate(MONTHS) if name in text.lower()), None)
        return ("year", numbers[0]) if month is None else ("month", numbers[0] * _MONTHS_A_YEAR + month)
    return re.sub(r"\d", "0", text), None


def mentions_told(file: PatientFile) -> list[Told]:
    """Return the mentions of all documents, in order."""
    found = []
    for number, document in enumerate(file.documents):
        for match in _TOLD.finditer(document.markup):
            ahead = _TOLD.sub(r"<\g<label>>", document.markup[: match.start()])
            unit, value = told_value(match["label"], match["text"])
            found.append(Told(number, match["label"], unit, value, ahead, match["text"]))
    return found


class PublicReading:
    """One patient's documents as the list reads them: `facts`, and the secrets that are left."""

    def __init__(self, file: PatientFile) -> None:
        self._file = file
        self._told = mentions_told(file)
        self._days = [one.written.toordinal() for one in file.documents]
        self._near: set[int] = set()  # numbers of dates that move with their document's stay
        self._group: dict[int, tuple[int, ...]] = {}  # number of another date → numbers of its episode, in order
        for number in range(len(self._days)):
            self._part(number)

    @property
    def facts(self) -> Hashable:
        """Return every public fact; equal for adjacent inputs."""
        return (
            self._file.until, tuple(self._words()), tuple(self._stays()), tuple(self._of_life()),
            tuple(map(self._place, range(len(self._told)))),
            tuple(self._relations()), tuple(self._ties()), tuple(self._quarters()),
        )  # fmt: skip

    @property
    def secrets(self) -> tuple[tuple[Hashable, float, float], ...]:
        """Return each secret in order: what two mentions of one draw share, its value, nats per unit."""
        found: list[tuple[Hashable, float, float]] = []
        for number in range(len(self._days)):
            found.append((("episode", self._first(number)), *self._moved(self._start(number), self._first(number))))
        for number, one in enumerate(self._told):
            if one.label == "DATE" and number not in self._near and not self._is_birth(one):
                if self._is_episode(number):
                    first = self._day(self._group[number][0])
                    found.append((("episode", first), *self._moved(first, first)))
                else:
                    rate = _PER_YEAR if one.unit == "year" else _PER_MONTH
                    found.append((("date", one.unit, one.value), float(one.value or 0), rate))
            elif one.label == "AGE":
                found += self._age_secret(one)
        if self._file.birth is not None:
            found.append((("birth",), float(self._file.birth.toordinal()), _per_day_of_birth(self._file.birth)))
        return tuple(found)

    def _moved(self, day: int, first: int) -> tuple[float, float]:
        """Return the value of an episode's secret and nats per day; in the first years it is the age in days."""
        birth = self._file.birth
        rate = _LIFE[_life(_age_on(birth, first))][1] / _DAYS_A_MONTH if birth and first >= birth.toordinal() else 0
        return (day - birth.toordinal(), rate) if birth and rate > _PER_EPISODE else (day, _PER_EPISODE)

    def _age_secret(self, one: Told) -> Iterator[tuple[Hashable, float, float]]:
        told = _life(one.months)
        if _is_of_kin(one) or self._file.birth is None:
            yield ("kin", self._episode(one.document), _whose(one), one.unit, one.value), one.months, _LIFE[told][1]
        elif _is_of_another_time(one):
            rates = {"year": _PER_YEAR / _MONTHS_A_YEAR, "month": _PER_MONTH}
            yield ("then", one.unit, one.value), one.months, rates.get(one.unit, _LIFE[told][1])

    def _words(self) -> Iterator[Hashable]:
        """Yield words and written forms."""
        for document in self._file.documents:
            yield _TOLD.sub(lambda one: f"<{one['label']} {told_value(one['label'], one['text'])[0]}>", document.markup)

    def _episode(self, number: int) -> Hashable:
        """Return what documents of one stay, or of one quarter without a stay, share."""
        document = self._file.documents[number]
        return ("stay", document.stay.first) if document.stay else ("quarter", _quarter(document.written.toordinal()))

    def _first(self, number: int) -> int:
        """Return the first day of a document's stay, or of its quarter of a year."""
        document = self._file.documents[number]
        return document.stay.first.toordinal() if document.stay else _ends_of_quarter(self._days[number])[0]

    def _start(self, number: int) -> int:
        document = self._file.documents[number]
        return (document.stay.first if document.stay else document.written).toordinal()

    def _stays(self) -> Iterator[Hashable]:
        """Yield which documents share a stay, its days, its weekday or kind."""
        firsts = [self._episode(number) for number in range(len(self._days))]
        for number, document in enumerate(self._file.documents):
            lasts = None if document.stay is None else (document.stay.last or document.stay.first).toordinal()
            start = self._start(number)
            yield firsts.index(firsts[number]), self._days[number] - start, lasts and lasts - start
            yield _is_weekend(start) if lasts == start else (start - 1) % 7
            if lasts == start:
                yield _is_weekend(self._days[number])

    def _of_life(self) -> Iterator[Hashable]:
        """Yield the stages of life at the ends of stays and at the documents' dates; the decade of birth."""
        birth = self._file.birth
        if birth is None:
            return
        yield birth.year // 10
        for number, document in enumerate(self._file.documents):
            days = [self._start(number), self._days[number]]
            days += [document.stay.last.toordinal()] if document.stay and document.stay.last else []
            yield self._of_days(*days) if document.stay else self._of_days(*days, *_ends_of_quarter(days[0]))

    def _of_days(self, *days: int) -> Hashable:
        """Return the stages of life of days, and the days from the birth to the first if it is near."""
        birth = self._file.birth
        if birth is None:
            return None
        since = days[0] - birth.toordinal()
        near = since if since >= -92 and _age_on(birth, days[0]) < 1 else None
        return tuple(_life(_age_on(birth, day)) for day in days), near

    def _is_birth(self, one: Told) -> bool:
        return self._file.birth is not None and one.unit == "day" and one.value == self._file.birth.toordinal()

    def _day(self, number: int) -> int:
        """Return the day that a date moves by: of a month the first told day in it, else its middle."""
        one = self._told[number]
        told = [other.value or 0 for other in self._told if other.document == one.document and other.unit == "day"
                and other.label == "DATE" and not self._is_birth(other)]  # fmt: skip
        days = [*sorted(told), self._days[one.document]]
        return next((day for day in days if one.span[0] <= day <= one.span[1]), sum(one.span) // 2)

    def _part(self, number: int) -> None:
        """Part the dates of a document: those that move with its stay, and the episodes of the others."""
        document = self._file.documents[number]
        last = max(document.stay.last.toordinal() if document.stay and document.stay.last else 0, self._days[number],
                   self._start(number))  # fmt: skip
        core = self._start(number), last
        dates = [at for at, one in enumerate(self._told) if one.document == number and one.label == "DATE"
                 and not self._is_birth(one)]  # fmt: skip
        near = {at for at in dates if core[0] - _AROUND <= sum(self._told[at].span) // 2 <= core[1] + _AROUND}
        nodes = sorted((self._day(at), at) for at in dates if self._told[at].unit != "year")
        reached = [*core, *(day for day, at in nodes if at in near)]
        low, high = min(reached), max(reached)
        while before := [day for day, _ in nodes if max(low - _AROUND, core[0] - _LONGEST) <= day < low]:
            low = min(before)
        while after := [day for day, _ in nodes if high < day <= min(high + _AROUND, core[1] + _LONGEST)]:
            high = max(after)
        self._near |= near | {at for day, at in nodes if low <= day <= high}
        left: list[list[tuple[int, int]]] = []
        for day, at in nodes:
            if at in self._near:
                continue
            if left and (left[-1][0][0] < low) is (day < low) and day - left[-1][-1][0] <= _AROUND and (
                day - left[-1][0][0] <= _LONGEST
            ):  # fmt: skip
                left[-1].append((day, at))
            else:
                left.append([(day, at)])
        for group in left:
            self._group |= {at: tuple(each for _, each in group) for _, at in group}

    def _is_episode(self, number: int) -> bool:
        """Return whether a date moves with others or by days: not a year, nor a month by itself."""
        group = self._group.get(number, ())
        values = {(self._told[at].unit, self._told[at].value) for at in group}
        return len(values) > 1 or any(unit == "day" for unit, _ in values)

    def _place(self, number: int) -> Hashable:
        """Return what is public of one mention's value."""
        one, birth = self._told[number], self._file.birth
        if one.label == "DATE" and self._is_birth(one):
            return "birth"
        if one.label == "DATE" and number in self._near:
            day = self._day(number)
            return "near", day - self._start(one.document), _is_weekend(day)
        if one.label == "DATE" and self._is_episode(number):
            first, last = (self._day(self._group[number][at]) for at in (0, -1))
            return "far", self._group[number], self._day(number) - first, (first - 1) % 7, self._of_days(first, last)
        if one.label != "AGE" or birth is None:
            return _life(one.months) if one.label == "AGE" else "far"
        now = self._age_now(one)
        if _is_of_kin(one):
            return _life(one.months)
        side = ((one.value or 0) > now) - ((one.value or 0) < now)
        return _life(one.months), side if _is_of_another_time(one) else (one.value or 0) - now

    def _age_now(self, one: Told) -> int:
        birth, day = self._file.birth or date.min, self._days[one.document]
        months = _age_on(birth, day)
        return {"year": months // _MONTHS_A_YEAR, "month": months, "day": day - birth.toordinal()}[one.unit]

    def _relations(self) -> Iterator[Hashable]:
        """Yield order and ties within a document, in the coarser unit; its date and the birth date included."""
        birth = () if self._file.birth is None else (self._file.birth.toordinal(),) * 2
        for number, day in enumerate(self._days):
            spans = [one.span for one in self._told if one.document == number and one.label == "DATE"]
            for one, other in combinations([(day, day), *([birth] if birth else []), *spans], 2):
                yield (one[0] > other[1]) - (one[1] < other[0]), one == other

    def _ties(self) -> Iterator[Hashable]:
        """Yield the pattern of equal secrets: values of all documents, ages behind the same words in a stay."""
        keys = [key for key, _, _ in self.secrets]
        yield from map(keys.index, keys)
        others = [(one.label, one.text) for one in self._told if one.value is None]
        yield from map(others.index, others)

    def _quarters(self) -> Iterator[Hashable]:
        """Yield the days between documents without a stay that share a quarter of a year."""
        days = [self._days[number] for number, one in enumerate(self._file.documents) if one.stay is None]
        for one, other in combinations(days, 2):
            yield other - one if _quarter(one) == _quarter(other) else None


def claimed_loss(one: PatientFile, other: PatientFile) -> float:
    """Return the nats claimed between two inputs; infinite where a public fact differs, so that nothing is claimed."""
    readings = PublicReading(one), PublicReading(other)
    if readings[0].facts != readings[1].facts:
        return inf
    drawn: dict[Hashable, float] = {}
    for (key, value, rate), (_, to, other_rate) in zip(*(reading.secrets for reading in readings), strict=True):
        drawn[key] = max(drawn.get(key, 0.0), abs(to - value) * max(rate, other_rate))
    return sum(drawn.values())


def _whose(one: Told) -> str:
    """Return the words ahead of an age, from the last word for a relative on."""
    clause = re.split(r"[.;:\n]", one.ahead)[-1]
    found = [match.start() for match in _KIN.finditer(clause)]
    return f"{clause.count('<AGE>')} {clause[found[-1] :] if found else ''}"


def _is_of_kin(one: Told) -> bool:
    return _KIN.search(re.split(r"[.;:\n]", one.ahead)[-1]) is not None


def _is_of_another_time(one: Told) -> bool:
    return _ANOTHER_TIME.search(one.ahead) is not None


def _life(months: float) -> int:
    return max(at for at, (first, _) in enumerate(_LIFE) if at == 0 or months >= first)


def _age_on(birth: date, ordinal: int) -> int:
    """Return completed months of life."""
    day = date.fromordinal(ordinal)
    return (day.year - birth.year) * _MONTHS_A_YEAR + day.month - birth.month - (day.day < birth.day)


def _quarter(ordinal: int) -> tuple[int, int]:
    day = date.fromordinal(ordinal)
    return day.year, (day.month - 1) // 3


def _ends_of_quarter(ordinal: int) -> tuple[int, int]:
    year, quarter = _quarter(ordinal)
    return date(year, 3 * quarter + 1, 1).toordinal(), date(
        year + (quarter == 3), (3 * quarter + 3) % 12 + 1, 1
    ).toordinal() - 1


def _is_weekend(ordinal: int) -> bool:
    return (ordinal - 1) % 7 >= _SATURDAY


def _per_day_of_birth(birth: date) -> float:
    return 1 / (60 if birth.year >= 2010 else 180 if birth.year >= 2000 else 548)
