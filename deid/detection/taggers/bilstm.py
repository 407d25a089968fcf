"""BiLSTM-CRF over subword embeddings and feature tables (El Azzouzi et al. 2024; Akbik et al. 2018)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

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
_SPREAD = 0.3  # standard deviation of pretrained embeddings


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the network. Features are hashed into buckets; bucket 0 is for missing ones."""

    column_buckets: int = 1 << 15
    column_width: int = 96
    gram_buckets: int = 1 << 17
    gram_width: int = 64
    hidden: int = 160
    dropout: float = 0.35

    def as_json(self) -> dict[str, int | float]:
        """Return the sizes by name."""
        return asdict(self)


class BiLstmCrf(nn.Module):
    """Emissions from a BiLSTM, transitions of a linear chain."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.columns = nn.EmbeddingBag(shape.column_buckets, shape.column_width, mode="sum", padding_idx=0, sparse=True)
        self.grams = nn.EmbeddingBag(shape.gram_buckets, shape.gram_width, mode="mean", padding_idx=0, sparse=True)
        nn.init.normal_(self.columns.weight, std=0.08)
        nn.init.normal_(self.grams.weight, std=0.08)
        with torch.no_grad():
            self.columns.weight[0] = self.grams.weight[0] = 0
        width = shape.column_width + shape.gram_width
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

    def emissions(self, columns: torch.Tensor, grams: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return log-potentials (chains, tokens, tags) of buckets (chains, tokens, columns or grams)."""
        chains, tokens, _ = columns.shape
        seen = torch.cat(
            (
                self.columns(columns.reshape(chains * tokens, -1)).view(chains, tokens, -1),
                self.grams(grams.reshape(chains * tokens, -1)).view(chains, tokens, -1),
            ),
            dim=2,
        )
        seen = self._dropped(self.norm(seen))
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
        self, columns: torch.Tensor, grams: torch.Tensor, lengths: torch.Tensor, tags: torch.Tensor
    ) -> torch.Tensor:
        """Return the mean negative log-likelihood per token of the true paths, in nats."""
        emissions = self.emissions(columns, grams, lengths)
        return path_loss(emissions, self.transitions, lengths, tags) / lengths.sum()

    @torch.inference_mode()
    def probabilities(self, columns: torch.Tensor, grams: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return marginal probabilities (chains, tokens, tags)."""
        return marginals(self.emissions(columns, grams, lengths), self.transitions, lengths)


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
