"""Unforeseen errors in the work on a document: logged by their kind alone, since a message may quote the document."""

from __future__ import annotations

from collections.abc import Callable
from logging import Logger
from typing import TypeVar

from deid.domain.errors import NocturneError

T = TypeVar("T")
U = TypeVar("U")


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
