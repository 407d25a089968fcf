"""Self-training of the BiLSTM-CRF with the CRF on documents without their annotations, on authors left out.

    python -m benchmarks.self_training corpus/train

A third of the documents is annotated, the rest is read as text only. Prints the decision as JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from deid.detection.taggers.bilstm import PACKAGED_EMBEDDINGS, load_embeddings
from deid.evaluation.corpus import load_corpus
from deid.learning.self_training import HELD_OUT, self_train
from deid.learning.taggers.training import FULL, train_tagger
from deid.learning.transformer.examples import split

RECIPE = replace(FULL, copies=0, bilstm=replace(FULL.bilstm, epochs=5), crf=replace(FULL.crf, iterations=30))


def main() -> int:
    """Train, decide and print; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(1)
    documents = [one.without_identity() for one in load_corpus(given.corpus)]
    annotated = documents[::3]
    learned, _ = split(annotated, HELD_OUT, RECIPE.seed)
    kept = {one.document.id for one in annotated}
    texts = [one.document for one in documents if one.document.id not in kept]
    with TemporaryDirectory() as folder:
        second = train_tagger("crf", learned, RECIPE, Path(folder) / "second")
        rows = load_embeddings(PACKAGED_EMBEDDINGS)
        decision = self_train("bilstm_crf", annotated, texts, second, RECIPE, Path(folder) / "out", rows)
    record = asdict(decision) | {"kept": decision.kept, "reason": decision.reason}
    print(json.dumps(record | {"annotated": len(learned), "minutes": round(time.process_time() / 60, 1)}, indent=2))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
