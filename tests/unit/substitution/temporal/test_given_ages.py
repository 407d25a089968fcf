"""Ages and years that a date or a number of years beside them gives: counted from what is published of these."""

from __future__ import annotations

import re
import time
from datetime import date

import pytest

from deid.config.policy import load
from deid.domain.document import Patient, Substitution
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.temporal.values import months_between, years_between
from tests.unit.substitution.examples import KEY, marked

WRITTEN, BORN = date(2024, 7, 15), date(1954, 3, 2)
KEYS = [f"p{number}" for number in range(12)]


@pytest.fixture(scope="module")
def drawn() -> Substitutor:
    tables = packaged_tables()
    return Substitutor(load(), KEY, tables.communes, tables.names)


def substituted(
    substitutor: Substitutor, text: str, key: str, *, born: date | None = BORN, written: date = WRITTEN
) -> Substitution:
    patient = Patient(key, birth_date=born)
    return substitutor.substitute(*marked(text, patient=patient, reference_date=written))


def days(text: str) -> list[date]:
    return [date(int(year), int(month), int(day)) for day, month, year in re.findall(r"(\d\d)/(\d\d)/(\d{4})", text)]


def numbers(text: str, unit: str = "ans") -> list[int]:
    return [int(one) for one in re.findall(rf"(\d+) {unit}", text)]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("at", [
    "opéré le [[DATE|12/05/2016]] à l'âge de [[AGE|62 ans]]", "opéré le [[DATE|12/05/2016]], à [[AGE|62 ans]]",
    "opéré à [[AGE|62 ans]] le [[DATE|12/05/2016]]", "opéré à l'âge de [[AGE|62 ans]], le [[DATE|12/05/2016]]",
])  # fmt: skip
def test_an_age_at_a_day_is_counted_from_the_published_birth(drawn: Substitutor, at: str, key: str) -> None:
    text = substituted(drawn, f"Né le [[DATE|02/03/1954]], {at}.", key).text
    born, operated = days(text)
    assert numbers(text) == [years_between(born, operated)]


@pytest.mark.parametrize("key", KEYS[:6])
@pytest.mark.parametrize("told", [
    "grand-oncle, boulanger à la coopérative de la vallée, mort de la poliomyélite à l'hospice en [[DATE|1951]], "
    "à [[AGE|58 ans]]",
    "deux filles : Léa, institutrice à la ville, et Zoé, décédée d'un accident à [[AGE|58 ans]], en [[DATE|mai 1961]]",
    "l'aîné, noyé en [[DATE|1958]], à [[AGE|58 ans]]",
])  # fmt: skip
def test_an_age_that_is_not_the_patients_stays_in_its_stage(drawn: Substitutor, told: str, key: str) -> None:
    (age,) = numbers(substituted(drawn, f"Né le [[DATE|02/03/1954]]. {told}.", key).text)
    assert 50 <= age < 90


@pytest.mark.parametrize("key", KEYS)
def test_of_two_days_the_one_without_a_comma_gives_the_age(drawn: Substitutor, key: str) -> None:
    born = date(2023, 5, 6)
    told = (
        "Né le [[DATE|06/05/2023]]. Vu à [[AGE|2 mois]] le [[DATE|08/07/2023]], "
        "à [[AGE|4 mois]] le [[DATE|11/09/2023]]."
    )
    text = substituted(drawn, told, key, born=born, written=date(2023, 9, 11)).text
    birth, *doses = days(text)
    assert numbers(text, "mois") == [max(months_between(birth, one), 1) for one in doses]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("told", [
    "Ses jumeaux, nés le [[DATE|03/01/2024]], ont [[AGE|6 mois]].",
    "Sa fille a [[AGE|6 mois]], née le [[DATE|03/01/2024]].",
])  # fmt: skip
def test_a_relatives_age_is_counted_from_the_published_birth(drawn: Substitutor, told: str, key: str) -> None:
    done = substituted(drawn, told, key)
    assert done.reference_date is not None
    assert numbers(done.text, "mois") == [max(months_between(days(done.text)[0], done.reference_date), 1)]


@pytest.mark.parametrize("born", [BORN, None])
@pytest.mark.parametrize("key", KEYS)
def test_years_since_an_age_part_it_from_the_age_now(drawn: Substitutor, key: str, born: date | None) -> None:
    told = "Homme de [[AGE|70 ans]], diabétique depuis l'âge de [[AGE|50 ans]] (20 ans d'évolution)."
    now, then, since = numbers(substituted(drawn, told, key, born=born).text)
    assert (since, now - then) == (20, 20)


@pytest.mark.parametrize("key", KEYS)
def test_years_beside_a_year_count_it_from_the_document(drawn: Substitutor, key: str) -> None:
    done = substituted(drawn, "Mariée depuis 17 ans ([[DATE|2007]]).", key)
    assert done.reference_date is not None
    assert re.findall(r"\((\d{4})\)", done.text) == [str(done.reference_date.year - 17)]


@pytest.mark.parametrize("key", KEYS[:6])
@pytest.mark.parametrize(("told", "counted"), [
    ("Goutteux depuis [[DATE|2011]] (soit depuis 13 ans).", True),
    ("Lupus connu depuis [[DATE|2011]], soit 13 ans d'évolution.", True),
    ("Retraite en [[DATE|2011]], soit depuis 13 ans.", True), ("Valve posée en [[DATE|2011]], 13 ans de recul.", True),
    ("Veuve depuis [[DATE|2011]] (13 ans).", True),
    ("Veuve depuis [[DATE|2011]], 13 ans après sa retraite.", False), ("Opérée en [[DATE|2011]], 13 ans.", False),
])  # fmt: skip
def test_years_behind_a_year_count_it_from_the_document(drawn: Substitutor, told: str, counted: bool, key: str) -> None:
    done = substituted(drawn, told, key)
    assert done.reference_date is not None
    (year,) = re.findall(r"\d{4}", done.text)
    assert int(year) == done.reference_date.year - 13 or not counted


@pytest.mark.parametrize("key", KEYS[:6])
@pytest.mark.parametrize(("told", "years"), [
    ("Veuf depuis [[DATE|2019]], trois ans après son infarctus de [[DATE|2016]].", -3),
    ("Stent en [[DATE|2008]], dix ans avant sa retraite ([[DATE|2018]]).", 10),
    ("Lymphome en [[DATE|2011]], rechute 5 ans plus tard, en [[DATE|2016]].", 5),
    ("Mineur de [[DATE|1974]] à [[DATE|2016]], soit 42 ans.", 42),
    ("A fumé de [[DATE|1974]] à [[DATE|2004]] (30 ans).", 30),
])  # fmt: skip
def test_years_between_two_years_part_what_is_published(drawn: Substitutor, told: str, years: int, key: str) -> None:
    first, second = map(int, re.findall(r"\d{4}", substituted(drawn, told, key).text))
    assert second - first == years


@pytest.mark.parametrize("key", KEYS[:6])
@pytest.mark.parametrize("born", [date(2012, 6, 2), None])
@pytest.mark.parametrize(("told", "older"), [
    ("vit avec ses parents et un frère de 3 ans son aîné, [[AGE|15 ans]]", 3),
    ("sœur plus jeune de 4 ans ([[AGE|8 ans]])", -4), ("aîné de 4 ans de sa sœur ([[AGE|8 ans]])", -4),
    ("un cousin plus âgé de deux ans, [[AGE|14 ans]]", 2),
])  # fmt: skip
def test_years_between_siblings_part_their_published_ages(
    drawn: Substitutor, told: str, older: int, born: date | None, key: str
) -> None:
    text = substituted(drawn, f"Garçon de [[AGE|12 ans]], {told}.", key, born=born).text
    (own, *_, other) = numbers(text)
    assert other - own == older


@pytest.mark.parametrize("key", KEYS[:6])
def test_a_parents_age_is_not_counted_from_the_patients(drawn: Substitutor, key: str) -> None:
    told = "Homme de [[AGE|44 ans]]. Père de [[AGE|70 ans]], sa mère de 3 ans son aînée, [[AGE|73 ans]]."
    own, *_, mother = numbers(substituted(drawn, told, key, born=None).text)
    assert mother - own >= 15


@pytest.mark.parametrize("key", KEYS[:6])
@pytest.mark.parametrize("told", [
    "Fratrie : [[AGE|4]], [[AGE|7]] et [[AGE|10 ans]], nés le [[DATE|12/01/2020]], le [[DATE|03/02/2017]] et le "
    "[[DATE|08/04/2014]].",
    "Frères : [[PERSON|Paul]] [[AGE|4 ans]] et [[PERSON|Luc]] [[AGE|7 ans]], nés respectivement le [[DATE|12/01/2020]] "
    "et le [[DATE|03/02/2017]].",
    "Deux enfants nés le [[DATE|12/01/2020]] et le [[DATE|03/02/2017]] ([[AGE|4]] et [[AGE|7 ans]]).",
    "Jumeaux de [[AGE|4 ans]], [[PERSON|Tom]] et [[PERSON|Léo]], nés le [[DATE|12/01/2020]].",
])  # fmt: skip
def test_ages_of_a_list_are_counted_each_from_its_own_birth(drawn: Substitutor, told: str, key: str) -> None:
    done = substituted(drawn, told, key)
    here = done.reference_date
    assert here is not None
    ages = [int(one) for one in re.findall(r"(?<![\d/])(\d{1,2})(?=,| et | ans?)", done.text)]
    assert ages == [max(years_between(one, here), 1) for one in days(done.text)]


@pytest.mark.parametrize("key", KEYS[:4])
@pytest.mark.parametrize("told", ["à douze ans de sa colectomie", "12 ans", "à 12 ans de la greffe"])
def test_years_since_an_act_count_its_year_from_the_document(drawn: Substitutor, told: str, key: str) -> None:
    done = substituted(drawn, f"Vue {told} ([[DATE|2011]]), le [[DATE|15/07/2024]].", key)
    assert done.reference_date is not None
    counted = re.findall(r"\((\d{4})\)", done.text) == [str(done.reference_date.year - 12)]
    assert counted or told == "12 ans"


@pytest.mark.parametrize("key", KEYS[:6])
@pytest.mark.parametrize("told", [
    "visite des cinq ans de greffe : a reçu le [[DATE|02/05/2019]] un foie", "5 ans après sa néphrectomie. Revue. "
    "Néphrectomie élargie le [[DATE|02/05/2019]]",
])  # fmt: skip
def test_a_day_lies_the_years_that_are_told_since_its_act(drawn: Substitutor, told: str, key: str) -> None:
    done = substituted(drawn, f"Vue le [[DATE|15/07/2024]], {told}.", key)
    _, act = days(done.text)
    assert done.reference_date is not None
    assert abs((done.reference_date - act).days - 5 * 365) <= 184


@pytest.mark.parametrize("key", KEYS[:4])
@pytest.mark.parametrize("told", [
    "Asthme : 9 ans d'évolution. Évolution lente le [[DATE|02/07/2024]]", "12 ans de lithium, lithium arrêté le "
    "[[DATE|20/06/2024]]", "6 ans de sa greffe. Nouvelle greffe prévue le [[DATE|12/10/2024]]",
    "À 4 ans de la pose d'un stent. Voie posée le [[DATE|14/07/2024]]",
])  # fmt: skip
def test_years_of_what_has_no_one_day_tie_no_day(drawn: Substitutor, told: str, key: str) -> None:
    done = substituted(drawn, f"Vue le [[DATE|15/07/2024]]. {told}.", key)
    _, beside = days(done.text)
    assert done.reference_date is not None
    assert abs((done.reference_date - beside).days) <= 200


def test_many_years_since_an_act_are_read_in_a_time_linear_in_them(drawn: Substitutor) -> None:
    text = "a 10 ans de sa mastectomie vu. " * 4_000 + "Mastectomie le [[DATE|02/05/2014]]."
    started = time.process_time()
    substituted(drawn, text, KEYS[0])
    assert time.process_time() - started < 10


@pytest.mark.parametrize("key", KEYS[:6])
def test_an_exam_of_the_end_of_school_stays_in_its_month(drawn: Substitutor, key: str) -> None:
    told = "Vient d'obtenir son bac en [[DATE|juin]], é.", "A posé un bac à fleurs en [[DATE|juin]], é."
    exam, other = (substituted(drawn, one, key).text for one in told)
    assert exam == "Vient d'obtenir son bac en juin, é."
    assert (other == "A posé un bac à fleurs en juin, é.") == (
        substituted(drawn, "Tombé en [[DATE|juin]], é.", key).text == "Tombé en juin, é."
    )


@pytest.mark.parametrize("key", KEYS)
def test_the_year_after_follows_the_year(drawn: Substitutor, key: str) -> None:
    text = substituted(drawn, "Cancer en [[DATE|2014]], récidive l'année suivante, en [[DATE|2015]].", key).text
    first, second = map(int, re.findall(r"\d{4}", text))
    assert second == first + 1


@pytest.mark.parametrize(("told", "other"), [
    ("Opéré le [[DATE|12/05/2016]] à l'âge de [[AGE|62 ans]].", "[[AGE|55 ans]]"),
    ("Ses jumeaux, nés le [[DATE|03/01/2020]], ont [[AGE|4 ans]].", "[[AGE|5 ans]]"),
    ("Homme de [[AGE|70 ans]], suivi depuis l'âge de [[AGE|62 ans]] (20 ans d'évolution).", "[[AGE|55 ans]]"),
])  # fmt: skip
def test_a_given_age_is_not_read_and_costs_nothing(drawn: Substitutor, told: str, other: str) -> None:
    """Then its true value changes nothing that is published, and no ε is spent for it."""
    for key in KEYS:
        one, two = (substituted(drawn, text, key) for text in (told, re.sub(r"\[\[AGE\|(?:62|4) ans\]\]", other, told)))
        assert (one.text, one.spends) == (two.text, two.spends)
        assert not any("past" in spend.mechanism for spend in one.spends)


@pytest.mark.parametrize("told", [
    "AVC le [[DATE|12/05/2023]], ménopause à [[AGE|51 ans]].",
    "Vue le [[DATE|12/05/2023]]. Ménopause à [[AGE|51 ans]].",
])  # fmt: skip
def test_other_words_between_a_day_and_an_age_part_them(drawn: Substitutor, told: str) -> None:
    assert all(abs(numbers(substituted(drawn, told, key).text)[0] - 51) < 9 for key in KEYS)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("born", [BORN, None])
def test_generations_lie_fifteen_years_apart(drawn: Substitutor, key: str, born: date | None) -> None:
    told = "Patiente de [[AGE|70 ans]]. Sa fille a [[AGE|44 ans]], son petit-fils [[AGE|4 ans]]."
    own, child, grandchild = numbers(substituted(drawn, told, key, born=born).text)
    assert own - child >= 15
    assert child - grandchild >= 15


@pytest.mark.parametrize("key", KEYS)
def test_a_child_who_died_was_born_after_fifteen_years_of_its_parent(drawn: Substitutor, key: str) -> None:
    told = "Née le [[DATE|02/03/1954]]. Son fils est mort en [[DATE|2019]] d'un infarctus à [[AGE|44 ans]]."
    text = substituted(drawn, told, key).text
    (year,) = re.findall(r"en (\d{4})", text)
    assert int(year) - numbers(text)[0] - days(text)[0].year >= 14


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("plan", [
    "Reprise de la chorale en [[DATE|novembre]]", "Je le revois le [[DATE|18 novembre]]",
    "Consultation prévue en [[DATE|novembre]]", "RDV le [[DATE|18/11]]",
])  # fmt: skip
def test_what_words_plan_without_a_year_stays_ahead_of_the_document(drawn: Substitutor, plan: str, key: str) -> None:
    done = substituted(drawn, f"{plan}.", key)
    assert done.reference_date is not None
    for year in re.findall(r"\d{4}", done.text):
        assert int(year) >= done.reference_date.year
    if (month := re.search(r"/(\d\d)", done.text)) is not None:
        assert (int(month[1]) - done.reference_date.month) % 12 in (3, 4, 5)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("told", "years"), [
    ("A fumé 20 cigarettes par jour de [[AGE|16]] à [[AGE|36 ans]], soit 20 paquets-années.", 20),
    ("Tabac : 10 cig/j de [[AGE|18 ans]] à [[AGE|48 ans]] (15 PA).", 30),
    ("Un paquet par jour entre [[AGE|20]] et [[AGE|45 ans]], 25 PA, sevré.", 25),
    ("Exposé de [[AGE|17 ans]] à [[AGE|42 ans]], pendant 25 ans.", 25),
])  # fmt: skip
@pytest.mark.parametrize("born", [BORN, None])
def test_a_stretch_lasts_as_long_as_the_text_says(
    drawn: Substitutor, told: str, years: int, key: str, born: date | None
) -> None:
    result = substituted(drawn, f"Patient de [[AGE|70 ans]]. {told}", key, born=born)
    own, begun, ended = (int(re.findall(r"\d+", one.text)[0]) for one in result.surrogates)
    assert ended - begun == years
    assert ended <= own


@pytest.mark.parametrize(
    "told",
    [
        "Alcool de [[AGE|30]] à [[AGE|50 ans]].",
        "Tabac de [[AGE|16]] à [[AGE|36 ans]], soit 12 paquets-années.",  # nobody says how many a day
        "Tabac de [[AGE|16]] à [[AGE|36 ans]]. Sevré il y a 12 ans.",
    ],
)
def test_a_stretch_of_unknown_length_is_drawn(drawn: Substitutor, told: str) -> None:
    lengths = set()
    for key in KEYS:
        result = substituted(drawn, f"Patient de [[AGE|70 ans]]. {told}", key)
        begun, ended = (int(re.findall(r"\d+", one.text)[0]) for one in result.surrogates[1:])
        lengths.add(ended - begun)
    assert len(lengths) > 3


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("told", "usual"),
    [
        ("Sa sœur, [[AGE|8 ans]], scolarisée en CE2.", 8),
        ("Son frère de [[AGE|9 ans]] est en CM1.", 9),
        ("Son frère de [[AGE|10 ans]], élève de CM deux.", 10),
        ("Sa sœur de [[AGE|14 ans]], élève de quatrième.", 13),
        ("Sa fille, [[AGE|12 ans]], élève de 5e au collège.", 12),
        ("Son fils ([[AGE|6 ans]], en CP).", 6),
    ],
)
def test_an_age_fits_the_school_class(drawn: Substitutor, told: str, usual: int, key: str) -> None:
    (age,) = numbers(substituted(drawn, told, key).text)
    assert abs(age - usual) <= 1


def test_a_word_that_is_also_a_class_bounds_nothing(drawn: Substitutor) -> None:
    told = "Sa sœur, [[AGE|7 ans]], traitée en seconde intention par 2 cp par jour."
    assert {numbers(substituted(drawn, told, key).text)[0] for key in KEYS} > {6}


@pytest.mark.parametrize("key", KEYS[:6])
def test_a_visit_that_came_late_stays_late_within_its_episode(drawn: Substitutor, key: str) -> None:
    first, last = days(substituted(drawn, "M1 le [[DATE|02/02/2024]], M3 le [[DATE|24/05/2024]]", key).text)
    assert (last - first).days == 112


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("told", "usual"), [
    ("Enfant scolarisé en CE2, [[AGE|8 ans]].", 8), ("Élève de terminale âgée de [[AGE|17 ans]].", 17),
    ("En classe de 6e, [[AGE|11 ans]], anxieux.", 11),
])  # fmt: skip
def test_an_age_behind_a_class_is_drawn_within_a_year_of_it(
    drawn: Substitutor, told: str, usual: int, key: str
) -> None:
    (age,) = numbers(substituted(drawn, told, key, born=None).text)
    assert abs(age - usual) <= 1
