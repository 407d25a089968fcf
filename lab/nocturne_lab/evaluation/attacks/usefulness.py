"""Utility of published data for research: dates, lengths of stay, health profiles of addresses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from statistics import fmean

import numpy as np

from deid.config.policy import Places
from deid.domain.labels import Label
from deid.reference import Commune, CommuneTable
from deid.reference.distances import MICRO, feature_maxima, normalise_profile
from deid.substitution.temporal.bounded import CLASSES
from deid.substitution.temporal.values import Instant, Unit
from nocturne_lab.evaluation.attacks.commune_laws import law_of, published
from nocturne_lab.evaluation.attacks.document_dates import DocumentDates
from nocturne_lab.evaluation.attacks.inputs import Resident

OwnDate = tuple[int, int]  # a document's, true and published
# Last day of each class of stays: none overnight, short, a week, two weeks; then long.
STAYS = (0, 2, 7, 14)
# On a scale of [0, √5] for five features: each of them 2.2 % of its national maximum apart.
PROFILE_KEPT = 0.05


@dataclass(frozen=True, slots=True)
class DateUtility:
    """Errors and preserved properties of the whole days in the texts, without birth dates.

    `error` and `from_document` are None where nothing measurable is published.

    Attributes:
        dates: number of dates measured.
        error: mean days between true and published dates.
        from_document: mean change, in days, of the interval between a date and its document's own date.
        terms: share with the same term (Tchouka et al. 2022: 61, 660, 36,000 days before the document).
        number_of_stays: stays with both ends in a text.
        stays: share of these with the same class of length (0, 1–2, 3–7, 8–14, 15 nights and more).
        lengths: share with the same length to the day, which agrees with "5 jours d'hospitalisation" in the text.
        between_documents: mean change, in days, of the interval between a patient's successive documents.
        in_order: share of successive documents with published dates in the true order, ties excluded.
        swapped: share of all pairs of a patient's documents of different days with published dates in reverse order.
        own_date_stated: share of documents with their own true date, to the day, in the text.
    """

    dates: int
    error: float | None
    from_document: float | None
    terms: float
    number_of_stays: int
    stays: float
    lengths: float
    between_documents: float
    in_order: float
    swapped: float
    own_date_stated: float


def measure_dates(published: Sequence[DocumentDates]) -> DateUtility:
    """Measure one strategy for dates. A published month or year counts as its middle day in `error`, has no term and
    no length.
    """
    errors, distances, terms = [], [], []
    for one in published:
        true_own, own = one.written_on.toordinal(), one.published_on.toordinal()
        for pair in one.pairs:
            if pair.label is not Label.DATE or pair.birth or pair.true.unit is not Unit.DAY:
                continue
            if pair.published is None:
                terms.append(False)
                continue
            surrogate, true = pair.published.middle.toordinal(), pair.true.index
            errors.append(abs(surrogate - true))
            distances.append(abs((surrogate - own) - (true - true_own)))
            terms.append(pair.published.unit is Unit.DAY and _term(surrogate - own) == _term(true - true_own))
    lengths = list(_lengths(published))
    same_class = [surrogate is not None and stay_class(surrogate) == stay_class(true) for true, surrogate in lengths]
    documents = _documents(published)
    gaps = [gap for days in documents for gap in _gaps(pairwise(days))]
    swaps = [surrogate < 0 for days in documents for _, surrogate in _gaps(combinations(days, 2))]
    return DateUtility(
        dates=len(terms),
        error=fmean(errors) if errors else None,
        from_document=fmean(distances) if distances else None,
        terms=fmean(terms) if terms else 0.0,
        number_of_stays=len(lengths),
        stays=fmean(same_class) if same_class else 0.0,
        lengths=fmean(surrogate == true for true, surrogate in lengths) if lengths else 0.0,
        between_documents=fmean(abs(surrogate - true) for true, surrogate in gaps) if gaps else 0.0,
        in_order=fmean(surrogate > 0 for _, surrogate in gaps) if gaps else 0.0,
        swapped=fmean(swaps) if swaps else 0.0,
        own_date_stated=fmean(_says_own(one) for one in published) if published else 0.0,
    )


def _term(days: int) -> tuple[bool, int]:
    return days > 0, next((at for at, width in enumerate(CLASSES) if abs(days) <= width), len(CLASSES))


def stay_class(nights: int) -> int:
    """Return the class of a length of stay: none, 1–2, 3–7, 8–14, 15 nights and more."""
    return next((at for at, last in enumerate(STAYS) if nights <= last), len(STAYS))


def _lengths(published: Iterable[DocumentDates]) -> Iterator[tuple[int, int | None]]:
    """Yield the true and published nights of each stay with both ends in a document (None: not to the day)."""
    for one in published:
        stay = one.record.stay
        ends = (stay.admitted_on.toordinal(), stay.discharged_on.toordinal())
        published_at = {
            pair.true.index: pair.published
            for pair in reversed(one.pairs)
            if pair.label is Label.DATE and pair.true.unit is Unit.DAY
        }
        if ends[0] == ends[1] or any(end not in published_at for end in ends):
            continue
        first, last = (published_at[end] for end in ends)
        days = first is not None and last is not None and first.unit is last.unit is Unit.DAY
        yield ends[1] - ends[0], last.index - first.index if days and first and last else None


def _says_own(one: DocumentDates) -> bool:
    own = Instant(Unit.DAY, one.written_on.toordinal())
    return any(pair.true == own for pair in one.pairs if pair.label is Label.DATE)


def _documents(published: Iterable[DocumentDates]) -> list[list[OwnDate]]:
    """Return the true and published days of each patient's documents, in the true order."""
    days: dict[str, set[OwnDate]] = defaultdict(set)
    for one in published:
        days[one.patient].add((one.written_on.toordinal(), one.published_on.toordinal()))
    return [sorted(days[patient]) for patient in sorted(days)]


def _gaps(pairs: Iterable[tuple[OwnDate, OwnDate]]) -> Iterator[tuple[int, int]]:
    """Yield the true and published days between the documents of each pair of different days."""
    for (true, surrogate), (next_true, next_surrogate) in pairs:
        if next_true > true:
            yield next_true - true, next_surrogate - surrogate


@dataclass(frozen=True, slots=True)
class ProfileUtility:
    """Share of the patients' addresses with a preserved health profile, and the expected distance of profiles."""

    epsilon: float
    addresses: int
    kept: float
    distance: float


def measure_profiles(
    table: CommuneTable, residents: Sequence[Resident], places: Places, epsilons: Iterable[Fraction]
) -> list[ProfileUtility]:
    """Measure one strategy for places by its distribution; nothing is drawn.

    A profile is the vector of the policy's features, each divided by its maximum over the table; a profile within
    `PROFILE_KEPT` of the true one (Euclidean distance) is preserved.

    Raises:
        KeyError: the table lacks a feature.
        ValueError: the strategy draws no commune, or no patient's commune is of the table.
    """
    homes = Counter(one.insee for one in residents)
    inputs: list[Commune] = [one for one in table.communes if one.insee in homes]
    if not inputs:
        raise ValueError("no patient lives in a commune of the table")
    share = np.array([homes[one.insee] for one in inputs], dtype=float)
    greatest = feature_maxima((one.features for one in table.communes), places.features)
    profiles = np.array([normalise_profile(one.features, greatest) for one in table.communes]) / MICRO
    law, found = law_of(table, inputs, places), []
    for epsilon in epsilons:
        pairs = published(law, places.strategy, float(epsilon))
        rows, outputs, weights = pairs.inputs, pairs.outputs, pairs.weights
        joint = share[rows] * weights / np.bincount(rows, weights, minlength=len(inputs))[rows]
        joint /= joint.sum()
        apart = np.sqrt(((profiles[law.codes[rows]] - profiles[outputs]) ** 2).sum(axis=1))
        kept = float(joint[apart <= PROFILE_KEPT].sum())
        found.append(ProfileUtility(float(epsilon), int(share.sum()), kept, float((joint * apart).sum())))
    return found
