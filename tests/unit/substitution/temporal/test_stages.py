"""Strategy `stages`: an age stays within its stage of life, and what is claimed of a draw holds."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from deid.config.policy import Policy, load
from deid.domain.document import Patient, Stay
from deid.domain.outcomes import Constraint
from deid.privacy.life_stages import CLASSES, birth_rate
from deid.reference import CommuneTable
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.context import DocumentContext
from deid.substitution.temporal.ages import Age, parse_age
from deid.substitution.temporal.constraints import count_constraints
from deid.substitution.temporal.kin import is_of_another
from deid.substitution.temporal.stages import is_then, stage_of
from deid.substitution.temporal.values import Unit, add_years, months_between
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

WRITTEN = date(2022, 3, 16)
AGES = st.one_of(
    st.integers(1, 89).map("{} ans".format),
    st.integers(1, 23).map("{} mois".format),
    st.integers(1, 27).map("{} jours".format),
    st.sampled_from(
        ["onze ans et demi", "3 ans 1/2", "la quarantaine", "octogénaire", "quinze jours", "2 ans et 3 mois"]
    ),
)


@pytest.fixture(scope="module")
def stages() -> Policy:
    return changed(load(), dates={"strategy": "episodes"}, ages={"strategy": "stages"})


@pytest.fixture(scope="module")
def communes() -> CommuneTable:
    return packaged_tables().communes


@pytest.fixture(scope="module")
def drawn(stages: Policy, communes: CommuneTable) -> Substitutor:
    return Substitutor(stages, KEY, communes)


def age_of(substitutor: Substitutor, text: str, patient: Patient) -> str:
    document, mentions = marked(f"Agé de [[AGE|{text}]].", patient=patient, reference_date=WRITTEN)
    return surrogates(substitutor.substitute(document, mentions))[0]


@given(text=AGES, key=st.text("abcdef", min_size=1, max_size=6))
@hypothesis_settings(max_examples=150)
def test_a_relatives_age_stays_in_its_stage(drawn: Substitutor, text: str, key: str) -> None:
    before, after = parse_age(text), parse_age(age_of(drawn, text, Patient(key)))
    assert before is not None
    assert after is not None
    assert stage_of(before) == stage_of(after)


@pytest.mark.parametrize(
    ("text", "another"),
    [
        ("Son frère, âgé de [[AGE|70 ans]].", True), ("Une sœur de [[AGE|8 ans]]", True),
        ("Patient de [[AGE|72 ans]]", False), ("Ses enfants ont 8 et [[AGE|11 ans]]", True),
        ("Enfant de [[AGE|8 ans]]", False), ("Femme de [[AGE|40 ans]]", False),
        ("Vit avec sa mère. Âgé de [[AGE|12 ans]]", False), ("Opéré à l'âge de [[AGE|12 ans]]", False),
        ("Jeune fille de [[AGE|17 ans]]", False), ("greffe d'un donneur de [[AGE|45 ans]]", True),
        ("Cher ami, M. X, [[AGE|79 ans]]", False), ("son amie, [[AGE|79 ans]]", True),
        ("mère : [[AGE|62 ans]]", True), ("sœur cadette : [[AGE|31 ans]]", True), ("Âge : [[AGE|62 ans]]", False),
        ("mère : Mme A née B 30/11/1991 [[AGE|31a]]", False), ("père : né le 3 mai 1990, [[AGE|31a]]", False),
        ("petite fille de [[AGE|9 ans]]", False), ("sa petite fille de [[AGE|9 ans]]", True),
        ("petite-fille de [[AGE|9 ans]]", True), ("une jeune fille au pair de [[AGE|19 ans]]", True),
        ("trois fils : Luc, [[AGE|31 ans]]", True), ("Vu avec sa mère. Motif : chute, [[AGE|9 ans]]", False),
        ("deux frères : l'un en bonne santé, facteur, l'autre tué sur la route à [[AGE|22 ans]]", True),
        ("oncle, cordonnier, puis gardien de l'école de son village, mort en 1968, à [[AGE|44 ans]]", True),
        ("père mort d'un cancer du poumon traité au CHU ; lui-même opéré à [[AGE|44 ans]]", False),
        ("a soigné son père jusqu'à sa mort, elle est hospitalisée depuis à l'hôpital, à [[AGE|44 ans]]", False),
    ],
)  # fmt: skip
def test_the_words_ahead_say_whose_age_it_is(stages: Policy, text: str, another: bool) -> None:
    document, mentions = marked(text)
    assert is_of_another(DocumentContext(document, mentions, stages.substitution, KEY), mentions[0]) is another


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("Opéré à [[AGE|65 ans]]", True), ("À [[AGE|65 ans]], infarctus", True), ("A [[AGE|65 ans]], opérée", True),
        ("Diabète depuis l'âge de [[AGE|12 ans]]", True), ("Sevré vers [[AGE|40 ans]]", True),
        ("Elle avait [[AGE|12 ans]]", True), ("marche à environ [[AGE|14 mois]]", True),
        ("INFARCTUS A [[AGE|65 ANS]]", True), ("Il a [[AGE|65 ans]]", False), ("IL A [[AGE|65 ANS]]", False),
        ("Mme N. a [[AGE|65 ans]], âgée", False), ("Patient de [[AGE|72 ans]]", False), ("Âge : [[AGE|8 ans]]", False),
        ("Cher ami, M. X, [[AGE|79 ans]]", False), ("[[AGE|79 ans]]", False),
    ],
)  # fmt: skip
def test_the_words_just_ahead_say_another_time(stages: Policy, text: str, then: bool) -> None:
    document, mentions = marked(text)
    assert is_then(DocumentContext(document, mentions, stages.substitution, KEY), mentions[0]) is then


@pytest.mark.parametrize(("told", "stays"), [("à [[AGE|65 ans]]", False), ("à [[AGE|71 ans]]", True)])
def test_an_age_at_another_time_keeps_its_side_of_the_patients(drawn: Substitutor, told: str, stays: bool) -> None:
    found = set()
    for number in range(40):
        patient = Patient(f"p{number}", birth_date=add_years(WRITTEN, -71) - timedelta(days=90))
        text = f"Patient de [[AGE|71 ans]], opéré {told}."
        now, then = surrogates(drawn.substitute(*marked(text, patient=patient, reference_date=WRITTEN)))
        found.add(int(now.split()[0]) - int(then.split()[0]))
    assert min(found) >= 0
    assert (found == {0}) is stays


@given(days=st.integers(1, 89 * 365), key=st.text("abcdef", min_size=1, max_size=6))
@hypothesis_settings(max_examples=150)
def test_the_patients_age_stays_in_its_stage(drawn: Substitutor, days: int, key: str) -> None:
    years, text = days // 365, f"{days // 365} ans" if days >= 3 * 365 else f"{max(1, days // 31)} mois"
    patient = Patient(key, birth_date=WRITTEN - timedelta(days=days + days // 1460))
    before, after = parse_age(text), parse_age(age_of(drawn, text, patient))
    assert before is not None
    assert after is not None
    assert stage_of(before) == stage_of(after), years


@given(days=st.integers(1, 99 * 365), key=st.text("abcdef", min_size=1, max_size=6))
@hypothesis_settings(max_examples=150)
def test_the_published_class_is_the_stage_of_life_and_the_year_what_the_text_tells(
    drawn: Substitutor, days: int, key: str
) -> None:
    birth = WRITTEN - timedelta(days=days)
    patient = Patient(key, birth_date=birth)
    stage = stage_of(Age(Unit.MONTH, months_between(birth, WRITTEN), "figures", ""))
    silent = drawn.substitute(*marked("Vu ce jour.", patient=patient, reference_date=WRITTEN))
    assert (silent.age_class, silent.birth_year) == (CLASSES[stage], None)
    told = drawn.substitute(*marked(f"Né le [[DATE|{birth:%d/%m/%Y}]].", patient=patient, reference_date=WRITTEN))
    assert (told.age_class, told.birth_year) == (CLASSES[stage], int(surrogates(told)[0][-4:]))


@pytest.mark.parametrize(
    ("changes", "text", "age_class"),
    [
        ({"ages": {"top_code": 80}}, "Vu ce jour.", "50-89 ans"),
        ({"ages": {"strategy": "tag"}}, "Agé de [[AGE|94 ans]].", None),
        ({"ages": {"strategy": "generalise"}}, "Agé de [[AGE|94 ans]].", None),
        ({"dates": {"strategy": "metric"}, "ages": {"strategy": "metric"}}, "Vu ce jour.", None),
        ({"dates": {"strategy": "metric"}, "ages": {"strategy": "metric"}}, "Agé de [[AGE|94 ans]].", "90 ans ou plus"),
    ],
)
def test_a_class_says_no_more_than_the_policy_lets_texts_say(
    stages: Policy, communes: CommuneTable, changes: dict, text: str, age_class: str | None
) -> None:
    patient = Patient("p1", birth_date=date(WRITTEN.year - 95, 1, 2))
    substitutor = Substitutor(changed(stages, **changes), KEY, communes)
    result = substitutor.substitute(*marked(text, patient=patient, reference_date=WRITTEN))
    assert result.age_class == age_class
    assert result.birth_year is None or "AGE" in text


def test_the_patients_age_follows_the_surrogate_of_the_birth_date(drawn: Substitutor) -> None:
    born = date(1958, 5, 12)
    document, mentions = marked(
        "Né le [[DATE|12/05/1958]], [[AGE|63 ans]].",
        patient=Patient("p1", birth_date=born),
        reference_date=WRITTEN,
        stay=Stay(date(2022, 3, 3), date(2022, 3, 7)),
    )
    result = drawn.substitute(document, mentions)
    day, month, year = map(int, surrogates(result)[0].split("/"))
    moved = result.reference_date
    assert moved is not None
    assert surrogates(result)[1] == f"{moved.year - year - ((moved.month, moved.day) < (month, day))} ans"


def test_an_age_may_return(drawn: Substitutor) -> None:
    texts = {age_of(drawn, "11 ans", Patient(f"p{at}")) for at in range(80)}
    assert texts == {"11 ans", "12 ans", "13 ans", "14 ans"}


def test_what_is_drawn_stands_in_the_ledger(drawn: Substitutor) -> None:
    document, mentions = marked(
        "[[AGE|63 ans]]; son frère a [[AGE|40 ans]], une fille de [[AGE|7 ans]].",
        patient=Patient("p1", birth_date=date(1958, 5, 12)),
        reference_date=WRITTEN,
    )
    lines = {one.mechanism: (one.epsilon, one.elements) for one in drawn.substitute(document, mentions).spends}
    assert lines["discrete_laplace per day of birth"] == (pytest.approx(float(birth_rate(date(1958, 5, 12)))), 1)
    assert lines["discrete_laplace per month, stage 4"] == (pytest.approx(1 / 12), 1)
    assert lines["discrete_laplace per month, stage 7"] == (pytest.approx(1 / 24), 1)


BORN = date(1982, 1, 5)  # 40 years old
FAMILY = (
    "Patiente de [[AGE|40 ans]]. Sa mère, [[AGE|57 ans]]. Sa grand-mère, [[AGE|81 ans]]. Son fils, [[AGE|17 ans]]. "
    "Sa sœur aînée, [[AGE|41 ans]]. Son petit frère, [[AGE|39 ans]]. Son père, décédé à [[AGE|45 ans]]."
)


@given(key=st.text("abcdef", min_size=1, max_size=6))
@hypothesis_settings(max_examples=60)
def test_parents_stay_older_and_siblings_in_their_order(drawn: Substitutor, key: str) -> None:
    document, mentions = marked(FAMILY, patient=Patient(key, birth_date=BORN), reference_date=WRITTEN)
    own, mother, grandmother, son, elder, younger, _ = map(_years, surrogates(drawn.substitute(document, mentions)))
    assert mother >= own + 15
    assert grandmother >= own + 30
    assert son <= own - 15
    assert elder >= own
    assert younger <= own


def _years(text: str) -> int:
    return int(text.split()[0])


@pytest.mark.parametrize("child", ["Petite fille de", "Enfant de", "Jeune fille de", "Une enfant âgée de"])
def test_a_parent_is_a_generation_older_than_a_child_who_is_the_patient(drawn: Substitutor, child: str) -> None:
    found = set()
    for number in range(40):
        text = f"{child} [[AGE|9 ans]], vue avec sa mère, [[AGE|30 ans]]."
        document, mentions = marked(text, patient=Patient(f"p{number}"), reference_date=WRITTEN)
        own, mother = map(_years, surrogates(drawn.substitute(document, mentions)))
        assert mother >= own + 15
        found.add(mother)
    assert min(found) < 30  # two generations above she would be 38 at least


@pytest.mark.parametrize("text", [
    "Son père, décédé à [[AGE|45 ans]].", "Sa mère, opérée d'un cancer du sein à [[AGE|45 ans]].",
    "Grand-mère paternelle : ménopause à [[AGE|45 ans]].",
])  # fmt: skip
def test_a_relatives_age_at_another_time_is_not_bound(drawn: Substitutor, text: str) -> None:
    found = set()
    for number in range(60):
        patient = Patient(f"p{number}", birth_date=BORN)
        document, mentions = marked(text, patient=patient, reference_date=WRITTEN)
        found.add(_years(surrogates(drawn.substitute(document, mentions))[0]))
    assert min(found) < 45  # bound by the patient's age it would be 49


@given(
    key=st.text("abcdef", min_size=1, max_size=6),
    born=st.dates(date(1934, 1, 1), WRITTEN - timedelta(days=1100)),
    stay=st.sampled_from([None, Stay(date(2022, 3, 7), date(2022, 3, 16))]),
    short=st.booleans(),
)
@hypothesis_settings(max_examples=100)
def test_an_age_agrees_with_the_birth_date_beside_it(
    drawn: Substitutor, key: str, born: date, stay: Stay | None, short: bool
) -> None:
    """A birth date of two digits is one that only the text tells."""
    told = (WRITTEN.year - born.year) - ((WRITTEN.month, WRITTEN.day) < (born.month, born.day))
    patient = Patient(key, birth_date=None if short else born)
    written = f"{born:%d/%m/%y}" if short else f"{born:%d/%m/%Y}"
    document, mentions = marked(
        f"Né le [[DATE|{written}]], [[AGE|{told} ans]].", patient=patient, reference_date=WRITTEN, stay=stay
    )
    done = drawn.substitute(document, mentions)
    assert count_constraints(document, done)[Constraint.AGE].violated == 0
    before, after = parse_age(f"{told} ans"), parse_age(surrogates(done)[1])
    assert before is not None
    assert after is not None
    assert stage_of(before) == stage_of(after)


@pytest.mark.parametrize(("text", "another"), [
    ("Sa tante maternelle, Anne, a été opérée d'un cancer du sein droit en 2009, à [[AGE|44 ans]].", True),
    ("Son cousin germain, pompier, est suivi au CHU pour une cardiopathie opérée vers [[AGE|30 ans]].", True),
    ("Amenée par sa tante maternelle, cette patiente a été opérée d'un cancer du sein à [[AGE|44 ans]].", False),
    ("Son cousin germain est suivi au CHU pour une cardiopathie congénitale. Opérée à [[AGE|30 ans]].", False),
    ("Adressée par son cousin médecin au centre hospitalier pour une cardiopathie rare, [[AGE|30 ans]].", False),
])  # fmt: skip
def test_an_age_at_some_time_is_of_whom_a_long_sentence_names(text: str, another: bool) -> None:
    document, mentions = marked(text)
    assert is_of_another(DocumentContext(document, mentions, load().substitution, KEY), mentions[0]) is another
