"""Annotator *transformer*: a token classifier of the transformers library over windows of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deid.detection.annotators.transformer import model_directory
from deid.detection.annotators.transformer.inference import WindowedInference
from deid.detection.taggers.tagging import best_mentions
from deid.detection.taggers.tags import decode
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.errors import PolicyError
from deid.models import FOLDER

SHIPPED = "transformer"  # in deid/models


class Transformer:
    """A token classifier, trained here or elsewhere.

    Faults that show without weights are refused at construction; the weights are loaded at the first document.

    Args:
        model: directory, or name on the hub; None is the packaged model.
        batch_tokens: sub-words of a batch, padding included; None chooses by device. With int8 a window is always a
            batch by itself: activations are rounded on a scale that a batch shares, and a document's mentions must
            not depend on its neighbours.
        window: sub-words of an input, special ones included; None is the length of its training, else the longest
            input, at most 512.
        overlap: sub-words that neighbouring windows share, at least; None is an eighth of the window.
        precision: numbers to compute with; `auto` is bf16 (or fp16) on a GPU, int8 on a CPU.
        device: `auto`, `cpu`, `cuda`, `cuda:1`…
        labels: class of the model → one of our labels or None; comes before the schemes that are known.
        download: whether a name may be fetched from the hub; otherwise the local cache must hold it.

    Raises:
        PolicyError: the model cannot be used; the message names it and says what to do.
    """

    name = "transformer"

    def __init__(
        self,
        model: str | None = None,
        batch_tokens: int | None = None,
        window: int | None = None,
        overlap: int | None = None,
        precision: Literal["auto", "fp32", "bf16", "fp16", "int8"] = "auto",
        device: str = "auto",
        labels: Mapping[str, str | None] | None = None,
        download: bool = False,
    ) -> None:
        self._directory = model_directory.open_model(model or _shipped(), download, labels or {})
        usual = self._directory.card.window if self._directory.card else 512
        self._window = min(window or usual, self._directory.longest)
        self._overlap = self._window // 8 if overlap is None else overlap
        self._batch_tokens = batch_tokens
        self._precision, self._device = precision, device
        self._check()

    @property
    def labels(self) -> frozenset[str]:
        """The labels that this model can give; its O is no evidence on other labels."""
        return frozenset(self._directory.labels.labels)

    @cached_property
    def version(self) -> str:
        """The model and the options that change its output, as a name for the ledger."""
        options = [self._window, self._overlap, self._precision, self._directory.labels.matrix.tobytes().hex()]
        return f"transformer-{self._directory.digest}-{sha256(repr(options).encode()).hexdigest()[:6]}"

    def distributions(self, readings: Sequence[Reading]) -> list[NDArray[np.float32]]:
        """Return per reading an array (tokens, tags) of finite probabilities; rows sum to one.

        Raises:
            DocumentRefused: the model gave a number that is not finite.
        """
        return [rows for rows, _ in self._tagging.tagged(readings)]

    def annotate_batch(self, readings: Sequence[Reading]) -> list[list[Mention]]:
        """Return the mentions of each document, by the most probable path of tags (of the CRF, if it has one).

        Raises:
            DocumentRefused: the model gave a number that is not finite.
        """
        found = list(self._tagging.tagged(readings))
        mentions = []
        for reading, (rows, decided) in zip(readings, found, strict=True):
            if decided is None:
                mentions += best_mentions([reading], [rows])
            else:
                path = decided.argmax(axis=1)
                mentions.append(decode(reading, path.tolist(), rows[np.arange(len(path)), path]))
        return mentions

    def annotate(self, reading: Reading) -> list[Mention]:
        """Return the mentions of one document."""
        return self.annotate_batch([reading])[0]

    @cached_property
    def _tagging(self) -> WindowedInference:
        from deid.detection.annotators.transformer import network

        device = network.chosen_device(self._device)
        precision = network.chosen_precision(self._precision, device)
        loaded = network.Network(self._directory, device, precision)
        tokenizer = model_directory.load_tokenizer(self._directory.path, self._directory.name)
        return WindowedInference(
            tokenizer,
            loaded,
            self._directory.labels.bare,
            self._window,
            self._overlap,
            1 if loaded.precision == "int8" else self._batch_tokens or (1 << 16 if device.type == "cuda" else 1),
        )

    def _check(self) -> None:
        if self._precision not in ("auto", "fp32", "bf16", "fp16", "int8"):
            raise PolicyError(f"transformer: no precision {self._precision}.", "Say auto, fp32, bf16, fp16 or int8.")
        if not 0 <= self._overlap <= (self._window - 8) // 4:
            raise PolicyError(
                f"transformer: an overlap of {self._overlap} in windows of {self._window} sub-words.",
                "Keep it at a quarter of the window, or less.",
            )


def _shipped() -> str:
    path = FOLDER / SHIPPED
    if not path.is_dir():
        raise PolicyError("transformer: no model ships.", "Name one in the option `model` of the annotator.")
    return str(path)
