"""Rewritten files: a file with the surrogates of its document, read again before anybody gets it.

Apart from `deid.pipeline`, so that the process in which parsers of files run loads nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from deid.domain.document import Document, Substitution
from deid.domain.errors import DocumentRefused, NocturneError, Reason
from deid.domain.labels import DIRECT
from deid.domain.outcomes import Candidate, Refused, RewrittenFile
from deid.formats.segments import SegmentedSource

log = logging.getLogger(__name__)
_TELLING = 4  # characters from which a value that was replaced may not stand in the written file


def write_files(pending: Sequence[tuple[Candidate, SegmentedSource | None]]) -> list[Candidate | Refused]:
    """Return candidates with their files rewritten; one outcome each, in order. Without a source there is no file."""
    return [candidate if source is None else _with_file(candidate, source) for candidate, source in pending]


def write_file(document: Document, substitution: Substitution, source: SegmentedSource) -> RewrittenFile:
    """Return a file with its document's surrogates.

    Raises:
        DocumentRefused: substitution_failed, if the written file holds a value that was replaced; or it cannot be read.
    """
    spans = [(drawn.mention.start, drawn.mention.end, drawn.text) for drawn in substitution.surrogates]
    content = source.rewrite(spans)
    _require_gone(document, substitution, source.read_again(content) if spans else "")
    return RewrittenFile(content, source.format, source.suffix, source.removed, source.patients)


def _with_file(candidate: Candidate, source: SegmentedSource) -> Candidate | Refused:
    document_id = candidate.document.id
    try:
        return replace(candidate, file=write_file(candidate.document, candidate.substitution, source))
    except DocumentRefused as refused:
        return Refused(document_id, (refused.reason,), refused.detail)
    except (NocturneError, MemoryError):
        raise
    except Exception as error:  # the kind only: its message may quote the document
        log.warning("rewriting failed on %s: %s", document_id, type(error).__name__)
        return Refused(document_id, (Reason.SUBSTITUTION_FAILED,))


def _require_gone(document: Document, substitution: Substitution, written: str) -> None:
    """Refuse a rewritten file whose text, read again, holds what was replaced and the substitution does not.

    Raises:
        DocumentRefused: substitution_failed.
    """
    for drawn in substitution.surrogates:
        original = document.text[drawn.mention.start : drawn.mention.end]
        direct = drawn.mention.label in DIRECT and len(original) >= _TELLING
        if direct and original in written and original not in substitution.text:
            raise DocumentRefused(document.id, Reason.SUBSTITUTION_FAILED, "the written file holds a replaced value")
