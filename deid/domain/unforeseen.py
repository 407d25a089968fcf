"""Unforeseen errors: told by their kind, and their place, since a message may quote a document."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from errno import EDQUOT, ENOSPC
from logging import Logger
from pathlib import Path
from socket import gethostname
from typing import TypeVar

from deid.domain.errors import DiskFull, NocturneError, SettingsError

T = TypeVar("T")
U = TypeVar("U")


def foreseen(error: Exception) -> NocturneError | None:
    """Return an error as one of ours: itself, a full disk, a laboratory that is not installed; None for any other."""
    if isinstance(error, OSError) and error.errno in (ENOSPC, EDQUOT):
        machine = gethostname()
        return DiskFull(
            f"a disk of {machine} has no room left.",
            "Free some in NOCTURNE_HOME, the lookup folder, /tmp and the folder of the result (python -m deid doctor).",
        )
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == "nocturne_lab":
        return lab_missing()
    return error if isinstance(error, NocturneError) else None


def lab_missing() -> SettingsError:
    """Return the error of whoever asks for training, annotation or evaluation where nocturne-lab is not installed."""
    return SettingsError(
        "this is a part of nocturne-lab, which is not installed here.",
        "Install it, of the same version (`pip install ./lab` in a checkout), or use the image built with it "
        "(docs/operators.md, “The laboratory”).",
    )


def kind_and_place(error: BaseException) -> str:
    """Return the kind of an error, then the file and line that raised it: "KeyError at steps.py:41"."""
    frames = traceback.extract_tb(error.__traceback__)
    lacks = f" of {error.name}" if isinstance(error, ImportError) and error.name else ""
    return f"{type(error).__name__}{lacks} at {Path(frames[-1].filename).name}:{frames[-1].lineno}"


def attempt(log: Logger, step: str, what: str, function: Callable[[], T], *, otherwise: U) -> T | U:
    """Return `function()`, or `otherwise` where it fails by an unforeseen error; `what` is an id, or names a batch.

    Raises:
        NocturneError, MemoryError: the function raised it.
    """
    try:
        return function()
    except (NocturneError, MemoryError):
        raise
    except Exception as error:
        log_failure(log, step, what, error)
        return otherwise


def log_failure(log: Logger, step: str, what: str, error: Exception) -> None:
    """Log that a step failed on a document, and the kind of error."""
    log.warning("%s failed on %s: %s", step, what, type(error).__name__)
