"""Neural coder: states of an encoder over the segments of a stay, stacked, with label-aware attention (Couchot 2023).

Attention: Vu et al. 2020, A label attention model for ICD coding from clinical text, IJCAI.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from huggingface_hub.errors import StrictDataclassError
from numpy.typing import NDArray
from safetensors import SafetensorError
from torch import nn
from tqdm import tqdm
from transformers import AutoConfig, AutoModel, PreTrainedModel

from deid.detection.annotators.transformer import SHIPPED
from deid.detection.annotators.transformer.model_directory import load_tokenizer, longest_input
from deid.detection.annotators.transformer.network import quiet
from deid.domain.errors import InputRefused
from deid.models import FOLDER
from nocturne_lab.evaluation.coding.scores import Matrix

_LONGEST = 512  # sub-words of a segment
_FAR = -1e4  # attention before the softmax where a stay is padded


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a training; `negatives` classes are drawn for a batch beside those that its stays have."""

    width: int = 192
    dropout: float = 0.2
    epochs: int = 30
    batch: int = 8
    rate: float = 2e-3
    negatives: int = 96
    seed: int = 2026


class StackedEncoder:
    """Encoder of a directory, not trained further; a row of a stay is the mean state of `pool` sub-words.

    A stay of any length is read whole, in segments. Rows are kept, since each fold reads the same stays.
    """

    def __init__(self, directory: Path = FOLDER / SHIPPED, pool: int = 8) -> None:
        """Load the encoder of a directory of the library transformers, with safetensors and a fast tokenizer.

        Raises:
            InputRefused: the directory holds no encoder, or weights of another.
            PolicyError: it has no fast tokenizer.
        """
        self._model, config = _loaded(directory)
        self._tokenizer = load_tokenizer(directory, directory.name)
        self._tokenizer.enable_truncation(min(_LONGEST, longest_input(config)))
        self._pool = pool
        self._rows: dict[str, torch.Tensor] = {}
        self.width = int(config["hidden_size"])

    def rows(self, text: str) -> torch.Tensor:
        """Return the rows of a text, shape (rows, width), 16 bits; a text without a sub-word has one row of zeros."""
        if text not in self._rows:
            self._rows[text] = self._read(text)
        return self._rows[text]

    @torch.inference_mode()
    def _read(self, text: str) -> torch.Tensor:
        first = self._tokenizer.encode(text)
        states = []
        for segment in (first, *first.overflowing):
            own = torch.tensor([mark == 0 for mark in segment.special_tokens_mask])
            if own.any():
                states.append(self._model(input_ids=torch.tensor([segment.ids])).last_hidden_state[0, own])
        if not states:
            return torch.zeros(1, self.width, dtype=torch.float16)
        pooled = [part.mean(dim=0) for part in torch.split(torch.cat(states), self._pool)]
        return torch.stack(pooled).to(torch.float16)


def _loaded(directory: Path) -> tuple[PreTrainedModel, Mapping[str, Any]]:
    """Return the encoder of a directory and its configuration; heads, and a pooler, are left out."""
    refused = InputRefused(
        f"{directory.name} holds no encoder of transformers with weights in safetensors.",
        "Give the directory that save_pretrained wrote of an encoder such as CamemBERT, with its tokenizer.json.",
    )
    try:
        config = AutoConfig.from_pretrained(directory, local_files_only=True, trust_remote_code=False)
        with quiet():
            model, told = AutoModel.from_pretrained(
                directory, dtype=torch.float32, local_files_only=True, trust_remote_code=False, use_safetensors=True,
                output_loading_info=True,
            )  # fmt: skip
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError, StrictDataclassError):
        raise refused from None
    absent = [name for name in told["missing_keys"] if not name.startswith("pooler.")]  # drawn at random instead
    values = config.to_dict()
    if absent or told["mismatched_keys"] or config.is_encoder_decoder or "hidden_size" not in values:
        raise refused
    return model.eval(), values


class _LabelAttention(nn.Module):
    """A vector of a stay for each class: its rows, weighted by the attention of the class."""

    def __init__(self, given: int, classes: int, settings: Settings) -> None:
        super().__init__()
        width = settings.width
        self.norm = nn.LayerNorm(given)
        self.reduced = nn.Linear(given, width)
        self.keys = nn.Linear(width, width)
        self.queries = nn.Parameter(torch.randn(classes, width) / width**0.5)
        self.weights = nn.Parameter(torch.zeros(classes, width))
        self.bias = nn.Parameter(torch.zeros(classes))
        self.dropout = nn.Dropout(settings.dropout)

    def forward(self, rows: torch.Tensor, padded: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        """Return logits, shape (stays, classes asked for)."""
        states = self.dropout(torch.relu(self.reduced(self.norm(rows))))
        attention = torch.tanh(self.keys(states)) @ self.queries[classes].T * self.queries.shape[1] ** 0.5
        attention = attention.masked_fill(padded[:, :, None], _FAR).softmax(dim=1)
        seen = attention.transpose(1, 2) @ states
        logits: torch.Tensor = (seen * self.weights[classes]).sum(dim=2) + self.bias[classes]
        return logits


class NeuralCoder:
    """Coder of stays by label-aware attention over the rows of an encoder."""

    name = "label-aware attention"

    def __init__(self, encoder: StackedEncoder, settings: Settings | None = None) -> None:
        self._encoder = encoder
        self._settings = settings or Settings()
        self._network: _LabelAttention | None = None

    def fit(self, texts: Sequence[str], gold: Matrix) -> NeuralCoder:
        """Learn from the texts of stays and their classes; a class begins with its share of the stays."""
        settings = self._settings
        random = np.random.default_rng(settings.seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            network = self._network = _LabelAttention(self._encoder.width, gold.shape[1], settings)
            shares = torch.from_numpy(gold.mean(axis=0)).float().clamp(1e-4, 1 - 1e-4)
            network.bias.data = torch.logit(shares)
            optimizer = torch.optim.AdamW(network.parameters(), lr=settings.rate)
            batches = -(-len(texts) // settings.batch)
            schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.rate, settings.epochs * batches)
            for _ in tqdm(range(settings.epochs), desc="epochs", disable=None, leave=False):
                order = random.permutation(len(texts))
                for chosen in np.array_split(order, batches):
                    optimizer.zero_grad()
                    self._loss(network, [texts[one] for one in chosen], gold[chosen], random).backward()  # type: ignore[no-untyped-call]
                    optimizer.step()
                    schedule.step()
        return self

    def _loss(
        self, network: _LabelAttention, texts: Sequence[str], gold: Matrix, random: np.random.Generator
    ) -> torch.Tensor:
        """Return the cross-entropy of the batch's classes and of drawn others, which stand for all that are left."""
        own, others = np.flatnonzero(gold.any(axis=0)), np.flatnonzero(~gold.any(axis=0))
        drawn = random.choice(others, min(self._settings.negatives, len(others)), replace=False)
        asked = np.concatenate((own, drawn))
        weight = np.concatenate((np.ones(len(own)), np.full(len(drawn), len(others) / max(1, len(drawn)))))
        logits = network(*self._batch(texts), torch.from_numpy(asked))
        return nn.functional.binary_cross_entropy_with_logits(
            logits,
            torch.from_numpy(gold[:, asked]).float(),
            weight=torch.from_numpy(weight).float().expand_as(logits),
            reduction="sum",
        ) / len(texts)  # fmt: skip

    @torch.inference_mode()
    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the probability of each class, shape (stays, classes)."""
        if self._network is None:
            raise RuntimeError("fit comes before scores")
        network = self._network.eval()
        every = torch.arange(len(network.bias))
        found = [network(*self._batch(part), every).sigmoid() for part in self._parts(texts)]
        network.train()
        return np.asarray(torch.cat(found).double().numpy()) if found else np.zeros((0, len(every)))

    def _parts(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        for at in range(0, len(texts), self._settings.batch):
            yield texts[at : at + self._settings.batch]

    def _batch(self, texts: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the rows of stays, shape (stays, rows, width), and which of them are padding."""
        rows = [self._encoder.rows(text).float() for text in texts]
        lengths = torch.tensor([len(one) for one in rows])
        padded = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        return padded, torch.arange(padded.shape[1])[None] >= lengths[:, None]
