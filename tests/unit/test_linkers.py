"""Orders of rows that tell whose they are: how strong one is by chance, and what stands out of that."""

from __future__ import annotations

import random

import pytest

from benchmarks.linkers import BEYOND_CHANCE, DRAWS, Known, Outcome, compare_orders

NIGHTS, DOCUMENTS = 3, 20


def compared(blur: float, seed: int) -> Outcome:
    """Three small nights in a table of ledger ids whose rows lie by arrival, each moved by up to `blur` places."""
    drawn = random.Random(seed)  # noqa: S311 - draws of a test
    arrived = [(f"D{night}{place:02}", str(night), "") for night in range(NIGHTS) for place in range(DOCUMENTS)]
    names = {f"{drawn.getrandbits(80):020x}": name for name, _, _ in arrived}
    place = {name: at % DOCUMENTS + drawn.uniform(-blur, blur) for at, (name, _, _) in enumerate(arrived)}
    lying = sorted(names, key=lambda ledger_id: (names[ledger_id][1], place[names[ledger_id]]))
    columns = ["ledger_id", "batch_id"]
    outcome = Outcome()
    rows = [(ledger_id, str(at // 7)) for at, ledger_id in enumerate(lying)]
    compare_orders({("deid", "lying"): (columns, rows)}, Known(arrived, [], names), [], outcome, DRAWS)
    return outcome


@pytest.mark.parametrize("seed", range(4))
def test_a_blurred_order_stands_out_of_chance_before_it_tells(seed: int) -> None:
    blurred = compared(0.65 * DOCUMENTS, seed)
    assert blurred.by_chance < blurred.strongest < BEYOND_CHANCE
    assert not blurred.told
    assert compared(DOCUMENTS / 4, seed).told


def test_random_orders_seldom_stand_out_of_chance() -> None:
    """One in fifty by chance; of twenty, more than three have a probability of 1 in 1,000."""
    found = [compared(1e6, seed) for seed in range(20)]
    assert sum(one.strongest > one.by_chance for one in found) <= 3
    assert not any(one.told for one in found)
