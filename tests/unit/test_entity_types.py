"""The table of entity types says what the code does: labels, annotators, and what rules find."""

from __future__ import annotations

import re

import pytest

from deid.config.policy import DEFAULT, load
from deid.detection import Detector
from deid.detection.annotators.indirect import FINDERS
from deid.domain.document import Document
from deid.domain.labels import OPTIONAL, SCHEMES, Label
from tests import ROOT

PAGE = (ROOT / "docs/entity-types.md").read_text(encoding="utf-8").split("## Which types are covered")[1]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
BRAGHIN = [row for row in ROWS if re.fullmatch(r"[A-Z][\w/ -]+", row[0]) and len(row[0]) > 1]
HIPAA = [row for row in ROWS if re.fullmatch(r"[A-R]", row[0])]


def labels(cell: str) -> set[Label]:
    return set() if cell == "–" else {Label(name) for name in cell.split(", ")}


def test_every_type_and_category_has_a_row() -> None:
    assert len({row[0] for row in BRAGHIN}) == len(BRAGHIN) == 38
    assert "".join(row[0] for row in HIPAA) == "ABCDEFGHIJKLMNOPQR"


def test_categories_have_the_labels_of_the_scheme() -> None:
    for letter, _, cell, _ in HIPAA:
        assert labels(cell) == {label for label, name in SCHEMES["hipaa"].items() if name == letter}, (
            f"row {letter} of HIPAA in docs/entity-types.md names the labels of deid/domain/labels.toml"
        )


def test_what_no_label_stands_for_is_said_not_to_be_detected() -> None:
    for name, cell, detected, example in BRAGHIN:
        assert (not labels(cell)) == detected.startswith("not detected"), name
        if labels(cell) & OPTIONAL:
            assert labels(cell) <= FINDERS.keys(), name
            assert "`indirect`" in detected
        else:
            assert (example != "–") == detected.startswith(("rules", "the French", "French", "no rule")) or "IM" in name


@pytest.fixture(scope="module")
def rules() -> Detector:
    return Detector(load(DEFAULT.with_name("rules.yaml")))


@pytest.mark.parametrize("row", [row for row in BRAGHIN if row[3] != "–"], ids=lambda row: row[0])
def test_rules_find_the_example(row: list[str], rules: Detector) -> None:
    (found,) = rules.detect([Document("d", row[3])])
    assert labels(row[1]) & {mention.label for mention in found}
