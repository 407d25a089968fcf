"""Contextual string embeddings: states of two character language models at the edges of each token (Akbik et al. 2018).

One model reads a text from its first character, the other from its last. A token's embedding is the state of the first
after the token's last character, and of the second after its first character.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from deid.detection.taggers.bilstm import States

Codes = NDArray[np.int64]
# Every computation has one shape: the sums of a matrix product depend on it, and states must not depend on the batch.
_ROWS = 16  # texts read side by side
_PIECE = 256  # characters read at once; the state is carried from piece to piece, so that no text is cut short
_FIRST = "\n"  # read before a text


@dataclass(frozen=True, slots=True)
class Alphabet:
    """Characters with a code of their own, from 1 on; every other character has code 0."""

    characters: str

    def codes(self, text: str) -> Codes:
        """Return the codes of the line break read first, then of the text."""
        table = np.zeros(0x110000, dtype=np.int64)
        table[[ord(one) for one in self.characters]] = np.arange(1, len(self.characters) + 1)
        points = np.frombuffer((_FIRST + text).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        found: Codes = table[points]
        return found


class CharacterModel(nn.Module):
    """LSTM that predicts the next of `size` codes."""

    def __init__(self, size: int, width: int, hidden: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(size, width)
        self.lstm = nn.LSTM(width, hidden, batch_first=True)
        self.out = nn.Linear(hidden, size)

    def read(
        self, codes: torch.Tensor, carried: tuple[torch.Tensor, torch.Tensor] | None
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        """Return the states (texts, characters, hidden) after each character, and what to carry to the next piece."""
        states, carried = self.lstm(self.embed(codes), carried)
        return states, carried


class CharacterStates:
    """The two models, and the states at the tokens of texts."""

    def __init__(self, alphabet: str, width: int, hidden: int) -> None:
        self.alphabet = Alphabet(alphabet)
        self._sizes = {"alphabet": alphabet, "width": width, "hidden": hidden}
        self.width = 2 * hidden  # numbers per token
        size = len(alphabet) + 1
        self.onward, self.backward_ = (CharacterModel(size, width, hidden).eval() for _ in range(2))

    def as_json(self) -> dict[str, Any]:
        """Return the arguments that make models of these sizes."""
        return dict(self._sizes)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return the weights that `use` takes, in half precision."""
        return {
            f"{name}.{key}": value.half().contiguous()
            for name, model in self._models().items()
            for key, value in model.state_dict().items()
        }

    def use(self, tensors: Mapping[str, torch.Tensor]) -> CharacterStates:
        """Take the weights of `tensors`, and return the object."""
        for name, model in self._models().items():
            own = {key: tensors[f"{name}.{key}"].float() for key in model.state_dict()}
            model.load_state_dict(own)
        return self

    def _models(self) -> dict[str, CharacterModel]:
        return {"onward": self.onward, "backward": self.backward_}

    @torch.inference_mode()
    def states(
        self, texts: Sequence[str], starts: Sequence[Sequence[int]], ends: Sequence[Sequence[int]]
    ) -> list[States]:
        """Return the embeddings (tokens, width) of the tokens `[start, end)` of each text."""
        found = [np.zeros((len(own), self.width), dtype=np.float16) for own in starts]
        half = self.width // 2
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))  # texts side by side are of like length
        for first in range(0, len(order), _ROWS):
            some = order[first : first + _ROWS]
            codes = [self.alphabet.codes(texts[index]) for index in some]
            after = [np.asarray(ends[index], dtype=np.int64) for index in some]
            _read(self.onward, codes, after, [found[index][:, :half] for index in some])
            turned = [_turned(one) for one in codes]
            before = [len(texts[index]) - np.asarray(starts[index], dtype=np.int64) for index in some]
            _read(self.backward_, turned, before, [found[index][:, half:] for index in some])
        return found

    @torch.inference_mode()
    def likelihoods(self, texts: Sequence[str]) -> list[float]:
        """Return the log-likelihood of each text in nats, summed over its next and its previous characters.

        A character without a code of its own counts as the unknown one.
        """
        found = np.zeros(len(texts))
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        for first in range(0, len(order), _ROWS):
            some = order[first : first + _ROWS]
            codes = [self.alphabet.codes(texts[index]) for index in some]
            found[some] = _likelihoods(self.onward, codes)
            found[some] += _likelihoods(self.backward_, [_turned(one) for one in codes])
        return [float(one) for one in found]


def _turned(codes: Codes) -> Codes:
    """Return the codes as the second model reads them: the line break, then the text from its last character."""
    return np.concatenate((codes[:1], codes[:0:-1]))


def _likelihoods(model: CharacterModel, codes: Sequence[Codes]) -> NDArray[np.float64]:
    """Return the log-likelihood of what follows the first code of each."""
    found = np.zeros(len(codes))
    for begin, states in _states(model, codes, min(_PIECE, max(map(len, codes)))):
        shares = model.out(states).double().log_softmax(dim=2)
        for row, one in enumerate(codes):
            following = torch.from_numpy(one[begin + 1 : begin + 1 + shares.shape[1]])
            found[row] += float(shares[row, : len(following)].gather(1, following.unsqueeze(1)).sum())
    return found


def _read(
    model: CharacterModel, codes: Sequence[Codes], places: Sequence[NDArray[np.int64]], out: Sequence[States]
) -> None:
    """Write into each array of `out` the states after the codes at `places`."""
    for begin, states in _states(model, codes, _PIECE):
        piece = states.numpy()
        for row, (own, result) in enumerate(zip(places, out, strict=True)):
            here = np.flatnonzero((own >= begin) & (own < begin + _PIECE))
            result[here] = piece[row, own[here] - begin]


def _states(model: CharacterModel, codes: Sequence[Codes], piece: int) -> Iterator[tuple[int, torch.Tensor]]:
    """Yield the states (texts, characters, hidden) of one piece of all texts after another, and where it begins."""
    longest = max(len(one) for one in codes)
    rows = np.zeros((_ROWS, -(-longest // piece) * piece), dtype=np.int64)
    for row, one in enumerate(codes):
        rows[row, : len(one)] = one
    carried = None
    for begin in range(0, rows.shape[1], piece):
        states, carried = model.read(torch.from_numpy(rows[:, begin : begin + piece]), carried)
        yield begin, states
