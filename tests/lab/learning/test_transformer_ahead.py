"""Batches prepared ahead: in order, finite, with errors in turn, and stopped without a consumer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from threading import active_count

import pytest

from nocturne_lab.learning.transformer.optimization import prepared


@pytest.mark.parametrize("most", [1, 3, 100])
def test_all_comes_in_order(most: int) -> None:
    assert list(prepared(lambda: range(20), most)) == list(range(20))
    assert list(prepared(lambda: [], most)) == []
    assert list(prepared(lambda: [None, None], most)) == [None, None]


def test_a_failure_comes_after_what_was_made() -> None:
    def make() -> Iterator[int]:
        yield 1
        raise KeyError("x")

    made = prepared(make, 4)
    assert next(made) == 1
    with pytest.raises(KeyError):
        next(made)


def test_what_nobody_waits_for_stops() -> None:
    before = active_count()
    made = prepared(count, 2)
    assert [next(made) for _ in range(3)] == [0, 1, 2]
    made.close()  # type: ignore[attr-defined]
    assert active_count() == before
