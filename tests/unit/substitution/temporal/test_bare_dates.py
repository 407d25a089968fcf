"""Months, seasons and days without a year or month are told of the side that their words say, before and after."""

from __future__ import annotations

import re
from datetime import date, timedelta
from itertools import pairwise

import pytest

from deid.config.policy import load
from deid.domain.document import Patient, Stay
from deid.french.calendar import MONTHS
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.temporal.parsing import parse
from deid.substitution.temporal.resolving import place_date
from tests.unit.substitution.examples import KEY, marked, surrogates

KEYS = [f"p{number}" for number in range(12)]


@pytest.fixture(scope="module")
def drawn() -> Substitutor:
    tables = packaged_tables()
    return Substitutor(load(), KEY, tables.communes, tables.names)


def months_ahead(month: str, day: date) -> int:
    """Return the months from that of a day to the next one of a name, 1 to 12."""
    return (MONTHS.index(month) - day.month) % 12 + 1


@pytest.mark.parametrize(
    ("text", "written", "ahead"),
    [
        ("Elle attend un enfant pour [[DATE|août]].", date(2018, 4, 27), 4),
        ("Béquilles. Course pas avant le [[DATE|15 juin]].", date(2023, 2, 13), 4),
        ("Béquilles. Pas de pivot avant le [[DATE|15 juin]].", date(2023, 2, 13), 4),
        ("Carte de séjour, échéance en [[DATE|juin]].", date(2023, 2, 13), 4),
        ("Ordonnance à présenter, valable jusqu'au [[DATE|15 juin]].", date(2023, 2, 13), 4),
        ("Pivots interdits jusqu'en [[DATE|juillet]], à revoir.", date(2023, 2, 13), 5),
    ],
)
@pytest.mark.parametrize("key", KEYS)
def test_a_month_to_come_is_published_after_the_document(
    text: str, written: date, ahead: int, key: str, drawn: Substitutor
) -> None:
    document, mentions = marked(text, patient=Patient(key), reference_date=written)
    result = drawn.substitute(document, mentions)
    assert result.reference_date is not None
    (said,) = surrogates(result)
    assert re.search(r"\d{4}", said) is None
    assert abs(months_ahead(said.split()[-1], result.reference_date) - ahead) <= 1


@pytest.mark.parametrize("key", KEYS)
def test_a_month_of_what_is_done_is_published_before_the_document(key: str, drawn: Substitutor) -> None:
    text = "papier signé avec le neveu en [[DATE|mai]], confraternellement le [[DATE|douze février vingt-deux]]"
    document, mentions = marked(text, patient=Patient(key), reference_date=date(2022, 2, 12))
    result = drawn.substitute(document, mentions)
    said, written = surrogates(result)
    assert re.search(r"\d", said) is None  # a dictation spells the years that it says
    meant, signed = (parse(one) for one in (said, written))
    assert meant is not None
    assert signed is not None
    assert (meant.year or 0) % 100 <= (signed.year or 0) % 100


@pytest.mark.parametrize("key", KEYS)
def test_a_list_of_days_is_of_one_month(key: str, drawn: Substitutor) -> None:
    """The 21 alone is nearer in January, before the operation of which the list tells the follow-up."""
    operated, written = date(2023, 2, 10), date(2023, 2, 13)
    text = f"Opérée le [[DATE|{operated:%d/%m/%Y}]].\n\nPlaquettes le [[DATE|17]] et le [[DATE|21]]."
    document, mentions = marked(text, patient=Patient(key), reference_date=written, stay=Stay(operated, written))
    result = drawn.substitute(document, mentions)
    day, *listed = surrogates(result)
    surgery = date(*map(int, reversed(day.split("/"))))
    month = MONTHS.index(listed[-1].split()[1]) + 1 if " " in listed[-1] else surgery.month
    last = date(surgery.year + (month < surgery.month), month, int(re.findall(r"\d+", listed[-1])[0]))
    assert last - surgery == timedelta(days=11)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("told", ["mars 2025", "printemps 2025"])
def test_a_month_far_from_the_document_stays_far(told: str, key: str, drawn: Substitutor) -> None:
    """That it is more than 183 days off, and so a draw of its own, is public as for days."""
    written = date(2026, 9, 27)
    text = f"Œil gauche opéré en [[DATE|{told}]], sevré en [[DATE|2024]]. Vu le [[DATE|27/09/2026]]."
    document, mentions = marked(text, patient=Patient(key), reference_date=written, stay=Stay(written, written))
    month, year, day = (parse(one) for one in surrogates(drawn.substitute(document, mentions)))
    assert month is not None
    assert year is not None
    assert day is not None
    to = place_date(day, written).first
    assert (to - place_date(month, written).middle).days > 183 - 46  # a season is counted from its middle
    assert (year.year or 0) < to.year


@pytest.mark.parametrize("key", ["p101", "p274"])  # whose published birthday is the published day of the document
def test_a_birthday_to_come_stays_to_come(key: str, drawn: Substitutor) -> None:
    patient = Patient(key, birth_date=date(2002, 1, 18))
    text = "Il aura [[AGE|23 ans]] [[RELDATE|samedi prochain]]."
    _, distance = surrogates(drawn.substitute(*marked(text, patient=patient, reference_date=date(2025, 1, 14))))
    assert distance == "dans douze mois"


@pytest.mark.parametrize("ahead", ["", "Vue ce jour. ", "Vue ce jour.\n- "])
def test_a_feast_that_opens_a_sentence_begins_with_a_capital(ahead: str, drawn: Substitutor) -> None:
    for key in KEYS:
        text = f"{ahead}[[DATE|Épiphanie 2019]] en famille."
        (feast,) = surrogates(drawn.substitute(*marked(text, patient=Patient(key))))
        assert feast[0].isupper(), feast


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("between", [" au ", " et du ", ", puis du "])
def test_a_range_across_the_new_year_tells_both_years(between: str, key: str, drawn: Substitutor) -> None:
    text = f"Séjour du [[DATE|9 mars]]{between}[[DATE|24 août 2016]]."
    written = date(2016, 8, 26)
    first, last = surrogates(drawn.substitute(*marked(text, patient=Patient(key), reference_date=written)))
    begins, ends = parse(first), parse(last)
    assert begins is not None
    assert ends is not None
    assert ends.year is not None
    opened = date(begins.year or ends.year, begins.month or 0, begins.day or 0)
    assert (date(ends.year, ends.month or 0, ends.day or 0) - opened).days == 168


@pytest.mark.parametrize("key", KEYS[:6])
@pytest.mark.parametrize(
    ("text", "written", "apart"),
    [
        (
            "[[DATE|28/12]] : chute\n[[DATE|30/12]] : scanner\n[[DATE|02/01]] : drainage\n[[DATE|09/01]] : sortie",
            date(2024, 10, 5),
            [2, 3, 7],
        ),
        ("C1 le [[DATE|15/11]], C2 le [[DATE|13/12]], C3 le [[DATE|10/01]].", date(2024, 9, 1), [28, 28]),
        ("C1 le [[DATE|23/12]], C2 le [[DATE|03/02]], C3 le [[DATE|24/02]].", date(2024, 11, 15), [42, 21]),
        ("Opéré le [[DATE|28/12/2023]], drain le [[DATE|02/01]], sorti le [[DATE|09/01]].", date(2024, 10, 4), [5, 7]),
    ],
)  # fmt: skip
def test_days_told_one_behind_the_other_keep_their_gaps_over_the_end_of_a_year(
    text: str, written: date, apart: list[int], key: str, drawn: Substitutor
) -> None:
    result = drawn.substitute(*marked(text, patient=Patient(key), reference_date=written))
    told = [meant for one in surrogates(result) if (meant := parse(one)) is not None]
    gaps = [
        (place_date(later, written, since=(day := place_date(one._replace(year=2001), written).first)).first - day).days
        for one, later in pairwise(one._replace(year=None) for one in told)
    ]
    assert all(abs(gap - days) <= 1 for gap, days in zip(gaps, apart, strict=True))  # 29 February


@pytest.mark.parametrize("key", KEYS[:6])
@pytest.mark.parametrize(
    ("text", "written", "away"),
    [
        ("Née le 28 décembre 1950. Vue le [[DATE|12/01]], revue le [[DATE|19/01]].", date(2025, 1, 20), [-8, -1]),
        ("Née le [[DATE|28/12/1950]], vue le [[DATE|12/01]].", date(2025, 1, 20), [None, -8]),
        ("Vue le [[DATE|03/09]]. Prochain contrôle le [[DATE|2 octobre]].", date(2024, 9, 28), [-25, 4]),
    ],
)  # fmt: skip
def test_a_day_near_a_birth_or_of_another_time_is_told_of_the_documents(
    text: str, written: date, away: list[int | None], key: str, drawn: Substitutor
) -> None:
    result = drawn.substitute(*marked(text, patient=Patient(key), reference_date=written))
    here = result.reference_date
    assert here is not None
    for said, days in zip(surrogates(result), away, strict=True):
        meant = parse(said)
        assert meant is not None
        if days is not None:
            assert (place_date(meant._replace(planned=days > 0), here).first - here).days == days


@pytest.mark.parametrize("key", KEYS[:6])
@pytest.mark.parametrize(
    ("text", "written", "away"),
    [
        ("Opéré le 27, fils ôtés après le [[DATE|2 janvier]], contrôle le [[DATE|9]].", date(2024, 12, 30), [3, 10]),
        ("Toux le [[DATE|2 décembre]], fièvre le [[DATE|10]].", date(2025, 1, 3), [-32, -24]),
        ("Convoquée le [[DATE|15 janvier]], vue le [[DATE|2]].", date(2025, 1, 3), [12, -1]),
        ("Douleurs le [[DATE|27 décembre]], scanner le [[DATE|2]].", date(2025, 1, 3), [-7, -1]),
    ],
)  # fmt: skip
def test_a_day_without_a_month_goes_on_from_the_one_ahead(
    text: str, written: date, away: list[int], key: str, drawn: Substitutor
) -> None:
    result = drawn.substitute(*marked(text, patient=Patient(key), reference_date=written))
    here = result.reference_date
    assert here is not None
    first, second = (parse(one) for one in surrogates(result))
    assert first is not None
    assert second is not None
    assert second.day is not None
    assert (place_date(first._replace(planned=away[0] > 0), here).first - here).days == away[0]
    day = here + timedelta(days=away[1])
    assert (second.day, second.month or day.month) == (day.day, day.month)
