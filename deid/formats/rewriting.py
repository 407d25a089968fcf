"""Rewritten files: a file with the surrogates of its document, read again before anybody gets it.

Apart from `deid.pipeline`, so that the process in which parsers of files run loads nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from deid.domain.document import Document, Substitution
from deid.domain.errors import DocumentRefused, Reason
from deid.domain.outcomes import Candidate, Refused, RewrittenFile
from deid.domain.unforeseen import attempt
from deid.formats.searching import require_gone
from deid.formats.segments import SegmentedSource
from deid.formats.sought import Sought

log = logging.getLogger(__name__)


def write_files(
    pending: Sequence[tuple[Candidate, SegmentedSource | None]], common: frozenset[str]
) -> list[Candidate | Refused]:
    """Return candidates with their files rewritten; one outcome each, in order. Without a source there is no file.

    `common` holds the words of the language among the names of the candidates (`deid.formats.sought.bare_words`).
    """
    return [candidate if source is None else _with_file(candidate, source, common) for candidate, source in pending]


def write_file(
    document: Document, substitution: Substitution, source: SegmentedSource, common: frozenset[str] = frozenset()
) -> RewrittenFile:
    """Return a file with its document's surrogates.

    Raises:
        DocumentRefused: substitution_failed, if the written file holds a value that was replaced or is known of the
            patient, or cannot be read.
    """
    spans = [(drawn.mention.start, drawn.mention.end, drawn.text) for drawn in substitution.surrogates]
    content = source.rewrite(spans)
    again = source.read_again(content) if spans else ""
    require_gone(content, again, Sought(document, substitution, common), document.id)
    return RewrittenFile(content, source.format, source.suffix, source.removed, source.patients)


def _with_file(candidate: Candidate, source: SegmentedSource, common: frozenset[str]) -> Candidate | Refused:
    document_id = candidate.document.id
    write = partial(write_file, candidate.document, candidate.substitution, source, common)
    try:
        file = attempt(log, "rewriting", document_id, write, otherwise=None)
    except DocumentRefused as refused:
        return Refused(document_id, (refused.reason,), refused.detail)
    return Refused(document_id, (Reason.SUBSTITUTION_FAILED,)) if file is None else replace(candidate, file=file)
