"""Continue the training of a network: on documents of one's own, or on medical prose in which nobody is named.

    nocturne train --continue MODEL reviewed.jsonl --remember corpus/train --out OUT
    python -m nocturne_lab.learning.taggers.continuation corpus/train PROSE OUT [--start FOLDER] [--without w13 w19]

PROSE is what `python -m nocturne_lab.learning.medical_prose` wrote. Altered copies of a part of what was learned before
are read with the new documents, so that it is not forgotten.
"""

from __future__ import annotations

import argparse
import math
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from deid.detection.taggers.bilstm import EMBEDDINGS, BiLstmCrf, Shape, load_embeddings
from deid.detection.taggers.tagging import WEIGHTS, read_manifest
from deid.domain.writing import file_digest
from deid.models import FOLDER
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from nocturne_lab.learning.augmentation import multiply
from nocturne_lab.learning.checkpoints import Checkpoint, replaced_folder
from nocturne_lab.learning.objectives import is_certain
from nocturne_lab.learning.statistics import summarise
from nocturne_lab.learning.taggers.bilstm import train_network
from nocturne_lab.learning.taggers.examples import TokenExample, token_examples
from nocturne_lab.learning.taggers.training import FULL, corpus_fingerprint, digest_of

KIND = "bilstm_crf"


@dataclass(frozen=True, slots=True)
class Continuation:
    """Settings; `batch` counts chains.

    In each epoch are read the new documents with `copies` altered copies of each (without the documents themselves
    after `plain` epochs), and altered copies of `share` of the old ones, of at most `ratio` old ones for a new one.
    """

    epochs: int
    rate: float
    seed: int
    share: float = 1.0
    ratio: float = math.inf
    copies: int = 1
    plain: int = 1
    batch: int = FULL.bilstm.batch

    def as_json(self) -> dict[str, int | float]:
        """Return the settings by name, without an unlimited `ratio`, which JSON cannot write."""
        return {name: value for name, value in asdict(self).items() if value != math.inf}


PROSE = Continuation(epochs=2, rate=1e-3, seed=77, share=0.4)
# The rate that was tried on w12 and w13 (`benchmarks/adaptation.py --tune`), which the published curve leaves out.
REVIEWED = Continuation(epochs=6, rate=5e-4, seed=78, ratio=2, copies=2, plain=6, batch=12)


def continue_network(
    start: Path,
    documents: Sequence[GoldDocument],
    fresh: Sequence[GoldDocument],
    out: Path,
    asked: Continuation = PROSE,
) -> Path:
    """Continue the single network in `start`, write it to `out / KIND`, and return that folder.

    A checkpoint beside the folder is kept; after a kill, the same call goes on from it and gives the same weights.

    Args:
        start: folder of a model of the kind `KIND`.
        documents: what was learned before, and is to be remembered; may be empty.
        fresh: what to learn.
        out: folder of models.
        asked: the settings.

    Raises:
        PolicyError: `start` holds no network for the features of this version.
        InputRefused: the loss is not a number, or the disk is full; an earlier model stays as it was.
    """
    manifest = read_manifest(start, KIND)
    network = BiLstmCrf(Shape(**manifest.shape))
    weights = {name.partition(".")[2]: value.float() for name, value in load_file(start / WEIGHTS).items()}
    fixed = (start / EMBEDDINGS).is_file()
    if fixed:
        network.embed(load_embeddings(start / EMBEDDINGS))
        weights["grams.weight"] = network.grams.weight
    network.load_state_dict(weights)
    settings = replace(
        FULL.bilstm, shape=network.shape, epochs=asked.epochs, rate=asked.rate, seed=asked.seed, batch=asked.batch
    )
    read = [[corpus_fingerprint(some), [one.document.id for one in some]] for some in (documents, fresh)]
    fingerprint = digest_of(manifest.weights, read, asked.as_json())
    checkpoint = Checkpoint(out / f".{KIND}.continued.checkpoint", fingerprint)
    network = train_network(_epochs(documents, fresh, asked), settings, network, checkpoint)
    folder = out / KIND
    learned = {
        "documents": len(fresh),
        "corpus": corpus_fingerprint(fresh),
        "data": summarise(fresh),
        **asked.as_json(),
    }
    training = {**manifest.training, "continued": {"from": manifest.weights, **learned}}
    with replaced_folder(folder) as building:
        save_file({f"0.{name}": value for name, value in network.halved().items()}, building / WEIGHTS)
        if fixed:
            shutil.copy(start / EMBEDDINGS, building)
        replace(manifest, weights=file_digest(building / WEIGHTS), training=training).save(building)
    checkpoint.remove()
    return folder


def _epochs(
    documents: Sequence[GoldDocument], fresh: Sequence[GoldDocument], asked: Continuation
) -> Callable[[int], Sequence[TokenExample]]:
    """Return a function from an epoch to its documents."""
    certain = [one for one in fresh if is_certain(one)]
    number = int(min(asked.share * len(documents), asked.ratio * len(fresh)))

    def of_epoch(epoch: int) -> Sequence[TokenExample]:
        part = random.Random(f"{epoch}").sample(documents, number)  # noqa: S311
        copies = [*multiply(part, 1, 5000 + epoch), *multiply(certain, asked.copies, 7000 + epoch)]
        return token_examples([*copies, *fresh] if epoch < asked.plain else copies, "altered copies")

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
