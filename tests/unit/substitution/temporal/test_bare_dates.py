"""Months, seasons and days without a year or month are told of the side that their words say, before and after."""

from __future__ import annotations

import re
from datetime import date, timedelta

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
