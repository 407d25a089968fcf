"""Annotators that are linear chains over words, tables, layout and rules, or over contextual states of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import load_file

from deid.detection.annotators import FEATURE_RULES
from deid.detection.annotators.transformer.model_directory import encoder_files
from deid.detection.taggers.bilstm import EMBEDDINGS, BiLstmCrf, ContextualStates, Shape, buckets, load_embeddings
from deid.detection.taggers.characters import CharacterStates
from deid.detection.taggers.crf import CrfScores, CrfWeights, marginals, padded, window_features
from deid.detection.taggers.features import FeatureTable
from deid.detection.taggers.tagging import ROWS, WEIGHTS, Tagging, one_thread
from deid.detection.text.reading import Reading
from deid.domain.errors import PolicyError

ENCODER = "encoder"  # folder of a model, beside its weights


class Crf(Tagging):
    """Linear-chain CRF (Lafferty et al. 2001) trained with CRFsuite, computed from its weights."""

    name = "crf"
    rules = FEATURE_RULES
    _scores: CrfScores

    def load(self, folder: Path) -> None:
        """Read the weights."""
        self._scores = CrfScores(CrfWeights.load(folder / WEIGHTS))

    def probabilities(self, tables: Sequence[FeatureTable], width: int) -> torch.Tensor:
        """Return probabilities (ROWS, width, tags)."""
        emissions, lengths = padded([self._scores.emissions(window_features(table)) for table in tables], ROWS, width)
        return marginals(emissions, self._scores.transitions, lengths)


class BilstmCrf(Tagging):
    """BiLSTM-CRF networks of different seeds over subword and feature embeddings; probabilities are averaged.

    El Azzouzi et al. 2024, section 3.3: the best of their architectures without a pretrained transformer.
    """

    name = "bilstm_crf"
    rules = FEATURE_RULES
    _members: list[BiLstmCrf]

    def load(self, folder: Path) -> None:
        """Read the weights of every member."""
        self._members = _members(folder, Shape(**self._manifest.shape), load_file(folder / WEIGHTS))

    def probabilities(self, tables: Sequence[FeatureTable], width: int) -> torch.Tensor:
        """Return probabilities (ROWS, width, tags)."""
        shape = self._members[0].shape
        columns, lengths = padded([buckets(one.columns, shape.column_buckets).numpy() for one in tables], ROWS, width)
        grams, _ = padded([buckets(one.grams, shape.gram_buckets).numpy() for one in tables], ROWS, width)
        known = [one.states for one in tables if one.states is not None]
        states = padded(known, ROWS, width)[0].float() if known else None
        total = sum(member.probabilities(columns, grams, lengths, states) for member in self._members)
        return torch.as_tensor(total) / len(self._members)


class _Contextual(BilstmCrf):
    """BiLSTM-CRF over contextual states of the tokens and subword embeddings."""

    _contextual: ContextualStates

    def tables(self, readings: Sequence[Reading]) -> list[FeatureTable]:
        """Return the feature tables of documents, with the contextual states of their tokens."""
        texts = [reading.text for reading in readings]
        states = self._contextual.states(texts, [one.starts for one in readings], [one.ends for one in readings])
        return [replace(table, states=own) for table, own in zip(super().tables(readings), states, strict=True)]


class Flair(_Contextual):
    """BiLSTM-CRF over contextual string embeddings and subword embeddings; a hospital trains it, none ships.

    El Azzouzi et al. 2024, figure 5: the best of their architectures (stacked Flair and FastText embeddings).
    """

    name = "flair"
    _contextual: CharacterStates

    def load(self, folder: Path) -> None:
        """Read the weights of the character models and of every member."""
        weights = load_file(folder / WEIGHTS)
        self._contextual = CharacterStates(**self._manifest.shape["characters"]).use(_named(weights, "characters."))
        networks = {name: value for name, value in weights.items() if not name.startswith("characters.")}
        self._members = _members(folder, Shape(**self._manifest.shape["network"]), networks)

    def likelihoods(self, texts: Sequence[str]) -> list[float]:
        """Return the log-likelihood of each text, in nats, by both character models together."""
        self.load_once()
        with one_thread():
            return self._contextual.likelihoods(texts)


class EncoderBilstmCrf(_Contextual):
    """BiLSTM-CRF over the states of an encoder and subword embeddings; a hospital trains it, none ships.

    El Azzouzi et al. 2024, "CamemBERT and FastText embeddings + Bi-LSTM + CRF". The encoder is in the model's folder
    `ENCODER`, so that the model depends on no other directory.

    Raises:
        PolicyError: as `Tagging`; or a file of the encoder is missing, added or altered.
    """

    name = "encoder_bilstm_crf"

    def __init__(self, model: str | None = None) -> None:
        super().__init__(model)
        if encoder_files(self._folder / ENCODER) != self._manifest.shape["encoder"]:
            raise PolicyError(
                f"annotator {self.name}: the encoder of model {self._folder.name} is not the one it was trained on.",
                "Restore the folder as training wrote it, or train the model again.",
            )

    def load(self, folder: Path) -> None:
        """Read the weights of the encoder and of every member."""
        from deid.detection.annotators.transformer.embeddings import EncoderStates

        self._contextual = EncoderStates(folder / ENCODER)
        self._members = _members(folder, Shape(**self._manifest.shape["network"]), load_file(folder / WEIGHTS))


def _members(folder: Path, shape: Shape, weights: Mapping[str, torch.Tensor]) -> list[BiLstmCrf]:
    rows = load_embeddings(folder / EMBEDDINGS) if (folder / EMBEDDINGS).is_file() else None
    members = []
    for number in sorted({int(name.partition(".")[0]) for name in weights}):
        with torch.device("meta"):  # nothing is drawn that the weights replace
            member = BiLstmCrf(shape)
        own = _named(weights, f"{number}.")
        if rows is not None:
            member.embed(rows)
            own["grams.weight"] = member.grams.weight
        member.load_state_dict(own, assign=True)
        members.append(member.eval())
    return members


def _named(weights: Mapping[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    """Return the tensors whose name begins so, in single precision, by the rest of their name."""
    return {name[len(prefix) :]: value.float() for name, value in weights.items() if name.startswith(prefix)}
