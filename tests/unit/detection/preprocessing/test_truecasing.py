"""Lines in one case get the capitals of names back; other lines stay as written."""

from __future__ import annotations

import pytest

from deid.detection.preprocessing.truecasing import truecase
from deid.detection.reading import Reading
from deid.domain.document import Document


def _words(text: str) -> list[str]:
    return truecase(Reading(Document("d", text))).forms


@pytest.mark.parametrize(
    ("text", "capitals"),
    [
        ("PATIENT ADRESSE PAR LE DR KERBRAT POUR UNE DOULEUR", {"Kerbrat"}),
        ("vu ce jour par le docteur vandamme avec son interne, pas de fievre, retour prevu demain", {"Vandamme"}),
        ("MADAME MARTIN EST SORTIE AVEC SON TRAITEMENT", {"Martin"}),
        ("maladie de parkinson connue, pas de chute recente, tension correcte ce matin", {"Parkinson"}),
    ],
)
def test_names_of_lines_in_one_case_get_their_capital(text: str, capitals: set[str]) -> None:
    assert {word for word in _words(text) if word[0].isupper()} - {"Dr", "Docteur", "Madame"} == capitals


def test_other_lines_stay_as_written_and_are_sure() -> None:
    told = truecase(Reading(Document("d", "Le Dr Kerbrat a vu madame petit.")))
    assert told.forms == ["Le", "Dr", "Kerbrat", "a", "vu", "madame", "petit", "."]
    assert set(told.confidence) == {0.0, 1.0}


def test_one_form_and_one_probability_per_token() -> None:
    reading = Reading(Document("d", "TA 12/8\n\nDR N'DIAYE, LE 3 MAI\nÉTÉ ; œdème\n" * 3))
    told = truecase(reading)
    assert len(told.forms) == len(told.confidence) == len(reading.words)
    assert all(0 <= one <= 1 for one in told.confidence)
    assert [len(form) for form in told.forms] == [e - s for s, e in zip(reading.starts, reading.ends, strict=True)]
