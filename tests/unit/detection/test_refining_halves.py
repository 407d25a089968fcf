"""Values of which detection found a part are completed; values that are whole stay as they are."""

from __future__ import annotations

import pytest

from deid.detection.refining.halves import complete_halves
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Vote
from deid.domain.labels import Label


def completed(text: str, *found: tuple[str, Label]) -> list[tuple[str, Label]]:
    mentions = [Mention(text.index(part), text.index(part) + len(part), label) for part, label in found]
    result = complete_halves(Reading(Document("d", text)), sorted(mentions))
    return [(text[one.start : one.end], one.label) for one in result]


@pytest.mark.parametrize(
    ("text", "found", "whole"),
    [
        (
            "IBAN FR76 3000 6000 0112 3456 7890 188.",
            "FR76 3000 6000 0112 3456 7890",
            "FR76 3000 6000 0112 3456 7890 188",
        ),
        ("Plaque 1234 ab 75 relevée", "1234", "1234 ab 75"),
        ("le AB-123-CD garé", "AB-123", "AB-123-CD"),
    ],
)
def test_a_part_becomes_the_whole(text: str, found: str, whole: str) -> None:
    assert completed(text, (found, Label.ID)) == [(whole, Label.ID)]


def test_announced_values_are_added() -> None:
    assert completed("Véhicule immatriculé 845 xpl 33.") == [("845 xpl 33", Label.ID)]
    assert completed("immatriculation ab 123 cd, indemne") == [("ab 123 cd", Label.ID)]


@pytest.mark.parametrize(
    ("text", "found", "whole"),
    [
        ("revu dans 3 puis 6 mois", "dans 3", "dans 3 puis 6 mois"),
        ("revu dans 3 puis dans 6 mois", "dans 6 mois", "dans 3 puis dans 6 mois"),
        ("scanner dans 3, 6 et 12 mois", "dans 3", "dans 3, 6 et 12 mois"),
        ("opéré il y a 2 ou 3 ans", "3 ans", "il y a 2 ou 3 ans"),
        ("dans 2 à 4 cm", "dans 2", "dans 2"),
        ("dans 3 à 5 jours suivant la chirurgie", "dans 3", "dans 3"),
    ],
)
def test_times_in_a_row_are_one(text: str, found: str, whole: str) -> None:
    assert completed(text, (found, Label.RELDATE)) == [(whole, Label.RELDATE)]
    assert completed(text) == []


def test_a_fingerprint_is_an_identifier_and_a_word_of_letters_or_digits_is_none() -> None:
    digest = "b1946ac92492d2347c6235b4d2611184"
    assert completed(f'"hash": "{digest}"') == [(digest, Label.ID)]
    assert completed("1" * 32 + " " + "abcdefab" * 4 + " " + digest[:-1]) == []


def test_the_other_half_of_a_range_and_of_an_export_is_added() -> None:
    assert completed("au CHS 1981-2007", ("1981", Label.DATE)) == [("1981", Label.DATE), ("2007", Label.DATE)]
    assert completed("PN [BOURGOIN^Mélanie]", ("Mélanie", Label.DOCTOR)) == [
        ("BOURGOIN", Label.DOCTOR),
        ("Mélanie", Label.DOCTOR),
    ]


@pytest.mark.parametrize(
    "text",
    ["plaques 245 G/L, plaque de 12 mm", "du 14/10/2019 AU 22/10/2019", "x^2 et 10^9/L", "score 2010-2020 en réserve"],
)
def test_nothing_is_added_without_a_part_or_a_word(text: str) -> None:
    assert completed(text) == []


def test_dates_beside_a_short_word_are_no_plate() -> None:
    found = (("14/10/2019", Label.DATE), ("22/10/2019", Label.DATE))
    assert completed("du 14/10/2019 AU 22/10/2019", *found) == [*found]


@pytest.mark.parametrize(
    ("text", "found", "whole"),
    [
        ("Tél : 06 12 34\n56 78 à rappeler", [("06 12 34", Label.PHONE), ("56 78", Label.PHONE)], "06 12 34\n56 78"),
        ("Sa fille : 06.12.34.\n56.78, ce soir", [("06.12.34", Label.DATE)], "06.12.34.\n56.78"),
        ("Sa fille : 04 65 71 20\n  67", [], "04 65 71 20\n  67"),
        ("Sa fille : +33 6 12\n34 56 78", [], "+33 6 12\n34 56 78"),
        ("Sa nièce (Nantes), 07\n11 22 33 44", [("07", Label.PHONE), ("11 22 33 44", Label.PHONE)], "07\n11 22 33 44"),
        ("Voisine, 0241\n 556 677.", [("0241", Label.PHONE), ("556 677", Label.PHONE)], "0241\n 556 677"),
        ("Rappeler au 0612345\n678 ce soir", [("0612345", Label.PHONE), ("678", Label.ID)], "0612345\n678"),
    ],
)
def test_a_phone_cut_by_a_line_is_one_mention(text: str, found: list[tuple[str, Label]], whole: str) -> None:
    assert completed(text, *found) == [(whole, Label.PHONE)]


@pytest.mark.parametrize(
    "text",
    [
        "Séances 01 02 03 04\n05 06 07",
        "NDA 0612345\n678 dossier",
        "Date 03/04\n05 06 07 08",
        "TA 12 13 14\n15 16",
        "Poids 06 12 34\n\n56 78",
        "06 12 34 56 78\n90 12",
        "06 12 34\n56 78/90",
        "06 12 34\n56 78,5",
    ],
)
def test_numbers_on_two_lines_are_no_phone(text: str) -> None:
    assert completed(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Contrôle le 05\n11 22 33 44 plaquettes", [("05", Label.DATE)]),
        ("Contrôle le 05\n11 22 33 44 plaquettes", [("05", Label.DATE), ("11 22 33 44", Label.PHONE)]),
        ("Poste 07\n11 22 33", [("07", Label.PHONE), ("11 22 33", Label.PHONE)]),
    ],
)
def test_what_is_no_phone_of_two_lines_stays_apart(text: str, found: list[tuple[str, Label]]) -> None:
    assert completed(text, *found) == found


def test_an_organisation_cut_at_an_elision_becomes_whole() -> None:
    text = "Transféré au SMIT de l'hôpital Ténon, puis au CHU."
    for first in ("SMIT de l", "SMIT de l'"):
        assert completed(text, (first, Label.ORG), ("hôpital Ténon", Label.ORG)) == [
            ("SMIT de l'hôpital Ténon", Label.ORG)
        ]
    assert completed(text, ("SMIT", Label.ORG), ("hôpital Ténon", Label.ORG))[0] == ("SMIT", Label.ORG)


def test_a_name_behind_the_word_of_an_organisations_kind_is_one_where_an_annotator_says_so() -> None:
    text = "Copies : Dr Lucas, SMR Le Grand Chêne"
    start = text.index("Le Grand")
    for label in (Label.ORG, Label.DOCTOR):
        mention = Mention(start, len(text), Label.DOCTOR, 0.9, votes=(Vote("network", label, 0.9),))
        (found,) = complete_halves(Reading(Document("d", text)), [mention])
        assert found.label is label


@pytest.mark.parametrize(
    ("text", "found", "other"),
    [
        ("NK1|2|CHAUVET^SANDRINE|DAU", "CHAUVET", "SANDRINE"),
        ("NK1|2|MOREL|DAU^FILLE|", "DAU", None),
        ("ORC|RE|IDE^NADEGE", "NADEGE", None),
        ("PID|1|CHAVES^PRT|", "CHAVES", None),
        ("PID|1|CHAVES^LUO|", "CHAVES", "LUO"),
    ],
)
def test_the_other_half_of_an_exported_name_is_no_role_or_code(text: str, found: str, other: str | None) -> None:
    names = {name for name, _ in completed(text, (found, Label.PERSON))}
    assert names == ({found} if other is None else {found, other})
