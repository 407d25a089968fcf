"""Dates as published beside the true ones, read back from the published text as an attacker would."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from deid.config.policy import Policy
from deid.domain.document import Document, Mention, Substitution
from deid.domain.labels import Label
from deid.evaluation.attacks.population import Record
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import timeline
from deid.substitution.temporal.normalisation import normalise
from deid.substitution.temporal.strategies import uniform_shift
from deid.substitution.temporal.values import Instant, Unit

KEY = b"the attacks' key is the same for everyone"
_TEMPORAL = frozenset({Label.DATE, Label.RELDATE, Label.AGE})


@dataclass(frozen=True, slots=True)
class Saying:
    """A DATE or RELDATE: what it says, and what its surrogate does (None: a tag, a mask, nothing readable)."""

    label: Label
    true: Instant
    told: Instant | None
    birth: bool


@dataclass(frozen=True, slots=True)
class Dates:
    """Distinct dates of a text in order: whole days as ordinals, and what is coarser."""

    days: tuple[int, ...]
    coarse: tuple[Instant, ...]


@dataclass(frozen=True, slots=True)
class Chronicle:
    """The dates of one document. `published_on` is the document's own date as published.

    `shift` is the patient's, in days, as who has run the product knows it; under `generalise`, which shifts nothing,
    how far the published date is from the true one.
    """

    record: Record
    published_on: date
    shift: int
    sayings: tuple[Saying, ...]

    @property
    def patient(self) -> str:
        """The warehouse's identifier of the patient."""
        return self.record.patient

    @property
    def written_on(self) -> date:
        """The document's true date."""
        day = self.record.document.reference_date
        if day is None:
            raise ValueError("the document has no date")
        return day

    @property
    def true(self) -> Dates:
        """The document's own date and those that it says, the birth date among them; not "il y a 3 mois"."""
        return _dates(self.written_on, (one.true for one in self.sayings if one.label is Label.DATE))

    @property
    def told(self) -> Dates:
        """The same of the published text."""
        return _dates(self.published_on, (one.told for one in self.sayings if one.label is Label.DATE))


def chronicles(records: Iterable[Record], policy: Policy, key: bytes = KEY) -> list[Chronicle]:
    """What a policy and a secret make of the dates of each document.

    Only temporal mentions are replaced. The published text is read by the product's own parser, from the published
    date of the document: what the attacker cannot read there, he does not have.
    """
    substitutor = Substitutor(policy, key, packaged_tables().communes)
    return [_chronicle(one, policy, substitutor, key) for one in records]


def _chronicle(record: Record, policy: Policy, substitutor: Substitutor, key: bytes) -> Chronicle:
    temporal = [one for one in record.mentions if one.label in _TEMPORAL]
    done = substitutor.substitute(record.document, temporal)
    mentions = [surrogate.mention for surrogate in done.surrogates]
    context = DocumentContext(record.document, mentions, policy.substitution, key)
    known = normalise(context)
    told = _told(record.document, done, policy)
    sayings = tuple(
        Saying(mention.label, known.instants[mention], instant, mention in known.births)
        for mention, instant in zip(mentions, told, strict=True)
        if mention in known.instants
    )
    published_on = done.reference_date or known.anchor
    match policy.substitution.dates.strategy:
        case "generalise":
            shift = published_on.toordinal() - known.anchor.toordinal()
        case "uniform_shift":
            shift = uniform_shift(context).days
        case _:
            shift = timeline.shift(context).days
    return Chronicle(record, published_on, shift, sayings)


def _told(document: Document, done: Substitution, policy: Policy) -> list[Instant | None]:
    published = Document(document.id, done.text, reference_date=done.reference_date)
    marks = [
        Mention(start, end, surrogate.mention.label)
        for surrogate, (start, end) in zip(done.surrogates, done.spans, strict=True)
    ]
    read = normalise(DocumentContext(published, marks, policy.substitution, KEY))
    return [read.instants.get(mark) for mark in marks]


def _dates(own: date, instants: Iterable[Instant | None]) -> Dates:
    distinct = {Instant(Unit.DAY, own.toordinal()), *(one for one in instants if one is not None)}
    days = sorted(one.index for one in distinct if one.unit is Unit.DAY)
    return Dates(tuple(days), tuple(sorted(one for one in distinct if one.unit is not Unit.DAY)))
