"""ε on published texts: the shipped noise satisfies the claim, and half the noise is detected."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deid.privacy.laplace import discrete_laplace
from deid.privacy.stream import KeyedStream
from deid.substitution.temporal import timeline
from nocturne_lab.evaluation.attacks.published_epsilon import published_epsilons


def test_no_claim_is_refuted_and_a_shift_shows_all() -> None:
    metric_, bounded, shifted, own = published_epsilons()
    assert not metric_.refuted
    assert not bounded.refuted
    assert not own.refuted
    assert min(metric_.lower, own.lower) > 0.3  # the audit sees something
    assert shifted.lower > 4


def test_noise_cut_by_half_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def halved(stream: KeyedStream, epsilon: Fraction) -> int:
        return discrete_laplace(stream, 2 * epsilon)

    monkeypatch.setattr(timeline, "discrete_laplace", halved)
    told, *_, own = published_epsilons()
    assert told.refuted
    assert own.refuted
