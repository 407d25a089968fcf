"""ε on published texts: the claim holds as it ships, and noise cut by half is caught."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deid.privacy import KeyedStream, discrete_laplace
from deid.privacy.attacks.published_epsilon import published_epsilons
from deid.substitution.temporal import metric, timeline


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

    monkeypatch.setattr(metric, "discrete_laplace", halved)
    assert next(published_epsilons()).refuted


def test_noise_of_the_documents_own_date_cut_by_half_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = timeline.apart
    monkeypatch.setattr(timeline, "apart", lambda dossier, one, epsilon: whole(dossier, one, 2 * epsilon))
    *_, own = published_epsilons()
    assert own.refuted
