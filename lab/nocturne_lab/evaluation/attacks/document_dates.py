"""Published and true dates of documents, read from the published text as by an attacker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from deid.config.policy import Policy
from deid.domain.document import Substitution
from deid.domain.labels import Label
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import timeline
from deid.substitution.temporal.constraints import read_both
from deid.substitution.temporal.strategies import uniform_shift
from deid.substitution.temporal.values import Instant, Unit
from nocturne_lab.evaluation.attacks.inputs import Record

KEY = b"the attacks' key is the same for everyone"
_TEMPORAL = frozenset({Label.DATE, Label.RELDATE, Label.AGE})


@dataclass(frozen=True, slots=True)
class DatePair:
    """True date of a DATE or RELDATE mention, and date of its surrogate (None: a tag, a mask, no date)."""

    label: Label
    true: Instant
    published: Instant | None
    birth: bool


@dataclass(frozen=True, slots=True)
class DateSet:
    """Sorted distinct dates of a text: `days` as proleptic Gregorian ordinals, `coarse` months and years."""

    days: tuple[int, ...]
    coarse: tuple[Instant, ...]


@dataclass(frozen=True, slots=True)
class DocumentDates:
    """Dates of one document; `published_on` is the document's own published date.

    `shift` is the patient's shift in days, unknown to the attacker; under `generalise`, which has no shift, the days
    between the document's true and published dates.
    """

    record: Record
    published_on: date
    shift: int
    pairs: tuple[DatePair, ...]

    @property
    def patient(self) -> str:
        """Identifier of the patient in the warehouse."""
        return self.record.patient

    @property
    def written_on(self) -> date:
        """True date of the document."""
        day = self.record.document.reference_date
        if day is None:
            raise ValueError("the document has no date")
        return day

    @property
    def true(self) -> DateSet:
        """Own date of the document and the DATE mentions of its text, birth dates included."""
        return _dates(self.written_on, (one.true for one in self.pairs if one.label is Label.DATE))

    @property
    def published(self) -> DateSet:
        """Published counterparts of `true`."""
        return _dates(self.published_on, (one.published for one in self.pairs if one.label is Label.DATE))


def publish_dates(records: Sequence[Record], policy: Policy, key: bytes = KEY) -> list[DocumentDates]:
    """Publish each document under a policy and a key, and return its true and published dates.

    Only temporal mentions are replaced. The product's own parser reads the published text, relative to the published
    date of the document; the attacker has no date beyond those parsed.
    """
    substitutor = Substitutor(policy, key, packaged_tables().communes)
    temporal = ([one for one in record.mentions if one.label in _TEMPORAL] for record in records)
    return [
        read_dates(record, substitutor.substitute(record.document, found), policy, key)
        for record, found in zip(records, temporal, strict=True)
    ]


def read_dates(record: Record, done: Substitution, policy: Policy, key: bytes) -> DocumentDates:
    """Return the true and published dates of a document, from its publication under a policy and a key."""
    context = DocumentContext(record.document, [one.mention for one in done.surrogates], policy.substitution, key)
    readings = read_both(record.document, done)
    known = readings.true
    pairs = tuple(
        DatePair(
            one.mention.label, known.instants[one.mention], readings.instant(one.mention), one.mention in known.births
        )
        for one in done.surrogates
        if one.mention in known.instants
    )
    published_on = done.reference_date or known.anchor
    match policy.substitution.dates.strategy:
        case "generalise":
            shift = published_on.toordinal() - known.anchor.toordinal()
        case "uniform_shift":
            shift = uniform_shift(context).days
        case _:
            shift = timeline.shift(context).days
    return DocumentDates(record, published_on, shift, pairs)


def _dates(own: date, instants: Iterable[Instant | None]) -> DateSet:
    distinct = {Instant(Unit.DAY, own.toordinal()), *(one for one in instants if one is not None)}
    days = sorted(one.index for one in distinct if one.unit is Unit.DAY)
    return DateSet(tuple(days), tuple(sorted(one for one in distinct if one.unit is not Unit.DAY)))
