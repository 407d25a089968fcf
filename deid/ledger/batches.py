"""Rows of a batch: what each step reads from the source and the ledger, and what it writes there.

Each row format (mentions, candidates, verdicts) is read and written here, as the outcomes of `deid.domain.outcomes`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from deid.config.policy import Publication
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import execute
from deid.detection.lookup.staff import Staff
from deid.domain.document import Mention, Substitution, Surrogate
from deid.domain.errors import Reason
from deid.domain.labels import Label
from deid.domain.limits import Limits
from deid.domain.outcomes import Candidate, Detected, Opened, Refused, Verdict
from deid.formats import described, with_told
from deid.formats.fields import TimesLeft
from deid.ledger.identity import Translator
from deid.ledger.pseudonyms import Kind, pseudonym_row
from deid.ledger.steps import BatchStep, read_mentions
from deid.privacy.stream import keyed_digest
from deid.quality import batch_results
from deid.quality.reasons import Waiver, admissible
from deid.source.contract import Source, open_source
from deid.source.extraction import fetch, open_contents, read_contents, read_staff_rows
from deid.source.rows import Content


def open_batch(step: BatchStep, limits: Limits, *, written: bool = False, times: TimesLeft = "keep") -> list[Opened]:
    """Return the waiting documents that can be read within `limits`; the others are settled: deleted, corrected or
    refused. With `written`, files can be written again.

    Raises:
        ContractBroken: the source's query lacks a column of the contract.
        WarehouseUnreachable: the source, or a root of its files, does not answer.
        SettingsError: nothing installed reads a root of that kind.
        PolicyError: the rules of the source's files cannot be read.
    """
    source_ids = list(Translator().to_source("document", list(step.waiting)).values())
    source = Source(step.run.source)
    with open_source(f"nocturne {step.name}") as warehouse:
        contents = read_contents(warehouse, source, source_ids) if source_ids else {}
    found = {content.document_id: content for content in Translator().rename(list(contents.values()))}
    for document_id, waiting in step.waiting.items():
        content = found.get(document_id)
        if content is None:
            step.leave(document_id, "withdrawn")
        elif content.content_hash != waiting.content_hash and not content.repeated:
            step.leave(document_id, "superseded")  # corrected since it was planned: a later run has the new version
        else:
            whole = fetch(content)
            changed = isinstance(whole, Content) and waiting.file_digest not in (None, _file_digest(whole))
            if isinstance(whole, Refused) or changed:
                step.refuse(whole if isinstance(whole, Refused) else Refused(document_id, (Reason.FILE_CHANGED,)))
            else:
                step.contents[document_id] = whole
    opened = []
    rules = source.rules().model_copy(update={"times": times})
    for outcome in open_contents(list(step.contents.values()), rules, limits=limits, written=written):
        if isinstance(outcome, Refused):
            step.refuse(outcome)
        else:
            opened.append(outcome)
    return opened


def _file_digest(content: Content) -> str | None:
    """Return the digest of a document's file under the secret; None for a content of the warehouse itself."""
    key = settings().keyring.current.secret
    return content.digest and keyed_digest(key, "file", content.document_id, content.digest)


def read_staff(source: str) -> Staff:
    """Read the hospital's professionals from its source, as they are now.

    Raises:
        ContractBroken: the source's query lacks a column of the contract.
        WarehouseUnreachable: the source does not answer.
    """
    with open_source("nocturne detect") as warehouse:
        records = read_staff_rows(warehouse, Source(source))
    return Staff.from_records(record for record in records if record["last_name"])


def keep_detected(step: BatchStep, opened: Sequence[Opened], outcomes: Sequence[Detected | Refused]) -> None:
    """Record the mentions of documents and what their files tell, or their refusal."""
    files = {item.document.id: item for item in opened if item.format}
    for item in outcomes:
        if isinstance(item, Refused):
            step.refuse(item)
            continue
        content = step.contents[item.document.id]
        for ordinal, mention in enumerate(item.mentions):
            votes = [[vote.annotator, vote.label, vote.score] for vote in mention.votes]
            span = (mention.start, mention.end, mention.label, mention.subtype)
            step.add("mention", (item.document.id, ordinal, *span, mention.score, votes))
        step.leave(
            item.document.id,
            "detected",
            patient_id=content.patient_id,
            loinc_code=content.loinc_code,
            characters=len(item.document.text),
            title_clean=item.title_clean,
            file_digest=_file_digest(content),
            **_told_of(files.get(item.document.id)),
        )


def _told_of(file: Opened | None) -> dict[str, Any]:
    return {} if file is None else {"file_format": file.format, "removed": dict(file.removed)}


def read_detected(step: BatchStep, opened: Sequence[Opened]) -> list[Detected]:
    """Return what `keep_detected` stored of opened documents."""
    found = read_mentions(step.run.run_id, [item.document.id for item in opened])
    return [
        Detected(
            item.document,
            item.markup,
            found.get(item.document.id, ()),
            item.title,
            bool(step.waiting[item.document.id].title_clean),
        )
        for item in opened
    ]


def keep_candidates(
    step: BatchStep,
    outcomes: Sequence[Candidate | Refused],
    reference_versions: Mapping[str, str],
    publication: Publication,
) -> None:
    """Record candidate texts with their ledger lines and what the policy publishes beside them, or the refusal of
    their documents.
    """
    for item in outcomes:
        if isinstance(item, Refused):
            step.refuse(item)
            continue
        content, drawn = step.contents[item.document.id], item.substitution
        surrogates = [
            [s.mention.start, s.mention.end, s.mention.label, s.mention.subtype, s.mention.score, s.strategy, s.parsed]
            for s in drawn.surrogates
        ]
        spans = [[start, end, s.mention.label] for (start, end), s in zip(drawn.spans, drawn.surrogates, strict=True)]
        ids = (item.document.id, content.patient_id)
        texts = (item.title, drawn.text, item.markup)
        stored = (spans, surrogates, drawn.reference_date, dict(reference_versions))
        file = (None, None, None) if item.file is None else (item.file.content, *described(item.file))
        step.add("candidate", (*ids, content.stay_id, *texts, *stored, *file, _attributes(item, publication)))
        for spend in drawn.spends:
            step.add("budget", (*ids, spend.category, spend.mechanism, spend.epsilon, spend.elements))
        step.leave(item.document.id, "substituted", characters=len(item.document.text))
    _keep_pseudonyms(step, [item.document.id for item in outcomes if not isinstance(item, Refused)])


def _attributes(item: Candidate, publication: Publication) -> dict[str, Any] | None:
    """Return the columns that the policy publishes beside a text, without those that are unknown; None for none."""
    document, drawn = item.document, item.substitution
    known: dict[str, Any] = {
        "sex": document.patient.sex if document.patient.sex in ("M", "F") else None,
        "age_class": drawn.age_class,
        "birth_year": drawn.birth_year,
    }
    told: dict[str, Any] = {name: known[name] for name in publication.columns if known[name] is not None}
    if document.service in publication.services:
        told["service"] = publication.services[document.service]
    return told or None


def _keep_pseudonyms(step: BatchStep, document_ids: Sequence[str]) -> None:
    """Record the pseudonyms of documents, of their patients and of their stays, under the key in force."""
    contents, key = [step.contents[document_id] for document_id in document_ids], settings().keyring.current
    ledger_ids: dict[Kind, set[str | None]] = {
        "document": {content.document_id for content in contents},
        "patient": {content.patient_id for content in contents},
        "stay": {content.stay_id for content in contents},
    }
    for kind, known in ledger_ids.items():
        for ledger_id, source_id in Translator().to_source(kind, known - {None}).items():
            step.add("pseudonym", pseudonym_row(key, kind, ledger_id, source_id))


def read_candidates(step: BatchStep, opened: Sequence[Opened]) -> list[Candidate]:
    """Return what `keep_candidates` stored of opened documents, without ledger lines."""
    document_ids = [item.document.id for item in opened]
    found = read_mentions(step.run.run_id, document_ids)
    with open_cursor("worker") as cursor:
        parameters = {"run_id": step.run.run_id, "document_ids": document_ids}
        execute(cursor, "deid", "candidate", "batch", parameters)
        stored = {document_id: rest for document_id, *rest in cursor.fetchall()}
    candidates = []
    for item in opened:
        text, markup, surrogates, spans, reference_date = stored[item.document.id]
        substitution = _read_substitution(text, surrogates, spans, reference_date)
        candidates.append(Candidate(item.document, found.get(item.document.id, ()), substitution, markup))
    return candidates


def keep_verdicts(step: BatchStep, candidates: Sequence[Candidate], outcomes: Sequence[Verdict | Refused]) -> None:
    """Record the verdicts of candidates or their refusal, and the checks counted over the batch."""
    verdicts = [one for one in outcomes if isinstance(one, Verdict)]
    for candidate, verdict in zip(candidates, outcomes, strict=True):
        if isinstance(verdict, Refused):
            step.refuse(verdict)
            continue
        reason = next(iter(verdict.reasons), None)
        state = "quarantined" if reason else "validated"
        step.leave(
            candidate.document.id,
            state,
            reason=reason,
            characters=len(candidate.document.text),
            constraints={kind: list(counts) for kind, counts in verdict.constraints.items()},
            agreement={kind: list(counts) for kind, counts in verdict.agreement.items()},
            said=None if reason else _said(step, verdict),
            indirect=dict(verdict.indirect),
        )
        for outcome in verdict.outcomes:
            numbers = (outcome.success, outcome.observed, outcome.waived)
            step.add("verdict", (verdict.document_id, outcome.check, outcome.severity, *numbers))
    for result in batch_results(verdicts) if verdicts else ():
        counts = (result.element_count, result.unexpected_count, result.observed)
        step.add("check_result", (result.suite, result.rule, result.severity, result.success, *counts))


def _said(step: BatchStep, verdict: Verdict) -> list[tuple[str, str, str, int]]:
    """Return a text's statements on its patient as they are stored: digests, in an order that reveals no text."""
    secret, patient_id = settings().keyring.current.secret, step.contents[verdict.document_id].patient_id
    return sorted(
        (
            one.kind.value,
            keyed_digest(secret, "said of", patient_id or "", one.kind, one.source),
            keyed_digest(secret, "said", patient_id or "", one.kind, one.source, one.value),
            one.times,
        )
        for one in verdict.statements
    )


def with_marks(step: BatchStep, outcomes: Sequence[Detected | Refused]) -> list[Detected | Refused]:
    """Return detected documents with the passages that a person marked as missed in exactly these texts.

    A mark wins over a mention that it overlaps; nothing that was found is shown for it.
    """
    marks = _read_marks(step)
    return [
        item
        if isinstance(item, Refused) or not (told := marks.get((item.document.id, len(item.document.text))))
        else replace(item, mentions=with_told(item.mentions, told, item.document.text))
        for item in outcomes
    ]


def _read_marks(step: BatchStep) -> dict[tuple[str, int], list[Mention]]:
    """Return the marks in force for the contents of a batch, by document and length of its text."""
    contents = {item.document_id: item.content_hash for item in step.waiting.values()}
    with open_cursor("worker") as cursor:
        execute(cursor, "deid", "quarantine_choice", "marks", {"document_ids": list(contents)})
        marks: dict[tuple[str, int], list[Mention]] = {}
        for document_id, content_hash, characters, stored in cursor.fetchall():
            if content_hash == contents[document_id]:
                known = marks.setdefault((document_id, characters), [])
                told = (Mention(start, end, Label(label)) for start, end, label in stored)
                known += [one for one in told if not any(map(one.overlaps, known))]
    return marks


def _read_substitution(text: str, surrogates: Any, spans: Any, reference_date: Any) -> Substitution:
    drawn = tuple(
        Surrogate(Mention(start, end, Label(label), score, subtype), text[place[0] : place[1]], strategy, parsed)
        for (start, end, label, subtype, score, strategy, parsed), place in zip(surrogates, spans, strict=True)
    )
    return Substitution(text, drawn, tuple((start, end) for start, end, _ in spans), (), reference_date)


def read_waivers(step: BatchStep) -> dict[str, Waiver]:
    """Return the waivers given for exactly these contents under the run's pipeline, by document."""
    if not step.waiting:
        return {}
    contents = {item.document_id: item.content_hash for item in step.waiting.values()}
    with open_cursor("worker") as cursor:
        asked = {"run_id": step.run.run_id, "document_ids": list(contents)}
        execute(cursor, "deid", "quarantine_choice", "waivers", asked)
        most: dict[str, dict[str, float]] = {}
        for document_id, content_hash, stored in cursor.fetchall():
            if content_hash == contents[document_id]:
                known = most.setdefault(document_id, {})
                for name, number in admissible(stored).items():
                    known[name] = max(number, known.get(name, number))
    return {name: Waiver(name, contents[name], known) for name, known in most.items() if known}
