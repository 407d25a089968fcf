"""The steps of a night, as Airflow and the command line call them: plan, detect, substitute, validate, stage.

Each opens its own connections from `deid.config.settings`, takes and returns ids and counts only, and can be repeated
at any time with the same outcome: what it writes for a batch is one transaction, and what is written is not done
again. A document that cannot go on leaves for quarantine with its reason; the others go on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from deid.config.settings import settings
from deid.detection import Detector
from deid.domain.document import Mention, Substitution, Surrogate
from deid.domain.errors import DocumentRefused, NocturneError, PolicyError, Reason
from deid.domain.labels import Label
from deid.nightly import runtime
from deid.nightly.isolation import detected, judged, note, refused, sealed
from deid.nightly.titles import clean_titles
from deid.quality import Checked, Verdict, batch_results
from deid.quality.waivers import waived
from deid.warehouse import opt_outs
from deid.warehouse.copy import storable
from deid.warehouse.ledger import Run, StepWork, begin, candidates, find_run, finish, mentions, read_run, stage_run
from deid.warehouse.planning import Interval, Request, Versions, plan_run
from deid.warehouse.reading import Opened, opened, staff_of
from deid.warehouse.waivers import waivers_of


@sealed
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
) -> list[dict[str, int]]:
    """Register a run over the documents ingested in [interval_start, interval_end) and return its batches.

    Empty filters take every type and service. `triggered_by` names what asked for the run: the same name finds
    the same run and the same batches. `requested_by` is the account that asked for it by hand, as Airflow names it:
    who may not approve it alone. A dry run is registered with its counts, plans nothing and returns [].

    Raises:
        InputRefused: the interval or the batch size cannot be used.
        ContractBroken: the source's query does not give what it must.
        WarehouseUnreachable, WarehouseError, SettingsError, PolicyError: nothing was registered.
    """
    chosen = runtime.policy()
    keyring = settings().keyring  # a missing secret stops the night here, before anything is registered
    if not dry_run and settings().publisher_dsn is not None:
        opt_outs.apply()  # each night, whatever becomes of the interval; publication does it again
    request = Request(
        Interval(interval_start, interval_end),
        document_types=document_types,
        services=services,
        dry_run=dry_run,
        reason=reason,
        triggered_by=triggered_by,
        requested_by=requested_by,
        batch_size=batch_size,
        versions=Versions(
            policy_hash=chosen.digest,
            pipeline_version=runtime.pipeline_version(),
            detector_version=runtime.detector().version,
            key_version=keyring.current.version,
            key_fingerprint=keyring.current.fingerprint,
            reference_versions=runtime.reference_versions(),
            policy=chosen.content,
        ),
    )
    return [batch.as_dict() for batch in plan_run(request)]


def run_of(triggered_by: str) -> int:
    """Id of the run that `plan` registered for a trigger: a night of withdrawals alone has a run and no batch.

    Raises:
        InputRefused: nothing was planned for it, or it was a dry run.
    """
    return find_run(triggered_by)


@sealed
def detect(run_id: int, batch_id: int) -> dict[str, Any]:
    """Find the mentions of a batch's documents and store their offsets; return the batch's documents by state.

    Raises:
        PolicyError: policy, detector or key are no longer those that the run was planned with.
        WarehouseUnreachable, WarehouseError: nothing was written.
    """
    work = begin(_run(run_id), batch_id, "detect", before="planned")
    runtime.use_lookup()
    detector = runtime.detector(staff_of(work.run.source))
    read, everything_read = [], list(opened(work))
    opposed = opt_outs.opposed_among({item.content.patient_id for item in everything_read})
    waivers = waivers_of(run_id, work.waiting)
    for item in everything_read:
        waiver = waivers.get(item.waiting.document_id)
        if item.content.patient_id in opposed:
            work.leave(item.waiting, "withdrawn", patient_id=item.content.patient_id)
        elif waiver is not None and waiver.lets_be_searched:
            read.append(item)
        elif (reason := refused(detector, item.document)) is not None:
            work.refuse(item.waiting, reason)
        else:
            read.append(item)
    clean = _clean_titles(detector, read)
    everything = detected(detector, [item.document for item in read])
    for item, found in zip(read, everything, strict=True):
        if found is None:
            work.refuse(item.waiting, Reason.DETECTION_FAILED)
        else:
            _keep_mentions(work, item, found, title_clean=item.waiting.document_id in clean)
    return finish(work)


@sealed
def substitute(run_id: int, batch_id: int) -> dict[str, Any]:
    """Draw surrogates for the mentions of a batch and store candidate texts; return the documents by state.

    Raises:
        PolicyError: policy, detector or key are no longer those that the run was planned with.
        SettingsError: the secret is missing.
        WarehouseUnreachable, WarehouseError: nothing was written.
    """
    work = begin(_run(run_id), batch_id, "substitute", before="detected")
    substitutor, references = runtime.substitutor(), runtime.reference_versions()
    found = mentions(run_id, [waiting.document_id for waiting in work.waiting])
    for item in opened(work):
        try:
            done = substitutor.substitute(item.document, found.get(item.waiting.document_id, ()))
            markup = _markup(item, done)
        except DocumentRefused as refused:
            work.refuse(item.waiting, refused.reason)
        except (NocturneError, MemoryError):
            raise
        except Exception as error:
            note("substitute", item.waiting.document_id, error)
            work.refuse(item.waiting, Reason.SUBSTITUTION_FAILED)
        else:
            _keep_candidate(work, item, done, markup, references)
    return finish(work)


@sealed
def validate(run_id: int, batch_id: int) -> dict[str, Any]:
    """Check the candidates of a batch against their sources; return the documents by state.

    Raises:
        PolicyError: policy, detector or key are no longer those that the run was planned with.
        WarehouseUnreachable, WarehouseError: nothing was written.
    """
    work = begin(_run(run_id), batch_id, "validate", before="substituted")
    document_ids = [waiting.document_id for waiting in work.waiting]
    found, drawn = mentions(run_id, document_ids), candidates(run_id, document_ids)
    read = {item.waiting.document_id: item for item in opened(work)}
    checked = []
    for document_id, item in read.items():
        text, markup, surrogates, spans, reference_date = drawn[document_id]
        substitution = _rebuilt(text, surrogates, spans, reference_date)
        checked.append(Checked(item.document, found.get(document_id, ()), substitution, markup))
    waivers = waivers_of(run_id, work.waiting)
    verdicts = [waived(verdict, waivers.get(verdict.document_id)) for verdict in judged(checked)]
    for verdict in verdicts:
        item = read[verdict.document_id]
        state = "quarantined" if verdict.reason else "validated"
        work.leave(item.waiting, state, reason=verdict.reason, characters=len(item.source.text))
    for document_id in set(read) - {verdict.document_id for verdict in verdicts}:
        work.refuse(read[document_id].waiting, Reason.INCONSISTENT)
    _keep_verdicts(work, verdicts)
    return finish(work)


@sealed
def stage(run_id: int) -> dict[str, Any]:
    """Close a run whose batches are all validated: what passed is staged for its interval to be published.

    Returns interval_key, run_id, seen, planned, staged, quarantined, withdrawn and staged_digest, the digest
    of all that publication would change.

    Documents that would take a patient past the policy's `max_epsilon_per_patient` leave for quarantine here, where all
    of the run's are known: which ones must not depend on what batch was fastest.

    Raises:
        PolicyError: the run is open, and policy, detector or key are no longer those that it was planned with.
        ReleaseRefused: some documents have not gone through every step.
        WarehouseUnreachable, WarehouseError: nothing was written.
    """
    run = read_run(run_id)
    if run.state == "planned":
        run = _run(run_id)
    return stage_run(run, runtime.policy().substitution.max_epsilon_per_patient)


def _run(run_id: int) -> Run:
    """The run, provided this process has the pipeline that it was planned with."""
    run = read_run(run_id)
    key = settings().keyring.current
    if run.pipeline_version != runtime.pipeline_version() or run.key_fingerprint != key.fingerprint:
        raise PolicyError(
            f"run {run_id} was planned with another version, policy, detector or key than this process has.",
            "Plan a new run, or bring back what the run was planned with.",
        )
    return run


def _clean_titles(detector: Detector, read: Sequence[Opened]) -> set[str]:
    """Documents whose title may be published; none if that cannot be told."""
    titles = [(item.waiting.document_id, item.content.title, item.content.patient) for item in read]
    try:
        return clean_titles(detector, titles)
    except (NocturneError, MemoryError):
        raise
    except Exception as error:
        note("detect", "titles", error)
        return set()


def _keep_mentions(work: StepWork, item: Opened, found: Sequence[Mention], *, title_clean: bool) -> None:
    document_id = item.waiting.document_id
    for ordinal, mention in enumerate(found):
        votes = [[vote.annotator, vote.label, vote.score] for vote in mention.votes]
        span = (mention.start, mention.end, mention.label, mention.subtype)
        work.add("mention", (document_id, ordinal, *span, mention.score, votes))
    work.leave(
        item.waiting,
        "detected",
        patient_id=item.content.patient_id,
        loinc_code=item.content.loinc_code,
        characters=len(item.source.text),
        title_clean=title_clean,
    )


def _markup(item: Opened, done: Substitution) -> str | None:
    """The rewritten page; None where the source is plain text, which the candidate text already is."""
    if (item.content.format or "").startswith("text/plain"):
        return None
    return item.source.rewrite([(s.mention.start, s.mention.end, s.text) for s in done.surrogates])


def _keep_candidate(
    work: StepWork, item: Opened, done: Substitution, markup: str | None, references: Mapping[str, str]
) -> None:
    title = item.content.title if item.waiting.title_clean else None
    if not all(storable(text) for text in (title or "", done.text, markup or "")):
        work.refuse(item.waiting, Reason.SUBSTITUTION_FAILED)
        return
    surrogates = [
        [s.mention.start, s.mention.end, s.mention.label, s.mention.subtype, s.mention.score, s.strategy, s.parsed]
        for s in done.surrogates
    ]
    spans = [[start, end, s.mention.label] for (start, end), s in zip(done.spans, done.surrogates, strict=True)]
    ids = (item.waiting.document_id, item.content.patient_id)
    texts = (title, done.text, markup)
    work.add(
        "candidate",
        (*ids, item.content.stay_id, *texts, spans, surrogates, done.reference_date, dict(references)),
    )
    for spend in done.spends:
        work.add("budget", (*ids, spend.category, spend.mechanism, spend.epsilon, spend.elements))
    work.leave(
        item.waiting,
        "substituted",
        characters=len(item.source.text),
        durations=done.durations.seen,
        durations_lost=done.durations.inconsistent,
    )


def _rebuilt(text: str, surrogates: Any, spans: Any, reference_date: Any) -> Substitution:
    """What `_keep_candidate` stored, as substitution returned it."""
    drawn = tuple(
        Surrogate(Mention(start, end, Label(label), score, subtype), text[place[0] : place[1]], strategy, parsed)
        for (start, end, label, subtype, score, strategy, parsed), place in zip(surrogates, spans, strict=True)
    )
    return Substitution(text, drawn, tuple((start, end) for start, end, _ in spans), (), reference_date)


def _keep_verdicts(work: StepWork, verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        for outcome in verdict.outcomes:
            numbers = (outcome.success, outcome.observed, outcome.waived)
            work.add("verdict", (verdict.document_id, outcome.check, outcome.severity, *numbers))
    for result in batch_results(verdicts) if verdicts else ():
        counts = (result.element_count, result.unexpected_count, result.observed)
        work.add("check_result", (result.suite, result.rule, result.severity, result.success, *counts))
