"""Every label has its words, in both languages: a page or report that lacks one would fail when a document has it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from benchmarks import substitution_speed
from deid.config.policy import load
from deid.domain.labels import IDENTIFIERS, SCHEMES, TAGGED, Label
from deid.reports.wording import LABEL_WORDS
from tests import ROOT


@pytest.mark.parametrize("table", LABEL_WORDS.values(), ids=LABEL_WORDS)
def test_each_label_has_a_name_of_its_own(table: Mapping[str, str]) -> None:
    assert list(table) == list(Label)
    assert all(name.strip() for name in table.values())
    assert len(set(table.values())) == len(Label)


def test_each_label_has_its_part_of_the_measured_time() -> None:
    assert set(substitution_speed._PARTS) == set(Label)


def test_every_number_is_scored_as_one_in_the_coarse_scheme() -> None:
    assert {label for label, name in SCHEMES["coarse"].items() if name == "ID"} == IDENTIFIERS


def test_each_label_of_the_taggers_has_its_recall() -> None:
    assert load(None).detection.recall.keys() == set(TAGGED)


def test_annotators_are_told_of_each_label() -> None:
    told = set(re.findall(r"\b[A-Z]+\b", (ROOT / "corpus/GUIDE.md").read_text(encoding="utf-8")))
    assert told >= set(Label)
