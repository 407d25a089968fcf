"""BiLSTM-CRF over subword embeddings, feature tables and contextual states (El Azzouzi 2024; Akbik 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file
from torch import nn

from deid.detection.taggers.crf import marginals, path_loss
from deid.detection.taggers.features import Ids
from deid.detection.taggers.tags import TAGS
from deid.models import FOLDER

EMBEDDINGS = "embeddings.safetensors"  # beside the weights, for all members of an ensemble
PACKAGED_EMBEDDINGS = FOLDER / "bilstm_crf" / EMBEDDINGS
EmbeddingRows = NDArray[np.float16]  # (gram buckets, width)
States = NDArray[np.float16]  # (tokens, width)
_SPREAD = 0.3  # standard deviation of pretrained embeddings


class ContextualStates(Protocol):
    """Source of a vector for each token of a text that depends on its context: character models, or an encoder.

    `width` is the number of numbers of a vector.
    """

    width: int

    def states(
        self, texts: Sequence[str], starts: Sequence[Sequence[int]], ends: Sequence[Sequence[int]]
    ) -> list[States]:
        """Return the vectors (tokens, width) of the tokens `[start, end)` of each text."""
        ...


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the network. Features are hashed into buckets; bucket 0 is for missing ones.

    A `column_width` of 0 leaves out the feature tables. `state_width` is the width of the contextual states, 0 without,
    and `state_reduced` that of their linear projection.
    """

    column_buckets: int = 1 << 15
    column_width: int = 96
    gram_buckets: int = 1 << 17
    gram_width: int = 64
    hidden: int = 160
    dropout: float = 0.35
    state_width: int = 0
    state_reduced: int = 0

    def as_json(self) -> dict[str, int | float]:
        """Return the sizes by name."""
        return asdict(self)


class BiLstmCrf(nn.Module):
    """Emissions from a BiLSTM, transitions of a linear chain."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.columns = _table(shape.column_buckets, shape.column_width, "sum") if shape.column_width else None
        self.grams = _table(shape.gram_buckets, shape.gram_width, "mean")
        self.reduce = nn.Linear(shape.state_width, shape.state_reduced) if shape.state_width else None
        width = shape.column_width + shape.gram_width + (shape.state_reduced if shape.state_width else 0)
        self.norm = nn.LayerNorm(width)
        # Two one-way LSTMs: a packed two-way one trains seven times slower on a CPU.
        self.onward = nn.LSTM(width, shape.hidden, batch_first=True)
        self.backward_ = nn.LSTM(width, shape.hidden, batch_first=True)
        self.drop = nn.Dropout(shape.dropout)
        self.out = nn.Linear(2 * shape.hidden + width, len(TAGS))
        self.transitions = nn.Parameter(torch.zeros(len(TAGS), len(TAGS)))

    def embed(self, rows: NDArray[np.float16]) -> None:
        """Use pretrained subword embeddings, shape (gram_buckets, gram_width), without training them.

        Raises:
            ValueError: the rows are of another shape.
        """
        if rows.shape != tuple(self.grams.weight.shape):
            raise ValueError(f"embeddings of shape {rows.shape}, {tuple(self.grams.weight.shape)} expected")
        given = torch.from_numpy(rows).float()
        given *= _SPREAD / given[given.abs().sum(dim=1) > 0].std()
        self.grams.weight = nn.Parameter(given, requires_grad=False)

    def halved(self) -> dict[str, torch.Tensor]:
        """Return the trained parameters in half precision, as they are saved."""
        changed = {name for name, value in self.named_parameters() if value.requires_grad}
        return {name: value.half().contiguous() for name, value in self.state_dict().items() if name in changed}

    def emissions(
        self, columns: torch.Tensor, grams: torch.Tensor, lengths: torch.Tensor, states: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return log-potentials (chains, tokens, tags).

        Args:
            columns: buckets (chains, tokens, columns); not read without feature tables.
            grams: buckets (chains, tokens, grams).
            lengths: tokens of each chain.
            states: contextual states (chains, tokens, width), if the network reads them.
        """
        chains, tokens, _ = grams.shape
        parts = [self.grams(grams.reshape(chains * tokens, -1)).view(chains, tokens, -1)]
        if self.columns is not None:
            parts.insert(0, self.columns(columns.reshape(chains * tokens, -1)).view(chains, tokens, -1))
        if self.reduce is not None and states is not None:
            parts.append(self.reduce(states))
        seen = self._dropped(self.norm(torch.cat(parts, dim=2)))
        turned = _turned(tokens, lengths).unsqueeze(2)
        after = self.backward_(seen.gather(1, turned.expand_as(seen)))[0]
        found = torch.cat((self.onward(seen)[0], after.gather(1, turned.expand_as(after))), dim=2)
        emissions: torch.Tensor = self.out(torch.cat((self._dropped(found), seen), dim=2))
        return emissions

    def _dropped(self, seen: torch.Tensor) -> torch.Tensor:
        """Apply variational dropout: the same units at all tokens of a chain (Gal and Ghahramani 2016)."""
        mask = self.drop(torch.ones(seen.shape[0], 1, seen.shape[2]))
        dropped: torch.Tensor = seen * mask
        return dropped

    def loss(
        self,
        columns: torch.Tensor,
        grams: torch.Tensor,
        lengths: torch.Tensor,
        tags: torch.Tensor,
        states: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Return the mean negative log-likelihood per token of the true paths, in nats."""
        emissions = self.emissions(columns, grams, lengths, states)
        return path_loss(emissions, self.transitions, lengths, tags) / lengths.sum()

    @torch.inference_mode()
    def probabilities(
        self, columns: torch.Tensor, grams: torch.Tensor, lengths: torch.Tensor, states: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return marginal probabilities (chains, tokens, tags)."""
        return marginals(self.emissions(columns, grams, lengths, states), self.transitions, lengths)


def _table(buckets: int, width: int, mode: str) -> nn.EmbeddingBag:
    """Return a table of embeddings drawn at random, zero for bucket 0."""
    table = nn.EmbeddingBag(buckets, width, mode=mode, padding_idx=0, sparse=True)
    nn.init.normal_(table.weight, std=0.08)
    with torch.no_grad():
        table.weight[0] = 0
    return table


def _turned(tokens: int, lengths: torch.Tensor) -> torch.Tensor:
    """Return positions (chains, tokens) that reverse each chain within its length and keep its padding."""
    at = torch.arange(tokens).unsqueeze(0)
    last = lengths.unsqueeze(1) - 1
    return torch.where(at <= last, last - at, at)


def buckets(ids: Ids, count: int) -> torch.Tensor:
    """Return feature numbers as buckets in [1, count); 0 where missing."""
    folded = (ids % (count - 1) + 1) * (ids != 0)
    return torch.from_numpy(folded.astype("int64"))


def save_embeddings(rows: EmbeddingRows, path: Path) -> None:
    """Write subword embeddings as safetensors."""
    save_file({"grams": rows}, path)


def load_embeddings(path: Path) -> EmbeddingRows:
    """Return the embeddings that `save_embeddings` wrote."""
    return load_file(path)["grams"]
