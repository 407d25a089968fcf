"""A thousand documents come out the same whenever and wherever they are processed, and not under another key."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deid.learning.corpus import GoldDocument
from tests.substitution import thousand
from tests.substitution.examples import KEY


@pytest.fixture(scope="module")
def found() -> list[GoldDocument]:
    return thousand.documents()


@pytest.fixture(scope="module")
def first(found: list[GoldDocument]) -> dict[str, str]:
    return thousand.digests(found, KEY)


def test_there_are_a_thousand_with_mentions_of_every_kind(found: list[GoldDocument]) -> None:
    assert len(found) == len({gold.document.id for gold in found}) == thousand.NUMBER
    assert len({mention.label for gold in found for mention in gold.mentions}) == 19


def test_a_second_run_gives_the_same(found: list[GoldDocument], first: dict[str, str]) -> None:
    assert thousand.digests(found, KEY) == first


def test_a_backfill_of_some_gives_the_same(found: list[GoldDocument], first: dict[str, str]) -> None:
    some = found[::-3]
    assert thousand.digests(some, KEY) == {gold.document.id: first[gold.document.id] for gold in some}


@pytest.mark.parametrize(("seed", "order"), [("0", 1), ("4242", 2)])
def test_another_process_and_another_order_give_the_same(seed: str, order: int, first: dict[str, str]) -> None:
    """Each process orders sets of texts its own way, by PYTHONHASHSEED."""
    program = [sys.executable, "-m", thousand.__name__, KEY.hex(), str(order)]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        program, cwd=root, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == first


def test_another_key_gives_others(found: list[GoldDocument], first: dict[str, str]) -> None:
    others = thousand.digests(found, KEY[::-1])
    assert not [name for name, digest in first.items() if others[name] == digest]
