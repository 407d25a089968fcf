"""Dates that contradict each other or the calendar: a named outcome for each, and nothing lost, under both defaults."""

from __future__ import annotations

import cProfile
import re
from datetime import date, timedelta

import pytest

from deid import pipeline
from deid.config.policy import Policy, load
from deid.domain.document import Document, Mention, Patient, Stay
from deid.domain.errors import DocumentRefused, Reason
from deid.domain.outcomes import Candidate, Constraint, Detected, Verdict
from deid.french.calendar import MONTHS
from deid.reference import CommuneTable
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.temporal.ages import parse_age
from deid.substitution.temporal.constraints import count_constraints
from deid.substitution.temporal.parsing import parse
from deid.substitution.temporal.relative import parse_relative
from deid.substitution.temporal.resolving import place_relative
from deid.substitution.temporal.values import years_between
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

PATIENTS = [f"patient-{number}" for number in range(12)]
WRITTEN = date(2023, 5, 17)
STRATEGIES = [("metric", "metric"), ("episodes", "stages")]


@pytest.fixture(scope="module", params=STRATEGIES, ids=["metric", "episodes"])
def unlimited(request: pytest.FixtureRequest, policy: Policy, communes: CommuneTable) -> Substitutor:
    """Substitutor of each default strategy, without a limit of ε."""
    dates, ages = request.param
    chosen = changed(policy, dates={"strategy": dates}, ages={"strategy": ages}, max_epsilon_per_document=None)
    return Substitutor(chosen, KEY, communes)


def day(text: str) -> date:
    found = parse(text)
    assert found is not None
    assert found.year is not None
    return date(found.year, found.month or 1, found.day or 1)


@pytest.mark.parametrize("text", ["00/00/0000", "12/02/0000", "29/02/0000", "32 mars 2020", "45/13/99"])
def test_a_date_of_no_calendar_is_masked(text: str, unlimited: Substitutor) -> None:
    document, mentions = marked(f"Vu le [[DATE|{text}]], puis le [[DATE|03/05/2023]].")
    result = unlimited.substitute(document, mentions)
    masked, other = result.surrogates
    assert (masked.text, masked.parsed) == ("[DATE]", False)
    assert other.parsed
    assert count_constraints(document, result)[Constraint.ORDER].stated == 1  # the masked date states nothing


@pytest.mark.parametrize(
    ("text", "meant"),
    [("31/02/2023", date(2023, 2, 28)), ("30/02/2020", date(2020, 2, 29)), ("31/04/2023", date(2023, 4, 30))],
)
def test_a_day_that_its_month_has_not_moves_as_the_last_one_does(
    text: str, meant: date, unlimited: Substitutor
) -> None:
    for key in PATIENTS:
        odd, real = (
            unlimited.substitute(*marked(f"Vu le [[DATE|{said}]].", patient=Patient(key)))
            for said in (text, f"{meant:%d/%m/%Y}")
        )
        assert odd.surrogates[0].parsed
        assert day(surrogates(odd)[0]) == day(surrogates(real)[0])


def test_a_discharge_before_the_admission_stays_before_it(unlimited: Substitutor) -> None:
    """The order of the source stays and no stay is stated, since either date may be the wrong one."""
    for key in PATIENTS:
        document, mentions = marked(
            "Admis le [[DATE|09/05/2023]] pour chute. Sortie le [[DATE|02/05/2023]].",
            patient=Patient(key),
            stay=Stay(date(2023, 5, 9), date(2023, 5, 2)),
        )
        result = unlimited.substitute(document, mentions)
        admitted, discharged = map(day, surrogates(result))
        assert discharged < admitted
        assert Constraint.STAY not in count_constraints(document, result)


def test_an_age_that_the_birth_date_contradicts_is_an_age_of_its_own(unlimited: Substitutor) -> None:
    for key in PATIENTS:
        document, mentions = marked(
            "Né le [[DATE|12/05/1958]], [[AGE|45 ans]].", patient=Patient(key, birth_date=date(1958, 5, 12))
        )
        result = unlimited.substitute(document, mentions)
        born, age = surrogates(result)
        assert parse_age(age) is not None
        assert day(born) < (result.reference_date or WRITTEN)
        assert Constraint.AGE not in count_constraints(document, result)


@pytest.mark.parametrize(
    ("text", "birth"),
    [("12/05/58", date(1958, 5, 12)), ("12/05/21", date(1921, 5, 12)), ("12/05/21", date(2021, 5, 12))],
)
def test_the_warehouse_settles_the_century_of_a_birth_date(text: str, birth: date, unlimited: Substitutor) -> None:
    for key in PATIENTS:
        short, long = (
            unlimited.substitute(*marked(f"Né le [[DATE|{said}]].", patient=Patient(key, birth_date=birth)))
            for said in (text, f"{birth:%d/%m/%Y}")
        )
        whole = day(surrogates(long)[0])
        assert surrogates(short) == [f"{whole:%d/%m/%y}"]


def test_a_newborns_first_day_is_that_of_the_document(unlimited: Substitutor) -> None:
    for key in PATIENTS:
        document, mentions = marked(
            f"Née le [[DATE|{WRITTEN:%d/%m/%Y}]] à 3 h 12, [[AGE|1 jour]], vue le [[DATE|{WRITTEN:%d/%m/%Y}]].",
            patient=Patient(key, birth_date=WRITTEN),
            stay=Stay(WRITTEN),
        )
        result = unlimited.substitute(document, mentions)
        born, age, seen = surrogates(result)
        assert born == seen
        assert day(born) == result.reference_date
        known = parse_age(age)
        assert known is not None
        assert known.years < 1 / 12


def test_a_patient_older_than_110_is_told_by_the_top_code(unlimited: Substitutor) -> None:
    for key in PATIENTS:
        birth = date(1910, 3, 2)
        document, mentions = marked(
            "Née le [[DATE|02/03/1910]], [[AGE|113 ans]].", patient=Patient(key, birth_date=birth)
        )
        result = unlimited.substitute(document, mentions)
        born, age = surrogates(result)
        assert age == "plus de 90 ans"
        assert result.reference_date is not None
        assert years_between(day(born), result.reference_date) <= 90


def test_leap_days_move_to_days_that_exist(unlimited: Substitutor) -> None:
    for key in PATIENTS:
        document, mentions = marked(
            "Né le [[DATE|29/02/2004]], [[AGE|19 ans]], vu le [[DATE|29 février 2020]], en [[DATE|février 2020]].",
            patient=Patient(key, birth_date=date(2004, 2, 29)),
        )
        result = unlimited.substitute(document, mentions)
        assert all(one.parsed for one in result.surrogates)
        assert [day(text) for text in (surrogates(result)[0], surrogates(result)[2])]
        assert count_constraints(document, result)[Constraint.AGE].violated == 0


def test_the_change_of_clocks_shortens_no_day(unlimited: Substitutor) -> None:
    """Clocks went forward on 26 March 2023: dates count days, and the time of day is no part of them."""
    for key in PATIENTS:
        document, mentions = marked(
            "Admis le [[DATE|25/03/2023 23:30]], vu le [[DATE|26/03/2023 02:30]], sorti le [[DATE|27/03/2023 00:10]].",
            patient=Patient(key),
            reference_date=date(2023, 3, 27),
            stay=Stay(date(2023, 3, 25), date(2023, 3, 27)),
        )
        result = unlimited.substitute(document, mentions)
        assert [text[-5:] for text in surrogates(result)] == ["23:30", "02:30", "00:10"]
        days = [day(text[:10]) for text in surrogates(result)]
        assert days == sorted(set(days))


def test_a_corrected_birth_date_changes_what_tells_it_only(unlimited: Substitutor) -> None:
    text = "Né le [[DATE|12/05/1958]], [[AGE|64 ans]], vu le [[DATE|03/05/2023]], opéré en [[DATE|2015]]."
    for key in PATIENTS:
        before, after = (
            unlimited.substitute(*marked(text, patient=Patient(key, birth_date=birth)))
            for birth in (date(1958, 5, 12), date(1958, 12, 5))
        )
        assert surrogates(before)[2:] == surrogates(after)[2:]
        assert before.reference_date == after.reference_date
        assert all(one.parsed for one in after.surrogates)


@pytest.mark.parametrize(
    ("text", "patient"),
    [
        (
            "Enfant née le [[DATE|14/05/2023]], [[AGE|3 jours]]. Mère née le [[DATE|12/09/1993]], [[AGE|29 ans]], "
            "opérée le [[DATE|13/05/2023]], sortie le [[DATE|16/05/2023]].",
            Patient("child", birth_date=date(2023, 5, 14)),
        ),
        (
            "Receveur né le [[DATE|12/05/1958]], [[AGE|65 ans]], greffé le [[DATE|10/05/2023]]. Donneur né le "
            "[[DATE|03/02/1980]], [[AGE|43 ans]], décédé le [[DATE|09/05/2023]].",
            Patient("recipient", birth_date=date(1958, 5, 12)),
        ),
    ],
    ids=["mother and child", "donor and recipient"],
)
def test_the_dates_of_two_patients_are_all_told_the_elder_one_first(
    text: str, patient: Patient, unlimited: Substitutor
) -> None:
    for number in range(12):
        document, mentions = marked(
            text,
            patient=Patient(f"{patient.key}-{number}", birth_date=patient.birth_date),
            stay=Stay(date(2023, 5, 9), WRITTEN),
        )
        result = unlimited.substitute(document, mentions)
        assert all(one.parsed or one.text == "[DATE]" for one in result.surrogates)  # masked where there is no room
        order = count_constraints(document, result)[Constraint.ORDER]
        assert order.kept + order.violated <= order.stated == 10
        one, other = (day(surrogates(result)[place]) for place in (0, 2))  # the two births
        assert (one < other) == (document.patient.birth_date == date(1958, 5, 12))


def _of(number: int) -> tuple[Document, list[Mention]]:
    days = [date(2001, 1, 1) + timedelta(days=13 * at) for at in range(number)]
    forms = (
        "vu le [[DATE|{:%d/%m/%Y}]]",
        "opéré en [[DATE|{:%m/%Y}]]",
        "revu en [[DATE|{:%Y}]]",
        "J4 : [[DATE|{:%d/%m/%y}]]",
    )
    return marked(
        ".\n".join(forms[at % 4].format(one) for at, one in enumerate(days)), reference_date=date(2021, 5, 17)
    )


def test_the_calls_for_500_dates_are_far_from_those_of_125_sixteen_times_over(unlimited: Substitutor) -> None:
    """Time is counted in calls of functions, which a busy machine does not change."""

    def calls(number: int) -> int:
        document, mentions = _of(number)
        profile = cProfile.Profile()
        result = profile.runcall(unlimited.substitute, document, mentions)
        assert len(result.surrogates) == number
        # Of the product's own: measuring of coverage calls others, less and less often.
        own = (one for one in profile.getstats() if not isinstance(one.code, str) and "/deid/" in one.code.co_filename)
        return sum(entry.callcount for entry in own)

    calls(20)
    assert calls(500) < 12 * calls(125)  # 16 if it were quadratic; a date without room is compared with every other


def test_a_document_of_500_dates_past_the_policys_epsilon_is_refused_for_it(
    policy: Policy, communes: CommuneTable
) -> None:
    with pytest.raises(DocumentRefused) as refused:
        Substitutor(changed(policy, max_epsilon_per_document=5.0), KEY, communes).substitute(*_of(500))
    assert refused.value.reason is Reason.BUDGET_EXCEEDED


CONTRADICTORY = [
    "Admis le [[DATE|09/05/2023]], sortie le [[DATE|02/05/2023]], né le [[DATE|12/05/1958]], [[AGE|45 ans]].",
    "Vu le [[DATE|31/02/2023]] et le [[DATE|00/00/0000]], contrôle [[RELDATE|il y a 2000 ans]], [[AGE|213 ans]].",
    "Née le [[DATE|12/05/58]], [[AGE|113 ans]], opérée le [[DATE|29/02/2019]], le [[DATE|29/02/2020]], en [[DATE|98]].",
    "Mère née le [[DATE|12/09/1993]], enfant né le [[DATE|17/05/2023]], [[AGE|1 jour]].",
]


def test_every_contradiction_goes_through_the_flow_with_a_verdict(unlimited: Substitutor) -> None:
    """Nothing is refused or lost: each text is a candidate, and its verdict counts what it states."""
    rest = " L'examen est normal, le poids est stable et le traitement est bien supporté par la patiente." * 2
    detected = []
    for number, text in enumerate(CONTRADICTORY):
        document, mentions = marked(text + rest, id=f"d{number}", patient=Patient("p1", birth_date=date(1958, 5, 12)))
        detected.append(Detected(document, None, tuple(mentions)))
    candidates = pipeline.substitute(detected, unlimited)
    assert [one.document.id for one in candidates if isinstance(one, Candidate)] == [f"d{n}" for n in range(4)]
    verdicts = pipeline.check([one for one in candidates if isinstance(one, Candidate)])
    for verdict in verdicts:
        assert isinstance(verdict, Verdict)
        assert verdict.reasons == ()
        assert verdict.constraints[Constraint.ORDER].stated > 0
    for one, source in zip(candidates, detected, strict=True):
        assert isinstance(one, Candidate)
        assert len(one.substitution.surrogates) == len(source.mentions)
        assert not re.search("12/05/1958|213 ans|113 ans", one.substitution.text)


@pytest.mark.parametrize(("first", "second"), [("28/12", "2"), ("28 décembre", "2"), ("28/12/2022", "10")])
def test_a_day_without_a_month_follows_the_date_before_it(first: str, second: str, unlimited: Substitutor) -> None:
    """Both move as the same dates written in full do, so that they stay in order across the month."""
    for key in PATIENTS:
        short, full = (
            unlimited.substitute(
                *marked(
                    f"Hospitalisée le [[DATE|{one}]] pour AVC, puis le [[DATE|{other}]] en neurologie.",
                    patient=Patient(key),
                )
            )
            for one, other in ((first, second), ("28/12/2022", f"{int(second):02}/01/2023"))
        )
        said, meant = parse(surrogates(short)[1]), day(surrogates(full)[1])
        assert said is not None
        assert said.day == meant.day
        assert said.month in (None, meant.month)


@pytest.mark.parametrize(
    ("told", "ahead"),
    [
        ("Son anniversaire est [[RELDATE|après-demain]].", True),
        ("[[RELDATE|Après-demain]], c'est son anniversaire.", True),
        ("Elle aura [[AGE|74 ans]] [[RELDATE|après-demain]].", True),
        ("[[RELDATE|Après-demain]], elle aura 74 ans.", True),
        ("Aura [[RELDATE|après-demain]] 74 ans.", True),
        ("Donc 74 ans [[RELDATE|après-demain]].", True),
        ("Chute [[RELDATE|après-demain]], jour de ses 74 ans.", True),
        ("A fêté son anniversaire [[RELDATE|le mois dernier]].", False),
        ("[[RELDATE|Le mois dernier]], elle a eu 74 ans.", False),
    ],
)
def test_a_birthday_is_told_from_the_published_birth_date(told: str, ahead: bool, unlimited: Substitutor) -> None:
    born = date(1949, 5, 19) if ahead else date(1949, 4, 19)
    for key in PATIENTS:
        result = unlimited.substitute(
            *marked(f"Née le [[DATE|{born:%d/%m/%Y}]]. {told}", patient=Patient(key, birth_date=born))
        )
        published, *_, distance = surrogates(result)
        assert result.reference_date is not None
        birth = day(published)
        # Where originals may not come back, a birthday that falls as far away again is masked.
        meant = parse_relative("après-demain" if distance == "[RELDATE]" else distance)
        assert meant is not None
        here = place_relative(meant, result.reference_date)
        days = [
            birth.replace(year=year, day=min(birth.day, 28)) for year in range(here.first.year - 1, here.first.year + 2)
        ]
        assert min(abs((one - here.middle).days) for one in days) <= 31, (published, distance)


@pytest.mark.parametrize("unlimited", [("episodes", "stages")], indirect=True, ids=["episodes"])
def test_a_birthday_of_other_months_is_told_by_its_month(unlimited: Substitutor) -> None:
    told = set()
    for key in PATIENTS:
        result = unlimited.substitute(
            *marked(
                "Née le [[DATE|12/05/1949]], elle a fêté ses 74 ans [[RELDATE|la semaine dernière]]. é",
                patient=Patient(key, birth_date=date(1949, 5, 12)),
            )
        )
        published, distance = surrogates(result)
        assert result.reference_date is not None
        month = day(published).month
        if distance.endswith(" dernier") and distance.startswith("en "):
            assert distance == f"en {MONTHS[month - 1]} dernier"
            assert month != result.reference_date.month
        told.add(distance)
    assert any(one.startswith("en ") for one in told)


@pytest.mark.parametrize("written", ["19 mai", "19/05", "19/05/2023"])
def test_the_day_of_a_birthday_is_that_of_the_published_birth_date(written: str, unlimited: Substitutor) -> None:
    for key in PATIENTS:
        document, mentions = marked(
            f"Née le [[DATE|19/05/1949]], fête son anniversaire le [[DATE|{written}]].", patient=Patient(key)
        )
        birth, birthday = map(parse, surrogates(unlimited.substitute(document, mentions)))
        assert birth is not None
        assert birthday is not None
        assert (birthday.day, birthday.month) == (birth.day, birth.month)


@pytest.mark.parametrize("told", [
    "Il aura [[AGE|76 ans]] le [[DATE|19/05/2025]].", "A fêté ses [[AGE|54 ans]] le [[DATE|19 mai 2003]].",
    "Fêtera le [[DATE|19/05/2024]] ses [[AGE|75 ans]].", "Le [[DATE|19/05/2009]], il a eu [[AGE|60 ans]].",
])  # fmt: skip
def test_the_age_of_a_birthday_is_that_of_its_published_day(told: str) -> None:
    shipped = Substitutor(load(), KEY, packaged_tables().communes)
    for key in PATIENTS:
        texts = surrogates(shipped.substitute(*marked(f"Né le [[DATE|19/05/1949]]. {told}", patient=Patient(key))))
        birth, birthday = (day(text) for text in texts if not text.endswith("ans"))
        age = next(text for text in texts if text.endswith("ans"))
        assert (birthday.day, birthday.month) == (birth.day, birth.month)
        assert age == f"{birthday.year - birth.year} ans"


@pytest.mark.parametrize("told", [
    "Diabète découvert à ses 50 ans, [[RELDATE|il y a 20 ans]].",
    "Prothèse de hanche [[RELDATE|il y a deux ans]], 75 ans, sans complication.",
    "Tabac arrêté pour son anniversaire [[RELDATE|il y a 3 ans]].",
    "Tabac arrêté pour son anniversaire [[RELDATE|il y a 180 mois]].",
    "AVC le jour de son anniversaire, le [[DATE|19/05/2003]].", "A eu ses 54 ans le [[DATE|19/05/2003]].",
])  # fmt: skip
def test_a_birthday_of_long_ago_stays_of_long_ago(told: str, unlimited: Substitutor) -> None:
    """An illness of twenty years is none of months: a birthday is the one nearest to where the date moves.

    Within half a year and, of months, two halves of one.
    """
    bare = f"Connue {told[told.index('[[') : told.index(']]') + 2]}."
    for key in PATIENTS:
        birth, written, moved = (
            text
            for one, skipped in ((told, 0), (bare, 1))
            for text in surrogates(
                unlimited.substitute(*marked(f"Née le [[DATE|19/05/1949]]. {one}", patient=Patient(key)))
            )[skipped:]
        )
        if "[[RELDATE" in told:
            one, other = (parse_relative(text) for text in (written, moved))
            assert one is not None
            assert other is not None
            here, there = (place_relative(said, WRITTEN).middle for said in (one, other))
        else:
            here, there = day(written), day(moved)
            assert (here.day, here.month) == (day(birth).day, day(birth).month)
        assert abs((here - there).days) <= 214, (birth, written, moved)


@pytest.mark.parametrize("told", [
    "Hospitalisée le [[DATE|19/05/2023]], 74 ans.", "Prothèse le [[DATE|19/05/2023]], à 74 ans.",
    "Sortie le [[DATE|19/05/2023]], 74 ans, IDM."
])  # fmt: skip
def test_an_age_beside_a_day_makes_no_birthday_of_it(told: str) -> None:
    """A stay that begins on a birthday keeps its days."""
    shipped = Substitutor(load(), KEY, packaged_tables().communes)
    document, mentions = marked(
        f"Entrée le [[DATE|16/05/2023]]. {told}", patient=Patient("p1", birth_date=date(1949, 5, 19))
    )
    first, second = map(day, surrogates(shipped.substitute(document, mentions)))
    assert (second - first).days == 3


@pytest.mark.parametrize("told", [
    "Son fils a eu son anniversaire [[RELDATE|hier]].", "Anniversaire de mariage [[RELDATE|après-demain]].",
    "Sortie [[RELDATE|après-demain]]. Son anniversaire est passé.", "Opérée à 74 ans [[RELDATE|hier]].",
    "Dame de 74 ans [[RELDATE|ce jour]].",
])  # fmt: skip
def test_another_day_than_the_birthday_moves_with_the_document(told: str) -> None:
    shipped = Substitutor(load(), KEY, packaged_tables().communes)
    document, mentions = marked(f"Née le [[DATE|19/05/1949]]. {told}", patient=Patient("p1"))
    result = shipped.substitute(document, mentions)
    assert surrogates(result)[1] == document.text[mentions[1].start : mentions[1].end]
