"""The one flow from source to proven text: open, detect, substitute, check. No database, no Airflow.

A document comes out with surrogates and a verdict, or with the reasons of its refusal; never as it was. The command
line runs the flow in one call, `deidentify`; the nightly steps run one function each and store the outcomes between.

A document that a step cannot process is refused and the rest of its batch goes on. So is one that takes more time or
memory than `Limits` allow (`deid.isolation`). An error of the deployment (`NocturneError` other than `DocumentRefused`)
stops the step, as a failure of Great Expectations does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from deid.config.generators import KEEP
from deid.config.policy import Hiding, Quality
from deid.detection.titles import clean_titles
from deid.domain.document import Document, Mention, Substitution
from deid.domain.errors import DocumentRefused, Reason
from deid.domain.labels import Label
from deid.domain.limits import Limits
from deid.domain.outcomes import Candidate, Deidentified, Detected, Incoming, Opened, Refused, RewrittenFile, Verdict
from deid.domain.unforeseen import attempt, log_failure
from deid.formats import FileRules, SegmentedSource, declares_text, open_document, open_files, storable, with_told
from deid.formats.rewriting import write_file, write_files
from deid.formats.sought import bare_words
from deid.isolation import process_within
from deid.quality import DEFAULT, validate_batch
from deid.quality.reasons import Waiver, apply_waiver
from deid.quality.statements import agreement, statements
from deid.quality.words import is_word
from deid.substitution.temporal.constraints import count_constraints

if TYPE_CHECKING:
    from deid.detection import Detector
    from deid.substitution import Substitutor

log = logging.getLogger(__name__)
Found = TypeVar("Found")
Given = TypeVar("Given", bound="Incoming | Opened | Detected | Candidate | Refused")

ORDINARY = Limits()
# What another process loads its tables and models with.
_DOCUMENT = Document("", "Vu le 12 mars par le docteur Martin.")
_CANDIDATE = Candidate(_DOCUMENT, (), Substitution(_DOCUMENT.text, (), (), (), None))


def open_documents(
    incoming: Sequence[Incoming],
    *,
    max_bytes: int,
    limits: Limits = ORDINARY,
    rules: FileRules | None = None,
    written: bool = False,
) -> list[Opened | Refused]:
    """Read the plain text of documents; one outcome each, in order. A larger one than `max_bytes` is refused.

    With `rules`, contents that are not declared as text are files of any format (`deid.formats.read_file`), whose
    parsers always run in a process of their own. With `written`, the outcome can be written as a file again.
    """
    files = [] if rules is None else [at for at, item in enumerate(incoming) if not declares_text(item)]
    found: dict[int, Opened | Refused] = {}
    if rules is not None and files:
        read = partial(open_files, max_bytes=max_bytes, rules=rules, written=written)
        apart = _within(replace(limits, isolated=True), read, [incoming[at] for at in files], Incoming(_DOCUMENT))
        found = dict(zip(files, apart, strict=True))
    texts = [item for at, item in enumerate(incoming) if at not in found]
    opened = iter(_within(limits, partial(_open, max_bytes=max_bytes), texts, Incoming(_DOCUMENT)))
    return [found[at] if at in found else next(opened) for at in range(len(incoming))]


def detect(
    opened: Sequence[Opened | Refused], detector: Detector, *, admitted: Collection[str] = (), limits: Limits = ORDINARY
) -> list[Detected | Refused]:
    """Find the mentions of documents; one outcome each, in order.

    The policy may refuse a document before detection, for its language; `admitted` names the documents that a person
    let pass (`deid.quality.reasons`).
    """
    found = partial(_detect, detector=detector, admitted=frozenset(admitted))
    return _within(limits, found, opened, Opened(_DOCUMENT))


def substitute(
    detected: Sequence[Detected | Refused], substitutor: Substitutor, *, limits: Limits = ORDINARY
) -> list[Candidate | Refused]:
    """Draw the surrogates of documents and rewrite their markup; one outcome each, in order.

    Files are rewritten in a process of their own, as they are read.
    """
    bare = [replace(item, markup=None) if isinstance(item, Detected) and _source(item) else item for item in detected]
    draw = partial(_substitute, substitutor=substitutor)
    drawn = _within(limits, draw, bare, Detected(_DOCUMENT, None, ()))
    files = {
        at: (item, source)
        for at, item in enumerate(drawn)
        if isinstance(item, Candidate) and (source := _source(detected[at])) is not None
    }
    if not files:
        return drawn
    common = _common_words((item.document, item.substitution) for item, _ in files.values())
    written = iter(
        process_within(
            replace(limits, isolated=True),
            partial(write_files, common=common),
            list(files.values()),
            length=lambda pair: _length(pair[0]),
            refuse=lambda pair: _too_costly(pair[0]),
            sample=(_CANDIDATE, None),
        )
    )
    return [next(written) if at in files else item for at, item in enumerate(drawn)]


def check(
    candidates: Sequence[Candidate],
    waivers: Mapping[str, Waiver] | None = None,
    *,
    quality: Quality = DEFAULT,
    hiding: Hiding = "natural",
    limits: Limits = ORDINARY,
) -> list[Verdict | Refused]:
    """Judge candidates against their sources; one outcome each, in order, `waivers` by document id applied.

    `hiding` is the policy's: "marked" holds back what has contacts without the mark of surrogates.
    """
    judge = partial(_check, waivers=waivers or {}, quality=quality, hiding=hiding)
    return _within(limits, judge, candidates, _CANDIDATE)


def deidentify(
    incoming: Sequence[Incoming],
    detector: Detector,
    substitutor: Substitutor,
    *,
    max_bytes: int,
    quality: Quality = DEFAULT,
    hiding: Hiding = "natural",
    limits: Limits = ORDINARY,
    rules: FileRules | None = None,
) -> list[Deidentified | Refused]:
    """De-identify documents; one outcome each, in order. Larger ones than `max_bytes` (UTF-8) are refused.

    With `rules`, contents are files of any format, and come back as `Candidate.file`.
    """
    with_tools = partial(_deidentify, detector=detector, substitutor=substitutor, max_bytes=max_bytes, rules=rules)
    whole = partial(with_tools, quality=quality, hiding=hiding)
    return _within(limits, whole, incoming, Incoming(_DOCUMENT))


def _within(
    limits: Limits,
    function: Callable[[Sequence[Given]], list[Found]],
    items: Sequence[Given],
    sample: Given,
) -> list[Found]:
    """Process documents within limits; one that exceeds them is too costly."""
    refuse: Callable[[Any], Any] = _too_costly
    return process_within(limits, function, items, length=_length, refuse=refuse, sample=sample)


def _source(item: Detected | Refused) -> SegmentedSource | None:
    """Return the file that a document was read from, if it is to be written again."""
    return item.markup if isinstance(item, Detected) and isinstance(item.markup, SegmentedSource) else None


def _length(item: Incoming | Opened | Detected | Candidate | Refused) -> int:
    if isinstance(item, Refused):
        return 0
    content = item.content if isinstance(item, Incoming) else None
    return len(item.document.text if content is None else content)


def _too_costly(item: Incoming | Opened | Detected | Candidate | Refused) -> Refused:
    return item if isinstance(item, Refused) else Refused(item.document.id, (Reason.TOO_COSTLY,))


def _open(incoming: Sequence[Incoming], max_bytes: int, rules: FileRules | None = None) -> list[Opened | Refused]:
    return [open_document(item, max_bytes=max_bytes, rules=rules) for item in incoming]


def _detect(
    opened: Sequence[Opened | Refused], detector: Detector, admitted: Collection[str] = ()
) -> list[Detected | Refused]:
    wanted = [_admit(item, detector, admitted) for item in opened]
    documents = [item.document for item in wanted if isinstance(item, Opened)]
    mentions = iter(_mentions(detector, documents))
    clean = _clean_titles(detector, [item for item in wanted if isinstance(item, Opened)])
    return [_detected(item, next(mentions), clean) if isinstance(item, Opened) else item for item in wanted]


def _substitute(detected: Sequence[Detected | Refused], substitutor: Substitutor) -> list[Candidate | Refused]:
    return [_candidate(item, substitutor) if isinstance(item, Detected) else item for item in detected]


def _check(
    candidates: Sequence[Candidate], waivers: Mapping[str, Waiver], quality: Quality, hiding: Hiding
) -> list[Verdict | Refused]:
    verdicts = _judge(candidates, quality, hiding)
    return [apply_waiver(verdict, waivers.get(verdict.document_id)) for verdict in verdicts]


def _judge(candidates: Sequence[Candidate], quality: Quality, hiding: Hiding) -> list[Verdict]:
    """Return the verdicts of candidates, in order, each with its constraints, agreement and indirect mentions."""
    verdicts = validate_batch(candidates, quality, hiding) if candidates else []
    return [
        replace(
            one,
            constraints=_counted(count_constraints, item, {}),
            agreement=_counted(agreement, item, {}),
            statements=_counted(statements, item, ()),
            indirect=_counted(_indirect_kept, item, {}),
        )
        for one, item in zip(verdicts, candidates, strict=True)
    ]


def _counted(count: Callable[[Document, Substitution], Found], candidate: Candidate, nothing: Found) -> Found:
    """Return what is counted of a candidate; `nothing` where it cannot be, which holds no document back."""
    try:
        return count(candidate.document, candidate.substitution)
    except MemoryError:
        raise
    except Exception as error:
        log_failure(log, f"counting of {count.__name__}", candidate.document.id, error)
        return nothing


def _indirect_kept(_document: Document, substitution: Substitution) -> Mapping[Label, int]:
    """Count the indirect identifiers that a text keeps, by label, whatever the policy seeks, or seeks and keeps."""
    from deid.detection.annotators.indirect import count_between  # loads the annotators, which pages have no use for

    drawn = zip(substitution.spans, substitution.surrogates, strict=True)
    return count_between(substitution.text, [span for span, one in drawn if one.strategy != KEEP])


def _deidentify(
    incoming: Sequence[Incoming],
    detector: Detector,
    substitutor: Substitutor,
    max_bytes: int,
    quality: Quality,
    hiding: Hiding,
    rules: FileRules | None = None,
) -> list[Deidentified | Refused]:
    drawn = _substitute(_detect(_open(incoming, max_bytes, rules), detector), substitutor)
    verdicts = iter(_judge([item for item in drawn if isinstance(item, Candidate)], quality, hiding))
    return [_concluded(item, next(verdicts)) if isinstance(item, Candidate) else item for item in drawn]


def _admit(item: Opened | Refused, detector: Detector, admitted: Collection[str]) -> Opened | Refused:
    if isinstance(item, Refused) or item.document.id in admitted:
        return item
    refusal = partial(detector.refusal, item.document)
    reason = attempt(log, "detection", item.document.id, refusal, otherwise=Reason.DETECTION_FAILED)
    return item if reason is None else Refused(item.document.id, (reason,))


def _mentions(detector: Detector, documents: Sequence[Document]) -> list[tuple[Mention, ...] | None]:
    """Return the mentions of each document, in order; None for a document that fails alone.

    If the batch fails, each document is tried alone, and comes out as it would have in the batch.
    """
    together = _found(detector, documents)
    if together is not None:
        return list(together)
    alone = (_found(detector, [document]) for document in documents)
    return [None if found is None else found[0] for found in alone]


def _found(detector: Detector, documents: Sequence[Document]) -> Sequence[tuple[Mention, ...]] | None:
    what = documents[0].id if len(documents) == 1 else "batch"
    try:
        return attempt(log, "detection", what, partial(detector.detect, documents), otherwise=None)
    except DocumentRefused:
        return None


def _clean_titles(detector: Detector, opened: Sequence[Opened]) -> frozenset[str]:
    """Return the ids of documents whose title may be published; none if the detector fails on titles."""
    told = [(item.document.id, item.title, item.document.patient) for item in opened]
    return attempt(log, "detection", "titles", partial(clean_titles, detector, told), otherwise=frozenset())


def _detected(item: Opened, mentions: tuple[Mention, ...] | None, clean: Collection[str]) -> Detected | Refused:
    if mentions is None:
        return Refused(item.document.id, (Reason.DETECTION_FAILED,))
    mentions = with_told(mentions, item.told, item.document.text)
    return Detected(item.document, item.markup, mentions, item.title, item.document.id in clean)


def _candidate(item: Detected, substitutor: Substitutor) -> Candidate | Refused:
    document_id = item.document.id
    try:
        drawn = attempt(log, "substitution", document_id, partial(_drawn, item, substitutor), otherwise=None)
    except DocumentRefused as refused:
        return Refused(document_id, (refused.reason,), refused.detail)
    if drawn is None:
        return Refused(document_id, (Reason.SUBSTITUTION_FAILED,))
    substitution, markup = drawn
    page, file = (markup, None) if isinstance(markup, str) else (None, markup)
    if not (storable(substitution.text) and storable(page or "")):
        return Refused(document_id, (Reason.SUBSTITUTION_FAILED,))
    return Candidate(item.document, item.mentions, substitution, page, item.title if item.title_clean else None, file)


def _drawn(item: Detected, substitutor: Substitutor) -> tuple[Substitution, str | RewrittenFile | None]:
    substitution = substitutor.substitute(item.document, item.mentions)
    return substitution, _rewrite(item, substitution)


def _common_words(pairs: Iterable[tuple[Document, Substitution]]) -> frozenset[str]:
    """Return the words of the language among the names and streets that the files of documents may not hold."""
    return frozenset(word for pair in pairs for word in bare_words(*pair) if is_word(word))


def _rewrite(item: Detected, substitution: Substitution) -> str | RewrittenFile | None:
    markup = item.markup
    if markup is None:
        return None
    if isinstance(markup, SegmentedSource):
        return write_file(item.document, substitution, markup, _common_words([(item.document, substitution)]))
    page = markup.rewrite([(one.mention.start, one.mention.end, one.text) for one in substitution.surrogates])
    return page if isinstance(page, str) else None


def _concluded(candidate: Candidate, verdict: Verdict) -> Deidentified | Refused:
    if verdict.reasons:
        failed = ", ".join(outcome.check for outcome in verdict.outcomes if not outcome.success)
        return Refused(candidate.document.id, verdict.reasons, f"failed: {failed}")
    return Deidentified(candidate, verdict)
