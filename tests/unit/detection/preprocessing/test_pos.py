"""Parts of speech of the tokens that detection works on."""

from __future__ import annotations

import pytest

from deid.detection.preprocessing.pos import MODEL, parts_of_speech
from deid.detection.reading import Reading
from deid.domain.document import Document


def _tags(text: str) -> dict[str, str]:
    reading = Reading(Document("d", text))
    return dict(zip(reading.words, parts_of_speech(reading), strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Le malade est sorti de la salle.", {"le": "DET", "malade": "NOUN", "de": "ADP", ".": "PUNCT"}),
        ("Il a rencontré Paul hier.", {"il": "PRON", "paul": "PROPN", "hier": "ADV"}),
        ("Une douleur\ntrès forte", {"douleur": "NOUN", "tres": "ADV", "\n": "_"}),
    ],
)
def test_usual_words_have_their_part_of_speech(text: str, expected: dict[str, str]) -> None:
    assert expected.items() <= _tags(text).items()


def test_one_per_token_even_of_nothing() -> None:
    assert parts_of_speech(Reading(Document("d", ""))) == []
    assert parts_of_speech(Reading(Document("d", "\n\n"))) == ["_", "_"]


def test_the_model_stays_small() -> None:
    assert MODEL.stat().st_size < 1_000_000
