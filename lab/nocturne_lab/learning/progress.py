"""Progress of trainings and of rounds of annotation, written for the stewards' pages (`deid.models.progress`).

A file that cannot be written is logged, and stops nothing.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from deid.domain.writing import replacing
from deid.models.progress import Subject, folder, read_file

_NO_EPOCH: Mapping[str, Any] = {"stage": "", "epoch": 0, "epochs": 0, "loss": None, "f1": None}
_followed: ContextVar[str] = ContextVar("followed", default="")  # the training that this process does

log = logging.getLogger(__name__)


def note(subject: Subject, name: str, **changes: Any) -> None:
    """Add what changed to what is known of a training or a round, with the time as `told` (ISO).

    Args:
        subject: what it is.
        name: its name, of letters, digits, - and _.
        changes: numbers, times, names of annotators and models; never a text.
    """
    path = folder(subject) / f"{name}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as written:
            told = json.dumps({**read_file(path), "name": name, **changes, "told": _now()})
            written.write_text(told, encoding="utf-8")
            written.chmod(0o644)  # a training writes its other files for its owner alone; other accounts serve pages
    except OSError as error:
        log.warning("the progress of %s is not shown: %s", name, error.strerror)


@contextmanager
def followed(name: str, step: str, **known: Any) -> Iterator[None]:
    """Note that a step of a training begins, and how it ends: `state` running, then done or failed."""
    note("trainings", name, step=step, state="running", since=_now(), **_NO_EPOCH, **known)
    before = _followed.set(name)
    try:
        yield
    except BaseException:
        note("trainings", name, state="failed")
        raise
    finally:
        _followed.reset(before)
    note("trainings", name, state="done")


def tell_epoch(stage: str, epoch: int, epochs: int, loss: float, f1: float | None = None) -> None:
    """Note that an epoch of `epochs` ended, counted from 1, in the training that this process follows, if any.

    Args:
        stage: what is trained; empty where it is the whole model.
        epoch: the number of the epoch.
        epochs: of the stage.
        loss: of the last batch, or on the documents held out.
        f1: on the documents held out; None without any.
    """
    if name := _followed.get():
        numbers = {"loss": round(loss, 4), "f1": None if f1 is None else round(f1, 4)}
        note("trainings", name, state="running", stage=stage, epoch=epoch, epochs=epochs, **numbers)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
