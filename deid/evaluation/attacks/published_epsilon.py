"""ε measured on published texts: the whole way from a document to its surrogate, held against what is claimed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from datetime import date, timedelta
from fractions import Fraction
from math import inf

from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from deid.evaluation.attacks.chronicle import chronicles
from deid.evaluation.attacks.policies import with_dates
from deid.evaluation.attacks.population import Record, Stay
from deid.evaluation.audit import Audit, lower_bound

DRAWS = 2_000
CONFIDENCE = 0.9999
_ON = date(2026, 9, 8)
_DAYS_BEFORE, _APART = 30, 4
_EPSILON = Fraction(1, 4)
_HEAD = "Opérée le "


def published_epsilons(draws: int = DRAWS) -> Iterator[Audit]:
    """The audit of each strategy that draws: two documents whose only date is four days apart, `draws` patients each.

    An output is the number of days from the published document's date to the published date, as who knows the
    patient's shift would see it; the two originals are one output, since the exclusion of the original is accounted for
    apart. `uniform_shift` claims nothing, and is shown for what it is. Last, two documents that say nothing, and whose
    own dates are four days apart, under `document_date: metric`.

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
    for one in chronicles(records, with_dates(strategy, _EPSILON)):
        told = one.sayings[0].told
        if told is None:
            outputs.append("nothing")
        else:
            outputs.append("an original" if told.first in originals else (told.first - one.published_on).days)
    return outputs


def _own_dates(on: date, draws: int) -> list[Hashable]:
    """Published dates of documents of a day, the patient's shift left out; the two originals are one output."""
    originals = {_ON, _ON + timedelta(days=_APART)}
    records = [_record(number, None, on) for number in range(draws)]
    published = chronicles(records, with_dates("metric", _EPSILON, document_date="metric"))
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
