"""Models that a benchmark trains once and keeps in a folder, with the processor time that each took.

A benchmark that is stopped, or whose page is written anew, takes the models that are there. One that was trained on
other documents or by another recipe is trained anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deid.detection.taggers.bilstm import PACKAGED_EMBEDDINGS, load_embeddings
from deid.detection.taggers.tagging import MANIFEST_FILE
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.taggers.training import Recipe, corpus_fingerprint, train_tagger

TIME = "minutes.json"


@dataclass(frozen=True, slots=True)
class Trained:
    """Directory of a model, and the minutes of processor of its training: in all, and before this call (`earlier`)."""

    model: Path
    minutes: float
    earlier: float


def train_once(
    kind: str, documents: Sequence[GoldDocument], recipe: Recipe, folder: Path, open_corpora: Sequence[Path] = ()
) -> Trained:
    """Return the tagger in `folder / kind`, trained from the subword embeddings that ship unless it is there.

    The minutes are those of the call that ended the training, without what a killed one had done before.
    """
    model, note = folder / kind, folder / TIME
    known = note.is_file() and _same(model / MANIFEST_FILE, documents, recipe, open_corpora)
    if not known:
        start = time.process_time()
        rows = load_embeddings(PACKAGED_EMBEDDINGS)
        train_tagger(kind, documents, recipe, folder, rows, open_corpora=open_corpora)
        note.write_text(json.dumps((time.process_time() - start) / 60), encoding="utf-8")
    minutes = float(note.read_text(encoding="utf-8"))
    return Trained(model, minutes, minutes if known else 0.0)


def _same(manifest: Path, documents: Sequence[GoldDocument], recipe: Recipe, open_corpora: Sequence[Path]) -> bool:
    if not manifest.is_file():
        return False
    known: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))["training"]
    return (
        known["corpus"] == corpus_fingerprint(documents)
        and known["recipe"] == json.loads(json.dumps(recipe.as_json()))
        and sorted(known["open_corpora"]) == sorted(path.name for path in open_corpora)
    )
