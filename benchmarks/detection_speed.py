"""How fast the shipped hybrid detects, and what share each annotator takes, as a Markdown table.

    python benchmarks/detection_speed.py [FOLDER] [--workers 2] [--characters 2000000]

FOLDER holds text files (marks `[[LABEL|…]]` are taken out); without it, letters are generated. The first line is
one process, the last one `detect_parallel` on WORKERS processes with their start left out.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import torch

from deid import policy
from deid.detection import Detector, averaging, merging, parallel, refining
from deid.detection.annotators import Annotator, build
from deid.detection.annotators.registry import Tagger
from deid.detection.reading import Reading
from deid.detection.staff import NOBODY
from deid.detection.taggers.table import table
from deid.document import Document

_MARK = re.compile(r"\[\[[A-Z]+\||\]\]")
_SENTENCES = (
    "Je revois en consultation M. {name}, {age} ans, adressé par le Dr {other} pour une dyspnée d'effort.",
    "Il a été hospitalisé du {day}/03/2021 au {day}/04/2021 au CH de {town} pour une pneumopathie sans gravité.",
    "L'examen clinique retrouve une TA à 13/8, une fréquence cardiaque à 72 et un murmure vésiculaire symétrique.",
    "La biologie est normale : créatinine 82 µmol/L, hémoglobine 13,2 g/dL, CRP inférieure à 5 mg/L.",
    "Le traitement comporte du bisoprolol 2,5 mg, de l'atorvastatine 40 mg et du Kardegic 75 mg par jour.",
    "Il vit seul depuis 2015 à {town}, sa fille {first} l'aide pour les courses ; tél. 06 39 98 {day} {day}.",
    "Une échographie est prévue le {day} mai, puis une épreuve d'effort dans trois semaines si elle est normale.",
    "Il n'y a pas d'argument pour une maladie de Parkinson ; le score de Glasgow est à 15 à l'entrée.",
)


def _generated(characters: int, seed: int = 7) -> list[Document]:
    """Letters of about two thousand characters, `characters` in all."""
    draw = random.Random(seed)  # noqa: S311
    documents: list[Document] = []
    total = 0
    while total < characters:
        lines = [
            draw.choice(_SENTENCES).format(
                name=draw.choice(("Guéganton", "LE HIR", "Kowalczyk")),
                other=draw.choice(("Madec", "Ouali", "Vandamme")),
                first=draw.choice(("Nolwenn", "Claire", "Inès")),
                town=draw.choice(("Brest", "Lannilis", "Saint-Étienne")),
                age=draw.randint(20, 90),
                day=draw.randint(10, 28),
            )
            for _ in range(20)
        ]
        documents.append(Document(str(len(documents)), "\n".join(lines)))
        total += len(documents[-1].text)
    return documents


def _read(folder: Path) -> list[Document]:
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.txt")))
    return [Document(str(at), _MARK.sub("", text)) for at, text in enumerate(texts)]


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
    found: list[dict[str, list]] = [{} for _ in readings]
    distributions: list[dict] = [{} for _ in readings]
    for choice in chosen.detection.annotators:
        annotator = build(choice)
        if isinstance(annotator, Tagger):
            annotator.distributions(readings[:1])  # weights are read at the first document
            if "features" not in seconds:
                seconds["features"] = _seconds(lambda: [table(reading) for reading in readings])
            seconds[annotator.name] = _seconds(lambda tagger=annotator: _spread(tagger, readings, distributions))
        else:
            seconds[annotator.name] = _seconds(lambda other=annotator: _found(other, readings, found))
    if any(distributions):
        recall = chosen.detection.recall

        def average() -> None:
            for reading, kept, spread in zip(readings, found, distributions, strict=True):
                kept[averaging.TAGGERS] = averaging.find(reading, spread, recall)

        seconds["averaging"] = _seconds(average)
    merged: list[list] = []
    threshold = chosen.detection.threshold
    seconds["merging"] = _seconds(
        lambda: merged.extend(
            merging.by_weights(merging.weigh(kept, None, averaging.WEIGHTS), threshold) for kept in found
        )
    )
    seconds["refining"] = _seconds(
        lambda: [refining.refine(reading, one, chosen.detection) for reading, one in zip(readings, merged, strict=True)]
    )
    return seconds


def _found(annotator: Annotator, readings: Sequence[Reading], found: Sequence[dict[str, list]]) -> None:
    for reading, kept in zip(readings, found, strict=True):
        kept[annotator.name] = reading.found[annotator.name] = list(annotator.annotate(reading))


def _spread(tagger: Tagger, readings: Sequence[Reading], distributions: Sequence[dict]) -> None:
    for spread, array in zip(distributions, tagger.distributions(readings), strict=True):
        spread[tagger.name] = array


def _parallel(documents: Sequence[Document], workers: int) -> float:
    """Seconds of a warm pool on the documents."""
    chunks = [documents[at : at + 32] for at in range(0, len(documents), 32)]
    with ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=parallel._load, initargs=(policy.load(), NOBODY)
    ) as pool:
        list(pool.map(parallel._detect, [documents[:1]] * workers * 2))
        return _seconds(lambda: list(pool.map(parallel._detect, chunks)))


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", nargs="?", type=Path)
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--characters", type=int, default=2_000_000)
    asked = arguments.parse_args()
    documents = _read(asked.folder) if asked.folder else _generated(asked.characters)
    characters = sum(len(document.text) for document in documents)
    torch.set_num_threads(1)
    detector = Detector(policy.load())
    load = _seconds(lambda: detector.detect(documents[:1]))
    detector.detect(documents[:20])
    single = _seconds(lambda: detector.detect(documents))
    several = _parallel(documents, asked.workers)
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
