"""Continue the training of a network on medical prose in which nobody is named.

    python -m deid.learning.taggers.continuation corpus/train PROSE OUT [--start FOLDER] [--without w13 w19]

PROSE is what `python -m deid.learning.medical_prose` wrote. Altered copies of a share of the corpus are read with it,
so that what was learned of letters is not forgotten.
"""

from __future__ import annotations

import argparse
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from deid.detection.taggers.bilstm import EMBEDDINGS, BiLstmCrf, Shape, load_embeddings
from deid.detection.taggers.tagging import WEIGHTS, file_digest, read_manifest
from deid.evaluation.corpus import GoldDocument, load_corpus
from deid.learning.augmentation import multiply
from deid.learning.taggers.bilstm import train_network
from deid.learning.taggers.examples import TokenExample, token_examples
from deid.learning.taggers.training import FULL, corpus_fingerprint
from deid.models import FOLDER

KIND = "bilstm_crf"
EPOCHS, RATE, SEED = 2, 1e-3, 77
SHARE = 0.4  # of the corpus, in each epoch


def continue_network(start: Path, documents: Sequence[GoldDocument], prose: Sequence[GoldDocument], out: Path) -> Path:
    """Continue the single network in `start`, write it to `out / KIND`, and return that folder.

    Raises:
        PolicyError: `start` holds no network for the features of this version.
    """
    manifest = read_manifest(start, KIND)
    network = BiLstmCrf(Shape(**manifest.shape))
    weights = {name.partition(".")[2]: value.float() for name, value in load_file(start / WEIGHTS).items()}
    fixed = (start / EMBEDDINGS).is_file()
    if fixed:
        network.embed(load_embeddings(start / EMBEDDINGS))
        weights["grams.weight"] = network.grams.weight
    network.load_state_dict(weights)
    settings = replace(FULL.bilstm, shape=network.shape, epochs=EPOCHS, rate=RATE, seed=SEED)
    network = train_network(_epochs(documents, prose), settings, network)
    folder = out / KIND
    folder.mkdir(parents=True, exist_ok=True)
    save_file({f"0.{name}": value for name, value in network.halved().items()}, folder / WEIGHTS)
    if fixed and start.resolve() != folder.resolve():
        shutil.copy(start / EMBEDDINGS, folder)
    recipe = {"epochs": EPOCHS, "rate": RATE, "seed": SEED, "share": SHARE, "prose": corpus_fingerprint(prose)}
    training = {**manifest.training, "continued": {"from": manifest.weights, **recipe}}
    replace(manifest, weights=file_digest(folder / WEIGHTS), training=training).save(folder)
    return folder


def _epochs(
    documents: Sequence[GoldDocument], prose: Sequence[GoldDocument]
) -> Callable[[int], Sequence[TokenExample]]:
    """Return a function from an epoch to altered copies; the prose is read as it is in the first one too."""

    def of_epoch(epoch: int) -> Sequence[TokenExample]:
        part = random.Random(f"{epoch}").sample(documents, int(SHARE * len(documents)))  # noqa: S311
        copies = [*multiply(part, 1, 5000 + epoch), *multiply(prose, 1, 7000 + epoch)]
        return token_examples([*copies, *prose] if epoch == 0 else copies, "altered copies")

    return of_epoch


def main() -> int:
    """Continue and save; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("prose", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--start", type=Path, default=FOLDER / KIND)
    parser.add_argument("--without", nargs="*", default=(), help="authors whose documents are not learned from")
    given = parser.parse_args()
    torch.set_num_threads(1)
    documents = [one for one in load_corpus(given.corpus) if one.author not in given.without]
    print(continue_network(given.start, documents, load_corpus(given.prose), given.out))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
