"""Public facts of a patient's documents, read from the list of docs/privacy.md with nothing of the substitution.

Two inputs are adjacent when these facts are equal. `claimed_loss` then adds up what is claimed of the secrets in which
they differ. The forms read are those that `adjacent_pairs` writes: 12/03/2019, 12/03, mars 2019, mars, mi-mars 2019,
été 2019, Toussaint 2019, 2019, 72 ans, 18 mois, 14h35, a NIR.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations
from math import inf

from nocturne_lab.evaluation.audit.documents import Text

MONTHS = ("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
          "novembre", "décembre")  # fmt: skip
SEASONS = ("hiver", "printemps", "été", "automne")
# Feasts to write, one of each month, and others that are published for a month.
FEASTS = ("Épiphanie", "Chandeleur", "Norouz", "Sant Jordi", "Muguet", "Sant Joan", "Heiva", "Assomption", "Vendanges",
          "Halloween", "Toussaint", "Noël")  # fmt: skip
_PUBLISHED = {"paques": 3, "ascension": 4, "rentree": 8}
_TOLD = re.compile(r"\[\[(?P<label>[A-Z]+)\|(?P<text>[^]]*)\]\]")
_NUMBERS = re.compile(r"\d+")
# First month of life of each stage, and nats per month of other persons' ages in it: docs/privacy.md, "ε, in words".
_LIFE = ((0, 1), (1, 1 / 2), (12, 1 / 4), (36, 1 / 12), (72, 1 / 12), (132, 1 / 12), (180, 1 / 12), (216, 1 / 24),
         (600, 1 / 24), (1080, 1 / 24))  # fmt: skip
_PER_EPISODE, _PER_MONTH, _PER_YEAR, _AROUND, _LONGEST = 0.005, 0.5, 1.0, 183, 366
_KIN = re.compile(r"\b(?:mère|père|frère|sœur|fils|fille|oncle|cousin|tante|femme|mari)s?\b")
_ANOTHER_TIME = re.compile(r"(?:\bà|l'âge de|depuis|avant|vers) $")
_BACK = 3  # a date without its year is taken for the nearest, and a day ahead counts as three behind
_HALF_A_YEAR = 182
_PREGNANCY, _FIRST_YEAR = 280, 12  # days before a birth, months of life: what moves with the birth date
_MONTHS_A_YEAR, _DAYS_A_MONTH, _SATURDAY = 12, 365 / 12, 5


@dataclass(frozen=True, slots=True)
class PatientFile:
    """Documents of one patient, in the markup of annotations, the birth date that the warehouse has, the last day.

    `moves` and `times` are keys of the policy: how days move, and the strategy of times of day.
    """

    documents: tuple[Text, ...]
    birth: date | None = None
    until: date | None = None
    moves: str = "stay"
    times: str = "keep"


@dataclass(frozen=True, slots=True)
class Told:
    """Mention as this module reads it.

    Attributes:
        document: number of its document.
        label: DATE, AGE or another.
        unit: "day", "month", "season", "year" of a DATE or AGE; the layout of another label.
        value: days, months, seasons or years since year 0; an age in its unit; None of another label.
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
    """Return the first and last day, as ordinals, of a day, month, season or year; a winter begins in December."""
    match unit:
        case "day":
            return value, value
        case "month":
            return _of_months(value, 1)
        case "season":
            return _of_months(3 * value - 1, 3)
    return date(value, 1, 1).toordinal(), date(value, 12, 31).toordinal()


def _of_months(first: int, number: int) -> tuple[int, int]:
    days = [date(index // _MONTHS_A_YEAR, index % _MONTHS_A_YEAR + 1, 1) for index in (first, first + number)]
    return days[0].toordinal(), days[1].toordinal() - 1


def _plain(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(one))


_MONTH_OF = {_plain(name): at for names in (MONTHS, FEASTS) for at, name in enumerate(names)} | _PUBLISHED
_SEASON_OF = {_plain(name): at for at, name in enumerate(SEASONS)}
_NAME = re.compile(rf"\b(?:{'|'.join([*_MONTH_OF, *_SEASON_OF])})\b")


def told_value(label: str, text: str, anchor: date | None = None) -> tuple[str, int | None]:
    """Return the unit and value of a mention; for another label than DATE and AGE its layout and None.

    A day or month without a year is placed near `anchor`; without one, the unit is "yearless", the value within a year.
    """
    numbers = [int(one) for one in _NUMBERS.findall(text)]
    if label == "AGE" and numbers:
        return ("month" if "mois" in text else "day" if "jour" in text else "year"), numbers[0]
    if label == "DATE" and len(numbers) == 3:
        return "day", date(numbers[2], numbers[1], numbers[0]).toordinal()
    if label == "DATE" and len(numbers) == 2:
        return _near(anchor, "day", numbers[1] - 1, numbers[0])
    if label == "DATE" and (name := _NAME.search(_plain(text))):
        if (season := _SEASON_OF.get(name[0])) is not None and numbers:
            return "season", numbers[0] * len(SEASONS) + season
        month = _MONTH_OF.get(name[0], 0)
        return ("month", numbers[0] * _MONTHS_A_YEAR + month) if numbers else _near(anchor, "month", month)
    if label == "DATE" and len(numbers) == 1:
        return "year", numbers[0]
    return re.sub(r"\d", "0", text), None


def _near(anchor: date | None, unit: str, month: int, day: int = 1) -> tuple[str, int]:
    """Return the place of a day or month without a year: the nearest to the document's date, the past preferred."""
    if anchor is None:
        return "yearless", month * 31 + day
    years = range(anchor.year - 1, anchor.year + 2)
    places = [year * _MONTHS_A_YEAR + month if unit == "month" else _on(year, month + 1, day) for year in years]

    def cost(place: int) -> int:
        first, last = span_of(unit, place)
        return max(anchor.toordinal() - last, 0, _BACK * (first - anchor.toordinal()))

    return unit, min(places, key=cost)


def _on(year: int, month: int, day: int) -> int:
    """Return the ordinal of a day, or of the last one of a shorter month."""
    first = date(year, month, 1)
    return (first + timedelta(days=min(day, (_month_after(first) - first).days) - 1)).toordinal()


def _month_after(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def _form(label: str, text: str) -> str:
    """Return the written form of a mention: its unit of an AGE, a DATE with the kinds of its names, else a layout."""
    if label == "AGE":
        return told_value(label, text)[0]
    named = _NAME.sub(lambda one: _kind(one[0]), _plain(text)) if label == "DATE" else text
    return re.sub(r"\d", "0", named)


def _kind(name: str) -> str:
    return "season" if name in _SEASON_OF else "month" if name in map(_plain, MONTHS) else "feast"


def mentions_told(file: PatientFile) -> list[Told]:
    """Return the mentions of all documents, in order."""
    found = []
    for number, document in enumerate(file.documents):
        for match in _TOLD.finditer(document.markup):
            ahead = _TOLD.sub(r"<\g<label>>", document.markup[: match.start()])
            unit, value = told_value(match["label"], match["text"], document.written)
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
            if self._by_days:
                found.append((("day", self._days[number]), float(self._days[number]), _PER_EPISODE))
            else:
                first = self._first(number)
                found.append((("episode", first), *self._moved(self._start(number), first)))
        for number, one in enumerate(self._told):
            if one.label == "DATE" and self._by_days and self._moves_by_day(number):
                if not self._is_last_birthday(number):
                    found.append((("day", self._day(number)), float(self._day(number)), _PER_EPISODE))
            elif one.label == "DATE" and number not in self._near and not self._is_birth(one):
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

    @property
    def _by_days(self) -> bool:
        return self._file.moves == "day"

    def _moves_by_day(self, number: int) -> bool:
        """Return whether a date has a day's draw where days move one by one: a day, or a month near the document."""
        one = self._told[number]
        return not self._is_birth(one) and (one.unit == "day" or number in self._near)

    def _of_first_year(self, first: int) -> bool:
        """Return whether an episode that begins on a day moves with the birth date, so that its days from it stay."""
        birth = self._file.birth
        if birth is None or self._by_days:
            return False
        return first >= birth.toordinal() - _PREGNANCY and _age_on(birth, first) < _FIRST_YEAR

    def _moved(self, day: int, first: int) -> tuple[float, float]:
        """Return the value of an episode's secret and nats per day; in the first years it is the age in days."""
        birth = self._file.birth
        if birth is not None and self._of_first_year(first):
            return day - birth.toordinal(), 0.0
        rate = _LIFE[_life(_age_on(birth, first))][1] / _DAYS_A_MONTH if birth and first >= birth.toordinal() else 0
        return (day - birth.toordinal(), rate) if birth and rate > _PER_EPISODE else (day, _PER_EPISODE)

    def _age_secret(self, one: Told) -> Iterator[tuple[Hashable, float, float]]:
        told = _life(one.months)
        if _is_of_kin(one) or self._file.birth is None:
            yield ("kin", self._episode(one.document), _whose(one), one.unit, one.value), one.months, _LIFE[told][1]
        elif _is_of_another_time(one) and not self._is_public_age(one):
            rates = {"year": _PER_YEAR / _MONTHS_A_YEAR, "month": _PER_MONTH}
            yield ("then", one.unit, one.value), one.months, rates.get(one.unit, _LIFE[told][1])

    def _is_public_age(self, one: Told) -> bool:
        """Return whether an age is told of the patient in a document of the first year, at most a year off."""
        birth = self._file.birth
        if birth is None or _is_of_kin(one) or not self._of_first_year(self._first(one.document)):
            return False
        return abs(one.months * _DAYS_A_MONTH - self._days[one.document] + birth.toordinal()) <= _LONGEST

    def _words(self) -> Iterator[Hashable]:
        """Yield words and written forms."""
        for document in self._file.documents:
            yield _TOLD.sub(lambda one: f"<{one['label']} {_form(one['label'], one['text'])}>", document.markup)

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
        if self._by_days:
            yield from map(firsts.index, firsts)
            return
        for number, document in enumerate(self._file.documents):
            lasts = None if document.stay is None else (document.stay.last or document.stay.first).toordinal()
            start = self._start(number)
            yield firsts.index(firsts[number]), self._days[number] - start, lasts and lasts - start
            if self._of_first_year(self._first(number)):
                continue
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
            if self._by_days:
                yield self._stage_of(self._days[number])
                continue
            days = [self._start(number), self._days[number]]
            days += [document.stay.last.toordinal()] if document.stay and document.stay.last else []
            ends = () if document.stay else _ends_of_quarter(days[0])
            yield self._of_days(self._first(number), *days, *ends)

    def _stage_of(self, day: int) -> int | None:
        """Return the stage of life of a day; None before the birth, or of a patient without a birth date."""
        birth = self._file.birth
        return None if birth is None or day < birth.toordinal() else _life(_age_on(birth, day))

    def _of_days(self, first: int, *days: int) -> Hashable:
        """Return the stages of life of days of an episode; of one of the first year, the days from the birth."""
        birth = self._file.birth
        if birth is None:
            return None
        near = days[0] - birth.toordinal() if self._of_first_year(first) else None
        return tuple(_life(_age_on(birth, day)) for day in days), near

    def _is_birth(self, one: Told) -> bool:
        return self._file.birth is not None and one.unit == "day" and one.value == self._file.birth.toordinal()

    def _is_birthday(self, one: Told) -> bool:
        birth = self._file.birth
        if birth is None or one.label != "DATE" or one.unit != "day" or "anniversaire" not in one.ahead.split(".")[-1]:
            return False
        return one.value == _on(date.fromordinal(one.value or 1).year, birth.month, birth.day)

    def _is_last_birthday(self, number: int) -> bool:
        """Return whether words call a day of the half year before the document a birthday: it is the last one."""
        one = self._told[number]
        day, written = one.value or 1, self._days[one.document]
        return number in self._near and self._is_birthday(one) and written - _HALF_A_YEAR <= day < written

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
        if self._by_days:
            core = self._days[number], self._days[number]
        near = {at for at in dates if core[0] - _AROUND <= sum(self._told[at].span) // 2 <= core[1] + _AROUND}
        if self._by_days:
            self._near |= near
            return
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
        if one.label == "DATE" and self._is_last_birthday(number):
            return "birthday"
        if one.label == "DATE" and self._by_days and self._moves_by_day(number):
            return "day", number in self._near or one.unit, self._stage_of(self._day(number)), self._is_birthday(one)
        if one.label in ("TIME", "NIR"):
            return self._of_time(one) if one.label == "TIME" else self._of_nir(one)
        if one.label == "DATE" and number in self._near:
            day, held = self._day(number), self._of_first_year(self._first(one.document))
            return "near", day - self._start(one.document), held or _is_weekend(day)
        if one.label == "DATE" and self._is_episode(number):
            first, last = (self._day(self._group[number][at]) for at in (0, -1))
            return (
                "far", self._group[number], self._day(number) - first, self._of_first_year(first) or (first - 1) % 7,
                self._of_days(first, first, last), self._is_birthday(one),
            )  # fmt: skip
        if one.label != "AGE" or birth is None:
            return _life(one.months) if one.label == "AGE" else "far"
        now = self._age_now(one)
        if _is_of_kin(one):
            return _life(one.months)
        if self._is_public_age(one):
            return one.unit, one.value
        side = ((one.value or 0) > now) - ((one.value or 0) < now)
        return _life(one.months), side if _is_of_another_time(one) else (one.value or 0) - now

    def _of_time(self, one: Told) -> Hashable:
        """Return what the policy leaves of a time of day."""
        hour, minute = map(int, _NUMBERS.findall(one.text))
        return {"keep": (hour, minute), "hour": hour, "part_of_day": hour // 6}.get(self._file.times)

    def _of_nir(self, one: Told) -> Hashable:
        """Return the sex, the commune, and whether the year is the birth's."""
        digits, birth = "".join(_NUMBERS.findall(one.text)), self._file.birth
        return digits[0], digits[5:10], birth is not None and birth.year % 100 == int(digits[1:3])

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
        others = [(one.label, one.text.replace(" ", "")) for one in self._told
                  if one.value is None and one.label != "TIME"]  # fmt: skip
        yield from map(others.index, others)

    def _quarters(self) -> Iterator[Hashable]:
        """Yield the days between documents without a stay that share a quarter of a year."""
        alone = [number for number, one in enumerate(self._file.documents) if one.stay is None and not self._by_days]
        days = [self._days[number] for number in alone]
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
