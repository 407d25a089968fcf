"""A thousand documents come out the same whenever and wherever they are processed, and not under another key."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deid.domain.labels import TAGGED
from nocturne_lab.evaluation.corpus import GoldDocument
from tests import ROOT
from tests.privacy import thousand
from tests.unit.substitution.examples import KEY


@pytest.fixture(scope="module")
def found() -> list[GoldDocument]:
    return thousand.documents()


@pytest.fixture(scope="module")
def first(found: list[GoldDocument]) -> dict[str, str]:
    return thousand.digests(found, KEY)


def test_there_are_a_thousand_with_mentions_of_every_kind(found: list[GoldDocument]) -> None:
    assert len(found) == len({gold.document.id for gold in found}) == thousand.NUMBER
    assert {mention.label for gold in found for mention in gold.mentions} == set(TAGGED)


def test_a_second_run_and_a_backfill_of_some_give_the_same(found: list[GoldDocument], first: dict[str, str]) -> None:
    some = found[::-3]
    assert thousand.digests(some, KEY) == {gold.document.id: first[gold.document.id] for gold in some}


@pytest.mark.slow
def test_another_process_and_another_order_give_the_same(first: dict[str, str]) -> None:
    """Each process orders sets of texts its own way, by PYTHONHASHSEED."""
    program = [sys.executable, "-m", thousand.__name__, KEY.hex(), "2"]
    environment = {**os.environ, "PYTHONHASHSEED": "4242"}
    done = subprocess.run(program, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == first


EVERY = 9  # of the thousand, for each of the machines and for another key
# What differs from one machine to another, and threads that share one substitutor.
MACHINES = {
    "eastern, Turkish, optimised": (
        {"TZ": "Pacific/Kiritimati", "LC_ALL": "C.UTF-8", "LANG": "tr_TR.UTF-8", "PYTHONOPTIMIZE": "2"},
        1,
    ),
    "western, bare locale, no UTF-8 mode": (
        {
            **{"TZ": "Etc/GMT+12", "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            **{"PYTHONIOENCODING": "latin-1", "PYTHONOPTIMIZE": "1", "PYTHONHASHSEED": "77"},
        },
        1,
    ),
    "many threads": (
        {"OMP_NUM_THREADS": "8", "OPENBLAS_NUM_THREADS": "8", "MKL_NUM_THREADS": "8", "PYTHONHASHSEED": "5"},
        8,
    ),
    "one thread, development mode": (
        {"OMP_NUM_THREADS": "1", "PYTHONDEVMODE": "1", "TZ": "Europe/Paris", "PYTHONMALLOC": "debug"},
        2,
    ),
}


@pytest.mark.parametrize("machine", list(MACHINES))
def test_another_machine_gives_the_same(machine: str, first: dict[str, str], tmp_path: Path) -> None:
    """Another time zone, locale, hash seed, optimisation, number of threads and working directory, and nothing else of
    this process's environment."""
    settings, threads = MACHINES[machine]
    program = [sys.executable, "-m", thousand.__name__, KEY.hex(), "3", str(EVERY), str(threads)]
    bare = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    done = subprocess.run(program, cwd=tmp_path, env=bare | settings, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert len(told) == len(range(0, thousand.NUMBER, EVERY))
    assert told == {name: first[name] for name in told}


def test_another_key_gives_others(found: list[GoldDocument], first: dict[str, str]) -> None:
    others = thousand.digests(found[::EVERY], KEY[::-1])
    assert not [name for name, digest in others.items() if first[name] == digest]
