"""Training of the taggers: from annotated documents to model folders."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from safetensors.torch import save_file

import deid
from deid.detection.annotators.linear_chains import ENCODER
from deid.detection.annotators.transformer.model_directory import encoder_files
from deid.detection.taggers.bilstm import EMBEDDINGS, BiLstmCrf, ContextualStates, EmbeddingRows, Shape, save_embeddings
from deid.detection.taggers.characters import CharacterStates
from deid.detection.taggers.crf import CrfWeights
from deid.detection.taggers.tagging import WEIGHTS, Manifest, features_digest
from deid.domain.document import Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import TAGGED, Label
from deid.domain.writing import file_digest
from deid.models import FOLDER
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.augmentation import multiply
from nocturne_lab.learning.checkpoints import EVERY, Checkpoint, replaced_folder, trained_tensors
from nocturne_lab.learning.objectives import LEAST_CONFIDENCE, is_certain
from nocturne_lab.learning.statistics import summarise
from nocturne_lab.learning.taggers import bilstm, crf
from nocturne_lab.learning.taggers.bilstm import BilstmSettings
from nocturne_lab.learning.taggers.characters import CharacterSettings, read_texts, train_characters
from nocturne_lab.learning.taggers.crf import CrfSettings
from nocturne_lab.learning.taggers.examples import Distribution, TokenExample, token_examples
from nocturne_lab.learning.taggers.pretraining import LIMIT, open_corpus, open_examples

KINDS = ("crf", "bilstm_crf", "flair", "encoder_bilstm_crf")
SHIPPED = KINDS[:2]
PACKAGED_ENCODER = FOLDER / "transformer"


def train_tagger(
    kind: str,
    documents: Sequence[GoldDocument],
    recipe: Recipe,
    out: Path,
    rows: EmbeddingRows | None = None,
    teacher: Mapping[str, Distribution] = MappingProxyType({}),
    save_every: float = EVERY,
    open_corpora: Sequence[Path] = (),
    texts: Sequence[Path] = (),
    encoder: Path = PACKAGED_ENCODER,
) -> Path:
    """Train the tagger `kind`, write it to `out / kind`, replacing an earlier model, and return that folder.

    A network's training leaves checkpoints beside the folder; after a kill, the same call goes on from the last one
    and gives the same weights. CRFsuite takes no weights to start from: an interrupted CRF is trained anew.

    Args:
        kind: one of `KINDS`.
        documents: the annotated documents to learn from; `score` of a mention is the confidence in it.
        recipe: every setting.
        out: folder of models.
        rows: initial subword embeddings; None draws them at random.
        teacher: distributions of another model on some of the documents by id, for the BiLSTM-CRF.
        save_every: seconds between two checkpoints.
        open_corpora: files of `nocturne_lab.learning.open_corpora`, for a first stage of a network.
        texts: files of further text, without annotation, for the character models of `flair`.
        encoder: directory of the encoder of `encoder_bilstm_crf`, which is copied into the model.

    Raises:
        InputRefused: documents without a single mention, a loss that is not a number, or a disk that is full; an
            earlier model stays as it was.
        PolicyError: the encoder cannot be loaded.
    """
    absent = labels_without_example(documents, recipe.least_confidence)
    folder = out / kind
    if kind == "crf" and open_corpora:
        raise InputRefused("crf: CRFsuite does not learn from partial labels.", "Leave out --open, or train a network.")
    encoded = encoder_files(encoder) if kind == "encoder_bilstm_crf" else {}
    fingerprint = training_fingerprint(kind, documents, recipe, rows, teacher, [*open_corpora, *texts], encoded)
    checkpoint = Checkpoint(out / f".{kind}.checkpoint", fingerprint, save_every)
    shape: Mapping[str, Any] = {}
    if kind == "crf":
        save_weights = train_crf(documents, recipe).save
    else:
        contextual: ContextualStates | None = None
        if kind == "flair":
            unmarked = [*(one.document.text for one in documents), *read_texts(texts)]
            contextual = train_characters(unmarked, recipe.characters, recipe.seed, checkpoint)
        elif encoded:
            from deid.detection.annotators.transformer.embeddings import EncoderStates

            contextual = EncoderStates(encoder)
        members = train_networks(kind, documents, recipe, rows, checkpoint, teacher, contextual, open_corpora)
        tensors = {f"{n}.{name}": value for n, one in enumerate(members) for name, value in one.items()}
        shape = recipe.network(kind, contextual).shape.as_json()
        if isinstance(contextual, CharacterStates):
            tensors |= {f"characters.{name}": value for name, value in contextual.tensors().items()}
            shape = {"network": shape, "characters": contextual.as_json()}
        elif encoded:
            shape = {"network": shape, "encoder": encoded}
        save_weights = partial(save_file, tensors)
    with replaced_folder(folder) as building:
        save_weights(building / WEIGHTS)
        if rows is not None and kind != "crf":
            save_embeddings(rows, building / EMBEDDINGS)
        for name in encoded:
            (building / ENCODER).mkdir(exist_ok=True)
            shutil.copyfile(encoder / name, building / ENCODER / name)
        Manifest(
            kind=kind,
            features=features_digest(),
            weights=file_digest(building / WEIGHTS),
            temperature=recipe.temperatures.get(kind, 1.0),
            shape=shape,
            training={
                "corpus": corpus_fingerprint(documents),
                "documents": len(documents),
                "data": summarise(documents),
                "without_example": [str(label) for label in absent],
                "open_corpora": {one.file: one.licence for one in map(open_corpus, open_corpora)},
                "texts": [path.name for path in texts],
                **({"encoder": encoder.name} if encoded else {}),
                "recipe": recipe.as_json(),
            },
        ).save(building)
        for other in folder.glob("*.md") if folder.is_dir() else ():
            shutil.copy(other, building)  # the model card stays
    checkpoint.remove()
    return folder


def labels_without_example(documents: Sequence[GoldDocument], least: float = LEAST_CONFIDENCE) -> tuple[Label, ...]:
    """Return the labels that no document has with this confidence, which a tagger trained on them never finds.

    Raises:
        InputRefused: no document has a mention.
    """
    seen = {mention.label for one in documents for mention in one.mentions if mention.score >= least}
    if not seen & set(TAGGED):
        raise InputRefused(
            f"{len(documents)} documents without a mention: there is nothing to learn from them.",
            "Give annotated documents: [[LABEL|text]] in .txt, or the .jsonl of `annotations export`.",
        )
    return tuple(label for label in TAGGED if label not in seen)


def training_fingerprint(
    kind: str,
    documents: Sequence[GoldDocument],
    recipe: Recipe,
    rows: EmbeddingRows | None,
    teacher: Mapping[str, Distribution] = MappingProxyType({}),
    files: Sequence[Path] = (),
    encoded: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a hash of all that decides the weights of `train_tagger`."""
    return digest_of(
        *(kind, recipe.as_json(), corpus_fingerprint(documents), [one.document.id for one in documents]),
        None if rows is None else sha256(rows.tobytes()).hexdigest(),
        [(name, sha256(teacher[name].tobytes()).hexdigest()) for name in sorted(teacher)],
        [[file_digest(one) for one in sorted((path, *path.rglob("*"))) if one.is_file()] for path in files],
        dict(encoded),
    )


def digest_of(*what: object) -> str:
    """Return a hash of JSON values and of the versions of features, torch and product."""
    told = [deid.__version__, torch.__version__, features_digest(), *what]
    return sha256(json.dumps(told).encode("utf-8", "surrogatepass")).hexdigest()


def train_crf(documents: Sequence[GoldDocument], recipe: Recipe) -> CrfWeights:
    """Return CRF weights trained on the documents and their altered copies."""
    certain = [one for one in documents if is_certain(one, recipe.least_confidence)]
    copies = token_examples(multiply(certain, recipe.copies, recipe.seed), "altered copies")
    return crf.train_weights([*token_examples(documents, least=recipe.least_confidence), *copies], recipe.crf)


def train_networks(
    kind: str,
    documents: Sequence[GoldDocument],
    recipe: Recipe,
    rows: EmbeddingRows | None = None,
    checkpoint: Checkpoint | None = None,
    teacher: Mapping[str, Distribution] = MappingProxyType({}),
    contextual: ContextualStates | None = None,
    open_corpora: Sequence[Path] = (),
) -> list[dict[str, torch.Tensor]]:
    """Return the weights of networks with different seeds, trained on fresh altered copies in every epoch.

    With open corpora, each network is trained on these first.
    """
    passages = open_examples(open_corpora, recipe.open_tokens)
    plain = token_examples(documents, least=recipe.least_confidence, teacher=teacher)
    members = []
    for number in range(recipe.members):
        name = f"{kind} {number + 1}"
        weights = checkpoint.result(name) if checkpoint else None
        if weights is None:
            seed = recipe.seed + number
            torch.manual_seed(seed)
            settings = replace(recipe.network(kind, contextual), seed=seed)
            start = BiLstmCrf(settings.shape)
            if rows is not None:
                start.embed(rows)
            if passages:
                first = replace(settings, epochs=recipe.open_epochs, bound=0.0)
                _first_stage(start, passages, first, f"{name}, open", checkpoint, contextual)
            epochs = _epochs(plain, documents, recipe, seed)
            weights = bilstm.train_network(epochs, settings, start, checkpoint, name, contextual).halved()
            if checkpoint and number + 1 < recipe.members:
                checkpoint.finish(name, weights)
        members.append(weights)
    return members


def _first_stage(
    model: BiLstmCrf,
    passages: Sequence[TokenExample],
    settings: BilstmSettings,
    name: str,
    checkpoint: Checkpoint | None,
    contextual: ContextualStates | None,
) -> None:
    """Train a network on open corpora, or take what the checkpoint has of a finished first stage."""
    saved = checkpoint.result(name) if checkpoint else None
    if saved is None:
        bilstm.train_network(lambda _: passages, settings, model, checkpoint, name, contextual)
        if checkpoint:
            checkpoint.finish(name, {key: value.detach().clone() for key, value in trained_tensors(model).items()})
    else:
        model.load_state_dict(saved, strict=False)


def _epochs(
    plain: Sequence[TokenExample], documents: Sequence[GoldDocument], recipe: Recipe, seed: int
) -> Callable[[int], Sequence[TokenExample]]:
    """Return a function from an epoch to its documents: the originals, then a fresh copy of each, in turns.

    Documents with doubtful mentions are read as they are in every epoch: a copy would not keep what is doubtful.
    """
    certain = [one for one in documents if is_certain(one, recipe.least_confidence)]
    kept = {one.document.id for one in certain}
    others = [one for one in plain if one.id not in kept]

    def of_epoch(epoch: int) -> Sequence[TokenExample]:
        if not recipe.copies:
            return plain
        copies = token_examples(multiply(certain, 1, 1000 * seed + epoch), "altered copies")
        return [*plain, *copies] if epoch % 2 == 0 else [*others, *copies]

    return of_epoch


def corpus_fingerprint(documents: Sequence[GoldDocument]) -> str:
    """Return a hash of annotated documents, confidences included, that does not depend on their order."""
    lines = sorted(
        sha256(json.dumps([one.document.id, one.document.text, _spans(one.mentions)]).encode()).hexdigest()
        for one in documents
    )
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def _spans(mentions: Sequence[Mention]) -> list[tuple[int, int, str, float]]:
    return [(one.start, one.end, str(one.label), one.score) for one in mentions]


# Settings of the shipped taggers, and of a small version that trains in a minute.
@dataclass(frozen=True, slots=True)
class Recipe:
    """Training settings; `copies` altered copies of each document are added for the CRF.

    The network gets fresh copies in every epoch. `members` networks of different seeds are averaged. `temperatures`
    divide log-probabilities; `nocturne_lab.learning.taggers.cross_validation` measures them. Sentences with a mention
    of a confidence below `least_confidence` are left out of the loss. Of each open corpus, about `open_tokens` are read
    in `open_epochs` epochs.
    """

    crf: CrfSettings = field(default_factory=CrfSettings)
    bilstm: BilstmSettings = field(default_factory=BilstmSettings)
    flair: BilstmSettings = field(
        default_factory=lambda: BilstmSettings(shape=Shape(column_width=0, state_reduced=128))
    )
    encoder: BilstmSettings = field(
        default_factory=lambda: BilstmSettings(shape=Shape(column_width=0, state_reduced=128))
    )
    characters: CharacterSettings = field(default_factory=CharacterSettings)
    open_epochs: int = 2
    open_tokens: int = LIMIT
    copies: int = 1
    members: int = 1
    least_confidence: float = LEAST_CONFIDENCE
    seed: int = 2026
    temperatures: Mapping[str, float] = field(default_factory=dict)

    def with_networks(self, **changes: Any) -> Recipe:
        """Return the recipe with settings of `BilstmSettings` changed for every network."""
        networks = {name: replace(getattr(self, name), **changes) for name in ("bilstm", "flair", "encoder")}
        return replace(self, **networks)

    def network(self, kind: str, contextual: ContextualStates | None = None) -> BilstmSettings:
        """Return the settings of the network of that kind, which reads these contextual states."""
        own = {"bilstm_crf": self.bilstm, "flair": self.flair, "encoder_bilstm_crf": self.encoder}[kind]
        return replace(own, shape=replace(own.shape, state_width=contextual.width if contextual else 0))

    def as_json(self) -> dict[str, Any]:
        """Return every setting as a JSON object."""
        return asdict(self)


FULL = Recipe()
_SMALL_SHAPE = Shape(column_buckets=1 << 13, column_width=32, gram_buckets=1 << 13, gram_width=16, hidden=32)
SMALL = Recipe(
    crf=replace(FULL.crf, iterations=25),
    bilstm=replace(FULL.bilstm, epochs=3, shape=_SMALL_SHAPE),
    flair=replace(FULL.flair, epochs=3, batch=18, shape=replace(_SMALL_SHAPE, column_width=0, state_reduced=32)),
    encoder=replace(FULL.encoder, epochs=3, batch=18, shape=replace(_SMALL_SHAPE, column_width=0, state_reduced=32)),
    characters=replace(FULL.characters, width=16, hidden=64, lanes=16, length=64, epochs=1, most=400_000),
    open_epochs=1,
    open_tokens=20_000,
    copies=0,
    members=1,
)
