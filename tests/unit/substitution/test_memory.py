"""What a substitutor keeps changes nothing but time."""

from __future__ import annotations

from itertools import count, islice

import pytest

from deid.config import policy
from deid.domain.document import Substitution
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor, memory
from deid.substitution.memory import Memory, Row
from demo.population import population

KEY = bytes(range(32))
RECORDS = population(12).records


def _drawing() -> Substitutor:
    return Substitutor(policy.load(), KEY, packaged_tables().communes)


def _alone() -> list[Substitution]:
    return [_drawing().substitute(one.document, one.mentions) for one in RECORDS]


@pytest.mark.parametrize(("scopes", "entries"), [(512, 1 << 14), (2, 1 << 14), (512, 3)])
def test_documents_get_what_they_would_get_alone(monkeypatch: pytest.MonkeyPatch, scopes: int, entries: int) -> None:
    monkeypatch.setattr(memory, "_SCOPES", scopes)
    monkeypatch.setattr(memory, "_ENTRIES", entries)
    drawing = _drawing()
    forwards = [drawing.substitute(one.document, one.mentions) for one in RECORDS]
    backwards = [drawing.substitute(one.document, one.mentions) for one in reversed(RECORDS)]
    assert forwards == backwards[::-1] == _alone()


def test_a_row_gives_each_reader_the_same_from_its_start() -> None:
    row = Row(count())
    first, second = iter(row), iter(row)
    assert [next(first), next(first), next(second), next(first), next(second)] == [0, 1, 0, 2, 1]
    assert list(islice(row, 5)) == [0, 1, 2, 3, 4]


def test_a_row_may_end() -> None:
    row = Row(iter((1, 2)))
    assert row.first() == row.first() == 1
    assert list(row) == list(row) == [1, 2]


def test_scopes_are_forgotten_the_longest_unused_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_SCOPES", 2)
    kept = Memory(KEY)
    one = kept.of(("patient", "1"))
    kept.of(("patient", "2"))
    assert kept.of(("patient", "1")) is one
    kept.of(("patient", "3"))
    assert kept.of(("patient", "1")) is one
    one.known["question",] = "answer"
    kept.of(("patient", "2"))
    kept.of(("patient", "3"))
    assert not kept.of(("patient", "1")).known
