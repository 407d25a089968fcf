"""Time grows in proportion to the length of a document, whatever is repeated in it, from its source to its checks.

What Great Expectations judges is a fixed count of numbers: only the measures behind them are timed.
"""

from __future__ import annotations

import pytest

from benchmarks.growth import FAMILIES, Flow, make_flow
from deid.config import policy
from deid.quality.measures import measure
from tests import ROOT

pytestmark = pytest.mark.slow
LARGEST = 1.5  # exponent: 1 is linear, 2 quadratic


@pytest.fixture(scope="module")
def rules() -> Flow:
    """The flow without models, which is fast enough for long texts."""
    return make_flow(policy.load(ROOT / "deid/config/policies/rules.yaml"), measure)


@pytest.fixture(scope="module")
def default() -> Flow:
    return make_flow(policy.load(), measure)


@pytest.mark.parametrize("family", FAMILIES)
def test_time_grows_with_length_only(rules: Flow, family: str) -> None:
    assert exponent(rules, family, 4_000) < LARGEST


@pytest.mark.parametrize("family", ["social security numbers", "phones", "dates", "doctors with e-mails"])
def test_time_grows_with_the_number_of_mentions_only(rules: Flow, family: str) -> None:
    assert exponent(rules, family, 16_000) < LARGEST


@pytest.mark.parametrize("family", ["prose", "capitals", "line breaks", "hyphens", "numbers and dots", "HTML: prose"])
def test_time_of_the_models_grows_with_length_only(default: Flow, family: str) -> None:
    assert exponent(default, family, 2_000) < LARGEST


def exponent(flow: Flow, family: str, length: int) -> float:
    """Return the exponent of time, measured again with care where a busy machine may have disturbed it."""
    found = flow.growth(family, length, repeats=1).exponent
    return found if found < LARGEST else flow.growth(family, length, repeats=3).exponent
