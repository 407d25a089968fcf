"""Machines and hours that a group of hospitals needs, by the rates of pages of `benchmarks`.

The text stands in docs/evaluation.md through `docs.tables`; a figure that a page no longer writes stops the writing.
"""

from __future__ import annotations

import re
from math import ceil
from typing import NamedTuple

from docs import claims

_HOUR, _DAY = 3_600, 86_400  # seconds
_BYTES = 40_801  # of a document in the schemas `deid`, `identity` and `research`
_MEASURE = (
    "620 documents, fixed pages counted in, so at most: `python -m benchmarks.backfill --documents 600 --ledger 0`, on "
    "29 November 2026"
)


class Load(NamedTuple):
    """A number of documents, how it is written, the unit of its time in seconds, and the deadline in that unit."""

    documents: int
    name: str
    unit: int
    deadline: int
    said: str = ""

    def time(self, per_document: float) -> str:
        """Return the time of all documents, written."""
        time = self.documents * per_document / self.unit
        return f"{time:.1f} h" if self.unit == _HOUR else f"{time:.0f} days"

    def machines(self, per_document: float) -> int:
        """Return the machines that keep the deadline."""
        return ceil(self.documents * per_document / self.unit / self.deadline)


LOADS = (
    Load(900_000, "900,000", _HOUR, 4),
    Load(130_000_000, "130 million", _DAY, 30, " (initial load)"),
)


class Night(NamedTuple):
    """The night that was measured, and how much longer the default policy detects."""

    documents: float
    cores: int
    wall: float
    tasks: float
    detect: float  # seconds of its work
    slower: float  # times that `light` is faster

    @property
    def default_tasks(self) -> float:
        """Seconds of tasks under the default policy."""
        return self.tasks + self.detect * (self.slower - 1)

    @property
    def light(self) -> float:
        """Seconds per document with `light`."""
        return self.wall / self.documents

    @property
    def default(self) -> float:
        """Seconds per document with the default policy: in proportion to its tasks."""
        return self.light * self.default_tasks / self.tasks


def english_machines() -> str:
    """Return what a night took, times and machines by number of documents, stage by stage, and the disk."""
    night = _night()
    return "\n\n".join([_measured(night), _totals(night), _by_stage(night), _stages(night), _spread()])


def _measured(night: Night) -> str:
    length = _step("detect", "characters/s") * _step("detect", "work, s") / night.documents
    return (
        f"[night.md](../benchmarks/night.md), documents of {round(length, -2):,.0f} characters, {night.cores} cores, "
        f"Airflow included: {night.wall:.0f} s ÷ {night.documents / 1000:.3f} = {1000 * night.light:.0f} s per "
        f"thousand with `light`. The default policy detects at {_speed(2):,.0f} characters per second in place of "
        f"{_light_speed():,.0f}: {night.tasks:.0f} s of tasks become {night.default_tasks:.0f} (detection "
        f"{night.detect:.0f} s × {night.slower:.2f}), so {1000 * night.default:.0f} s per thousand. Not measured at "
        f"these sizes; machines of {night.cores} cores:"
    )


def _by_stage(night: Night) -> str:
    return (
        f"Tasks of the same night by stage, {night.cores} at a time (so their sum is more than the {night.wall:.0f} "
        "s); the columns on the right multiply seconds per document:"
    )


def _spread() -> str:
    return (
        f"Two processes against one, detection alone on two cores: {_speed(2):,.0f} characters per second and "
        f"{_speed(1):,.0f}, {_speed(2) / _speed(1):.2f} times ([detection_speed.md](../benchmarks/detection_speed.md))."
        f" In the schemas `deid`, `identity` and `research` a document takes {_BYTES:,} bytes ({_MEASURE}): "
        f"{', '.join(map(_disk, LOADS))}."
    )


def _totals(night: Night) -> str:
    rows = []
    for load in LOADS:
        unit = "hours" if load.unit == _HOUR else "days"
        machines = f"{load.machines(night.light)}; {load.machines(night.default)}"
        rows.append(
            f"| {load.name}{load.said} | {load.time(night.light)} | {load.time(night.default)} | "
            f"within {load.deadline} {unit}: {machines} |"
        )
    head = "| Documents | `light`, one machine | Default, one machine | Machines for a deadline |"
    return "\n".join([head, "|---|---:|---:|---|", *rows])


def _stages(night: Night) -> str:
    rows = []
    for step in ("detect", "substitute", "validate"):
        seconds = _step(step, "task, s")
        times = " | ".join(load.time(seconds / night.documents) for load in LOADS)
        rows.append(f"| {step} | {_minutes(seconds)} | {_step(step, 'peak, MB'):.0f} MB | {times} |")
    rest = _minutes(_step("plan", "task, s") + _step("stage", "task, s"))
    heads = " | ".join(load.name for load in LOADS)
    return "\n".join(
        [
            f"| Stage, {night.documents:,.0f} documents | Minutes | Peak memory of a process | {heads} |",
            "|---|---:|---:|---:|---:|",
            *rows,
            f"| plan, stage | {rest} | – | not by documents | – |",
        ]
    )


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f} ({seconds:.1f} s)"


def _disk(load: Load) -> str:
    size = load.documents * _BYTES
    return f"{size / 1e12:.1f} TB for {load.name}" if size >= 1e12 else f"{size / 1e9:.0f} GB for {load.name}"


def _night() -> Night:
    wall = _said("night.md", r"Wall clock, first task to last: (\d+) s")
    tasks = _said("night.md", r"Airflow and process start: \d+ s of (\d+) s of tasks")
    cores = int(_said("night.md", r"(\d+) cores\."))
    slower = _light_speed() / _speed(2)
    return Night(_step("detect", "documents"), cores, wall, tasks, _step("detect", "work, s"), slower)


def _step(name: str, column: str) -> float:
    return _number(claims.cell(claims.Figure("night.md", "step", name, column)))


def _speed(processes: int) -> float:
    row = "whole detector, 1 process" if processes == 1 else f"whole detector, {processes} processes"
    return _number(claims.cell(claims.Figure("detection_speed.md", "part", row, "characters per second")))


def _light_speed() -> float:
    return _said("detection_speed.md", r"The hybrid of `light\.yaml` did [\d,]+ and ([\d,]+)\.")


def _said(page: str, form: str) -> float:
    """Return a number that a page says in a sentence.

    Raises:
        LookupError: it does not say it, or more than once.
    """
    found = re.findall(form, (claims.BENCHMARKS / page).read_text(encoding="utf-8"))
    if len(found) != 1:
        raise LookupError(f"{len(found)} times {form!r} in {page}")
    return _number(found[0])


def _number(written: str) -> float:
    return float(written.replace(",", ""))
