"""Keep a failure where it happened: one document out of its batch, and no text of a document out of a step."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from deid.detection import Detector
from deid.domain.document import Document, Mention
from deid.domain.errors import DocumentRefused, NocturneError, Reason
from deid.quality import Checked, Verdict, measure, validate_batch

log = logging.getLogger(__name__)

Found = tuple[Mention, ...] | None  # None: detection could not bear the document


P = ParamSpec("P")
R = TypeVar("R")


def sealed(step: Callable[P, R]) -> Callable[P, R]:
    """A step whose unexpected errors say their kind and place in the code; their messages may quote a document."""

    @wraps(step)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return step(*args, **kwargs)
        except (NocturneError, MemoryError):
            raise
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}"
        raise NocturneError(f"{step.__name__} failed: {what}.", "Nothing was written; please report it with this line.")

    return run


def detected(detector: Detector, documents: Sequence[Document]) -> list[Found]:
    """Mentions of each document, in order. If the batch fails, each is tried alone to set the culprits apart."""
    found = _attempt(detector, documents)
    if found is not None:
        return list(found)
    sound = [document for document in documents if _attempt(detector, [document]) is not None]
    again = {document.id: mentions for document, mentions in zip(sound, detector.detect(sound), strict=True)}
    return [again.get(document.id) for document in documents]


def refused(detector: Detector, document: Document) -> Reason | None:
    """Why a document goes to quarantine before it is searched; None if it may be searched."""
    try:
        return detector.refusal(document)
    except (NocturneError, MemoryError):
        raise
    except Exception as error:
        note("detect", document.id, error)
        return Reason.DETECTION_FAILED


def _attempt(detector: Detector, documents: Sequence[Document]) -> list[tuple[Mention, ...]] | None:
    try:
        return detector.detect(documents)
    except DocumentRefused:
        return None
    except (NocturneError, MemoryError):
        raise
    except Exception as error:
        note("detect", documents[0].id if len(documents) == 1 else "batch", error)
        return None


def judged(checked: Sequence[Checked]) -> list[Verdict]:
    """A verdict per document; none for one that cannot even be measured."""
    if not checked:
        return []
    try:
        return validate_batch(checked)
    except (NocturneError, MemoryError):
        raise
    except Exception as error:
        note("validate", "batch", error)
    sound = [item for item in checked if _measurable(item)]
    return validate_batch(sound) if sound else []


def _measurable(checked: Checked) -> bool:
    try:
        measure(checked)
    except Exception as error:
        note("validate", checked.document.id, error)
        return False
    return True


def note(step: str, what: str, error: Exception) -> None:
    """Log the kind of error only: its message may quote the document."""
    log.warning("%s: %s: %s", step, what, type(error).__name__)
