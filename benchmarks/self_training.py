"""Self-training and distillation of the BiLSTM-CRF on documents without their annotations, on authors left out.

    python -m benchmarks.self_training corpus/train FOLDER --teacher > benchmarks/self_training.md

A third of the documents is annotated, the rest is read as text only. Self-training agrees with the CRF; with
`--teacher`, a wider network trained on the same annotated documents teaches the BiLSTM-CRF too. Neither knows the
authors held out. `FOLDER` keeps what is done: a command that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch

from benchmarks.trained_once import train_once
from deid.detection.taggers.bilstm import PACKAGED_EMBEDDINGS, load_embeddings
from deid.domain.document import Document
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from nocturne_lab.evaluation.intervals import DRAWS
from nocturne_lab.evaluation.score_tables import markdown
from nocturne_lab.learning.self_training import HELD_OUT, Decision, distil, self_train
from nocturne_lab.learning.taggers.training import FULL
from nocturne_lab.learning.transformer.examples import split

RECIPE = replace(FULL, copies=0, bilstm=replace(FULL.bilstm, epochs=5), crf=replace(FULL.crf, iterations=30))
TEACHER = replace(
    FULL, bilstm=replace(FULL.bilstm, epochs=6, shape=replace(FULL.bilstm.shape, hidden=2 * FULL.bilstm.shape.hidden))
)
HEAD = """# Training on documents that nobody annotated

Written by `{command}` in {minutes:.0f} minutes of processor.
Of {corpus}, {learned} documents are annotated and train the BiLSTM-CRF ({epochs} epochs, no altered copies); {texts}
are read as text only. Self-training takes what it and a CRF agree on as labels. No model knows the annotations of the
authors of the {held} documents held out, on which each is compared with the BiLSTM-CRF trained without the texts, both
with the rules and the policy's recall; nothing is known of the patients. Clean are documents that keep no direct
identifier. Intervals are 95 % (paired bootstrap of documents, {draws:,} draws); a model is kept only if that of the
gain lies above 0.
"""
TAUGHT = """The teacher of the distillation is a BiLSTM-CRF twice as wide, trained on the annotated documents and
altered copies of them ({epochs} epochs).
"""


def main() -> int:
    """Train, decide and print the page; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("folder", type=Path, help="keeps decisions and models")
    parser.add_argument("--teacher", action="store_true", help="distil a wider network too")
    given = parser.parse_args()
    torch.set_num_threads(1)
    documents = [one.without_identity() for one in load_corpus(given.corpus)]
    annotated = documents[::3]
    learned, held_out = split(annotated, HELD_OUT, RECIPE.seed)
    kept = {one.document.id for one in annotated}
    texts = [one.document for one in documents if one.document.id not in kept]
    ways = ["self-training", *(["distillation"] if given.teacher else [])]
    decided = {way: decide(way, annotated, texts, given.folder / way) for way in ways}
    command = f"python -m benchmarks.self_training {given.corpus} FOLDER{' --teacher' * given.teacher}"
    print(
        HEAD.format(
            command=command,
            minutes=sum(one.minutes for one in decided.values()),
            corpus=f"`{given.corpus}`",
            learned=len(learned),
            epochs=RECIPE.bilstm.epochs,
            texts=len(texts),
            held=len(held_out),
            draws=DRAWS,
        )
    )
    if given.teacher:
        print(TAUGHT.format(epochs=TEACHER.bilstm.epochs))
    print(table(decided))
    return 0


@dataclass(frozen=True, slots=True)
class Decided:
    """Decision on a way of training, and the minutes of processor that it took."""

    decision: Decision
    minutes: float


def decide(way: str, annotated: Sequence[GoldDocument], texts: Sequence[Document], out: Path) -> Decided:
    """Return the decision on self-training or distillation in the folder `out`, made once."""
    note = out / "decided.json"
    if not note.is_file():
        start, rows = time.process_time(), load_embeddings(PACKAGED_EMBEDDINGS)
        learned, _ = split(annotated, HELD_OUT, RECIPE.seed)
        if way == "self-training":
            second = train_once("crf", learned, RECIPE, out / "second").model
            decision = self_train("bilstm_crf", annotated, texts, second, RECIPE, out, rows)
        else:
            teacher = train_once("bilstm_crf", learned, TEACHER, out / "teacher").model
            decision = distil(annotated, texts, teacher, RECIPE, out, rows)
        minutes = (time.process_time() - start) / 60
        note.write_text(json.dumps({"decision": asdict(decision), "minutes": minutes}), encoding="utf-8")
    record = json.loads(note.read_text(encoding="utf-8"))
    return Decided(Decision(**record["decision"]), record["minutes"])


def table(decided: Mapping[str, Decided]) -> str:
    """Tabulate the decisions; shares in percent, gains in percentage points."""
    lines = []
    for way, one in decided.items():
        found = one.decision
        spans = f"{found.agreed:,}; {found.doubtful:,}" if found.agreed else "–"
        gain = f"{100 * found.gain:+.1f} ({100 * found.low:+.1f} to {100 * found.high:+.1f})"
        shares = (f"{100 * share:.1f}" for share in (found.before, found.after))
        lines.append([way, spans, *shares, gain, "yes" if found.kept else "no"])
    return markdown(["way", "spans agreed on; doubtful", "clean without the texts, %", "with", "gain", "kept"], lines)


if __name__ == "__main__":
    raise SystemExit(main())
