"""The health distance is exact and a metric: what the proof of the place draw needs."""

from __future__ import annotations

from math import dist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.reference.distances import MICRO, feature_maxima, normalise_profile, profile_distance

PROFILE = st.tuples(*[st.integers(0, MICRO)] * 3)


@given(PROFILE, PROFILE, PROFILE)
def test_it_is_a_metric(a: tuple[int, ...], b: tuple[int, ...], c: tuple[int, ...]) -> None:
    assert profile_distance(a, a) == 0
    assert (profile_distance(a, b) == 0) == (a == b)
    assert profile_distance(a, b) == profile_distance(b, a)
    assert profile_distance(a, c) <= profile_distance(a, b) + profile_distance(b, c)


@given(PROFILE, PROFILE)
def test_it_is_the_euclidean_distance_rounded_up(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    assert profile_distance(a, b) - 1 - 1e-6 <= dist(a, b) <= profile_distance(a, b) + 1e-6


@given(st.lists(st.fixed_dictionaries({"x": st.floats(0, 1e5), "y": st.floats(0, 5)}), min_size=1))
def test_normalised_values_lie_between_0_and_1_and_reach_1(profiles: list[dict[str, float]]) -> None:
    greatest = feature_maxima(profiles, ("x", "y"))
    values = [normalise_profile(profile, greatest) for profile in profiles]
    for column, top in zip(zip(*values, strict=True), greatest.values(), strict=True):
        assert all(0 <= value <= MICRO for value in column)
        assert max(column) == (MICRO if top else 0)


def test_a_missing_feature_is_an_error() -> None:
    with pytest.raises(KeyError):
        feature_maxima([{"x": 1.0}], ("y",))
