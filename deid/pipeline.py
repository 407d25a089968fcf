"""A batch of documents from source to proven text: read, detect, substitute, rewrite, check. No database, no Airflow.

A document comes out with surrogates and a verdict, or with the reasons why it does not; it never comes out as it was.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deid.domain.document import Document, Mention, Substitution
from deid.domain.errors import DocumentRefused, NocturneError, Reason
from deid.formats import SourceText, read_source
from deid.formats.plain import PlainSource
from deid.quality import Checked, Verdict, validate_batch

if TYPE_CHECKING:  # who only detects need not load what draws
    from deid.detection import Detector
    from deid.substitution import Substitutor

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refused:
    """A document held back. `reasons` come most telling first; `detail` holds no text of it."""

    document_id: str
    reasons: tuple[Reason, ...]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Detected:
    """A document read, and where it identifies someone. `source` is None where there is no markup to write back."""

    document: Document
    source: SourceText | None
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Deidentified:
    """A document that passed every critical check. `markup` is its page rewritten, None for plain text."""

    document_id: str
    mentions: tuple[Mention, ...]
    substitution: Substitution
    markup: str | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Incoming:
    """A document to de-identify: its `text` is already plain, or is in `format`, a media type of `deid.formats`."""

    document: Document
    format: str | None = None


def detect(incoming: Sequence[Incoming], detector: Detector, *, max_bytes: int) -> list[Detected | Refused]:
    """Read documents and find their mentions; one outcome each, in order."""
    opened = [_wanted(_opened(item, max_bytes), detector) for item in incoming]
    documents = [item.document for item in opened if isinstance(item, Detected)]
    mentions = iter(_mentions(detector, documents))
    return [_with(item, next(mentions)) if isinstance(item, Detected) else item for item in opened]


def deidentify(
    incoming: Sequence[Incoming], detector: Detector, substitutor: Substitutor, *, max_bytes: int
) -> list[Deidentified | Refused]:
    """De-identify documents; one outcome each, in order. Larger ones than `max_bytes` (UTF-8) are refused."""
    drawn = [_drawn(item, substitutor) for item in detect(incoming, detector, max_bytes=max_bytes)]
    checked = [item for item in drawn if isinstance(item, Checked)]
    verdicts = iter(validate_batch(checked) if checked else ())
    return [_concluded(item, next(verdicts)) if isinstance(item, Checked) else item for item in drawn]


def _opened(item: Incoming, max_bytes: int) -> Detected | Refused:
    document = item.document
    try:
        if item.format is None:
            return Detected(_plain(document, max_bytes), None, ())
        raw = document.text.encode("utf-8", "surrogatepass")
        source = read_source(raw, format=item.format, charset="utf-8", document_id=document.id, max_bytes=max_bytes)
    except DocumentRefused as refused:
        return Refused(document.id, (refused.reason,), refused.detail)
    about = (document.patient, document.reference_date, document.type)
    has_markup = not isinstance(source, PlainSource)
    return Detected(Document(document.id, source.text, *about), source if has_markup else None, ())


def _wanted(item: Detected | Refused, detector: Detector) -> Detected | Refused:
    """The document, unless the policy sends it to quarantine before it is searched."""
    if isinstance(item, Refused):
        return item
    try:
        reason = detector.refusal(item.document)
    except NocturneError:
        raise
    except Exception as error:
        _note("detection", error)
        reason = Reason.DETECTION_FAILED
    return item if reason is None else Refused(item.document.id, (reason,))


def _plain(document: Document, max_bytes: int) -> Document:
    """The document itself: its offsets are the caller's, so not a character may move."""
    size = len(document.text.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise DocumentRefused(document.id, Reason.TOO_LARGE, f"{size} bytes, at most {max_bytes}")
    if not document.text.strip():
        raise DocumentRefused(document.id, Reason.EMPTY, "no text")
    if "\0" in document.text or any("\ud800" <= character <= "\udfff" for character in document.text):
        raise DocumentRefused(document.id, Reason.UNDECODABLE, "holds NUL or half a character")
    return document


def _mentions(detector: Detector, documents: Sequence[Document]) -> Iterator[tuple[Mention, ...] | None]:
    """Mentions of each document, in order. If the batch fails, each is tried alone; None for one that still fails."""
    together = _attempt(detector, documents)
    if together is not None:
        yield from together
        return
    for document in documents:
        alone = _attempt(detector, [document])
        yield alone[0] if alone is not None else None


def _attempt(detector: Detector, documents: Sequence[Document]) -> list[tuple[Mention, ...]] | None:
    try:
        return detector.detect(documents)
    except DocumentRefused:
        return None
    except NocturneError:
        raise
    except Exception as error:
        _note("detection", error)
        return None


def _with(item: Detected, mentions: tuple[Mention, ...] | None) -> Detected | Refused:
    if mentions is None:
        return Refused(item.document.id, (Reason.DETECTION_FAILED,))
    return Detected(item.document, item.source, mentions)


def _drawn(item: Detected | Refused, substitutor: Substitutor) -> Checked | Refused:
    if isinstance(item, Refused):
        return item
    try:
        substitution = substitutor.substitute(item.document, item.mentions)
        markup = _rewritten(item.source, substitution)
    except DocumentRefused as refused:
        return Refused(item.document.id, (refused.reason,), refused.detail)
    except NocturneError:
        raise
    except Exception as error:
        _note("substitution", error)
        return Refused(item.document.id, (Reason.SUBSTITUTION_FAILED,))
    return Checked(item.document, item.mentions, substitution, markup)


def _rewritten(source: SourceText | None, substitution: Substitution) -> str | None:
    """The source's own markup with the surrogates in place; None where there is none."""
    if source is None:
        return None
    surrogates = substitution.surrogates
    return source.rewrite([(drawn.mention.start, drawn.mention.end, drawn.text) for drawn in surrogates])


def _concluded(checked: Checked, verdict: Verdict) -> Deidentified | Refused:
    document_id = checked.document.id
    if verdict.reasons:
        failed = ", ".join(outcome.check for outcome in verdict.outcomes if not outcome.success)
        return Refused(document_id, verdict.reasons, f"failed: {failed}")
    return Deidentified(document_id, checked.mentions, checked.substitution, checked.markup, verdict)


def _note(step: str, error: Exception) -> None:
    # The kind of error only: its message may quote the document.
    log.warning("%s failed on a document: %s", step, type(error).__name__)
