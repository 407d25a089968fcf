"""Events that the world dates are relative dates, with their name and date; other storms, fires and meals are none."""

from __future__ import annotations

import pytest

from deid.detection import Detector
from deid.domain.document import Document
from deid.domain.labels import Label
from tests.unit.substitution.temporal.test_events import TOLD

OTHERS = [
    "Tempête cytokinique de 2020.", "Orage rythmique en janvier.", "Cyclone annoncé le 22/08.", "Sa fille Irma.",
    "Le cyclone de la semaine dernière.", "Incendie de son logement en 2012.", "Goûter d'anniversaire de sa fille.",
    "Mme Tempête Jeanne, vue hier.", "Explosion des ventes de 2020.", "Vomit au gâteau d'anniversaire du voisin.",
]  # fmt: skip


@pytest.mark.parametrize("told", [told for told, _ in TOLD])
def test_an_event_is_found_with_its_date(told: str, rules: Detector) -> None:
    text = told.replace("[[", "").replace("]]", "")
    (mentions,) = rules.detect([Document("d", text)])
    meant = told[told.index("[[") + 2 : told.index("]]")]
    assert (Label.RELDATE, meant) in [(one.label, text[one.start : one.end]) for one in mentions]


@pytest.mark.parametrize("text", OTHERS)
def test_other_storms_fires_and_meals_are_no_events(text: str, rules: Detector) -> None:
    (mentions,) = rules.detect([Document("d", text)])
    words = ("mpête", "rage", "clone", "ncendie", "anniversaire", "xplosion")
    told = [text[one.start : one.end] for one in mentions if one.label is Label.RELDATE]
    assert not [one for one in told if any(word in one for word in words)]
