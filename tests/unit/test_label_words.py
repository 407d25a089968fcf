"""Every label has its words, in both languages: a page or report that lacks one would fail when a document has it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import pytest

from benchmarks import substitution_speed
from deid.config.generators import REFUSALS
from deid.config.policy import load
from deid.domain.labels import CONTACT, IDENTIFIERS, NAMES, OPTIONAL, PLACES, SCHEMES, TAGGED, TEMPORAL, Label
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


def test_each_label_is_in_one_set_and_an_organisation_alone_in_none() -> None:
    sets = (NAMES, PLACES, TEMPORAL, IDENTIFIERS, CONTACT, OPTIONAL, {Label.ORG})
    assert Counter(label for one in sets for label in one) == Counter(Label)


def test_the_labels_that_no_scheme_scores_are_known() -> None:
    unscored = {name: {label for label, kind in table.items() if kind is None} for name, table in SCHEMES.items()}
    assert unscored["coarse"] == OPTIONAL | {Label.RELDATE}
    assert set.intersection(*(unscored[name] for name in ("t22", "t23", "e24", "aphp", "parhaf"))) == {
        Label.COORDINATES,
        Label.TIME,
    }


def test_only_these_labels_may_be_cut_or_shifted() -> None:
    assert set(Label) - REFUSALS["truncate"].keys() == {Label.DATE, Label.ZIP, Label.PHONE}
    assert set(Label) - REFUSALS["shift"].keys() == {Label.IPP, Label.NDA, Label.ID}


def test_each_label_of_the_taggers_has_its_recall() -> None:
    assert load(None).detection.recall.keys() == set(TAGGED)


def test_annotators_are_told_of_each_label() -> None:
    told = set(re.findall(r"\b[A-Z]+\b", (ROOT / "corpus/GUIDE.md").read_text(encoding="utf-8")))
    assert told >= set(Label)
