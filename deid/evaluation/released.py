"""Evaluation of a release on a sample: what attacks find in it and what it is worth, as numbers of the ledger.

Each step runs as the worker, opens the originals anew, draws again what was published of them, and takes and returns
counts only. It can be repeated: the same sample gives the same numbers.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from deid import pipeline
from deid.config.settings import settings
from deid.domain.errors import InputRefused, PolicyError
from deid.domain.outcomes import Candidate
from deid.evaluation.attacks.sampled import attack_sample
from deid.evaluation.utility import Pair, measure
from deid.nightly import runtime
from deid.nightly.steps import confidential
from deid.reference import CommuneTable
from deid.release.interval import check_interval_key
from deid.warehouse.evaluations import Drawn, Measured, draw_sample, open_sample, published_runs, record_measures
from deid.warehouse.ledger import Run

log = logging.getLogger(__name__)


@confidential
def choose(interval_key: str, size: int) -> dict[str, int]:
    """Draw the sample of an interval's release, and count it: documents, and runs left out as of another version.

    Raises:
        InputRefused: malformed interval key, or nothing of the interval is published.
        PolicyError: it was published with another pipeline, secret or references than are in force.
        WarehouseUnreachable, WarehouseError: the ledger could not be read.
    """
    runs, others = _runs(interval_key)
    return {"documents": len(_drawn(interval_key, size, runs)), "runs": len(runs), "runs_left_out": others}


@confidential
def attack(interval_key: str, size: int, run: str) -> dict[str, int]:
    """Attack the sample and keep what was found, for the orchestrator's `run`; return documents and measures.

    Raises:
        InputRefused, PolicyError, WarehouseUnreachable, WarehouseError: see `choose`.
    """
    drawn, policy_hash = _sample(interval_key, size)
    sample = republish(drawn)
    found = attack_sample(sample, runtime.policy(), settings().key)
    return _keep(drawn, run, policy_hash, sample, found)


@confidential
def utility(interval_key: str, size: int, run: str) -> dict[str, int]:
    """Measure what the sample is worth and keep it, for the orchestrator's `run`; return documents and measures.

    Raises:
        InputRefused, PolicyError, WarehouseUnreachable, WarehouseError: see `choose`.
    """
    drawn, policy_hash = _sample(interval_key, size)
    sample = republish(drawn)
    return _keep(drawn, run, policy_hash, sample, measure_sample(sample, runtime.current_communes()))


def republish(drawn: Sequence[Drawn]) -> list[Candidate]:
    """Return the sample's originals with what was published of them, drawn again.

    Raises:
        WarehouseUnreachable, WarehouseError: the source or the ledger could not be read.
    """
    detected = [one for one in open_sample(drawn) if one.document.patient.key]
    found = pipeline.substitute(detected, runtime.substitutor(), limits=settings().limits())
    return [one for one in found if isinstance(one, Candidate)]


def measure_sample(sample: Sequence[Candidate], communes: CommuneTable | None = None) -> Iterator[Measured]:
    """Yield what a sample is worth, by `deid.evaluation.utility`, with the communes that surrogates are drawn from."""
    for one in measure([Pair(item.document, item.substitution) for item in sample], communes):
        yield Measured(f"utility.{one.name}", one.value, one.low, one.high, one.n)


def _keep(
    drawn: Sequence[Drawn], run: str, policy_hash: str, sample: Sequence[Candidate], found: Iterable[Measured]
) -> dict[str, int]:
    measures = []
    for one in found:
        log.info("%s of %d: %.3f", one.measure, one.n, one.value)
        measures.append(one)
    release = max(one.release_id for one in drawn)
    return {"documents": len(sample), "measures": record_measures(release, run, policy_hash, measures)}


def _sample(interval_key: str, size: int) -> tuple[list[Drawn], str]:
    runs, _ = _runs(interval_key)
    return _drawn(interval_key, size, runs), runs[-1].policy_hash


def _drawn(interval_key: str, size: int, runs: Sequence[Run]) -> list[Drawn]:
    return draw_sample(interval_key, [one.run_id for one in runs], size)


def _runs(interval_key: str) -> tuple[list[Run], int]:
    """Return the runs whose documents would be drawn the same today, and the number of the others."""
    check_interval_key(interval_key)
    found = published_runs(interval_key)
    if not found:
        raise InputRefused(f"nothing of {interval_key} is published.", "Evaluate it once release_dataset has ended.")
    current = [run for run, versions in found if _is_current(run, versions)]
    if not current:
        raise PolicyError(
            f"{interval_key} was published with another version, policy, secret or references than are in force.",
            "What was published cannot be drawn again: evaluate a later release, or process this one again.",
        )
    return current, len(found) - len(current)


def _is_current(run: Run, versions: Mapping[str, Any]) -> bool:
    same = _drawn_from(versions) == _drawn_from(runtime.reference_versions())
    key = settings().keyring.current.fingerprint
    return same and run.key_fingerprint == key and run.pipeline_version == runtime.pipeline_version(run.models)


def _drawn_from(versions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the versions of what surrogates are drawn from; `lookup` is for detection alone."""
    return {name: version for name, version in versions.items() if name != "lookup"}
