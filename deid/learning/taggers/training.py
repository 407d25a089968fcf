"""Training of the taggers: from annotated documents to model folders."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from deid.detection.taggers.bilstm import EMBEDDINGS, BiLstmCrf, EmbeddingRows, Shape, save_embeddings
from deid.detection.taggers.crf import CrfWeights
from deid.detection.taggers.tagging import WEIGHTS, Manifest, features_digest, file_digest
from deid.evaluation.corpus import GoldDocument
from deid.evaluation.markup import write_marked
from deid.learning.augmentation import multiply
from deid.learning.taggers import bilstm, crf
from deid.learning.taggers.bilstm import BilstmSettings
from deid.learning.taggers.crf import CrfSettings
from deid.learning.taggers.examples import TokenExample, token_examples

KINDS = ("crf", "bilstm_crf")


def train_tagger(
    kind: str, documents: Sequence[GoldDocument], recipe: Recipe, out: Path, rows: EmbeddingRows | None = None
) -> Path:
    """Train the tagger `kind`, write it to `out / kind`, replacing an earlier model, and return that folder.

    Args:
        kind: one of `KINDS`.
        documents: the annotated documents to learn from.
        recipe: every setting.
        out: folder of models.
        rows: initial subword embeddings; None draws them at random.
    """
    folder = out / kind
    building = out / f".{kind}"
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir(parents=True)
    path = building / WEIGHTS
    if kind == "crf":
        train_crf(documents, recipe).save(path)
    else:
        members = [member.halved() for member in train_bilstm(documents, recipe, rows)]
        save_file({f"{n}.{name}": value for n, one in enumerate(members) for name, value in one.items()}, path)
        if rows is not None:
            save_embeddings(rows, building / EMBEDDINGS)
    shape = recipe.bilstm.shape.as_json() if kind == "bilstm_crf" else {}
    Manifest(
        kind=kind,
        features=features_digest(),
        weights=file_digest(path),
        temperature=recipe.temperatures.get(kind, 1.0),
        shape=shape,
        training={"corpus": corpus_fingerprint(documents), "documents": len(documents), "recipe": recipe.as_json()},
    ).save(building)
    for other in folder.glob("*.md") if folder.is_dir() else ():
        shutil.copy(other, building)  # the model card stays
    shutil.rmtree(folder, ignore_errors=True)
    building.rename(folder)
    return folder


def train_crf(documents: Sequence[GoldDocument], recipe: Recipe) -> CrfWeights:
    """Return CRF weights trained on the documents and their altered copies."""
    copies = token_examples(multiply(documents, recipe.copies, recipe.seed), "altered copies")
    return crf.train_weights([*token_examples(documents), *copies], recipe.crf)


def train_bilstm(
    documents: Sequence[GoldDocument], recipe: Recipe, rows: EmbeddingRows | None = None
) -> list[BiLstmCrf]:
    """Return networks with different seeds, trained on fresh altered copies in every epoch."""
    plain = token_examples(documents)
    members = []
    for number in range(recipe.members):
        seed = recipe.seed + number
        torch.manual_seed(seed)
        start = BiLstmCrf(recipe.bilstm.shape)
        if rows is not None:
            start.embed(rows)
        settings = replace(recipe.bilstm, seed=seed)
        members.append(bilstm.train_network(_epochs(plain, documents, recipe, seed), settings, start))
    return members


def _epochs(
    plain: Sequence[TokenExample], documents: Sequence[GoldDocument], recipe: Recipe, seed: int
) -> Callable[[int], Sequence[TokenExample]]:
    """Return a function from an epoch to its documents: the originals, then a fresh copy of each, in turns."""

    def of_epoch(epoch: int) -> Sequence[TokenExample]:
        if not recipe.copies:
            return plain
        copies = token_examples(multiply(documents, 1, 1000 * seed + epoch), "altered copies")
        return [*plain, *copies] if epoch % 2 == 0 else copies

    return of_epoch


def corpus_fingerprint(documents: Sequence[GoldDocument]) -> str:
    """Return a hash of annotated documents that does not depend on their order."""
    lines = sorted(
        sha256(f"{one.document.id}\n{write_marked(one.document.text, one.mentions)}".encode()).hexdigest()
        for one in documents
    )
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


# Settings of the shipped taggers, and of a small version that trains in a minute.
@dataclass(frozen=True, slots=True)
class Recipe:
    """Training settings; `copies` altered copies of each document are added for the CRF.

    The network gets fresh copies in every epoch. `members` networks of different seeds are averaged. `temperatures`
    divide log-probabilities; `deid.learning.taggers.cross_validation` measures them.
    """

    crf: CrfSettings = field(default_factory=CrfSettings)
    bilstm: BilstmSettings = field(default_factory=BilstmSettings)
    copies: int = 1
    members: int = 1
    seed: int = 2026
    temperatures: Mapping[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return every setting as a JSON object."""
        return asdict(self)


FULL = Recipe()
SMALL = Recipe(
    crf=replace(FULL.crf, iterations=25),
    bilstm=replace(
        FULL.bilstm,
        epochs=3,
        shape=Shape(column_buckets=1 << 13, column_width=32, gram_buckets=1 << 13, gram_width=16, hidden=32),
    ),
    copies=0,
    members=1,
)
