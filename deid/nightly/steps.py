"""The steps of a night, as Airflow and the command line call them: plan, detect, substitute, validate, stage.

Each opens its own connections from `deid.config.settings`, takes and returns ids and counts only, and can be repeated
at any time with the same outcome: the rows of a batch are one transaction, and a written batch is not written again.
A refused document goes to quarantine with its reason; the others of its batch go on (`deid.pipeline`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import wraps
from socket import gethostname
from typing import Any, ParamSpec, TypeVar

from deid import pipeline
from deid.config.policy import SubstitutionPolicy
from deid.config.settings import settings
from deid.domain import PARIS
from deid.domain.errors import ContractBroken, NocturneError, PolicyError, Reason
from deid.domain.outcomes import AgreementKind, Opened, Refused
from deid.domain.unforeseen import foreseen, kind_and_place
from deid.ledger import batches, opt_outs, pseudonyms, signatures
from deid.ledger.batches import read_waivers
from deid.ledger.date_bounds import keep_date_bounds
from deid.ledger.planning import Interval, Request, Versions, plan_run
from deid.ledger.steps import BatchStep, Run, begin, find_run, finish, read_run, stage_run
from deid.nightly import runtime
from deid.nightly.code import code_digest
from deid.quality.identity import known_identity
from deid.source.contract import Source
from deid.source.contract_check import check_source

log = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")


def confidential(step: Callable[P, R]) -> Callable[P, R]:
    """Decorate a step: an unforeseen error gives its kind and place only, since its message may quote a document."""

    @wraps(step)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return step(*args, **kwargs)
        except Exception as error:
            if ours := foreseen(error):
                raise ours from None
            what = kind_and_place(error)
        raise NocturneError(f"{step.__name__} failed: {what}.", "Nothing was written; please report it with this line.")

    return run


@confidential
def plan(
    *,
    interval_start: datetime,
    interval_end: datetime,
    document_types: Sequence[str] = (),
    services: Sequence[str] = (),
    dry_run: bool = False,
    reason: str = "",
    triggered_by: str,
    requested_by: str = "",
    batch_size: int = 500,
    most_batches: int | None = None,
    dag_version: str = "",
    refuse_held: bool = False,
) -> list[dict[str, int]]:
    """Register a run over the documents ingested in [interval_start, interval_end) and return its batches.

    Empty filters take every type and service. `triggered_by` names what asked for the run: the same name finds
    the same run and the same batches. `requested_by` is the account that asked for it by hand, as Airflow names it:
    who may not approve it alone; `dag_version` is Airflow's id of the version of its DAG. Batches are larger than
    `batch_size` where there would be more than `most_batches`. With `refuse_held`, a run that takes nothing, because
    others hold the documents, is refused. A dry run checks the source contract on a sample of the interval, is
    registered with its counts, plans nothing and returns [].

    Raises:
        InputRefused: the interval or the batch size cannot be used, or the interval has too many documents.
        RunAlive: other runs hold all documents, and `refuse_held`; nothing was registered.
        ContractBroken: the source's query does not give what it must.
        WarehouseUnreachable, WarehouseError, SettingsError, PolicyError: nothing was registered.
    """
    chosen = runtime.pipeline()
    if dry_run:
        _check_source(interval_start, interval_end)
    keyring = settings().keyring  # a missing secret stops the night here, before anything is registered
    pseudonyms.adopt()
    if not dry_run and settings().publisher_dsn is not None:
        opt_outs.apply_opt_outs()  # each night, whatever becomes of the interval; publication does it again
    request = Request(
        Interval(interval_start, interval_end),
        document_types=document_types,
        services=services,
        dry_run=dry_run,
        reason=reason,
        triggered_by=triggered_by,
        requested_by=requested_by,
        batch_size=batch_size,
        most_batches=most_batches,
        dag_version=dag_version,
        refuse_held=refuse_held,
        patients=chosen.policy.patients,
        versions=Versions(
            policy_hash=chosen.digest,
            pipeline_version=runtime.pipeline_version(chosen),
            detector_version=runtime.detector_version(chosen),
            key_version=keyring.current.version,
            key_fingerprint=keyring.current.fingerprint,
            reference_versions=runtime.reference_versions(),
            policy=chosen.policy.content,
            models=dict(chosen.models),
            code_digest=code_digest(),
        ),
    )
    planned = plan_run(request)
    if not dry_run:
        signatures.sign_trail("worker")
    return [batch.as_dict() for batch in planned]


def _check_source(start: datetime, end: datetime) -> None:
    report = check_source(Source(settings().source), start, end)
    for finding in report.findings:
        level = logging.ERROR if finding.error else logging.WARNING
        log.log(
            level,
            "source %s, %s: %s (%d of %d rows). %s",
            report.source,
            finding.step,
            finding.kind,
            finding.rows,
            finding.sample,
            finding.detail,
        )
    if errors := report.errors:
        first, last = (moment.astimezone(PARIS).date() for moment in (start, end - timedelta(microseconds=1)))
        raise ContractBroken(
            f"source {report.source}: {', '.join(dict.fromkeys(f'{one.step} {one.kind}' for one in errors))}.",
            f"`python -m deid source check --from {first} --to {last}` tells each with its remedy.",
        )


def run_of(triggered_by: str) -> int:
    """Id of the run that `plan` registered for a trigger: a night of withdrawals alone has a run and no batch.

    Raises:
        InputRefused: nothing was planned for it, or it was a dry run.
    """
    return find_run(triggered_by)


@confidential
def detect(run_id: int, batch_id: int, *, isolated: bool = False) -> dict[str, Any]:
    """Find the mentions of a batch's documents and store their offsets; return the batch's documents by state.

    `isolated` processes the batch in a process of its own, after an attempt that ended its process.

    Raises:
        PolicyError: policy, detector, contract or key are no longer those that the run was planned with.
    """
    run, made_by = _current_run(run_id)
    step = begin(run, batch_id, "detect", before="planned")
    runtime.use_current_lookup()
    detector = runtime.detector(batches.read_staff(run.source), made_by)
    limits = settings().limits(isolated=isolated)
    opened = _identified(step, _without_opt_outs(step, batches.open_batch(step, limits)))
    admitted = {waiver.document_id for waiver in read_waivers(step).values() if waiver.lets_be_searched}
    detected = pipeline.detect(opened, detector, admitted=admitted, limits=limits)
    batches.keep_detected(step, opened, batches.with_marks(step, detected))
    return finish(step)


@confidential
def substitute(run_id: int, batch_id: int, *, isolated: bool = False) -> dict[str, Any]:
    """Draw surrogates for the mentions of a batch and store candidate texts; return the documents by state.

    `isolated`: see `detect`.

    Raises:
        PolicyError: policy, detector, contract or key are no longer those that the run was planned with.
        SettingsError: the secret is missing.
    """
    run, made_by = _current_run(run_id)
    step = begin(run, batch_id, "substitute", before="detected")
    substitutor, reference_versions = runtime.substitutor(made_by), runtime.reference_versions()
    limits = settings().limits(isolated=isolated)
    policy = made_by.policy
    publication, times = policy.publication, policy.substitution.times.strategy
    written = publication.files == "rewritten"
    detected = batches.read_detected(step, batches.open_batch(step, limits, written=written, times=times))
    if policy.substitution.dates.strategy == "episodes":
        dated = keep_date_bounds([item.document for item in detected], policy.release.visible)
        detected = [replace(item, document=document) for item, document in zip(detected, dated, strict=True)]
    drawn = pipeline.substitute(detected, substitutor, limits=limits)
    batches.keep_candidates(step, drawn, reference_versions, publication)
    return finish(step)


@confidential
def validate(run_id: int, batch_id: int, *, isolated: bool = False) -> dict[str, Any]:
    """Check the candidates of a batch against their sources; return the documents by state.

    `isolated`: see `detect`.

    Raises:
        PolicyError: policy, detector, contract or key are no longer those that the run was planned with.
    """
    run, made_by = _current_run(run_id)
    step = begin(run, batch_id, "validate", before="substituted")
    limits = settings().limits(isolated=isolated)
    candidates = batches.read_candidates(step, batches.open_batch(step, limits))
    policy = made_by.policy
    outcomes = pipeline.check(
        candidates, read_waivers(step), quality=policy.quality, hiding=policy.substitution.hiding, limits=limits
    )
    batches.keep_verdicts(step, candidates, outcomes)
    return finish(step)


@confidential
def stage(run_id: int) -> dict[str, Any]:
    """Close a run whose batches are all validated: what passed is staged for its interval to be published.

    Returns interval_key, run_id, seen, planned, staged, quarantined, withdrawn and staged_digest, the digest
    of all that publication would change.

    Documents that would take a patient past the policy's `max_epsilon_per_patient` leave for quarantine here, where all
    of the run's are known: which ones must not depend on what batch was fastest. So do those that disagree with the
    patient's other documents, if the policy holds them.

    Raises:
        PolicyError: the run is open, and policy, detector, contract or key are no longer those that it was planned
            with.
        ReleaseRefused: some documents have not gone through every step.
    """
    run = read_run(run_id)
    if run.state == "planned":
        run, _ = _current_run(run_id)
    policy = runtime.policy()
    return stage_run(
        run,
        policy.substitution.max_epsilon_per_patient,
        compared=_compared(policy.substitution),
        hold_disagreeing=policy.quality.patient_disagreement == "hold",
    )


def _compared(policy: SubstitutionPolicy) -> Collection[AgreementKind]:
    """Kinds in which a patient's documents are to agree: none if each draws by itself, no names where they change."""
    if policy.scope == "document":
        return ()
    names = {AgreementKind.FIRST_NAME, AgreementKind.SURNAME}
    return [kind for kind in AgreementKind if policy.repeated_names == "consistent" or kind not in names]


def _current_run(run_id: int) -> tuple[Run, runtime.Pipeline]:
    """Return the run and its pipeline, provided this process has that and the source's contract.

    A model promoted since is for later runs: this one keeps those that it began with.
    """
    run = read_run(run_id)
    made_by, key = runtime.pipeline(run.models), settings().keyring.current
    planned = f"{run.pipeline_version} {run.key_fingerprint}"
    here = f"{runtime.pipeline_version(made_by)} {key.fingerprint}"
    machine = gethostname()
    if planned != here:
        raise PolicyError(
            f"run {run_id} was planned with another version, policy, detector or key than this process has: "
            f"{planned}, on {machine} {here}.",
            "Plan a new run, or bring back what the run was planned with, on every worker.",
        )
    if run.code_digest not in ("", code_digest()):
        raise PolicyError(
            f"run {run_id} was planned by other code than this process has, under one version: "
            f"{run.code_digest[:16]}, on {machine} {code_digest()[:16]}.",
            "Install the same code on every worker, then clear the task; or plan a new run.",
        )
    if run.source_digest not in ("", Source(run.source).digest):
        raise PolicyError(
            f"run {run_id} was planned with another contract of the source {run.source} than this process has.",
            "Plan a new run, or bring back the queries that the run was planned with, on every worker.",
        )
    return run, made_by


def _identified(step: BatchStep, opened: Sequence[Opened]) -> list[Opened]:
    """Return the documents whose patient has an identity to search for; the policy says whether the others go on."""
    if runtime.policy().quality.unknown_identity == "warn":
        return list(opened)
    unknown = {item.document.id for item in opened if known_identity(item.document.patient).fields == 0}
    for document_id in unknown:
        step.refuse(Refused(document_id, (Reason.NO_PATIENT,)))
    return [item for item in opened if item.document.id not in unknown]


def _without_opt_outs(step: BatchStep, opened: Sequence[Opened]) -> list[Opened]:
    """Return the documents of patients without an opt-out; the others leave as withdrawn."""
    patients = {item.document.id: step.contents[item.document.id].patient_id for item in opened}
    opposed = opt_outs.find_opted_out(set(patients.values()))
    for document_id, patient_id in patients.items():
        if patient_id in opposed:
            step.leave(document_id, "withdrawn", patient_id=patient_id)
    return [item for item in opened if patients[item.document.id] not in opposed]
