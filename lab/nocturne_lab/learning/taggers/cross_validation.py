"""Cross-validation by author: train without some authors, and save the taggers' distributions on their documents.

    python -m nocturne_lab.learning.taggers.cross_validation CORPUS/train OUT [--folds 4 | --authors w25…]
        [--embeddings FILE]

Every document gets a distribution from models trained without its author. `nocturne_lab.learning.ablation`, the search
for annotation errors and the choice of temperatures and recall bias read `OUT`. As many folds as authors leave one
author out; fewer folds leave several out, which gives lower scores in less time.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from deid.detection.taggers.bilstm import load_embeddings
from deid.detection.taggers.tags import encode
from deid.detection.text.reading import Reading
from nocturne_lab.evaluation import corpus
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning import held_out
from nocturne_lab.learning.taggers.training import FULL, KINDS, SHIPPED, SMALL, Recipe, train_tagger

Array = NDArray[np.float32]


def folds(documents: Sequence[GoldDocument], count: int) -> list[frozenset[str]]:
    """Return the authors left out in each fold: every author once, in folds of nearly equal size."""
    authors = sorted({one.author for one in documents}, key=lambda name: (len(name), name))
    return [frozenset(authors[fold::count]) for fold in range(min(count, len(authors)))]


def held_out_distributions(
    kind: str,
    documents: Sequence[GoldDocument],
    left_out: frozenset[str],
    recipe: Recipe,
    work: Path,
    rows: Path | None,
) -> Mapping[str, Array]:
    """Return the distributions of a tagger trained without the authors `left_out`, on their documents."""
    from deid.config.policy import AnnotatorChoice
    from deid.detection.annotators.registry import Tagger, build

    torch.set_num_threads(1)
    others = [one for one in documents if one.author not in left_out]
    own = [one for one in documents if one.author in left_out]
    folder = train_tagger(kind, others, recipe, work, load_embeddings(rows) if rows else None)
    tagger = build(AnnotatorChoice(name=kind, options={"model": str(folder)}))
    readings = [Reading(one.document) for one in own]
    if not isinstance(tagger, Tagger):
        raise TypeError(f"{kind} gives no distributions")
    arrays = tagger.distributions(readings)
    return {one.document.id: array for one, array in zip(own, arrays, strict=True)}


def temperature(distributions: Mapping[str, Array], documents: Sequence[GoldDocument]) -> float:
    """Return the temperature that maximises the likelihood of the true tags (Guo et al. 2017), in steps of 0.05."""
    rows, truth = [], []
    for one in documents:
        if one.document.id in distributions:
            rows.append(distributions[one.document.id])
            truth.append(encode(Reading(one.document), one.mentions))
    logarithms = np.log(np.maximum(np.concatenate(rows), 1e-6))
    tags = np.concatenate(truth)
    best = (np.inf, 1.0)
    for step in range(10, 61):
        scaled = logarithms / (step / 20)
        total = np.log(np.exp(scaled).sum(axis=1))
        loss = float((total - scaled[np.arange(len(tags)), tags]).mean())
        best = min(best, (loss, step / 20))
    return best[1]


def run(
    documents: Sequence[GoldDocument],
    out: Path,
    recipe: Recipe,
    left_out: Sequence[frozenset[str]],
    rows: Path | None,
    workers: int,
    kinds: Sequence[str] = SHIPPED,
) -> None:
    """Train the kinds without the authors of each fold, `workers` at a time; print each kind's temperature."""
    jobs = [(kind, left) for left in left_out for kind in kinds]
    found: dict[str, dict[str, Array]] = {kind: {} for kind in kinds}
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting = [
            (kind, pool.submit(held_out_distributions, kind, documents, left, recipe, out / f"fold-{min(left)}", rows))
            for kind, left in jobs
        ]
        for done, (kind, future) in enumerate(waiting, start=1):
            found[kind].update(future.result())
            print(f"{done}/{len(jobs)} {kind}: {len(found[kind])} documents", flush=True)
    for kind in kinds:
        held_out.save_distributions(out, kind, found[kind])
        print(f"{kind}: temperature {temperature(found[kind], documents):.2f}", flush=True)


def main() -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--folds", type=int, default=4, help="every author is left out in one of so many")
    parser.add_argument("--authors", nargs="+", help="leave out these alone, in one fold")
    parser.add_argument("--embeddings", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--members", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=SHIPPED)
    parser.add_argument("--small", action="store_true", help="the small recipe: minutes, poor models")
    given = parser.parse_args()
    recipe = replace(SMALL if given.small else FULL, members=given.members)
    documents = corpus.load_corpus(given.corpus)
    left_out = [frozenset(given.authors)] if given.authors else folds(documents, given.folds)
    run(documents, given.out, recipe, left_out, given.embeddings, given.workers, given.kinds)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
