"""The model in memory: loaded once, in the precision asked for, run without gradients."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModelForTokenClassification
from transformers.utils import logging

from deid.detection.annotators.transformer.chains import load_transitions
from deid.detection.annotators.transformer.model_directory import WEIGHTS, ModelDirectory
from deid.detection.annotators.transformer.subwords import padded_length
from deid.detection.taggers.tagging import one_thread
from deid.detection.taggers.tags import TAGS
from deid.domain.errors import PolicyError

Precision = Literal["fp32", "bf16", "fp16", "int8"]
_DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16, "int8": torch.float32}
_SHARED = 30_000_000  # parameters from which several threads are faster than one for a window
# Tensors of old checkpoints that no forward pass reads.
_IDLE = ("position_ids", "pooler.", "lm_head.", "cls.predictions")


@dataclass(frozen=True, slots=True)
class Pending:
    """Rows of a batch that the device computes; `result()` waits for them."""

    rows: torch.Tensor
    sound: torch.Tensor
    ready: torch.cuda.Event | None

    def result(self) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """`(probabilities or log-potentials (rows, tags), whether the model's numbers were finite (rows,))`."""
        if self.ready is not None:
            self.ready.synchronize()
        return self.rows.numpy(), self.sound.numpy()


class Network:
    """A token classifier on a device.

    `transitions`: log-potentials (tags, tags) of a model whose head is a CRF, whose `launch` gives log-potentials;
    None for another. `temperature`: divides the logarithms of probabilities.
    """

    def __init__(self, directory: ModelDirectory, device: torch.device, precision: Precision) -> None:
        """Load the weights.

        Raises:
            PolicyError: transformers does not know the architecture, the weights lack a part, or memory does.
        """
        self.device = device
        self.precision = precision
        self.longest = directory.longest
        self._padding = int(directory.config.get("pad_token_id") or 0)
        self.temperature = directory.card.temperature if directory.card else 1.0
        self.transitions = _transitions(directory)
        self._matrix = torch.from_numpy(directory.labels.matrix).to(device)
        try:
            self._model = load_weights(
                AutoModelForTokenClassification, directory.path, directory.name, _DTYPES[precision]
            ).to(device)
        except torch.OutOfMemoryError:
            raise PolicyError(
                f"model {directory.name} does not fit in the memory of {device}.", "Choose a smaller one, or the CPU."
            ) from None
        small = sum(one.numel() for one in self._model.parameters()) < _SHARED
        self._alone = device.type == "cpu" and small
        if precision == "int8":
            self._model = _quantized(self._model)
        self._model.eval()

    @torch.inference_mode()
    def launch(
        self, windows: Sequence[NDArray[np.int64]], at: NDArray[np.int64], positions: NDArray[np.int64]
    ) -> Pending:
        """Run a batch; on a GPU this returns before it is done.

        Args:
            windows: sub-words of each window, special ones included.
            at, positions: shape (rows,): the window and the place in it of each sub-word whose tags are wanted.
        """
        width = padded_length(max(map(len, windows)), self.longest) if len(windows) > 1 else len(windows[0])
        ids = np.full((len(windows), width), self._padding, dtype=np.int64)
        mask = np.zeros((len(windows), width), dtype=np.int64)
        for row, window in enumerate(windows):
            ids[row, : len(window)] = window
            mask[row, : len(window)] = 1
        with one_thread() if self._alone else nullcontext():
            logits = self._model(input_ids=self._moved(ids), attention_mask=self._moved(mask)).logits
            chosen = logits[self._moved(at), self._moved(positions)].float()
            sound = torch.isfinite(chosen).all(dim=1)
            if self.transitions is None:
                chosen = torch.softmax(chosen / self.temperature, dim=1) @ self._matrix
            return self._fetched(chosen, sound)

    def _moved(self, array: NDArray[np.int64]) -> torch.Tensor:
        tensor = torch.from_numpy(array)
        return tensor if self.device.type == "cpu" else tensor.pin_memory().to(self.device, non_blocking=True)

    def _fetched(self, rows: torch.Tensor, sound: torch.Tensor) -> Pending:
        if self.device.type == "cpu":
            return Pending(rows, sound, None)
        rows_here = torch.empty(rows.shape, dtype=rows.dtype, pin_memory=True)
        sound_here = torch.empty(sound.shape, dtype=sound.dtype, pin_memory=True)
        rows_here.copy_(rows, non_blocking=True)
        sound_here.copy_(sound, non_blocking=True)
        ready = torch.cuda.Event()  # type: ignore[no-untyped-call]
        ready.record()
        return Pending(rows_here, sound_here, ready)


def _transitions(directory: ModelDirectory) -> torch.Tensor | None:
    if directory.card is None or directory.card.head == "linear":
        return None
    try:
        if directory.card.labels == TAGS:
            return load_transitions(directory.path / WEIGHTS)
    except KeyError:
        pass
    raise PolicyError(
        f"model {directory.name}: its weights lack the transitions of its CRF, or its tags are another release's.",
        "Restore the directory as training wrote it, or train it again.",
    )


def chosen_device(name: str) -> torch.device:
    """Return the device that an option names; `auto` is a GPU if available.

    Raises:
        PolicyError: no such device here.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise PolicyError(f"transformer: there is no device {name}.", "Say auto, cpu, cuda or cuda:0.") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise PolicyError("transformer: this machine has no GPU.", "Say `device: auto`, or mend its driver.")
    return device


def chosen_precision(name: str, device: torch.device) -> Precision:
    """Return the precision that an option names; `auto` is the fastest of the device.

    Raises:
        PolicyError: the device does not have it.
    """
    if name == "auto":
        if device.type != "cuda":
            return "int8"
        return "bf16" if torch.cuda.is_bf16_supported() else "fp16"
    if name == "int8" and device.type != "cpu":
        raise PolicyError("transformer: int8 runs on the CPU only.", "Say `precision: auto`, bf16 or fp16.")
    if name == "fp16" and device.type == "cpu":
        raise PolicyError("transformer: fp16 runs on a GPU only.", "Say `precision: auto`, int8, bf16 or fp32.")
    return name  # type: ignore[return-value]


def load_weights(auto: Any, path: Path, name: str, dtype: torch.dtype = torch.float32) -> torch.nn.Module:
    """Return the model of a directory, made by a class of the transformers library such as `AutoModel`.

    Raises:
        PolicyError: the library does not know the architecture, or the weights lack a part; the message gives `name`.
    """
    try:
        with quiet():
            model, report = auto.from_pretrained(
                path,
                dtype=dtype,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                output_loading_info=True,
            )
    except torch.OutOfMemoryError:
        raise
    except (OSError, ValueError, KeyError, RuntimeError, ImportError):
        raise PolicyError(
            f"model {name}: transformers cannot load it ({auto.__name__}).",
            "Check its architecture and that its weights are complete.",
        ) from None
    missing = [key for key in report["missing_keys"] if not any(part in key for part in _IDLE)]
    if missing or report["mismatched_keys"]:
        raise PolicyError(
            f"model {name}: its weights lack {len(missing)} tensors that the architecture needs, and "
            f"{len(report['mismatched_keys'])} have another shape.",
            "They would be random; fetch or train the model again.",
        )
    return model  # type: ignore[no-any-return]


def _quantized(model: torch.nn.Module) -> torch.nn.Module:
    """Linear layers with 8-bit weights, and activations rounded as they come; the head stays exact."""
    heads = {name: module for name, module in model.named_children() if "classifier" in name}
    with warnings.catch_warnings():
        # Announced for removal since torch 2.10 in favour of torchao; 2.13 still has it, and needs nothing more.
        warnings.simplefilter("ignore")
        smaller = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)  # type: ignore[no-untyped-call]
    for name, module in heads.items():
        setattr(smaller, name, module)
    return smaller  # type: ignore[no-any-return]


# The transformers library kept from speaking on standard error, where the product's own progress is.
@contextmanager
def quiet() -> Iterator[None]:
    """No progress bars and no warnings of the library inside; as before afterwards."""
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
