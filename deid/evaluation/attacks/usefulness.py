"""What a strategy leaves to research: dates, lengths of stays, health profiles of addresses."""

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
from deid.evaluation.attacks.chronicle import Chronicle
from deid.evaluation.attacks.commune_laws import law_of
from deid.evaluation.attacks.population import Resident
from deid.reference import Commune, CommuneTable
from deid.reference.distances import MICRO, feature_maxima, normalise_profile
from deid.substitution.temporal.bounded import CLASSES
from deid.substitution.temporal.values import Instant, Unit

OwnDate = tuple[int, int]  # a document's, true and published
# Last day of each class of stays: none overnight, short, a week, two weeks; then long.
STAYS = (0, 2, 7, 14)
# On a scale of [0, √5] for five features: each of them 2.2 % of its national maximum apart.
PROFILE_KEPT = 0.05


@dataclass(frozen=True, slots=True)
class DatesKept:
    """Over whole days told in the texts, birth dates apart; None where nothing that could be measured is published.

    `error`: mean days between true and published; `from_document`: the same of the days between a date and its
    document's own. `terms`: share whose term of Tchouka et al. 2022 (61, 660, 36,000 days before the document) is kept.
    `stays`: share of stays told by both ends whose class of length is kept (0, 1–2, 3–7, 8–14, 15 nights and more);
    `lengths`: whose length is kept to the day, so that "5 jours d'hospitalisation" beside it would still agree.
    `between_documents`: mean days that the interval between a patient's successive documents changed by; `in_order`:
    share of those whose published dates are in the true order, and are not one; `swapped`: share of all pairs of a
    patient's documents of two days, successive or not, whose published dates are the other way round. `own_said`:
    share of documents whose text says their own date to the day, whatever is published of it.
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
    own_said: float


def dates_kept(published: Sequence[Chronicle]) -> DatesKept:
    """Figures of one strategy for dates. What is published as a month or a year stands on its middle day for `error`;
    it tells no term and no length.
    """
    errors, distances, terms = [], [], []
    for one in published:
        true_own, own = one.written_on.toordinal(), one.published_on.toordinal()
        for saying in one.sayings:
            if saying.label is not Label.DATE or saying.birth or saying.true.unit is not Unit.DAY:
                continue
            if saying.told is None:
                terms.append(False)
                continue
            told, true = saying.told.middle.toordinal(), saying.true.index
            errors.append(abs(told - true))
            distances.append(abs((told - own) - (true - true_own)))
            terms.append(saying.told.unit is Unit.DAY and _term(told - own) == _term(true - true_own))
    lengths = list(_lengths(published))
    documents = _documents(published)
    gaps = [gap for days in documents for gap in _gaps(pairwise(days))]
    swaps = [told < 0 for days in documents for _, told in _gaps(combinations(days, 2))]
    return DatesKept(
        dates=len(terms),
        error=fmean(errors) if errors else None,
        from_document=fmean(distances) if distances else None,
        terms=fmean(terms) if terms else 0.0,
        number_of_stays=len(lengths),
        stays=fmean(told is not None and _class(told) == _class(true) for true, told in lengths) if lengths else 0.0,
        lengths=fmean(told == true for true, told in lengths) if lengths else 0.0,
        between_documents=fmean(abs(told - true) for true, told in gaps) if gaps else 0.0,
        in_order=fmean(told > 0 for _, told in gaps) if gaps else 0.0,
        swapped=fmean(swaps) if swaps else 0.0,
        own_said=fmean(_says_own(one) for one in published) if published else 0.0,
    )


def _term(days: int) -> tuple[bool, int]:
    return days > 0, next((at for at, width in enumerate(CLASSES) if abs(days) <= width), len(CLASSES))


def _class(nights: int) -> int:
    return next((at for at, last in enumerate(STAYS) if nights <= last), len(STAYS))


def _lengths(published: Iterable[Chronicle]) -> Iterator[tuple[int, int | None]]:
    """Nights of each stay that a document tells both ends of, true and published (None: not told to the day)."""
    for one in published:
        stay = one.record.stay
        ends = (stay.admitted_on.toordinal(), stay.discharged_on.toordinal())
        told = {
            saying.true.index: saying.told
            for saying in reversed(one.sayings)
            if saying.label is Label.DATE and saying.true.unit is Unit.DAY
        }
        if ends[0] == ends[1] or any(end not in told for end in ends):
            continue
        first, last = (told[end] for end in ends)
        days = first is not None and last is not None and first.unit is last.unit is Unit.DAY
        yield ends[1] - ends[0], last.index - first.index if days and first and last else None


def _says_own(one: Chronicle) -> bool:
    own = Instant(Unit.DAY, one.written_on.toordinal())
    return any(saying.true == own for saying in one.sayings if saying.label is Label.DATE)


def _documents(published: Iterable[Chronicle]) -> list[list[OwnDate]]:
    """The days of each patient's documents, true and published, in the true order."""
    days: dict[str, set[OwnDate]] = defaultdict(set)
    for one in published:
        days[one.patient].add((one.written_on.toordinal(), one.published_on.toordinal()))
    return [sorted(days[patient]) for patient in sorted(days)]


def _gaps(pairs: Iterable[tuple[OwnDate, OwnDate]]) -> Iterator[tuple[int, int]]:
    """Days from the first to the second of each pair of documents of different days, true and published."""
    for (true, told), (next_true, next_told) in pairs:
        if next_true > true:
            yield next_true - true, next_told - told


@dataclass(frozen=True, slots=True)
class ProfilesKept:
    """Over the patients' addresses: the share whose profile is kept, and the expected distance of profiles."""

    epsilon: float
    addresses: int
    kept: float
    distance: float


def profiles_kept(
    table: CommuneTable, residents: Sequence[Resident], places: Places, epsilons: Iterable[Fraction]
) -> list[ProfilesKept]:
    """Figures of one strategy for places, by its law: nothing is drawn.

    A profile is the features of the policy, each divided by its maximum over the table; it is kept within
    `PROFILE_KEPT`.

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
        pairs = law.at(float(epsilon))
        other = law.codes[pairs.inputs] != pairs.outputs
        rows, outputs, weights = pairs.inputs[other], pairs.outputs[other], pairs.weights[other]
        joint = share[rows] * weights / np.bincount(rows, weights, minlength=len(inputs))[rows]
        joint /= joint.sum()
        apart = np.sqrt(((profiles[law.codes[rows]] - profiles[outputs]) ** 2).sum(axis=1))
        kept = float(joint[apart <= PROFILE_KEPT].sum())
        found.append(ProfilesKept(float(epsilon), int(share.sum()), kept, float((joint * apart).sum())))
    return found
