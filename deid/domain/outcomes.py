"""Outcomes of a document on its way: opened, detected, candidate, deidentified; or refused, at any step.

The command line, the nightly steps and the warehouse exchange these types; `deid.pipeline` makes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

from deid.domain.document import Document, Mention, Substitution
from deid.domain.errors import Reason
from deid.domain.labels import Label


class Markup(Protocol):
    """A formatted source, such as a page of HTML, whose plain text is `Document.text`."""

    def rewrite(self, replacements: Sequence[tuple[int, int, str]]) -> str | bytes:
        """Return the source with each span `[start, end)` of the plain text replaced; bytes for a file."""
        ...


@dataclass(frozen=True, slots=True)
class RewrittenFile:
    """A file in its own format with surrogates.

    `suffix` is the ending of its name where it became another format, else "". `removed` counts what it lacks, by kind.
    `patients` is the number of those whom its fields tell, who share surrogates; 1 if they tell none.
    """

    content: bytes
    format: str
    suffix: str = ""
    removed: Mapping[str, int] = field(default_factory=dict)
    patients: int = 1


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A rewritten file as the ledger keeps it; `suffix` is the ending of a name for it."""

    media_type: str
    suffix: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Incoming:
    """A document to de-identify.

    `format` is a media type of `deid.formats`, or a file's name where files of every format are read; None if
    `document.text` is plain text already. `content` holds the bytes of the source in `charset`, "" where none is
    declared; None if `document.text` holds the source itself. `title` is metadata beside the text.
    """

    document: Document
    format: str | None = None
    content: bytes | None = None
    charset: str = ""
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A document held back. `reasons` come most telling first; `detail` holds no text of the document."""

    document_id: str
    reasons: tuple[Reason, ...]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """A document whose plain text was read. `markup` is None for plain text; `told` are mentions of a file's fields.

    `format` is a file's, as its content tells it; `removed` counts by kind what its text and its rewritten form lack.
    """

    document: Document
    markup: Markup | None = None
    title: str | None = None
    told: tuple[Mention, ...] = ()
    format: str = ""
    removed: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Detected:
    """A document with its mentions. `title_clean` says that the title, if any, identifies nobody."""

    document: Document
    markup: Markup | None
    mentions: tuple[Mention, ...]
    title: str | None = None
    title_clean: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document with its surrogates, not proven yet.

    `markup` is a page of HTML rewritten, `file` a file of any format; None for plain text. `title` is None unless it
    identifies nobody.
    """

    document: Document
    mentions: tuple[Mention, ...]
    substitution: Substitution
    markup: str | None = None
    title: str | None = None
    file: RewrittenFile | None = None


class Severity(StrEnum):
    """Effect of a failed check.

    `critical` keeps a document (or a whole interval) back, `warning` asks for a look, `info` is counted only.
    """

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """One check of one document: the number observed, and whether Great Expectations accepted it.

    `reason` is the reason of quarantine that a critical failure gives. `waived` marks a failure that a person lets pass
    for this content (`deid.quality.reasons`). `compared` is False where the warehouse knows nothing of the patient that
    the check could look for.
    """

    check: str
    severity: Severity
    success: bool
    observed: float
    reason: Reason | None = None
    waived: bool = False
    compared: bool = True


class Constraint(StrEnum):
    """Relations that a text states between its dates, ages and lengths (`deid.substitution.temporal.constraints`)."""

    ORDER = "order"
    RANGE = "range"
    DISTANCE = "distance"
    NUMBERED_DAY = "numbered_day"
    AGE = "age"
    KIN = "kin"
    WEEKDAY = "weekday"
    WEEKDAY_WRITTEN = "weekday_written"
    PREGNANCY = "pregnancy"
    STAY = "stay"
    LENGTH = "length"
    GAP = "gap"


class Kept(NamedTuple):
    """Number of relations that a source states, those that its published text keeps, and those that it violates.

    The rest are not told any more: one of the values is masked, or said with less.
    """

    stated: int
    kept: int
    violated: int


class AgreementKind(StrEnum):
    """Subjects on which the published texts of a patient agree, or a text with itself (`deid.quality.statements`)."""

    FIRST_NAME = "first_name"
    SURNAME = "surname"
    SEX = "sex"
    BIRTH_DATE = "birth_date"
    TOWN = "town"
    ARTICLE = "article"


class Statement(NamedTuple):
    """Value that a published text gives its patient: `value` for `source`, the warehouse's, `times` times.

    Both are identifying and leave the process as keyed digests only.
    """

    kind: AgreementKind
    source: str
    value: str
    times: int


class Counts(NamedTuple):
    """Number of values that one document states of a kind, and of those that disagree."""

    stated: int
    violated: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Every check of one document, in the order of `deid.quality.checks.CHECKS`, and its constraints by kind.

    `agreement` counts what the document alone can be judged by; `statements` wait for the patient's other documents.
    `indirect` counts the indirect identifiers that its text keeps, by label.
    """

    document_id: str
    outcomes: tuple[CheckOutcome, ...]
    constraints: Mapping[Constraint, Kept] = field(default_factory=dict)
    agreement: Mapping[AgreementKind, Counts] = field(default_factory=dict)
    statements: tuple[Statement, ...] = ()
    indirect: Mapping[Label, int] = field(default_factory=dict)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Reasons of quarantine, most telling first; empty if the document may go on."""
        failed = (item for item in self.outcomes if not item.success and item.severity is Severity.CRITICAL)
        return tuple(dict.fromkeys(item.reason for item in failed if item.reason is not None and not item.waived))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Names of the warnings raised."""
        return tuple(item.check for item in self.outcomes if not item.success and item.severity is Severity.WARNING)


@dataclass(frozen=True, slots=True)
class Deidentified:
    """A candidate that passed every critical check."""

    candidate: Candidate
    verdict: Verdict

    @property
    def document_id(self) -> str:
        """Identifier of the document, as `Refused` gives it."""
        return self.candidate.document.id
