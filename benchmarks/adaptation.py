"""Gain of a day of review: a network trained without an author, continued on documents of that author.

    python -m benchmarks.adaptation corpus/train FOLDER [--tune] > benchmarks/adaptation.md

`FOLDER` keeps the network trained without any of the authors. Each author's documents are in a fixed order that tells
nothing: the first are reviewed, those after the 40th are scored, the same ones at every point of the curve.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.trained_once import train_once
from deid.config.policy import AnnotatorChoice, Policy
from deid.config.policy import load as load_policy
from deid.domain.labels import DIRECT
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from nocturne_lab.evaluation.intervals import DRAWS, drawn_interval, redrawn
from nocturne_lab.evaluation.score_tables import markdown
from nocturne_lab.evaluation.scoring import Evaluation, Judged, characters, evaluate
from nocturne_lab.learning.ablation import RULES, judge_policy, policy_of, with_recall_bias
from nocturne_lab.learning.taggers.continuation import KIND, REVIEWED, Continuation, continue_network
from nocturne_lab.learning.taggers.training import FULL

TUNED_ON = ("w12", "w13")
AUTHORS = ("w15", "w18", "w21", "w25", "w27")
REVIEWS = (0, 10, 20, 40)
BASE = replace(FULL, bilstm=replace(FULL.bilstm, epochs=5))
RATES = (5e-4, 1e-3)
Counts = NDArray[np.float64]  # one row per document: right, predicted, annotated words; direct characters, covered


def in_order(documents: Sequence[GoldDocument]) -> list[GoldDocument]:
    """Return documents in a fixed order that depends on their ids alone."""
    return sorted(documents, key=lambda one: sha256(one.document.id.encode()).digest())


def counted(model: Path, documents: Sequence[GoldDocument]) -> Counts:
    """Count words, balanced, and direct identifiers, with the policy's recall, found by the rules and the network."""
    policy = _policy(model)
    shipped = with_recall_bias(policy, load_policy().detection.recall)
    unknown = [one.without_identity() for one in documents]
    balanced, careful = judge_policy(policy, unknown), judge_policy(shipped, unknown)
    return np.array([_row(one, other) for one, other in zip(balanced, careful, strict=True)], dtype=np.float64)


def _policy(model: Path) -> Policy:
    base = policy_of(RULES, model, ())
    choices = (*base.detection.annotators, AnnotatorChoice(name=KIND, options={"model": str(model)}))
    return base.model_copy(update={"detection": base.detection.model_copy(update={"annotators": choices})})


def _row(balanced: Judged, careful: Judged) -> tuple[int, int, int, int, int]:
    scores: Evaluation = evaluate([balanced])
    words = scores.schemes["coarse"].micro("token")
    direct = characters(careful.text, careful.gold, DIRECT)
    found = characters(careful.text, careful.predicted, frozenset(one.label for one in careful.predicted))
    return words.right, words.predicted, words.gold, len(direct), len(direct & found)


def figures(counts: Counts) -> tuple[Counts, list[tuple[float, float]]]:
    """Return word F1, direct characters covered and clean documents in percent, and their 95 % intervals."""
    drawn = np.array([_figures(counts[draw]) for draw in redrawn(len(counts))])
    return _figures(counts), [drawn_interval(one) for one in drawn.T]


def _figures(counts: Counts) -> Counts:
    right, predicted, gold, direct, covered = counts.sum(axis=0)
    clean = (counts[:, 3] == counts[:, 4]).mean()
    return 100 * np.array([2 * right / max(1, predicted + gold), covered / max(1, direct), clean])


def curves(
    documents: Sequence[GoldDocument],
    base: Path,
    authors: Sequence[str],
    asked: Continuation = REVIEWED,
    reviews: Sequence[int] = REVIEWS,
    others: Sequence[GoldDocument] = (),
) -> Mapping[str, Mapping[int, Counts]]:
    """Return per author, and per number of documents reviewed, the counts of the author's other documents.

    Args:
        documents: annotated documents of `authors`.
        base: folder of the network trained without them.
        authors: whom to adapt to, one after the other.
        asked: settings of the continuation.
        reviews: numbers of documents reviewed; 0 is the network as it is.
        others: what the network was trained on, a part of which is read again.
    """
    found: dict[str, dict[int, Counts]] = {}
    for author in authors:
        own = in_order([one for one in documents if one.author == author])
        unseen, found[author] = own[max(reviews) :], {}
        for number in reviews:
            with TemporaryDirectory() as folder:
                reviewed = own[:number]
                model = continue_network(base, others, reviewed, Path(folder), asked) if number else base
                found[author][number] = counted(model, unseen)
    return found


def table(found: Mapping[str, Mapping[int, Counts]]) -> str:
    """Tabulate the figures of all authors together, then of each author."""
    numbers = next(iter(found.values())).keys()
    rows = []
    for number in numbers:
        rows.append(["**all**", *_line(number, np.concatenate([one[number] for one in found.values()]))])
    rows += [[author, *_line(number, one[number])] for author, one in found.items() for number in numbers]
    return markdown(["author", "reviewed", "scored", "word F1", "direct covered", "clean documents"], rows)


def _line(number: int, counts: Counts) -> list[str]:
    values, edges = figures(counts)
    cells = [f"{value:.1f} ({low:.1f}–{high:.1f})" for value, (low, high) in zip(values, edges, strict=True)]
    return [str(number), str(len(counts)), *cells]


def gains(found: Mapping[str, Mapping[int, Counts]]) -> str:
    """Tabulate the gains over the network as it is, over the same draws of documents of all authors."""
    before = np.concatenate([one[0] for one in found.values()])
    draws = redrawn(len(before))
    rows = []
    for number in [one for one in next(iter(found.values())) if one]:
        after = np.concatenate([one[number] for one in found.values()])
        gain = _figures(after) - _figures(before)
        drawn = np.array([_figures(after[draw]) - _figures(before[draw]) for draw in draws])
        edges = [drawn_interval(one) for one in drawn.T]
        rows.append([str(number), *(f"{g:+.1f} ({a:+.1f} to {b:+.1f})" for g, (a, b) in zip(gain, edges, strict=True))])
    return markdown(["reviewed", "word F1", "direct covered", "clean documents"], rows)


_HEAD = """# Adapting to one author

Written by `python -m benchmarks.adaptation corpus/train FOLDER` in {minutes:.0f} minutes of one core, without the
training of the network that knows nobody ({base:.0f} minutes; it is trained once, in FOLDER). The BiLSTM-CRF
({epochs} epochs, {trained} documents) knows none of the {authors} authors; it is then continued on documents of one of
them (`nocturne train --continue MODEL REVIEWED --remember corpus/train`) and scored, with the rules, on that author's
documents after the fortieth. Patients' identities are unknown. Word F1 without recall bias; direct identifiers and
clean documents (those with every letter of the direct identifiers covered) with the policy's. Percent, with 95 %
intervals (bootstrap of documents, {draws:,} draws).
"""


def main() -> int:
    """Print the page; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tune", action="store_true", help="compare learning rates on two other authors")
    given = parser.parse_args()
    torch.set_num_threads(1)
    documents = load_corpus(given.corpus)
    others = [one for one in documents if one.author not in (*TUNED_ON, *AUTHORS)]
    trained = train_once(KIND, others, BASE, given.folder)
    base = trained.model
    if given.tune:
        for rate in RATES:
            print(f"## {rate:g}\n")
            print(gains(curves(documents, base, TUNED_ON, replace(REVIEWED, rate=rate), (0, 20), others)), flush=True)
        return 0
    start = time.process_time()
    found = curves(documents, base, AUTHORS, others=others)
    print(
        _HEAD.format(
            minutes=(time.process_time() - start) / 60,
            base=trained.minutes,
            epochs=BASE.bilstm.epochs,
            trained=len(others),
            authors=len(AUTHORS),
            draws=DRAWS,
        )
    )
    print(f"{table(found)}\n\n## Gains over the network as it is\n\n{gains(found)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
