"""Lower bounds of ε measured on published texts, from the document to its surrogate, against the claims."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from datetime import date, timedelta
from fractions import Fraction
from math import inf

from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from nocturne_lab.evaluation.attacks.document_dates import publish_dates
from nocturne_lab.evaluation.attacks.inputs import Record, Stay, with_dates
from nocturne_lab.evaluation.audit import Audit, lower_bound

DRAWS = 2_000
CONFIDENCE = 0.9999
_ON = date(2026, 9, 8)
_DAYS_BEFORE, _APART = 30, 4
_EPSILON = Fraction(1, 4)
_HEAD = "Opérée le "


def published_epsilons(draws: int = DRAWS) -> Iterator[Audit]:
    """Audit each strategy with draws on two documents with a single date, four days apart, for `draws` patients each.

    An output is the number of days from the document's published date to the published date, hence free of the
    patient's shift. The two originals are one output: the exclusion of the original is accounted for separately
    (docs/decisions/2026-11-20-epsilon-per-element.md). `uniform_shift` claims no ε. The last audit, under
    `document_date: metric`, is of two documents without dates in the text and with own dates four days apart.

    Raises:
        ValueError: fewer than four draws.
    """
    for strategy, claimed in (
        ("metric", float(_EPSILON * _APART)),
        ("bounded_laplace", float(_EPSILON)),
        ("uniform_shift", inf),
    ):
        one, other = (_outputs(strategy, before, draws) for before in (_DAYS_BEFORE, _DAYS_BEFORE + _APART))
        lower = lower_bound(one, other, CONFIDENCE)
        neighbours = f"{_DAYS_BEFORE} or {_DAYS_BEFORE + _APART} days before the document"
        yield Audit(f"{strategy}, ε = {_EPSILON}", neighbours, claimed, lower, draws, CONFIDENCE)
    one, other = (_own_dates(on, draws) for on in (_ON, _ON + timedelta(days=_APART)))
    lower, claimed = lower_bound(one, other, CONFIDENCE), float(_EPSILON * _APART)
    yield Audit(f"document_date: metric, ε = {_EPSILON}", f"{_APART} days apart", claimed, lower, draws, CONFIDENCE)


def _outputs(strategy: str, before: int, draws: int) -> list[Hashable]:
    originals = {_ON - timedelta(days=one) for one in (_DAYS_BEFORE, _DAYS_BEFORE + _APART)}
    records = [_record(number, _ON - timedelta(days=before)) for number in range(draws)]
    outputs: list[Hashable] = []
    for one in publish_dates(records, with_dates(strategy, _EPSILON)):
        published = one.pairs[0].published
        if published is None:
            outputs.append("nothing")
        else:
            outputs.append("an original" if published.first in originals else (published.first - one.published_on).days)
    return outputs


def _own_dates(on: date, draws: int) -> list[Hashable]:
    """Return the published own dates of documents, without the patient's shift; the two originals are one output."""
    originals = {_ON, _ON + timedelta(days=_APART)}
    records = [_record(number, None, on) for number in range(draws)]
    published = publish_dates(records, with_dates("metric", _EPSILON, document_date="metric"))
    return [
        "an original" if one.published_on in originals else one.published_on.toordinal() - one.shift
        for one in published
    ]


def _record(number: int, day: date | None, on: date = _ON) -> Record:
    text = f"{_HEAD}{day:%d/%m/%Y}." if day else _HEAD
    name = f"E{number:06d}"
    document = Document(name, text, Patient(key=name), on)
    mentions = (Mention(len(_HEAD), len(_HEAD) + 10, Label.DATE),) if day else ()
    return Record(document, mentions, Stay(on, on))
