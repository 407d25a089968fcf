"""Adjacent inputs that nobody chose: documents from sentences drawn at random, one value changed, both sides published.

`public_facts` decides whether the two are adjacent and what is claimed of them. Supports, orders, patterns of equal
surrogates and likelihoods of what is published are compared over many patients. Refutations are counted by Holm's
method over all pairs: `error` bounds the probability of one false refutation or more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import combinations, pairwise
from random import Random

from deid.domain.document import DateBounds, Document, Patient, Stay
from deid.substitution import Substitutor
from deid.substitution.temporal.ends import birth_bound
from nocturne_lab.evaluation.audit.bound import refuting_error
from nocturne_lab.evaluation.audit.documents import Text
from nocturne_lab.evaluation.audit.public_facts import (
    FEASTS,
    MONTHS,
    SEASONS,
    PatientFile,
    claimed_loss,
    span_of,
    told_value,
)
from nocturne_lab.evaluation.markup import parse_marked

FAMILY_ERROR = 0.001
MOST_CLAIMED = 2.5  # nats, beyond which few draws can refute nothing
# Sentences by what their mention is: a day beside the stay, another day, one told some days from it, a month or year,
# an age of a relative or of the patient at another time, the patient's age now, the birth date, a number; a day or
# month without its year, the middle of a month, a season, a feast, a birthday, a number that says the birth, a time.
SENTENCES = {
    "stay": ("Entré le {}.", "Vu le {}, apyrétique.", "À revoir le {}."),
    "day": ("Chute le {}.", "Opéré le {}."),
    "then on": ("Repris le {}.", "Contrôle le {}."),
    "month": ("Suivi depuis {}.", "Coloscopie en {}, normale.", "Bilan de {}."),
    "year": ("Appendicectomie en {}.", "Diabète depuis {}.", "Opéré en {}."),
    "kin": ("Sa mère, {}, diabétique.", "Son frère, {}, va bien.", "Un oncle de {}.", "Un cousin de {}."),
    "then": ("Infarctus à {}.", "Diabète depuis l'âge de {}.", "Opérée à {}."),
    "now": ("Patient de {}.", "Âge : {}."),
    "birth": ("Né le {}.",),
    "phone": ("Tél. {}.",),
    "ipp": ("IPP {}.",),
    "until": ("Arrêt jusqu'au {}.", "À poursuivre jusqu'au {}."),
    "named": ("Fièvre depuis {}.", "Bilan de {}."),
    "mid": ("Suivi depuis la {}.",),
    "season": ("Asthénie ({}).", "Malaise : {}."),
    "feast": ("Malaise ({}).", "Chute : {}."),
    "birthday": ("Chute le jour de son anniversaire, le {}.", "Son anniversaire, le {}, sans alcool."),
    "nir": ("NIR {}.", "INS : {}."),
    "time": ("Vu à {}.", "Appel vers {}.", "Apyrétique depuis {}."),
}  # fmt: skip
_LABELS = {"kin": "AGE", "then": "AGE", "now": "AGE", "phone": "PHONE", "ipp": "IPP", "nir": "NIR",
           "time": "TIME"}  # fmt: skip
_OF_MONTHS = {"month", "mid", "feast"}
_STEPS = {
    "stay": (1, 7, 14), "day": (1, 7, 7, 14, 28), "month": (1, 2), "year": (1, 2), "kin": (1, 2, 4), "then": (1, 2),
    "now": (1, 2), "phone": (1, 1111), "ipp": (1, 1111), "until": (1, 7), "named": (1, 2), "mid": (1, 2),
    "season": (1, 2), "feast": (1, 2), "nir": (1, 111), "time": (1, 10, 25, 90, 170),
}  # fmt: skip
_STAY_DAYS, _BIRTH_DAYS = (-63, -14, -7, 1, 2, 7, 21, 63), (-20, -3, 1, 7, 31, 90)
_FIRST_VISIT, _PAST = date(2019, 1, 5), date(2008, 1, 1)
_UNKNOWN, _AT_AN_END, _SAME_STAY, _SELDOM = 0.1, 0.3, 0.3, 3
_LAG, _INFANT = 9, 340  # days
_TODDLER = 2  # years, below which ages are told in months
_AGAIN = 0.5  # share of values that repeat, or stand beside, one told before


@dataclass(frozen=True, slots=True)
class _Line:
    """Sentence, the kind of its mention, its value: an ordinal, an index or a number; from the stay's first day on."""

    words: str
    kind: str
    value: int


@dataclass(frozen=True, slots=True)
class _Visit:
    """Stay by its first day and the days to its last, None without a stay; days to the document's date; sentences."""

    first: date
    length: int | None
    written: int
    lines: tuple[_Line, ...]


@dataclass(frozen=True, slots=True)
class AdjacentPair:
    """Two adjacent inputs, the kind of value changed, and the nats claimed between them."""

    changed: str
    one: PatientFile
    other: PatientFile
    claimed: float


@dataclass(slots=True)
class PairsTried:
    """Pairs in the order of their generation, each with its p-value, from `draws` patients on either side."""

    draws: int
    error: float = FAMILY_ERROR
    tried: list[tuple[AdjacentPair, float]] = field(default_factory=list)

    def holm_refuted(self) -> list[tuple[AdjacentPair, float]]:
        """Return the pairs that Holm's step-down method refutes, the clearest first."""
        found = []
        for at, one in enumerate(sorted(self.tried, key=lambda one: one[1])):
            if one[1] * (len(self.tried) - at) > self.error:
                break
            found.append(one)
        return found


def adjacent_pairs(
    seed: int,
    kinds: Collection[str] = tuple(SENTENCES),
    *,
    ended: bool = False,
    moves: str = "stay",
    times: str = "keep",
    infants: bool = False,
) -> Iterator[AdjacentPair]:
    """Yield adjacent pairs without end, the same for a seed; mentions are of `kinds`, as in `SENTENCES`.

    With `infants`, patients are born in the year before the first visit. With `ended`, the dates of both inputs have a
    last day, some days after the documents of the first. `moves` and `times` are the keys of the policy that publishes
    them; times of day are told where it does not keep them.
    """
    random = Random(seed)  # noqa: S311 - inputs of a measure, not a secret
    kinds = sorted(kind for kind in kinds if kind != "time" or times != "keep")
    while True:
        birth = _FIRST_VISIT - timedelta(days=random.randrange(_INFANT)) if infants else _birth(random)
        visits = _visits(random, birth, kinds)
        for changed, changed_birth, changed_visits in _changes(random, birth, visits, together=infants):
            until = _last_day(visits) if ended else None
            one, other = (
                replace(_written(*side, until), moves=moves, times=times)
                for side in ((birth, visits), (changed_birth, changed_visits))
            )
            claimed = claimed_loss(one, other)
            if one != other and claimed <= MOST_CLAIMED:
                yield AdjacentPair(changed, one, other, claimed)
                break


def try_pair(pair: AdjacentPair, substitutor: Substitutor, draws: int) -> float:
    """Return the p-value of the claim of a pair, from `draws` patients on either side."""
    sides = [list(zip(*(_views(substitutor, file, number) for number in range(draws)), strict=True))
             for file in (pair.one, pair.other)]  # fmt: skip
    return refuting_error(sides[0], sides[1], pair.claimed)


def _birth(random: Random) -> date | None:
    """Return a birth date: of an adult, of a child, or with the first visit before the end of a stage of life."""
    if random.random() < _UNKNOWN:
        return None
    if random.random() < _AT_AN_END:
        years = random.choice((3, 6, 11, 15, 18, 50))
        return _FIRST_VISIT.replace(year=_FIRST_VISIT.year - years) + timedelta(days=random.randrange(150))
    years = random.randint(*random.choice(((1930, 1998), (1930, 1998), (2004, 2017))))
    return date(years, random.randint(1, 12), random.randint(1, 28))


def _visits(random: Random, birth: date | None, kinds: Sequence[str]) -> tuple[_Visit, ...]:
    visits: list[_Visit] = []
    told: list[_Line] = []
    kinds = [one for one in kinds if birth is not None or one not in ("birth", "birthday")] or ["stay"]
    for _ in range(random.randint(1, 3)):
        if visits and random.random() < _SAME_STAY:
            first, length = visits[-1].first, visits[-1].length
        else:
            first = _FIRST_VISIT + timedelta(days=random.randrange(1400) if visits else random.randrange(30))
            length = random.choice((None, 0, random.randint(1, 9)))
        written = 0 if length is None else random.choice((0, length, length + random.randint(0, 20)))
        lines = []
        for _ in range(random.randint(1, 3)):
            kind = random.choice(kinds)
            line = _Line(random.choice(SENTENCES[kind]), kind, _value(random, kind, told))
            lines.append(line)
            told.append(line)
        visits.append(_Visit(first, length, written, tuple(lines)))
    return tuple(visits)


def _value(random: Random, kind: str, told: Sequence[_Line]) -> int:
    """Return a value, half of the time one that is told already, in its unit, or beside such a one."""
    known = [_in_unit(one, kind) for one in told]
    alike = [value for value in known if value is not None]
    if alike and random.random() < _AGAIN:
        return random.choice(alike) + random.choice((0, 0, 1))
    match kind:
        case "stay":
            return random.randint(-20, 60)
        case "day":
            return _PAST.toordinal() + random.randrange(3600)
        case "then on":
            return random.choice((-190, -100, -1, 0, 1, 30, 100, 183, 184, 300))
        case "month":
            return 12 * 2008 + random.randrange(120)
        case "year":
            return random.randint(2000, 2017)
        case "phone" | "ipp":
            return random.randrange(10**7, 10**8)
    first, last = _RANGES.get(kind, (20, 88))
    return random.randint(first, last)


_RANGES = {
    "until": (0, 60), "named": (0, 7), "mid": (12 * 2008, 12 * 2018), "feast": (12 * 2008, 12 * 2018),
    "season": (4 * 2008, 4 * 2018), "birthday": (0, 1), "nir": (112, 800), "time": (91, 1340),
}  # fmt: skip


def _in_unit(line: _Line, kind: str) -> int | None:
    """Return the value of a line as a `kind` holds it: the year of a month; None for another sort of value."""
    if line.kind == kind or {line.kind, kind} <= {"kin", "then", "now"}:
        return line.value
    if line.kind == "day" and kind in ("month", "year"):
        day = date.fromordinal(line.value)
        return day.year if kind == "year" else day.year * 12 + day.month - 1
    if line.kind in _OF_MONTHS:
        return {"year": line.value // 12, "season": (line.value + 1) // 3}.get(
            kind, line.value if kind in _OF_MONTHS else None
        )
    return None


def _changes(
    random: Random, birth: date | None, visits: tuple[_Visit, ...], *, together: bool
) -> Iterator[tuple[str, date | None, tuple[_Visit, ...]]]:
    """Yield inputs with one value changed, in random order: mentions more often than the days of a stay or a birth.

    With `together`, first the birth and all visits, by one number of days.
    """
    if together and birth is not None:
        step = timedelta(days=random.choice(_BIRTH_DAYS))
        yield "birth", birth + step, tuple(replace(one, first=one.first + step) for one in visits)
    places: list[tuple[int | None, int | None]] = [
        (at, row) for at, one in enumerate(visits) for row, line in enumerate(one.lines) if line.kind in _STEPS
    ]
    places += [(at, None) for at in range(len(visits))]
    places += [(None, None)] if birth else []
    for at, row in sorted(places, key=lambda place: random.random() * (_SELDOM if place[1] is None else 1)):
        if at is None:
            yield "birth", birth and birth + timedelta(days=random.choice(_BIRTH_DAYS)), visits
        elif row is None:
            step, first, length = timedelta(days=random.choice(_STAY_DAYS)), visits[at].first, visits[at].length
            yield (
                "stay",
                birth,
                tuple(
                    replace(one, first=first + step) if (one.first, one.length) == (first, length) else one
                    for one in visits
                ),
            )
        else:
            line = visits[at].lines[row]
            others = [_in_unit(one, line.kind) for visit in visits for one in visit.lines if one is not line]
            steps = [line.value + sign * step for sign in (-1, 1) for step in _STEPS[line.kind]]
            value = random.choice([*steps, *(one for one in others if one is not None)])
            lines = (*visits[at].lines[:row], replace(line, value=value), *visits[at].lines[row + 1 :])
            yield line.kind, birth, (*visits[:at], replace(visits[at], lines=lines), *visits[at + 1 :])
            if sum((line.kind, line.value) == (one.kind, one.value) for visit in visits for one in visit.lines) > 1:
                yield line.kind, birth, tuple(_all_changed(visits, line, value))


def _all_changed(visits: Sequence[_Visit], line: _Line, value: int) -> Iterator[_Visit]:
    """Yield visits in which every mention of a line's value has another one: an episode that documents share."""
    for visit in visits:
        yield replace(
            visit,
            lines=tuple(
                replace(one, value=value) if (one.kind, one.value) == (line.kind, line.value) else one
                for one in visit.lines
            ),
        )


def _last_day(visits: Sequence[_Visit]) -> date:
    """Return a public end of a patient's dates: `_LAG` days after the last document and stay."""
    days = (one.first + timedelta(days=max(one.length or 0, one.written)) for one in visits)
    return max(days) + timedelta(days=_LAG)


def _written(birth: date | None, visits: Sequence[_Visit], until: date | None) -> PatientFile:
    documents = []
    for one in visits:
        written = one.first + timedelta(days=one.written)
        stay = None if one.length is None else Stay(one.first, one.first + timedelta(days=one.length))
        sentences = [
            line.words.format(f"[[{_LABELS.get(line.kind, 'DATE')}|{_mention(line, one, birth, written)}]]")
            for line in one.lines
        ]
        documents.append(Text(" ".join(sentences), written, stay))
    return PatientFile(tuple(documents), birth, until)


def _mention(line: _Line, visit: _Visit, birth: date | None, written: date) -> str:
    match line.kind:
        case "stay":
            return f"{visit.first + timedelta(days=line.value):%d/%m/%Y}"
        case "day":
            return f"{date.fromordinal(line.value):%d/%m/%Y}"
        case "then on":
            days = [other.value for other in visit.lines if other.kind == "day"] or [_PAST.toordinal()]
            return f"{date.fromordinal(days[0] + line.value):%d/%m/%Y}"
        case "birth":
            return f"{birth:%d/%m/%Y}"
        case "month":
            return f"{MONTHS[line.value % 12]} {line.value // 12}"
        case "mid":
            return f"mi-{MONTHS[line.value % 12]} {line.value // 12}"
        case "feast":
            return f"{FEASTS[line.value % 12]} {line.value // 12}"
        case "season":
            return f"{SEASONS[line.value % 4]} {line.value // 4}"
        case "named":
            return MONTHS[(written.month - 1 - line.value) % 12]
        case "until":
            return f"{written + timedelta(days=line.value):%d/%m}"
        case "birthday":
            return _birthday(birth or written, written, line.value)
        case "nir":
            return _nir(birth or _PAST, line.value, spaced=line.words.startswith("INS"))
        case "time":
            return f"{line.value // 60 % 24:02d}h{line.value % 60:02d}"
        case "phone":
            return f"06{line.value % 10**8:08d}"
        case "ipp":
            return f"{line.value % 10**8:08d}"
        case "then" if birth is not None and written.year - birth.year < _TODDLER:
            return f"{line.value % 14 + 1} mois"
        case "now" if birth is not None and written.year - birth.year < _TODDLER:
            return f"{(written - birth).days} jours"
        case "now" if birth is not None:
            years = written.year - birth.year - ((written.month, written.day) < (birth.month, birth.day))
            return f"{years} ans"
    return f"{line.value} ans" if line.kind in _LABELS else str(line.value)


def _birthday(birth: date, written: date, years: int) -> str:
    """Return a birthday: the last one before a document, or that many years before."""
    year = written.year - years - ((written.month, written.day) <= (birth.month, birth.day))
    day = date(year, birth.month, 1) + timedelta(days=birth.day - 1)
    return f"{day if day.month == birth.month else day - timedelta(days=1):%d/%m/%Y}"


def _nir(birth: date, number: int, *, spaced: bool) -> str:
    digits = f"1{birth:%y%m}21231{number:03d}"
    digits += f"{97 - int(digits) % 97:02d}"
    ends = (0, 1, 3, 5, 7, 10, 13, 15)
    return (" " if spaced else "").join(digits[one:other] for one, other in pairwise(ends))


def _views(substitutor: Substitutor, file: PatientFile, number: int) -> Iterator[Hashable]:
    """Yield every view of what one patient of that number gets: numbers, differences, orders, equalities, the form."""
    told: list[tuple[str, str, float]] = []  # label and unit of what is published, and its number
    texts: list[str] = []
    shapes = []
    bounds: DateBounds | None = None
    for at, text in enumerate(file.documents):
        plain, mentions = parse_marked(text.markup, "audit")
        document = Document(
            f"D{at}", plain, Patient(f"A{number:07d}", birth_date=file.birth), text.written, stay=text.stay
        )
        if file.until is not None:
            bounds = bounds or DateBounds(file.until, birth_bound(document, file.until))
            document = replace(document, bounds=bounds)
        done = substitutor.substitute(document, list(mentions))
        told.append(("DATE", "day", float(done.reference_date.toordinal() if done.reference_date else 0)))
        for drawn in done.surrogates:
            unit, number_told = told_value(drawn.mention.label, drawn.text)
            told.append((drawn.mention.label, *(("", -1.0) if number_told is None else (unit, float(number_told)))))
            texts.append(drawn.text)
            if drawn.mention.label in ("DATE", "TIME"):
                shapes.append("".join("0" if one.isdigit() else one for one in drawn.text))
            elif drawn.mention.label == "NIR" and (digits := re.sub(r"\D", "", drawn.text)):
                told += [("NIR", "month", float(digits[1:5])), ("NIR", "order", float(digits[10:13] or 0))]
        shapes.append("".join("0" if one.isdigit() else one for one in done.text))
    yield "".join(shapes)
    yield from shapes
    yield tuple(texts.index(one) for one in texts)
    for _, _, value in told:
        yield value
    for one, other in combinations(told, 2):
        if one[:2] == other[:2]:
            yield one[2] - other[2]
        elif one[0] == other[0] == "DATE":
            yield _relation(one[1:], other[1:])


def _relation(one: tuple[str, float], other: tuple[str, float]) -> int:
    """Return −1, 0 or 1: one date ends before the other begins, they share days, or it begins after it; 2 unread."""
    if min(one[1], other[1]) < 0:
        return 2
    (first, last), (start, end) = (span_of(unit, int(value)) for unit, value in (one, other))
    return (first > end) - (last < start)
