"""Speed of the substitution of known mentions, and share of each generator, as a Markdown table.

    make bench-substitution_speed > benchmarks/substitution_speed.md
    python benchmarks/substitution_speed.py [FOLDER] [--patients 640] [--workers 2] [--repeats 3]

Two sets of documents: those of the synthetic hospital with that many patients, eight for each, in the order that its
nights bring them in; and the annotated ones of FOLDER (corpus/train without it), letters written to hold as many
mentions as can be. Their own mentions are given, so detection is left out.

A process reads its tables and works through the first half of a set under one key; it is given another key, as a batch
is, and then the clock starts on the second half: names, numbers and dates that it has not seen yet, as a night goes on.
The same again, under a third key, shows what reading new texts costs. Each repeat has new processes and new keys; the
fastest counts, since other programs only make a run slower. Of several processes each takes every other chunk, as the
tasks of a night read their own batches. CPU seconds leave out the time in which other programs had the core, but not
what they cost by sharing caches and the core's second thread.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from unittest.mock import patch

from deid.config import policy
from deid.domain.document import Document, Mention
from deid.domain.labels import IDENTIFIERS, NAMES, OPTIONAL, TEMPORAL, Label
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor, substitutor
from deid.substitution.drafts import Draft, Generator
from deid.substitution.registry import Generators
from demo.population import population
from nocturne_lab.evaluation.corpus import load_corpus

_CHUNK = 32
_PASSES = ("begun", "new", "known")
_PARTS = {
    **dict.fromkeys(Label, "other labels"),
    **dict.fromkeys(NAMES, "names"),
    **dict.fromkeys(TEMPORAL, "dates and ages"),
    **dict.fromkeys((Label.CITY, Label.ZIP), "communes and postal codes"),
    Label.LOC: "areas",
    Label.STREET: "streets",
    Label.ORG: "organisations",
    Label.PHONE: "phones",
    **dict.fromkeys((Label.EMAIL, Label.URL), "e-mail and web addresses"),
    **dict.fromkeys(IDENTIFIERS, "identifiers"),
    **dict.fromkeys(OPTIONAL, "optional labels"),
}


class Known(NamedTuple):
    """A document and its mentions."""

    document: Document
    mentions: Sequence[Mention]


class Clocked(NamedTuple):
    """A pass of one process: when it began and ended by the machine's clock, and its CPU seconds."""

    start: float
    end: float
    cpu: float


class Share(NamedTuple):
    """Chunks of one process: those before the clock starts, then those measured."""

    first: Sequence[Known]
    second: Sequence[Known]
    repeat: int


_barriers: list[Barrier] = []


def _key(repeat: int, at: int) -> bytes:
    return bytes([16 * at + repeat + 1]) * 32


def _drawing(key: bytes) -> Substitutor:
    return Substitutor(policy.load(), key, packaged_tables().communes)


def _substitute(documents: Sequence[Known], drawing: Substitutor) -> None:
    for known in documents:
        drawing.substitute(known.document, known.mentions)


def _clocked(work: Callable[[], object]) -> Clocked:
    start, cpu = time.perf_counter(), time.process_time()
    work()
    return Clocked(start, time.perf_counter(), time.process_time() - cpu)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class _TimedGenerator(NamedTuple):
    """A generator that adds up the time it takes."""

    generator: Generator
    part: str
    seconds: dict[str, float]

    def write(self, mention: Mention, attempt: int) -> Draft:
        start = time.perf_counter()
        try:
            return self.generator.write(mention, attempt)
        finally:
            self.seconds[f"writing {self.part}"] += time.perf_counter() - start


class _Timed(Generators):
    """Generators that add up the time they take, by part."""

    seconds: ClassVar[dict[str, float]] = defaultdict(float)

    def __init__(self, *given: Any) -> None:
        self.seconds["reading what mentions mean"] += _seconds(lambda: Generators.__init__(self, *given))
        self.by_label = {
            label: _TimedGenerator(generator, _PARTS[Label(label)], self.seconds)
            for label, generator in self.by_label.items()
        }

    def draw(self, *given: Any) -> None:
        self.seconds["drawing dates"] += _seconds(lambda: Generators.draw(self, *given))


def _shares(documents: Sequence[Known]) -> dict[str, float]:
    """Seconds of each part, on one process; the rest is putting the text together and the ledger."""
    _Timed.seconds.clear()
    with patch.object(substitutor, "Generators", _Timed):
        drawing = _drawing(_key(0, 0))
        whole = _seconds(lambda: _substitute(documents, drawing))
    return {**_Timed.seconds, "the rest": whole - sum(_Timed.seconds.values())}


def _meet(barrier: Barrier) -> None:
    _barriers.append(barrier)


def _work(share: Share) -> list[Clocked]:
    """The passes of one process, each begun together with the others."""
    done = [_clocked(lambda: _substitute(share.first, _drawing(_key(share.repeat, 0))))]
    for at in (1, 2):
        drawing = _drawing(_key(share.repeat, at))
        _barriers[0].wait()
        done.append(_clocked(partial(_substitute, share.second, drawing)))
    return done


def _pass(documents: Sequence[Known], workers: int, repeat: int) -> Mapping[str, Clocked]:
    """By pass, the time from the first start to the last end, and CPU seconds of all."""
    half = len(documents) // 2
    chunks = [documents[at : at + _CHUNK] for at in range(half, len(documents), _CHUNK)]
    seconds = [[known for chunk in chunks[worker::workers] for known in chunk] for worker in range(workers)]
    context = get_context("spawn")
    with context.Pool(workers, _meet, (context.Barrier(workers),)) as pool:
        done = pool.map(_work, [Share(documents[:half], second, repeat) for second in seconds], chunksize=1)
    return {
        name: Clocked(min(one.start for one in ones), max(one.end for one in ones), sum(one.cpu for one in ones))
        for name, ones in zip(_PASSES, zip(*done, strict=True), strict=True)
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("corpus/train"))
    parser.add_argument("--patients", type=int, default=640)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    print("# Substitution: speed once mentions are known", flush=True)
    hospital = [Known(one.document, one.mentions) for one in population(asked.patients).records]
    _measure(f"The synthetic hospital, {asked.patients} patients", hospital, asked.workers, asked.repeats)
    letters = [Known(one.document, one.mentions) for one in load_corpus(asked.folder)]
    _measure(str(asked.folder), letters, asked.workers, asked.repeats)


def _measure(name: str, documents: Sequence[Known], workers: int, repeats: int) -> None:
    """Print the table of one set."""
    half = len(documents) // 2
    second = documents[half:]
    single = [_pass(documents, 1, repeat) for repeat in range(repeats)]
    several = [_pass(documents, workers, repeat) for repeat in range(repeats)]
    _substitute(documents[:half], _drawing(_key(0, 0)))
    shares = _shares(second)
    mentions = sum(len(known.mentions) for known in second)
    characters = sum(len(known.document.text) for known in second)
    print(f"\n## {name}\n")
    print(
        f"{len(second):,} documents behind {half:,} others, {characters:,} characters, {mentions:,} mentions "
        f"({mentions / len(second):.0f} a document)\n"
    )
    print("| part | share | documents per second | characters per second | mentions per second |")
    print("|---|---:|---:|---:|---:|")
    counts = len(second), characters, mentions
    _row(f"{workers} processes", min(one["new"].end - one["new"].start for one in several), *counts)
    _row(f"{workers} processes, texts known", min(one["known"].end - one["known"].start for one in several), *counts)
    _row("1 process", min(one["new"].end - one["new"].start for one in single), *counts)
    _row("1 process, per CPU second", min(one["new"].cpu for one in single), *counts)
    _row("1 process, per CPU second, texts known", min(one["known"].cpu for one in single), *counts)
    first = documents[:half]
    of_first = (sum(len(one.document.text) for one in first), sum(len(one.mentions) for one in first))
    _row("1 process, its first half, tables being read", min(one["begun"].cpu for one in single), half, *of_first)
    whole = sum(shares.values())
    for part, seconds in sorted(shares.items(), key=lambda share: -share[1]):
        print(f"| {part} | {100 * seconds / whole:.0f} % | | | |")


def _row(part: str, seconds: float, *counts: int) -> None:
    rates = " | ".join(f"{count / seconds:,.0f}" for count in counts)
    print(f"| {part} | | {rates} |")


if __name__ == "__main__":
    main()
