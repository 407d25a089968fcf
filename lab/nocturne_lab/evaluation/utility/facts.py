"""Counts of the facts in one document and of those that its published text keeps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from deid.config.policy import Places
from deid.detection.lookup.lexicon import lexicon
from deid.domain.document import Document, Substitution
from deid.domain.outcomes import Constraint
from deid.french.folding import fold
from deid.quality.clinical import Item, clinical_counts, read_items
from deid.reference import Commune, CommuneTable
from deid.substitution.temporal.ages import Age, months_of
from deid.substitution.temporal.constraints import SHORT_GAP, Readings, count_constraints, moved_days, read_both
from deid.substitution.temporal.stages import stage_of
from deid.substitution.temporal.timeline import day_of
from deid.substitution.temporal.values import Instant, Unit
from nocturne_lab.evaluation.attacks.document_places import towns_of
from nocturne_lab.evaluation.attacks.usefulness import stay_class

_CLASSES = (0.2, 0.4, 0.6, 0.8)  # limits of the classes of a measure of health: fifths of the communes
_USUAL = 100.0  # occurrences per million words of French
_TERM = re.compile(r"[^\W\d_]{4,}")


class Pair(NamedTuple):
    """A document and the result of `Substitutor.substitute`; its mentions, true or detected, are the surrogates'."""

    document: Document
    published: Substitution


class Fact(NamedTuple):
    """Number of facts of a kind in a document, and of those that its published text keeps."""

    name: str
    kept: float
    told: float


def facts(pair: Pair, communes: CommuneTable) -> Iterator[Fact]:
    """Yield the counts of a document. A fact that its published text does not tell any more is not kept."""
    readings = read_both(*pair)
    yield from _of_relations(pair)
    yield from _of_short_gaps(readings)
    yield from _of_ages(readings)
    yield from _of_stay(readings)
    yield from _of_places(pair, communes)
    yield from _of_content(pair)


def long_gaps(pair: Pair) -> Iterator[float]:
    """Yield the relative error |published − gap| / gap of each gap of more than 60 days published to the day."""
    for gap, published in _gaps(read_both(*pair)):
        if gap > SHORT_GAP and published is not None:
            yield abs(published - gap) / gap


def _of_relations(pair: Pair) -> Iterator[Fact]:
    for kind, kept in count_constraints(*pair).items():
        order = kind is Constraint.ORDER
        yield Fact("constraints_kept", kept.kept, kept.stated)
        yield Fact("date_order_kept" if order else "constraints_without_order_kept", kept.kept, kept.stated)


def _gaps(readings: Readings) -> Iterator[tuple[int, int | None]]:
    """Yield the days between neighbouring days of a document, births left out; None where they are not published."""
    moved = moved_days(readings)
    days = {one for one in readings.true.instants.values() if one.unit is Unit.DAY} | moved.keys()
    for one, other in pairwise(sorted(days - readings.true.birth_instants)):
        told = moved[other].index - moved[one].index if one in moved and other in moved else None
        yield other.index - one.index, told


def _of_short_gaps(readings: Readings) -> Iterator[Fact]:
    for gap, published in _gaps(readings):
        if gap <= SHORT_GAP:
            yield Fact("short_gaps_kept", gap == published, 1)


def _of_ages(readings: Readings) -> Iterator[Fact]:
    for span, age in readings.true.ages.items():
        told = readings.published.ages.get(readings.spans[span]) if span in readings.spans else None
        yield Fact("age_stage_kept", told is not None and stage_of(told) == stage_of(age), 1)
        yield Fact("age_decade_kept", told is not None and _decade(told) == _decade(age), 1)


def _decade(age: Age) -> int:
    return int(months_of(age.unit, age.value, age.step) // 120)


def _of_stay(readings: Readings) -> Iterator[Fact]:
    """Yield whether the class of the stay's length is kept, if the text gives both its ends."""
    stay = readings.context.document.stay
    if stay is None or stay.last is None or stay.last <= stay.first:
        return
    ends = day_of(stay.first), day_of(stay.last)
    if not set(ends) <= set(readings.true.instants.values()):
        return
    moved = moved_days(readings)
    same = all(end in moved for end in ends) and stay_class(_apart(*ends)) == stay_class(
        _apart(*(moved[end] for end in ends))
    )
    yield Fact("stay_class_kept", same, 1)


def _apart(first: Instant, last: Instant) -> int:
    return last.index - first.index


def _of_places(pair: Pair, communes: CommuneTable) -> Iterator[Fact]:
    """The share of the measures of health of which each commune of a document keeps the class."""
    classes = health_classes(communes)
    for true, drawn in towns_of(pair.document, pair.published, communes):
        same = [] if drawn is None else [one == other for one, other in zip(classes(true), classes(drawn), strict=True)]
        yield Fact("place_profile_kept", sum(same) / max(1, len(same)), 1)


@lru_cache(maxsize=2)
def health_classes(communes: CommuneTable) -> Callable[[Commune], tuple[int, ...]]:
    """Return a function that gives the class of a commune by each measure of health of the shipped policy."""
    limits = {
        name: np.quantile([one.features[name] for one in communes.communes], _CLASSES) for name in Places().features
    }

    @cache
    def classes(one: Commune) -> tuple[int, ...]:
        return tuple(int(np.searchsorted(at, one.features[name], "right")) for name, at in limits.items())

    return classes


def _of_content(pair: Pair) -> Iterator[Fact]:
    for name, read in (("clinical_terms_kept", read_terms), ("clinical_values_kept", read_items)):
        counts = clinical_counts(*pair, read)
        told = counts["clinical_items"]
        yield Fact(name, told - counts["clinical_content_changed"], told)


def read_terms(text: str) -> list[Item]:
    """Return the drugs, germs and medical words of a text that detection knows, in order; usual words are none."""
    known = lexicon()
    return [
        Item(*match.span())
        for match in _TERM.finditer(text)
        if ((word := fold(match.group())) in known.clinical or word in known.medical or word in known.drugs)
        and known.common.get(word, 0.0) <= _USUAL
    ]
