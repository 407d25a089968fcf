"""Losses of the BiLSTM-CRF compared on labels with planted errors, scored on authors left out, whose labels are right.

    python -m benchmarks.noisy_labels corpus/train > benchmarks/noisy_labels.md

A fifth of the mentions is wrong, half of it dropped and half under another label: at random, mention by mention, or
systematically, all mentions of a surface in the same way, as a word list errs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch

from deid.config.policy import AnnotatorChoice
from deid.detection.annotators.registry import Tagger, build
from deid.detection.taggers.bilstm import PACKAGED_EMBEDDINGS, load_embeddings
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.folding import fold
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from nocturne_lab.evaluation.intervals import drawn_interval, redrawn
from nocturne_lab.evaluation.score_tables import markdown, percent
from nocturne_lab.evaluation.scoring import Judged, evaluate
from nocturne_lab.learning.taggers.training import FULL, Recipe, train_tagger

KIND = "bilstm_crf"
RATE = 0.2  # of wrong mentions
LEFT_OUT = ("w15", "w18", "w21", "w25")
STEP = 4  # one document in so many
PLAIN = replace(FULL, copies=0, bilstm=replace(FULL.bilstm, epochs=6))
RECIPES = {
    "likelihood": PLAIN,
    "likelihood, half of the epochs": replace(PLAIN, bilstm=replace(PLAIN.bilstm, epochs=3)),
    "bounded, q = 0.3": replace(PLAIN, bilstm=replace(PLAIN.bilstm, bound=0.3)),
    "bounded, q = 0.7": replace(PLAIN, bilstm=replace(PLAIN.bilstm, bound=0.7)),
}
LABELS = (Label.PERSON, Label.DOCTOR, Label.PATIENT, Label.CITY, Label.ORG, Label.DATE, Label.AGE, Label.ID)
Drawn = Callable[[GoldDocument, Mention], str]  # a mention as the name of its draw


def by_mention(gold: GoldDocument, mention: Mention) -> str:
    """Name the draw of one mention: errors at random."""
    return f"{gold.document.id}/{mention.start}"


def by_surface(gold: GoldDocument, mention: Mention) -> str:
    """Name the draw of all mentions of a surface: systematic errors."""
    return f"{mention.label}/{fold(gold.document.text[mention.start : mention.end])}"


def spoilt(gold: GoldDocument, drawn: Drawn) -> GoldDocument:
    """Return the document with a fifth of its mentions dropped or mislabelled."""
    return replace(gold, mentions=tuple(_spoilt(gold, drawn)))


def _spoilt(gold: GoldDocument, drawn: Drawn) -> Iterator[Mention]:
    for mention in gold.mentions:
        digest = sha256(drawn(gold, mention).encode("utf-8", "surrogatepass")).digest()
        at = int.from_bytes(digest[:8], "big") / 2**64
        if at >= RATE:
            yield mention
        elif at >= RATE / 2:
            others = [label for label in LABELS if label is not mention.label]
            yield replace(mention, label=others[digest[8] % len(others)])


def row(name: str, learned: Sequence[GoldDocument], unseen: Sequence[GoldDocument], recipe: Recipe) -> list[str]:
    """Return word F1, direct identifiers covered and clean documents of the network alone, in percent."""
    readings = [Reading(one.document) for one in unseen]
    with TemporaryDirectory() as folder:
        model = train_tagger(KIND, learned, recipe, Path(folder), load_embeddings(PACKAGED_EMBEDDINGS))
        tagger = build(AnnotatorChoice(name=KIND, options={"model": str(model)}))
        if not isinstance(tagger, Tagger):
            raise TypeError(KIND)
        found = [sorted(mentions) for mentions in tagger.annotate_batch(readings)]
    judged = [
        Judged(one.document.id, one.document.text, one.mentions, mentions)
        for one, mentions in zip(unseen, found, strict=True)
    ]
    clean = np.array([evaluate([one]).fully_redacted["direct"] for one in judged], dtype=np.float64)
    low, high = drawn_interval(100 * clean[redrawn(len(clean))].mean(axis=1))
    scores = evaluate(judged)
    words, direct = scores.schemes["coarse"].micro("token").f1, scores.redaction["direct"].recall
    return [name, percent(words), percent(direct), f"{100 * clean.mean():.1f} ({low:.1f}–{high:.1f})"]


def main() -> int:
    """Print the page; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(1)
    documents = [one.without_identity() for one in load_corpus(given.corpus)]
    learned = [one for one in documents if one.author not in LEFT_OUT][::STEP]
    unseen = [one for one in documents if one.author in LEFT_OUT][::2]
    rows = [row("no error, likelihood", learned, unseen, PLAIN)]
    for noise, drawn in {"at random": by_mention, "systematic": by_surface}.items():
        wrong = [spoilt(one, drawn) for one in learned]
        rows += [row(f"{noise}, {name}", wrong, unseen, recipe) for name, recipe in RECIPES.items()]
    print("# Training on wrong labels\n")
    print(f"Written by `python -m benchmarks.noisy_labels {given.corpus}` in {time.process_time() / 60:.0f} minutes of")
    print(f"one core: the BiLSTM-CRF alone, {len(learned)} documents, a fifth of their mentions wrong, scored on")
    print(f"{len(unseen)} documents of {len(LEFT_OUT)} authors left out. Percent; 95 % intervals by bootstrap.\n")
    print(markdown(["errors and loss", "word F1", "direct covered", "clean documents"], rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
