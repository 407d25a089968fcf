"""Every label has its words, in both languages: a page or report that lacks one would fail when a document has it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from benchmarks import substitution_speed
from deid.domain.labels import IDENTIFIERS, SCHEMES, Label
from deid.reports.wording import LABEL_WORDS


@pytest.mark.parametrize("table", LABEL_WORDS.values(), ids=LABEL_WORDS)
def test_each_label_has_a_name_of_its_own(table: Mapping[str, str]) -> None:
    assert list(table) == list(Label)
    assert all(name.strip() for name in table.values())
    assert len(set(table.values())) == len(Label)


def test_each_label_has_its_part_of_the_measured_time() -> None:
    assert set(substitution_speed._PARTS) == set(Label)


def test_every_number_is_scored_as_one_in_the_coarse_scheme() -> None:
    assert {label for label, name in SCHEMES["coarse"].items() if name == "ID"} == IDENTIFIERS
