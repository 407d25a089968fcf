"""How fast mentions that are known become surrogates, and what share each room takes, as a Markdown table.

    make bench-substitution_speed > benchmarks/substitution_speed.md
    python benchmarks/substitution_speed.py [FOLDER] [--patients 320] [--workers 2] [--repeats 3]

Two sets of documents: those of the fictional hospital with that many patients, eight for each, as its nights bring
them; and the annotated ones of FOLDER (corpus/train without it), letters written to hold as many mentions as can be.
Their own mentions are given, so detection is left out. Each repeat draws under another key, as a night of new patients
would; the fastest counts, since other programs only make a run slower. Before the clock starts, tables are read and the
documents done once under another key. Two processes hold the documents, as the tasks of a night read their own batches.
CPU seconds leave out the time in which other programs had the
core, but not what they cost by sharing caches and the core's second thread.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from deid import garbage, policy
from deid.document import Document, Mention
from deid.labels import Label
from deid.learning.corpus import load
from deid.privacy.attacks.fiction import fiction
from deid.reference import CommuneTable
from deid.substitution import Substitutor, substitutor
from deid.substitution.rooms import Rooms

_CHUNK = 32
_WARMING = bytes([255]) * 32  # the key of the pass before the clock starts
_ROOMS = {
    **dict.fromkeys((Label.PATIENT, Label.DOCTOR, Label.PERSON), "names"),
    **dict.fromkeys((Label.DATE, Label.RELDATE, Label.AGE), "dates and ages"),
    **dict.fromkeys((Label.CITY, Label.ZIP), "communes and postal codes"),
    Label.LOC: "areas",
    Label.STREET: "streets",
    Label.ORG: "organisations",
    Label.PHONE: "phones",
    **dict.fromkeys((Label.EMAIL, Label.URL), "e-mail and web addresses"),
    **dict.fromkeys((Label.NIR, Label.IPP, Label.NDA, Label.RPPS, Label.ID), "identifiers"),
}


class Known(NamedTuple):
    """A document and its mentions."""

    document: Document
    mentions: Sequence[Mention]


class Worker(NamedTuple):
    """What a process holds."""

    drawing: Substitutor
    documents: Sequence[Known]


_worker: list[Worker] = []


def _key(repeat: int) -> bytes:
    return bytes([repeat + 1]) * 32


def _substitute(documents: Sequence[Known], key: bytes) -> None:
    drawing = Substitutor(policy.load(), key, CommuneTable.packaged())
    for known in documents:
        drawing.substitute(known.document, known.mentions)


def _cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class _Timed(Rooms):
    """Rooms that add up the time they take, by part."""

    seconds: ClassVar[Counter[str]] = Counter()

    def __init__(self, *given: Any) -> None:
        self.seconds["reading what mentions mean"] += _seconds(lambda: Rooms.__init__(self, *given))

    def draw(self, *given: Any) -> None:
        self.seconds["drawing dates"] += _seconds(lambda: Rooms.draw(self, *given))

    def write(self, mention: Any, attempt: int) -> Any:
        start = time.perf_counter()
        try:
            return super().write(mention, attempt)
        finally:
            self.seconds[f"writing {_ROOMS[mention.label]}"] += time.perf_counter() - start


def _shares(documents: Sequence[Known]) -> Counter[str]:
    """Seconds of each part, on one process; the rest is putting the text together and the ledger."""
    substitutor.Rooms = _Timed  # type: ignore[misc]
    _Timed.seconds.clear()
    try:
        whole = _seconds(lambda: _substitute(documents, _key(0)))
    finally:
        substitutor.Rooms = Rooms  # type: ignore[misc]
    return _Timed.seconds + Counter({"the rest": whole - _Timed.seconds.total()})


def _load(key: bytes, documents: Sequence[Known]) -> None:
    _substitute(documents, _WARMING)
    _worker.append(Worker(Substitutor(policy.load(), key, CommuneTable.packaged()), documents))
    garbage.settled()


def _chunk(at: int) -> int:
    drawing, documents = _worker[0]
    chunk = documents[at : at + _CHUNK]
    return sum(len(drawing.substitute(known.document, known.mentions).text) for known in chunk)


def _parallel(documents: Sequence[Known], workers: int, repeat: int) -> float:
    """Seconds of processes that hold tables and documents, and have done the same under another key as one did."""
    context = get_context("spawn")
    given = (_key(repeat), documents)
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_load, initargs=given) as pool:
        list(pool.map(_chunk, [len(documents)] * 4 * workers))  # nothing to do: they have started
        return _seconds(lambda: list(pool.map(_chunk, range(0, len(documents), _CHUNK))))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("corpus/train"))
    parser.add_argument("--patients", type=int, default=320)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    print("# Substitution: speed once mentions are known", flush=True)
    hospital = [Known(one.document, one.mentions) for one in fiction(asked.patients).records]
    _measure(f"The fictional hospital, {asked.patients} patients", hospital, asked.workers, asked.repeats)
    letters = [Known(one.document, one.mentions) for one in load(asked.folder)]
    _measure(str(asked.folder), letters, asked.workers, asked.repeats)


def _measure(name: str, documents: Sequence[Known], workers: int, repeats: int) -> None:
    """Print the table of one set."""
    characters = sum(len(known.document.text) for known in documents)
    mentions = sum(len(known.mentions) for known in documents)
    _substitute(documents, _WARMING)
    garbage.settled()  # as the nightly step does
    runs = [lambda at=at: _substitute(documents, _key(at)) for at in range(repeats)]
    single, cpu = min(map(_seconds, runs)), min(map(_cpu_seconds, runs))
    several = min(_parallel(documents, workers, at) for at in range(repeats))
    shares = _shares(documents)
    number = len(documents)
    print(f"\n## {name}\n")
    print(
        f"{number:,} documents, {characters:,} characters, {mentions:,} mentions ({mentions / number:.0f} a document)\n"
    )
    print("| part | share | documents per second | characters per second | mentions per second |")
    print("|---|---:|---:|---:|---:|")
    _row("1 process, per CPU second", cpu, number, characters, mentions)
    _row("1 process", single, number, characters, mentions)
    _row(f"{workers} processes", several, number, characters, mentions)
    for part, seconds in shares.most_common():
        print(f"| {part} | {100 * seconds / shares.total():.0f} % | | | |")


def _row(part: str, seconds: float, *counts: int) -> None:
    rates = " | ".join(f"{count / seconds:,.0f}" for count in counts)
    print(f"| {part} | | {rates} |")


if __name__ == "__main__":
    main()
