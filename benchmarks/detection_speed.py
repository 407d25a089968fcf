"""Speed of the shipped hybrid detector, and share of each annotator, as a Markdown table.

    python benchmarks/detection_speed.py [FOLDER] [--workers 2]

FOLDER holds annotated documents: the open corpus, unless told otherwise; each is read with its patient. The first
line is one process, the last one `detect_parallel` on WORKERS processes with their start left out.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import torch

from deid.config import policy
from deid.detection import Detector, refining
from deid.detection.annotators import FEATURE_RULES
from deid.detection.annotators.registry import Annotator, Tagger, build
from deid.detection.merging import votes
from deid.detection.taggers.features import feature_table
from deid.detection.taggers.tags import Array
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from nocturne_lab.evaluation.corpus import load_corpus as load_corpus

CHUNK = 64  # documents per message: enough to hide its cost, few enough to share the work evenly
_detector: Detector  # of a process that `detect_parallel` starts


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _shares(documents: Sequence[Document]) -> dict[str, float]:
    """Seconds of each part, run one after the other on the same readings."""
    chosen = policy.load()
    seconds: dict[str, float] = {}
    readings: list[Reading] = []

    def read() -> None:
        readings.extend(Reading(document) for document in documents)
        for reading in readings:
            _ = reading.hits, reading.digits

    seconds["reading (normal form, tokens, gazetteer scan)"] = _seconds(read)
    found: list[dict[str, list[Mention]]] = [{} for _ in readings]
    distributions: list[dict[str, Array]] = [{} for _ in readings]
    for choice in chosen.detection.annotators:
        annotator = build(choice)
        if isinstance(annotator, Tagger):
            annotator.distributions(readings[:1])  # weights are read at the first document
            if "features" not in seconds:
                seconds["features"] = _seconds(lambda: [feature_table(reading, FEATURE_RULES) for reading in readings])
            seconds[annotator.name] = _seconds(partial(_spread, annotator, readings, distributions))
        else:
            seconds[annotator.name] = _seconds(partial(_found, annotator, readings, found))
    if any(distributions):
        recall = chosen.detection.recall

        def average() -> None:
            for reading, kept, spread in zip(readings, found, distributions, strict=True):
                kept[votes.TAGGERS] = votes.find_averaged(reading, spread, recall)

        seconds["averaging"] = _seconds(average)
    merged: list[list[Mention]] = []
    threshold = chosen.detection.threshold
    seconds["merging"] = _seconds(
        lambda: merged.extend(
            votes.merge_by_weights(votes.weigh(kept, None, votes.AVERAGING_WEIGHTS), threshold) for kept in found
        )
    )
    seconds["refining"] = _seconds(
        lambda: [refining.refine(reading, one, chosen.detection) for reading, one in zip(readings, merged, strict=True)]
    )
    return seconds


def _found(annotator: Annotator, readings: Sequence[Reading], found: Sequence[dict[str, list[Mention]]]) -> None:
    for reading, kept in zip(readings, found, strict=True):
        kept[annotator.name] = reading.found[annotator.name] = list(annotator.annotate(reading))


def _spread(tagger: Tagger, readings: Sequence[Reading], distributions: Sequence[dict[str, Array]]) -> None:
    for spread, array in zip(distributions, tagger.distributions(readings), strict=True):
        spread[tagger.name] = array


def detect_parallel(detector: Detector, documents: Sequence[Document], workers: int) -> list[tuple[Mention, ...]]:
    """Return the mentions of each document, as `Detector.detect` does, by processes that load the tables once each."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is imported: the processes share the cores
    chunks = [documents[start : start + CHUNK] for start in range(0, len(documents), CHUNK)]
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_receive, initargs=(detector,)) as pool:
        return [mentions for found in pool.map(_detect, chunks) for mentions in found]


def _receive(detector: Detector) -> None:
    global _detector
    _detector = detector


def _detect(documents: Sequence[Document]) -> list[tuple[Mention, ...]]:
    return _detector.detect(documents)


def _parallel(detector: Detector, documents: Sequence[Document], workers: int) -> float:
    """Seconds that the documents take on processes: twice the documents less once, so that their start is left out."""
    once = _seconds(lambda: detect_parallel(detector, documents, workers))
    return _seconds(lambda: detect_parallel(detector, [*documents, *documents], workers)) - once


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", nargs="?", type=Path, default=Path("corpus/train"))
    arguments.add_argument("--workers", type=int, default=2)
    asked = arguments.parse_args()
    documents = [one.document for one in load_corpus(asked.folder)]
    characters = sum(len(document.text) for document in documents)
    torch.set_num_threads(1)
    detector = Detector(policy.load())
    load = _seconds(lambda: detector.detect(documents[:1]))
    detector.detect(documents[:20])
    single = _seconds(lambda: detector.detect(documents))
    several = _parallel(detector, documents, asked.workers)
    shares = _shares(documents)
    whole = sum(shares.values())
    print(f"{len(documents)} documents, {characters:,} characters; tables loaded in {load:.1f} s\n")
    print("| part | seconds | share | characters per second |")
    print("|---|---:|---:|---:|")
    print(f"| whole detector, 1 process | {single:.2f} | | {characters / single:,.0f} |")
    for part, seconds in shares.items():
        print(f"| {part} | {seconds:.2f} | {100 * seconds / whole:.0f} % | {characters / max(seconds, 1e-9):,.0f} |")
    print(f"| whole detector, {asked.workers} processes | {several:.2f} | | {characters / several:,.0f} |")


if __name__ == "__main__":
    main()
