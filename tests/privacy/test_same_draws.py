"""Draws under a given key are equal between versions of the product: published surrogates depend on them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from fractions import Fraction

import pytest

from deid.privacy.bernoulli import exp_coin
from deid.privacy.bounded_laplace import bounded_laplace
from deid.privacy.exponential import exponential
from deid.privacy.laplace import discrete_laplace
from deid.privacy.planar_laplace import planar_laplace
from deid.privacy.stream import KeyedStream

SECRET = b"a secret of the tests"
DISTANCES = [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(17, 10), Fraction(1929, 15625)]

Draw = Callable[[KeyedStream], object]


def _laplace(epsilon: Fraction) -> Draw:
    return lambda stream: discrete_laplace(stream, epsilon)


def _exponential(epsilon: Fraction) -> Draw:
    return lambda stream: next(exponential(stream, range(6), lambda one: DISTANCES[one], epsilon))


def _both_bounded(stream: KeyedStream) -> tuple[int, int]:
    return bounded_laplace(stream, 3, 0, 61, Fraction(1, 4)), bounded_laplace(stream, 0, 0, 100, Fraction(1), 5)


@pytest.mark.parametrize(
    ("name", "draw", "digest"),
    [
        ("bits", lambda stream: [stream.bits(count) for count in (0, 1, 7, 64, 300, 512)], "006b129360ed3715"),
        ("below", lambda stream: [stream.below(bound) for bound in (1, 2, 3, 64, 257, 10**30)], "ce401016ca2e0418"),
        ("coin 7/3", lambda stream: exp_coin(stream, 7, 3), "31d46709983646d4"),
        ("laplace 1/4", _laplace(Fraction(1, 4)), "7aa616a071729f96"),
        ("laplace 1/14", _laplace(Fraction(1, 14)), "dc81c7a2488f6687"),
        ("laplace 5/2", _laplace(Fraction(5, 2)), "5e58f2725adb09c1"),
        ("laplace 1/9000", _laplace(Fraction(1, 9000)), "c31d45e835b126de"),
        ("exponential 1/4", _exponential(Fraction(1, 4)), "7cacc3fb7c37ea31"),
        ("exponential 33", _exponential(Fraction(33)), "e9fbc67a58e29300"),
        ("bounded", _both_bounded, "424d4c2581fef55b"),
        ("planar", lambda stream: planar_laplace(stream, Fraction(693, 10_000), 100), "68919dc91e2c467a"),
    ],
)
def test_draws_are_those_of_the_first_release(name: str, draw: Draw, digest: str) -> None:
    stream = KeyedStream(SECRET, "same draws", name)
    drawn = [draw(stream) for _ in range(1_000)]
    # The next bits too: a draw that takes more or fewer of them moves all that follow.
    seen = repr((drawn, stream.bits(64))).encode()
    assert hashlib.sha256(seen).hexdigest()[:16] == digest
