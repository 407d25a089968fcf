"""The choice of documents to annotate."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.config.policy import load
from deid.domain.document import Document
from deid.domain.errors import PolicyError
from nocturne_lab.learning.exchange.sampling import (
    draw_random,
    draw_stratified,
    draw_uncertain,
    mean_entropy,
    measure_uncertainty,
)

IDS = [f"d{number}" for number in range(200)]


@given(st.permutations(IDS[:30]), st.integers(0, 40), st.integers())
def test_a_seed_decides_whatever_the_order(ids: list[str], size: int, seed: int) -> None:
    drawn = draw_random(ids, size, seed)
    assert drawn == draw_random(IDS[:30], size, seed)
    assert len(set(drawn)) == min(size, 30)


def test_seeds_reach_every_document() -> None:
    times = Counter(one for seed in range(300) for one in draw_random(IDS[:20], 5, seed))
    assert len(times) == 20
    assert all(40 < times[one] < 115 for one in times)  # 75 expected, ± 5 standard deviations


def test_strata_are_drawn_in_proportion_and_none_is_left_out() -> None:
    strata = {one: ("lettre", "cardio") if at < 150 else ("urgences", "") for at, one in enumerate(IDS)}
    strata |= {"rare": ("avis", "")}
    drawn = Counter(strata[one] for one in draw_stratified(strata, 20, 1))
    assert drawn == {("lettre", "cardio"): 14, ("urgences", ""): 5, ("avis", ""): 1}
    assert len(draw_stratified(strata, 500, 1)) == 201
    assert [strata[one] for one in draw_stratified(strata, 1, 1)] == [("lettre", "cardio")]
    assert draw_stratified({}, 3, 1) == []


def test_the_least_certain_come_first() -> None:
    assert draw_uncertain({"a": 0.1, "b": 0.9, "c": 0.9}, 2) == ["b", "c"]
    sure, torn = np.eye(39, dtype=np.float32)[[0, 0]], np.eye(39, dtype=np.float32)[[0, 1]]
    assert mean_entropy([sure, sure]) == pytest.approx(0, abs=1e-6)
    assert mean_entropy([sure, torn]) == pytest.approx(
        np.log(2) / 2, abs=1e-6
    )  # two taggers differ on one of two tokens
    assert mean_entropy([np.zeros((0, 39), dtype=np.float32)]) == 0


def test_a_policy_without_taggers_cannot_be_unsure() -> None:
    with pytest.raises(PolicyError, match="no tagger"):
        measure_uncertainty([Document("d", "Vu à Vire.")], load().model_validate(rules()))


def rules() -> dict[str, object]:
    return load().model_dump() | {"detection": {"annotators": [{"name": "patterns"}], "merge": "weights"}}


def test_a_tagger_measures_its_own_doubt() -> None:
    crf = load().model_validate(load().model_dump() | {"detection": {"annotators": [{"name": "crf"}]}})
    documents = [Document("a", "Bilan normal."), Document("b", "Nolwenn Vire, Roy, Paris et Rose, vus à Condé.")]
    plain, names = measure_uncertainty(documents, crf)
    assert 0 <= plain < names
