"""Mentions cut by a line break are covered on both lines."""

from __future__ import annotations

import pytest

from deid.detection.refining import join_lines
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.labels import Label


def _joined(text: str, *marked: tuple[str, Label]) -> list[str]:
    mentions = [Mention(at := text.index(part), at + len(part), label) for part, label in marked]
    return [text[one.start : one.end] for one in join_lines(Reading(Document("d", text)), mentions)]


def test_the_rest_of_a_hyphenated_name_is_a_mention() -> None:
    text = "Appel de Mme Gour-\nvennec, sa nièce."
    assert _joined(text, ("Gour-", Label.PERSON)) == ["Gour-", "vennec"]


def test_what_holds_the_rest_already_is_kept() -> None:
    text = "Appel de Mme Gour-\nvennec Maria."
    assert _joined(text, ("Gour-", Label.PERSON), ("vennec Maria", Label.PERSON)) == ["Gour-", "vennec Maria"]


@pytest.mark.parametrize(
    ("text", "first", "second", "whole"),
    [
        ("Vu par Solène de\nKermadec hier", ("Solène", Label.DOCTOR), ("Kermadec", Label.PERSON), "Solène de"),
        ("Rentre 4 quai du\nGénéral Foy", ("4 quai", Label.STREET), ("Général Foy", Label.ORG), "4 quai du"),
        ("Vu par Solène de\nGarde hier", ("Solène", Label.DOCTOR), ("hier", Label.RELDATE), "Solène"),
        ("Vu par Solène le\n12 mars", ("Solène", Label.DOCTOR), ("12 mars", Label.DATE), "Solène"),
    ],
)
def test_particles_at_the_end_of_a_line(
    text: str, first: tuple[str, Label], second: tuple[str, Label], whole: str
) -> None:
    assert _joined(text, first, second) == [whole, second[0]]


def test_a_dash_that_ends_no_name_opens_none() -> None:
    text = "Sortie prévue -\nretour demain. Mme Gour"
    assert _joined(text, ("Gour", Label.PERSON)) == ["Gour"]


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("Ponction par le Docteur Bourgu\nignon : 300 cc", "Bourgu", ["ignon"]),
        ("Mlle Ha      AUTONOMIE  transfert\nnnequin 4x sem    aide d'un tiers", "Ha", ["nnequin"]),
        ("Vu par le Docteur Bertrand\ncalme ce jour", "Bertrand", []),
        ("M. Roche\nfort de son droit", "Roche", []),
        ("Vu par le Docteur Bourgu, puis\nignon", "Bourgu", []),
    ],
)
def test_the_rest_of_a_name_that_a_line_cuts_without_a_hyphen_is_a_mention(
    text: str, name: str, rest: list[str]
) -> None:
    assert _joined(text, (name, Label.DOCTOR)) == [name, *rest]
