"""Every label has its words, in both languages: a page or report that lacks one would fail when a document has it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import pytest
import yaml

from deid.config.generators import REFUSALS
from deid.config.policy import DEFAULT, load
from deid.domain.labels import CONTACT, IDENTIFIERS, NAMES, OPTIONAL, PLACES, SCHEMES, TAGGED, TEMPORAL, Label
from deid.privacy.perturbations import describe_policy
from deid.reports.wording import LABEL_WORDS
from tests import ROOT


@pytest.mark.parametrize("table", LABEL_WORDS.values(), ids=LABEL_WORDS)
def test_each_label_has_a_name_of_its_own(table: Mapping[str, str]) -> None:
    assert list(table) == list(Label), "name it in deid/wording/labels.yaml, in the order of Label"
    assert all(name.strip() for name in table.values())
    assert len(set(table.values())) == len(Label)


def test_every_number_is_scored_as_one_in_the_coarse_scheme() -> None:
    assert {label for label, name in SCHEMES["coarse"].items() if name == "ID"} == IDENTIFIERS


def test_each_label_is_in_one_set_and_an_organisation_alone_in_none() -> None:
    sets = (NAMES, PLACES, TEMPORAL, IDENTIFIERS, CONTACT, OPTIONAL, {Label.ORG})
    found = Counter(label for one in sets for label in one)
    assert found == Counter(Label), "put it in one set of deid/domain/labels.py, or name it here if none fits"


def test_the_labels_that_no_scheme_scores_are_known() -> None:
    unscored = {name: {label for label, kind in table.items() if kind is None} for name, table in SCHEMES.items()}
    assert unscored["coarse"] == OPTIONAL | {Label.RELDATE}, "give it a class in SCHEMES of deid/domain/labels.py"
    in_none = set.intersection(*(unscored[name] for name in ("t22", "t23", "e24", "aphp", "parhaf")))
    remedy = "give it a class in deid/domain/labels.toml where a scheme has one, else name it here"
    assert in_none == {Label.COORDINATES, Label.TIME}, remedy


def test_only_these_labels_may_be_cut_or_shifted() -> None:
    remedy = "refuse it in deid/wording/refusals.yaml, or name it here if what is written tells nobody"
    assert set(Label) - REFUSALS["truncate"].keys() == {Label.DATE, Label.ZIP, Label.PHONE}, remedy
    assert set(Label) - REFUSALS["shift"].keys() == {Label.IPP, Label.NDA, Label.ID}, remedy


@pytest.mark.parametrize("name", ["default", "balanced", "light"])
def test_each_label_of_the_taggers_has_its_recall(name: str) -> None:
    told = yaml.safe_load((DEFAULT.parent / f"{name}.yaml").read_text(encoding="utf-8"))["detection"]["recall"]
    assert told.keys() == set(TAGGED), f"name it under `recall` in deid/config/policies/{name}.yaml"


def test_what_taggers_find_is_said_to_be_drawn() -> None:
    masked = {one.element for one in describe_policy(load(None)) if one.strategy == "mask"}
    assert masked.isdisjoint(TAGGED), "say what is written for it under `drawn` in deid/wording/perturbations.yaml"


def test_annotators_are_told_of_each_label() -> None:
    told = set(re.findall(r"\b[A-Z]+\b", (ROOT / "corpus/GUIDE.md").read_text(encoding="utf-8")))
    assert told >= set(Label), "say in corpus/GUIDE.md what it covers, or that nobody annotates it"
