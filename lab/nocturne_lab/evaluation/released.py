"""Evaluation of a release on a sample: what attacks find in it and what it is worth, as numbers of the ledger.

Each step runs as the worker, opens the originals anew, draws again what was published of them, and takes and returns
counts only. It can be repeated: the same sample gives the same numbers.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from deid import pipeline
from deid.config.settings import settings
from deid.domain.errors import InputRefused, PolicyError
from deid.domain.outcomes import Candidate
from deid.ledger.date_bounds import read_date_bounds
from deid.ledger.models import serving_models
from deid.ledger.steps import Run
from deid.models.directories import intact
from deid.nightly import runtime
from deid.nightly.steps import confidential
from deid.reference import CommuneTable
from deid.release.interval import check_interval_key
from nocturne_lab.evaluation.attacks.membership import LEAST, attack_losses, losses
from nocturne_lab.evaluation.attacks.sampled import attack_sample
from nocturne_lab.evaluation.coding.classical import ClassicalCoder
from nocturne_lab.evaluation.coding.comparison import FEWEST_STAYS, GROUPS, code, compare, written_back
from nocturne_lab.evaluation.coding.scores import loss, micro_f1
from nocturne_lab.evaluation.coding.stays import gather
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.intervals import resampled
from nocturne_lab.evaluation.second_opinion import SecondReader, measure_opinions, read_again
from nocturne_lab.evaluation.utility import Pair, measure
from nocturne_lab.hospital.evaluations import (
    CodedAs,
    Drawn,
    Measured,
    draw_learned,
    draw_sample,
    open_sample,
    published_runs,
    read_codes,
    read_filing,
    record_measures,
)
from nocturne_lab.hospital.model_facts import learned_documents

log = logging.getLogger(__name__)
_BATCH = 50  # documents from one line of progress to the next


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
    found = chain(
        attack_sample(
            sample,
            runtime.policy(),
            settings().key,
            runtime.tables().communes,
            read_filing([one.document.id for one in sample]),
        ),
        attack_models(sample, serving_models(runtime.policy()), size),
        read_published_again(sample),
    )
    return _keep(drawn, run, policy_hash, sample, found)


@confidential
def utility(interval_key: str, size: int, run: str) -> dict[str, int]:
    """Measure what the sample is worth and keep it, for the orchestrator's `run`; return documents and measures.

    Raises:
        InputRefused, PolicyError, WarehouseUnreachable, WarehouseError: see `choose`.
    """
    drawn, policy_hash = _sample(interval_key, size)
    sample = republish(drawn)
    told = read_codes([one.document.id for one in sample])
    found = chain(measure_sample(sample, runtime.tables().communes), measure_coding(sample, told))
    return _keep(drawn, run, policy_hash, sample, found)


def republish(drawn: Sequence[Drawn]) -> list[Candidate]:
    """Return the sample's originals with what was published of them, drawn again.

    Raises:
        WarehouseUnreachable, WarehouseError: the source or the ledger could not be read.
    """
    substitutor, limits = runtime.substitutor(), settings().limits()
    found: list[Candidate] = []
    for start in range(0, len(drawn), _BATCH):
        batch = drawn[start : start + _BATCH]
        detected = [one for one in open_sample(batch) if one.document.patient.key]
        dated = read_date_bounds([one.document for one in detected])
        detected = [replace(one, document=document) for one, document in zip(detected, dated, strict=True)]
        outcomes = pipeline.substitute(detected, substitutor, limits=limits)
        found += [one for one in outcomes if isinstance(one, Candidate)]
        log.info("%d of %d documents reopened and drawn again", start + len(batch), len(drawn))
    return found


def attack_models(sample: Sequence[Candidate], serving: Mapping[str, str], size: int) -> Iterator[Measured]:
    """Yield what the attack of membership finds in each of the hospital's models, or why it has no figure.

    Members are the published documents that a model learned from, others those of the sample that are neither, nor of a
    patient of one. Both are marked as they were replaced.

    Args:
        sample: originals with what was published of them.
        serving: kind → hash of the models of the registry that serve.
        size: members at most.

    Raises:
        PolicyError: a model is missing or was altered.
        WarehouseUnreachable, WarehouseError: the source or the ledger could not be read.
    """
    if not serving:
        yield _without("no_model")
    for kind, digest in serving.items():
        log.info("attack of membership: %s", kind)
        learned = learned_documents(kind, digest)
        if learned is None:
            yield _without("unrecorded", kind)
            continue
        opened = open_sample(draw_learned(learned, size))
        people = {one.document.patient.key for one in opened}
        others = [one for one in sample if one.document.id not in learned and one.document.patient.key not in people]
        both = ([GoldDocument(one.document, one.mentions, "") for one in some] for some in (opened, others))
        own, rest = (losses(intact(kind, digest), some) for some in both)
        if min(len(own), len(rest)) < LEAST:
            yield _without("few", kind, min(len(own), len(rest)))
            continue
        found = attack_losses(own, rest)
        figures = {"": found.auc, "_advantage": found.advantage, "_chance": found.chance, "_low": found.low}
        for name, figure in figures.items():
            if figure.value is not None:
                yield Measured(f"attack.membership{name}.{kind}", figure.value, figure.low, figure.high, found.members)


def _without(reason: str, kind: str = "", n: int = 0) -> Measured:
    """Return the row that says why there is no figure of membership; its value means nothing."""
    name = f"attack.membership_{reason}"
    return Measured(f"{name}.{kind}" if kind else name, 0.0, None, None, n)


def read_published_again(sample: Sequence[Candidate]) -> Iterator[Measured]:
    """Yield what the hospital's second reader finds in published texts; nothing where none is set.

    Raises:
        SettingsError: its address is none of http, or its model is not named.
    """
    held = settings()
    if held.second_opinion_url is None:
        return
    key = held.second_opinion_key
    reader = SecondReader(held.second_opinion_url, held.second_opinion_model, key.get_secret_value() if key else None)
    yield from measure_opinions(read_again([one.substitution for one in sample], reader))


def measure_sample(sample: Sequence[Candidate], communes: CommuneTable | None = None) -> Iterator[Measured]:
    """Yield what a sample is worth, by `nocturne_lab.evaluation.utility`, with the communes of surrogates."""
    for one in measure([Pair(item.document, item.substitution) for item in sample], communes):
        yield Measured(f"utility.{one.name}", one.value, one.low, one.high, one.n)


def measure_coding(sample: Sequence[Candidate], told: Mapping[str, CodedAs] | None) -> Iterator[Measured]:
    """Yield what published texts lose for ICD-10 coding by the classical coder, or why it has no figure.

    The loss by a group of labels is against published texts with these as written; none where none is replaced.

    Args:
        sample: originals with what was published of them.
        told: stay and codes by document; None if the source tells none.
    """
    if told is None:
        yield Measured("utility.coding_no_codes", 0.0, None, None, 0)
        return
    documents = [(told[one.document.id].stay, one.document) for one in sample if one.document.id in told]
    codes = dict(told.values())
    drawn = {one.document.id: one.substitution for one in sample}
    stays = gather(documents, codes)
    arms = {"original": stays, "published": gather(documents, codes, lambda one: drawn[one.id].text)}
    try:
        if len(stays) < FEWEST_STAYS:
            raise InputRefused("too few stays have codes.", f"Take a sample with {FEWEST_STAYS} of them.")
        found = compare(arms, ClassicalCoder, "category")
    except InputRefused:  # or fewer patients than folds, or all of the same codes
        yield Measured("utility.coding_few", 0.0, None, None, len(stays))
        return
    original, published = found["original"], found["published"]
    weights = resampled(len(stays))
    figures = {
        "original": micro_f1(original.gold, original.found, weights),
        "loss": loss(original.gold, original.found, published.found, weights),
    }
    for group, labels in GROUPS.items():
        own = [(stay, replace(one, text=written_back(one, drawn[one.id], labels))) for stay, one in documents]
        kept = gather(own, codes)
        if kept != arms["published"]:
            log.info("ICD-10 coding with %s as written", group)
            answers = code(kept, ClassicalCoder, "category").found
            figures[f"loss.{group}"] = loss(original.gold, answers, published.found, weights)
    for name, figure in figures.items():
        yield Measured(f"utility.coding_{name}", figure.value, figure.low, figure.high, len(stays))


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
    return (
        same
        and run.key_fingerprint == key
        and run.pipeline_version == runtime.pipeline_version(runtime.pipeline(run.models))
    )


def _drawn_from(versions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the versions of what surrogates are drawn from; `lookup` is for detection alone."""
    return {name: version for name, version in versions.items() if name != "lookup"}
