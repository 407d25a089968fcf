"""Training of the character language models on text without annotation, one in each direction (Akbik et al. 2018)."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from deid.detection.taggers.characters import CharacterModel, CharacterStates
from deid.domain.errors import InputRefused
from nocturne_lab.learning.checkpoints import Checkpoint
from nocturne_lab.learning.taggers.stages import Stage

_OFTEN = 5  # times that a character is seen to get a code of its own
_LARGEST = 255  # codes
Piece = tuple[bool, torch.Tensor]  # whether it is the first of its epoch, and codes (lanes, characters + 1)


@dataclass(frozen=True, slots=True)
class CharacterSettings:
    """Settings; `lanes` texts are read side by side, `length` characters at once, at most `most` in an epoch."""

    width: int = 48
    hidden: int = 256
    lanes: int = 64
    length: int = 100
    epochs: int = 2
    most: int = 20_000_000
    rate: float = 5e-3
    dropout: float = 0.1


def train_characters(
    texts: Sequence[str], settings: CharacterSettings, seed: int, checkpoint: Checkpoint | None = None
) -> CharacterStates:
    """Return both models, trained to predict the next and the previous character; the same texts give the same ones.

    Raises:
        InputRefused: there is no text, or the loss of a batch is not a finite number.
    """
    seen = Counter(sign for text in texts for sign in text)
    alphabet = "".join(sorted(sign for sign, times in seen.most_common(_LARGEST) if times >= _OFTEN))
    if not alphabet:
        raise InputRefused(
            "There is no text to learn characters from.", "Give documents, or --texts of running French."
        )
    torch.manual_seed(seed)
    models = CharacterStates(alphabet, settings.width, settings.hidden)
    codes = [models.alphabet.codes(text) for text in texts]
    for name, model in (("onward", models.onward), ("backward", models.backward_)):
        stage = f"characters {name}"
        weights = checkpoint.result(stage) if checkpoint else None
        if weights is None:
            own = codes if name == "onward" else [one[::-1] for one in codes]
            _train(stage, model, own, settings, seed, checkpoint)
            weights = {key: value.half() for key, value in model.state_dict().items()}
            if checkpoint:
                checkpoint.finish(stage, weights)
        model.load_state_dict(weights)  # rounded, as they are served
    return models


def _train(
    stage: str,
    model: CharacterModel,
    codes: Sequence[NDArray[np.int64]],
    settings: CharacterSettings,
    seed: int,
    checkpoint: Checkpoint | None,
) -> None:
    reader = _Reader(model, settings)

    def batches(epoch: int) -> list[Piece]:
        order = np.random.default_rng([seed, epoch]).permutation(len(codes))
        return _pieces(np.concatenate([codes[index] for index in order])[: settings.most], settings)

    Stage(stage, reader, batches, reader.loss, settings.epochs, settings.rate, seed=seed).run(checkpoint)


def _pieces(stream: NDArray[np.int64], settings: CharacterSettings) -> list[Piece]:
    """Cut a stream into `lanes` of the same length, and these into pieces that overlap by a character."""
    lanes = max(1, min(settings.lanes, len(stream) // (2 * settings.length)))
    long = len(stream) // lanes
    rows = torch.from_numpy(stream[: lanes * long].reshape(lanes, long))
    return [(first == 0, rows[:, first : first + settings.length + 1]) for first in range(0, long - 1, settings.length)]


class _Reader(nn.Module):
    """A model, and the state that it carries from piece to piece: buffers, so that a checkpoint holds them."""

    carried: torch.Tensor

    def __init__(self, model: CharacterModel, settings: CharacterSettings) -> None:
        super().__init__()
        self.model = model
        self.drop = nn.Dropout(settings.dropout)
        self.register_buffer("carried", torch.zeros(2, 1, settings.lanes, settings.hidden))

    def loss(self, piece: Piece) -> torch.Tensor:
        """Return the mean negative log-likelihood of the next codes, in nats per character."""
        first, codes = piece
        lanes = len(codes)
        if first:
            self.carried.zero_()
        before = (self.carried[0, :, :lanes].clone(), self.carried[1, :, :lanes].clone())
        states, after = self.model.read(codes[:, :-1], before)
        self.carried[:, :, :lanes] = torch.stack(after).detach()
        guessed = self.model.out(self.drop(states))
        loss: torch.Tensor = nn.functional.cross_entropy(guessed.flatten(0, 1), codes[:, 1:].flatten())
        return loss


def read_texts(paths: Sequence[Path]) -> list[str]:
    """Return the texts of `.txt` (one a line) and `.jsonl` (member `text`) files, plain or `.xz`.

    Raises:
        InputRefused: a file cannot be read, or a line is no object with `text`; the message names file and line.
    """
    return [text for path in paths for text in _texts(path)]


def _texts(path: Path) -> Iterator[str]:
    opened = lzma.open if path.suffix == ".xz" else open
    done = 0
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    yield str(json.loads(line)["text"]) if ".jsonl" in path.suffixes else line.rstrip("\n")
                done += 1
    except (OSError, lzma.LZMAError, EOFError, ValueError, KeyError, TypeError):
        raise InputRefused(
            f"{path.name}, line {done + 1}: not readable as text, or as an object with a member text."
        ) from None
