"""Neighbouring documents through `Substitutor.substitute`, with the loss that the ledger and docs/privacy.md claim."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations
from math import inf

from deid.config.policy import Policy, load
from deid.domain.document import Document, Mention, Patient, Stay, Substitution
from deid.domain.labels import Label
from deid.privacy.life_stages import birth_rate
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.context import DocumentContext
from deid.substitution.temporal.ages import months_of, parse_age
from deid.substitution.temporal.normalisation import normalise
from deid.substitution.temporal.stages import epsilon_of, epsilon_per_day, stage_of, stage_on
from nocturne_lab.evaluation.audit.bound import Audit, lower_bound
from nocturne_lab.evaluation.markup import parse_marked

DRAWS = 4_000
CONFIDENCE = 0.9999
SETTINGS = {"strategy": "episodes", "anchor_scale_days": 180, "episode_epsilon": 0.005}
_SECRET = b"the audit's draws are the same for everyone"
_STAY = Stay(date(2022, 3, 3), date(2022, 3, 7))
_WRITTEN = date(2022, 3, 16)
_VISIT = date(2022, 6, 14)  # a Tuesday


@dataclass(frozen=True, slots=True)
class Text:
    """One document of a patient: markup of `nocturne_lab.evaluation.markup`, the day it was written, its stay."""

    markup: str
    written: date = _WRITTEN
    stay: Stay | None = _STAY


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two inputs that differ in what the claim is about.

    Attributes:
        kind: what is told.
        inputs: the two, in words.
        claimed: nats between them; infinite where they are told apart by what is public, so that nothing is claimed.
        sides: documents of the patient under either.
        births: the patient's birth date under either.
    """

    kind: str
    inputs: str
    claimed: float
    sides: Sequence[Sequence[Text]]
    births: tuple[date | None, date | None] = (None, None)


def audited_policy(dates: dict[str, object] | None = None, times: str = "keep") -> Policy:
    """Return the shipped policy with strategies `episodes` and `stages`."""
    values = load().model_dump()
    values["substitution"]["dates"] |= SETTINGS | (dates or {})
    values["substitution"]["ages"] |= {"strategy": "stages"}
    values["substitution"]["times"] |= {"strategy": times}
    return Policy.model_validate(values)


def audit_documents(case: Neighbours, policy: Policy, draws: int = DRAWS, confidence: float = CONFIDENCE) -> Audit:
    """Return the greatest lower bound on ε that any view of the published documents gives.

    A view is one published number (the day, month or age that a mention tells, the document's date, by its distance to
    the true one of the first input), the difference of two, or the text with its digits left out. Each has a share of
    the error that `confidence` leaves, so that the bound holds for all together.
    """
    substitutor = Substitutor(policy, _SECRET, packaged_tables().communes)
    sides = [
        [tuple(_views(substitutor, policy, texts, birth, number)) for number in range(draws)]
        for texts, birth in zip(case.sides, case.births, strict=True)
    ]
    views = range(len(sides[0][0]))
    each = 1 - (1 - confidence) / len(views)
    lower = max(lower_bound([one[at] for one in sides[0]], [other[at] for other in sides[1]], each) for at in views)
    return Audit(case.kind, case.inputs, case.claimed, lower, draws, confidence)


def _views(
    substitutor: Substitutor, policy: Policy, texts: Sequence[Text], birth: date | None, number: int
) -> Iterator[Hashable]:
    """Yield every view of the documents that one patient of that number gets."""
    found: list[float | None] = []
    shapes = []
    for at, text in enumerate(texts):
        plain, mentions = parse_marked(text.markup, "audit")
        patient = Patient(f"A{number:07d}", birth_date=birth)
        done = substitutor.substitute(Document(f"D{at}", plain, patient, text.written, stay=text.stay), list(mentions))
        found += _numbers(done, policy)
        shapes.append("".join("0" if one.isdigit() else one for one in done.text))
    yield "".join(shapes)
    for one in found:
        yield _of(one)
    for one, other in combinations(found, 2):
        yield _of(None if one is None or other is None else one - other)


def _of(number: float | None) -> Hashable:
    return -1e9 if number is None else round(number, 2)


def _numbers(done: Substitution, policy: Policy) -> Iterator[float | None]:
    """Yield the document's published date, then each mention's day or age in months, as numbers; None: no number."""
    published = Document("read", done.text, reference_date=done.reference_date)
    pairs = zip(done.surrogates, done.spans, strict=True)
    marks = [Mention(start, end, one.mention.label) for one, (start, end) in pairs]
    read = normalise(DocumentContext(published, marks, policy.substitution, _SECRET))
    yield done.reference_date.toordinal() if done.reference_date else None
    for mark in marks:
        if mark.label is Label.AGE:
            age = parse_age(done.text[mark.start : mark.end])
            yield None if age is None else float(months_of(age.unit, age.value, age.step))
        else:
            instant = read.instants.get(mark)
            yield None if instant is None else float(instant.first.toordinal())


def pairs(policy: Policy) -> tuple[Neighbours, ...]:
    """Return the pairs, with what a policy of strategies `episodes` and `stages` claims of each."""
    return (*_stays(policy), *_history(policy), *_ages(), *_births(policy))


def _day(day: date) -> str:
    return f"[[DATE|{day:%d/%m/%Y}]]"


_LETTERS = ("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
            "novembre", "décembre")  # fmt: skip
_WEEKDAYS = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")


def _in_letters(day: date) -> str:
    return f"{day.day} {_LETTERS[day.month - 1]} {day.year}"


def _moved(write: Callable[[date], str], days: int) -> tuple[Text, Text]:
    """Return a document of the stay, and the same with all its dates `days` later; `write` takes the first day."""
    texts = []
    for later in (0, days):
        step = timedelta(days=later)
        stay = Stay(_STAY.first + step, _STAY.last and _STAY.last + step)
        texts.append(Text(write(stay.first), _WRITTEN + step, stay))
    return texts[0], texts[1]


def _stays(policy: Policy) -> Iterator[Neighbours]:
    """Yield pairs that differ by when a stay, or a document, was: ε per day of its first day."""
    each = policy.substitution.dates.episode_epsilon

    def days(number: int) -> timedelta:
        return timedelta(days=number)

    for kind, write in (
        ("day of a stay", lambda first: f"Entré le {_day(first)}."),
        ("document without a date", lambda _first: "Vu ce jour."),
        ("two days of a stay", lambda first: f"Entré le {_day(first)}, sorti le {_day(first + days(4))}."),
        (
            "range",
            lambda first: f"Hospitalisé du [[DATE|{_in_letters(first)}]] au [[DATE|{_in_letters(first + days(4))}]].",
        ),
        ("weekday", lambda first: f"Opéré le [[DATE|{_WEEKDAYS[first.weekday()]} {_in_letters(first)}]]."),
        ("J+n", lambda first: f"J0 le {_day(first)}, à J+4 ({_day(first + days(4))}) apyrétique."),
        ("il y a 3 jours", lambda first: f"Vu [[RELDATE|il y a 3 jours]], le {_day(first + days(10))}."),
        ("il y a 4 jours", lambda first: f"Chute [[RELDATE|il y a 4 jours]], entré le {_day(first)}."),
        ("a day before the stay", lambda first: f"Tombé le {_day(first - days(20))}."),
        ("a day after the stay", lambda first: f"À revoir le {_day(first + days(60))}."),
        ("day of a stay and an earlier year", lambda first: f"Vu le {_day(first)}, opéré en [[DATE|2011]]."),
    ):
        one, other = _moved(write, 7)
        yield Neighbours(kind, "the stay a week later", 7 * each, [(one,), (other,)])
    one, other = _moved(lambda first: f"Entré le {_day(first)}.", 28)
    yield Neighbours("day of a stay", "the stay four weeks later", 28 * each, [(one,), (other,)])
    for apart, words in ((1, "Tuesday or Wednesday"), (3, "Tuesday or Friday"), (6, "Tuesday or Monday")):
        visits = [Text(f"Vu le {_day(day)}.", day, Stay(day, day)) for day in (_VISIT, _VISIT + days(apart))]
        yield Neighbours("stay of one day", words, apart * each, [(visits[0],), (visits[1],)])
    saturday = date(2022, 6, 18)
    visits = [Text(f"Vu le {_day(day)}.", day, Stay(day, day)) for day in (saturday, saturday + days(1))]
    yield Neighbours("stay of one day", "Saturday or Sunday", each, [(visits[0],), (visits[1],)])
    for apart, claimed, words in ((7, 7 * each, "a week later"), (1, inf, "a day later, on another weekday")):
        longer = [
            Text(f"Entré le {_day(day)}, à revoir le {_day(day + days(30))}.", day + days(10), Stay(day, day + days(9)))
            for day in (_STAY.first, _STAY.first + days(apart))
        ]
        yield Neighbours("stay of several days", words, claimed, [(longer[0],), (longer[1],)])
    for kind, birth in (
        ("a toddler", date(2020, 10, 1)), ("a child", date(2018, 3, 12)), ("a patient near 50", date(1972, 4, 20)),
        (f"a patient past {policy.substitution.ages.top_code}", date(1925, 1, 1)),
    ):  # fmt: skip
        texts = [
            Text(f"Né le {_day(birth)}, entré le {_day(one.stay.first)}.", one.written, one.stay)
            for one in _moved(_day, 7)
            if one.stay is not None
        ]
        claimed = 7 * (_per_day_of_age(policy, birth) or each)
        yield Neighbours(f"stay of {kind}", "a week later", claimed, [(texts[0],), (texts[1],)], (birth, birth))
    reports = [
        Text(f"Vu le {_day(day)}, lu le {_day(day + days(8))}.", day + days(8), Stay(day, day))
        for day in (_VISIT, _VISIT + days(1))
    ]
    yield Neighbours("report of a stay of one day", "Tuesday or Wednesday", each, [(reports[0],), (reports[1],)])
    alone = [Text(f"Vu le {_day(day)}.", day, None) for day in (date(2022, 2, 8), date(2022, 2, 15))]
    yield Neighbours("document without a stay", "a week apart, of one quarter", 7 * each, [(alone[0],), (alone[1],)])
    later = Text("Vu ce jour.", _VISIT, Stay(_VISIT, _VISIT))
    one, other = _moved(lambda first: f"Entré le {_day(first)}.", 7)
    yield Neighbours("two stays", "one of them a week later", 7 * each, [(one, later), (other, later)])
    both = Text("Vu ce jour.", _VISIT + days(1), Stay(_VISIT + days(1), _VISIT + days(1)))
    yield Neighbours("two stays", "one a week later, the other a day", 8 * each, [(one, later), (other, both)])
    again, again_later = _moved(lambda first: f"Sorti le {_day(first + days(4))}.", 7)
    yield Neighbours("two documents of a stay", "the stay a week later", 7 * each, [(one, again), (other, again_later)])
    lone = (Text(f"Entré le {_day(_STAY.first)}."), Text(f"Entré le {_day(_STAY.first + days(1))}."))
    yield Neighbours("day of a stay", "a day later, its stay where it was", inf, [(lone[0],), (lone[1],)])
    kept = (Text("Chute [[RELDATE|il y a 3 jours]]."), Text("Chute [[RELDATE|il y a 4 jours]]."))
    yield Neighbours("distance of up to a year", "il y a 3 or 4 jours", inf, [(kept[0],), (kept[1],)])


def _history(policy: Policy) -> Iterator[Neighbours]:
    """Yield pairs of what lies outside the stays, told in one form."""
    dates = policy.substitution.dates
    rates = dates.history_epsilon
    for kind, one, other, claimed in (
        ("earlier day", "12/05/2019", "19/05/2019", 7 * dates.episode_epsilon),
        ("earlier day in letters", "dimanche 12 mai 2019", "dimanche 19 mai 2019", 7 * dates.episode_epsilon),
        ("a day that no month has", "31/04/2019", "23/04/2019", 7 * dates.episode_epsilon),
        ("month", "mars 2019", "avril 2019", rates["month"]),
        ("month in figures", "03/2019", "05/2019", 2 * rates["month"]),
        ("month ahead of a stay's window", "juillet 2021", "août 2021", rates["month"]),
        ("month at New Year", "décembre 2018", "janvier 2019", rates["month"]),
        ("feast", "Noël 2015", "Pâques 2016", 3 * rates["month"]),
        ("season", "été 2014", "automne 2014", rates["season"]),
        ("quarter", "1er trimestre 2015", "2e trimestre 2015", rates["quarter"]),
        ("semester", "1er semestre 2015", "2e semestre 2015", rates["semester"]),
        ("year", "2015", "2016", rates["year"]),
        ("year before the document's", "2020", "2021", rates["year"]),
        ("the first years", "1850", "1851", rates["year"]),
        ("years to come", "2030", "2031", rates["year"]),
        ("decade", "les années 1980", "les années 1990", rates["decade"]),
    ):
        texts = [(Text(f"Traité en [[DATE|{text}]]."),) for text in (one, other)]
        yield Neighbours(kind, f"{one}, {other}", claimed, texts)
    for one, other, claimed in (
        ("il y a 10 ans", "il y a 11 ans", rates["year"]),
        ("il y a 30 mois", "il y a 31 mois", rates["month"]),
    ):
        texts = [(Text(f"Opéré [[RELDATE|{text}]]."),) for text in (one, other)]
        yield Neighbours("distance of more than a year", f"{one}, {other}", claimed, texts)
    two = [
        (Text(f"Opéré en [[DATE|{a}]], puis en [[DATE|{b}]]."),) for a, b in ((2014, 2016), (2015, 2016), (2015, 2017))
    ]
    yield Neighbours("two years", "2014 and 2016, 2015 and 2016", rates["year"], [two[0], two[1]])
    yield Neighbours("two years", "2014 and 2016, 2015 and 2017", 2 * rates["year"], [two[0], two[2]])
    twice = [
        tuple(Text(f"Opéré en [[DATE|{year}]].", day, Stay(day, day)) for day in (_WRITTEN, _VISIT))
        for year in (2015, 2016)
    ]
    yield Neighbours("a year in two documents", "2015, 2016", rates["year"], twice)
    spans = [(Text(f"Suivi de [[DATE|{a}]] à [[DATE|{b}]]."),) for a, b in ((2009, 2013), (2010, 2013))]
    yield Neighbours("range of years", "2009 to 2013, 2010 to 2013", rates["year"], spans)


def _ages() -> Iterator[Neighbours]:
    """Yield pairs of ages of others, and of a patient whose birth date nobody knows."""
    patient = date(1949, 6, 1)  # 72 years old
    for kind, ahead, one, other, birth in (
        ("relative's age beside the patient's own", "Son frère", "70 ans", "71 ans", patient),
        ("relative's age, the patient's own", "Sa sœur", "71 ans", "72 ans", patient),
        ("relative's age", "Sa femme", "40 ans", "44 ans", patient),
        ("relative's age, first of its stage", "Son fils", "18 ans", "19 ans", patient),
        ("relative's age, last of its stage", "Sa mère", "88 ans", "89 ans", patient),
        ("child at primary school", "Son fils", "8 ans", "9 ans", patient),
        ("child at nursery school", "Sa fille", "3 ans", "4 ans", patient),
        ("infant", "Sa fille", "5 mois", "7 mois", None),
        ("newborn", "Son frère", "3 jours", "4 jours", None),
        ("age in words", "Sa mère", "soixante-dix ans", "soixante et onze ans", patient),
        ("patient without a birth date", "Patient", "40 ans", "41 ans", None),
    ):
        texts = [(Text(f"{ahead}, [[AGE|{age}]], vu ce jour."),) for age in (one, other)]
        yield Neighbours(kind, f"{one}, {other}", _age_loss(one, other), texts, (birth, birth))
    brothers = [(Text(f"Ses frères, [[AGE|{one} ans]] et [[AGE|44 ans]]."),) for one in (40, 41)]
    yield Neighbours(
        "two relatives", "40 and 44, 41 and 44 ans", _age_loss("40 ans", "41 ans"), brothers, (patient, patient)
    )
    across = ("Son fils, [[AGE|17 ans]].", "Son fils, [[AGE|18 ans]].")
    yield Neighbours("relative's age", "17, 18 ans, of two stages", inf, [(Text(one),) for one in across])


def _age_loss(one: str, other: str) -> float:
    ages = parse_age(one), parse_age(other)
    if ages[0] is None or ages[1] is None:
        raise ValueError("an age that cannot be read")
    months = [months_of(age.unit, age.value, age.step) for age in ages if age]
    return float(epsilon_of(stage_of(ages[0])) * abs(months[0] - months[1]))


def _per_day_of_age(policy: Policy, birth: date) -> float:
    """Return ε per day from the birth to a toddler's stay; 0 later, where the stay's own day is drawn."""
    each = float(epsilon_per_day(stage_on(birth, _STAY.first)))
    return each if each > policy.substitution.dates.episode_epsilon else 0.0


def _births(policy: Policy) -> Iterator[Neighbours]:
    """Yield pairs of birth dates of the patient."""
    top = policy.substitution.ages.top_code
    for kind, one, other, write in (
        ("birth date", date(1953, 12, 31), date(1954, 1, 1), "Né le {day}."),
        ("birth date", date(1953, 6, 1), date(1954, 6, 1), "Né le {day}."),
        ("birth date and age", date(1953, 6, 1), date(1954, 6, 1), "Né le {day}, {age}."),
        ("age of the patient", date(1953, 6, 1), date(1954, 6, 1), "Patient de {age}."),
        ("age of the patient beside a birthday", date(1981, 3, 12), date(1981, 3, 19), "Patient de {age}."),
        ("age of a child beside a birthday", date(2018, 3, 12), date(2018, 3, 19), "Enfant de {age}."),
        ("birth of a child", date(2018, 3, 12), date(2018, 4, 12), "Né le {day}, {age}."),
        ("birth of a toddler", date(2020, 10, 1), date(2020, 10, 15), "Né le {day}."),
        (f"birth of a patient past {top}", date(1925, 1, 1), date(1926, 1, 1), "Né le {day}."),
        ("birth of a patient past 110", date(1910, 5, 1), date(1911, 5, 1), "Né le {day}."),
        ("birth in a leap year", date(1952, 2, 29), date(1952, 3, 1), "Né le {day}."),
    ):
        texts = [(Text(write.format(day=_day(birth), age=_age(birth))),) for birth in (one, other)]
        claimed = (float(birth_rate(one)) + _per_day_of_age(policy, one)) * abs((one - other).days)
        yield Neighbours(kind, f"{one}, {other}", claimed, texts, (one, other))
    newborn = date(2022, 2, 20), date(2022, 2, 22)
    alike = [(Text(f"Né le {_day(birth)}."),) for birth in newborn]
    yield Neighbours("birth of a newborn", "two days later, its stay where it was", inf, alike, newborn)
    texts = [
        (Text(f"Né le {_day(birth)}, entré ce jour.", birth + step, Stay(birth + step, birth + 2 * step)),)
        for birth, step in zip(newborn, [timedelta(days=9)] * 2, strict=True)
    ]
    claimed = float(birth_rate(newborn[0]) * 2)
    yield Neighbours("birth of a newborn", "two days later, with its stay", claimed, texts, newborn)
    births = date(1953, 6, 1), date(1954, 6, 1)
    earlier = [
        (Text(f"Opéré à l'âge de [[AGE|{12 + at} ans]], {_age(birth)} ce jour."),)
        for at, birth in enumerate(reversed(births))
    ]
    claimed = float(birth_rate(births[0]) * (births[1] - births[0]).days)
    both = claimed + policy.substitution.dates.history_epsilon["year"]
    yield Neighbours("age then and now", "both a year older", both, earlier, (births[1], births[0]))
    twice = [
        tuple(Text(f"Patient de {_age(birth, day)}.", day, Stay(day, day)) for day in (_WRITTEN, _VISIT))
        for birth in births
    ]
    yield Neighbours("age in two documents", "births a year apart", claimed, twice, births)
    decades = date(1999, 6, 1), date(2000, 6, 1)
    texts = [(Text(f"Né le {_day(birth)}."),) for birth in decades]
    yield Neighbours("birth date", "1999, 2000: of two decades", inf, texts, decades)
    third = date(2019, 3, 12), date(2019, 3, 19)
    texts = [(Text(f"Enfant de {_age(birth)}."),) for birth in third]
    yield Neighbours("third birthday", "of two stages, told in two units", inf, texts, third)


def _age(birth: date, day: date = _WRITTEN) -> str:
    """Return an age as texts tell it: in years from three on, in months below."""
    months = (day.year - birth.year) * 12 + day.month - birth.month - (day.day < birth.day)
    return f"[[AGE|{months // 12} ans]]" if months >= 36 else f"[[AGE|{months} mois]]"
