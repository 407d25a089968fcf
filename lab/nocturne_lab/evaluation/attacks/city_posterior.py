"""Posterior of the true commune given its surrogate, for an attacker with the mechanism and every population.

    python -m nocturne_lab.evaluation.attacks.city_posterior --departments 21,25,39,58,70,71,89,90

The attacker has the policy, the commune table and the surrogate; the prior is population. For each strategy and ε the
posterior is summed over the whole table, without sampling. As in the product, a draw of the original is repeated by the
articles' strategies, and stands in `health_exponential`. Figures are floats: they describe the mechanism and take no
part in a draw.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deid.config import policy
from deid.config.policy import Places
from deid.reference import Commune, CommuneTable
from deid.reference.communes import Spot, sort_of
from deid.reference.distances import MICRO, feature_maxima, normalise_profile
from deid.reference.partition import is_overseas_code
from deid.reference.tables import packaged_tables
from nocturne_lab.evaluation.attacks.commune_laws import (
    Law,
    Pairs,
    candidates,
    indices,
    key_spots,
    law_of,
    published,
    weights_among,
)

# Share of the posterior held by the crowd of a surrogate.
_CROWD_SHARE = 0.95
_METRES = 1000


@dataclass(frozen=True, slots=True)
class Posterior:
    """Figures of one strategy at one ε, for patients distributed as the population.

    Attributes:
        strategy: name of the strategy.
        epsilon: nats per unit of the strategy's distance.
        candidates: expected number of communes with a positive posterior.
        crowd: expected number of the likeliest communes that hold 95 % of the posterior.
        guess_before: probability that the best guess is right without the surrogate, from the public territory or
            the departments given.
        guess: probability that the best guess is right with the surrogate.
        mean: expected posterior probability of the true commune.
        max: highest posterior probability of a true commune.
        distance: expected distance of health profiles between original and surrogate, normalised over the table.
        km: expected distance in kilometres.
    """

    strategy: str
    epsilon: float
    candidates: float
    crowd: float
    guess_before: float
    guess: float
    mean: float
    max: float
    distance: float
    km: float


def commune_posteriors(
    table: CommuneTable, places: Places, epsilons: Iterable[Fraction], departments: Collection[str] | None = None
) -> list[Posterior]:
    """Return the figures of one strategy (`places.strategy`, with its options) for each ε per unit of its distance.

    `departments` are the patients' departments, known to the attacker; None is the whole country, which takes minutes
    under `geo_indistinguishability`.

    Raises:
        KeyError: the table lacks a feature.
        ValueError: the strategy draws no commune, or no commune is of the departments.
    """
    wanted = None if departments is None else {department.upper() for department in departments}
    inputs = [one for one in table.communes if wanted is None or one.department in wanted]
    if not inputs:
        raise ValueError("no commune of the table is of these departments")
    prior, laws = _populations(inputs), law_of(table, inputs, places)
    stays = places.strategy == "health_exponential"  # the stratum is public
    known = np.unique([table.territory_name(one) if stays else "" for one in inputs], return_inverse=True)[1]
    best = np.zeros(known.max() + 1)
    np.maximum.at(best, known, prior)
    measure = _Measure(table, places.features)
    return [_figures(places.strategy, epsilon, laws, prior, known, float(best.sum()), measure) for epsilon in epsilons]


def _figures(
    strategy: str,
    epsilon: Fraction,
    laws: Law,
    prior: NDArray[np.float64],
    known: NDArray[np.intp],
    before: float,
    measure: _Measure,
) -> Posterior:
    """Return the figures of an attacker who sees the surrogate and knows what is public of each input by number."""
    pairs, joint = _joint(laws, strategy, float(epsilon), prior)
    inputs, outputs = pairs.inputs, pairs.outputs
    seen = np.unique(np.stack([outputs, known[inputs]]), axis=1, return_inverse=True)[1].ravel()
    marginal = np.bincount(seen, joint)
    after = joint / marginal[seen]
    best = np.zeros_like(marginal)
    np.maximum.at(best, seen, joint)
    number = np.bincount(seen)
    return Posterior(
        strategy=strategy,
        epsilon=float(epsilon),
        candidates=float((marginal * number).sum()),
        crowd=float((marginal * _crowds(seen, after, len(marginal))).sum()),
        guess_before=before,
        guess=float(best.sum()),
        mean=float((joint * after).sum()),
        max=float(after.max()),
        distance=float((joint * measure.profiles(laws.codes[inputs], outputs)).sum()),
        km=float((joint * measure.kilometres(laws.codes[inputs], outputs)).sum()),
    )


def _joint(laws: Law, strategy: str, epsilon: float, prior: NDArray[np.float64]) -> tuple[Pairs, NDArray[np.float64]]:
    """Return pairs of original and surrogate as published, and the probability of each."""
    pairs = published(laws, strategy, epsilon)
    sums = np.bincount(pairs.inputs, pairs.weights, minlength=len(prior))
    joint = prior[pairs.inputs] * pairs.weights / sums[pairs.inputs]
    joint /= joint.sum()  # a commune without an alternative is masked, and has no surrogate
    return pairs, joint


_Lies = tuple[str | None, str | None]  # department and region of a stratum, None for several and overseas
_ANY = ""
# Prior times likelihood of a published town that nothing explains: its name was read as another's.
_MISREAD = 1e-18


@dataclass(frozen=True, slots=True, eq=False)
class _Stratum:
    name: str
    lies: _Lies
    first: Commune
    sorts: frozenset[tuple[int, str | None]]
    codes: NDArray[np.intp]

    @property
    def overseas(self) -> bool:
        return is_overseas_code(self.first.department)


@dataclass(frozen=True, slots=True)
class _Hypothesis:
    """A hypothesis on the spot of a document.

    Attributes:
        told: where the stratum lies that the area follows, mostly the home's.
        spot: of a department; None where no place is drawn by one.
        share: of the spots that the key may draw.
        left: region whose places are moved into the area.
        most: department and region of most towns' strata, None where no town has one.
    """

    told: _Lies
    spot: Spot | None
    share: float
    left: str | None
    most: _Lies

    def allows(self, one: _Stratum) -> bool:
        return all(code is not None or mine is None for code, mine in zip(self.most, one.lies, strict=True))

    def needs(self, one: _Stratum) -> bool:
        return all(code in (_ANY, None, mine) for code, mine in zip(self.most, one.lies, strict=True))


class _Originals(NamedTuple):
    """Communes by index that may be a published town, prior times likelihood of each, and whether `most` needs it."""

    codes: NDArray[np.intp]
    values: NDArray[np.float64]
    needed: NDArray[np.bool_]


_NOTHING = _Originals(np.array([], dtype=np.intp), np.array([]), np.array([], dtype=bool))


class TownAttack:
    """The attacker on towns of documents: who knows the code reads the spot of a document in what it publishes.

    Each hypothesis on the spot, and on the region left, is weighed by the populations of the home's strata, by the
    key's law and by all published towns (`Gazette._area`, `Gazette._left`). A published town is then of any stratum
    that has it among its candidates. The prior of towns is population, each for itself; where the home's stratum tells
    a department or region, towns of strata of several departments are supposed near it. "Most" of a document's strata
    are read as "one or more", `Gazette._departments` in the other published towns. Words that a surrogate may not have
    are not known.
    """

    def __init__(self, table: CommuneTable, places: Places) -> None:
        self._table, self._places = table, places
        self._people = _populations(table.communes)
        self._pairs = cache(self._published)
        self._draw = cache(self._list_draw)
        self._near = cache(self._list_near)

    def posteriors(
        self, epsilon: float, towns: Sequence[tuple[Commune, Commune]], home: Commune | None
    ) -> list[NDArray[np.float64]]:
        """Return the posterior of each commune of the table as the original of each town of a document, in order.

        `towns` are true and published, `home` is published; of the true ones only the department counts, and that under
        the strategies of the articles. Where no candidate can have given a town, the posterior is the prior.

        Raises:
            KeyError: a commune is not of the table, or the table lacks a feature.
        """
        if self._places.strategy == "health_exponential":
            found = self._together(epsilon, [one for _, one in towns], home)
        else:
            found = [self._alone(epsilon, true.department, one) for true, one in towns]
        for after, (true, one) in zip(found, towns, strict=True):
            if not after.any():
                codes = indices(self._table, self._crowd(true, one))
                after[codes] = self._people[codes]
        return [after / after.sum() for after in found]

    def _crowd(self, true: Commune, one: Commune) -> Sequence[Commune]:
        if self._places.strategy == "health_exponential":
            return self._table.territory(one)
        return self._table.in_department(true.department)

    def _alone(self, epsilon: float, department: str, one: Commune) -> NDArray[np.float64]:
        codes, pairs = self._pairs(department, epsilon)
        sums = np.bincount(pairs.inputs, pairs.weights, minlength=len(codes))
        rows = pairs.outputs == indices(self._table, [one])
        after = np.zeros(len(self._people))
        after[codes[pairs.inputs[rows]]] = pairs.weights[rows] / sums[pairs.inputs[rows]]
        return after * self._people

    def _published(self, department: str, epsilon: float) -> tuple[NDArray[np.intp], Pairs]:
        law = law_of(self._table, self._table.in_department(department), self._places)
        return law.codes, published(law, self._places.strategy, epsilon)

    def _together(self, epsilon: float, drawn: Sequence[Commune], home: Commune | None) -> list[NDArray[np.float64]]:
        """Return prior times likelihood of each commune for each town, summed over hypotheses."""
        towns = [*drawn] if home is None or home in drawn else [*drawn, home]
        found = [np.zeros(len(self._people)) for _ in towns]
        reading = _Reading(self, epsilon, towns, None if home is None else towns.index(home))
        for one in self._hypotheses(towns, home):
            likely = reading.originals(one)
            masses = [float(each.values.sum()) + _MISREAD for each in likely]
            lacking = [float(each.values[~each.needed].sum()) + _MISREAD for each in likely]
            for at, each in enumerate(likely):
                beside, none = (prod(some[:at] + some[at + 1 :]) for some in (masses, lacking))
                found[at][each.codes] += one.share * each.values * (beside - np.where(each.needed, 0, none))
        return found[: len(drawn)]

    def _hypotheses(self, towns: Sequence[Commune], home: Commune | None) -> Iterator[_Hypothesis]:
        inland = [one for one in towns if not is_overseas_code(one.department)]
        if not inland or (home is not None and home not in inland):
            yield _Hypothesis((None, None), None, 1.0, None, (_ANY, _ANY))
            return
        regions = sorted({one.lies[1] for one in self._strata if one.lies[1]})
        for told, left, most in self._told(inland, regions) if home is None else self._told_by(home, regions):
            for spot, share in self._spots(told).items():
                yield _Hypothesis(told, spot, share, left, most)

    def _told(self, inland: Sequence[Commune], regions: Sequence[str]) -> Iterator[tuple[_Lies, str | None, _Lies]]:
        """Yield where the stratum lies that gives the area of a patient without a home, what is left, and `most`."""
        for one in dict.fromkeys(map(self.lies, inland)):
            if one[0] is not None:
                yield one, None, (one[0], _ANY)
        for region in (None, *regions):
            yield (None, region), None, (None, region)

    def _told_by(self, home: Commune, regions: Sequence[str]) -> Iterator[tuple[_Lies, str | None, _Lies]]:
        """Yield the same for a published home."""
        for one in dict.fromkeys(stratum.lies for stratum in self.having(home)):
            if one != (None, None):
                yield one, one[1] if one[0] is None else None, (_ANY, _ANY)
            else:
                yield from ((one, left, (_ANY, left)) for left in (None, *regions))

    def _spots(self, told: _Lies) -> Mapping[Spot, float]:
        return key_spots(self._table, told[1], told[0])

    def supposed(self, one: _Stratum, told: _Lies) -> NDArray[np.bool_]:
        """Return which communes of a stratum are supposed among a patient's towns, by the home's stratum."""
        if told[1] is None or one.lies[0] is not None or one.overseas:
            return np.full(len(one.codes), fill_value=True)
        return np.asarray(np.any([self._near(one.name, spot) for spot in self._spots(told)], axis=0), np.bool_)

    def values(
        self, epsilon: float, one: _Stratum, spots: Sequence[Spot], moved: bool, towns: Sequence[Commune]
    ) -> NDArray[np.float64] | None:
        """Return prior times likelihood of the communes of a stratum for the last of some published towns."""
        *before, here = indices(self._table, towns)
        if spots and self._table.is_of_seats(one.first):
            seats = [self._candidates(one, spot, moved) for spot in spots]
            taken = set(towns[:-1])
            chance = np.mean([next((each for each in row if each not in taken), None) == towns[-1] for row in seats])
            return self._people[one.codes] * chance if chance else None
        outputs, weights = self._draw(one.name, tuple(spots), moved, epsilon)
        free = ~np.isin(outputs, before if spots and one.lies[0] is None else [])
        at = np.flatnonzero(free & (outputs == here))
        if not len(at):
            return None
        return np.asarray(self._people[one.codes] * weights[:, at[0]] / weights[:, free].sum(axis=1))

    def spots(self, one: _Stratum, what: _Hypothesis, beside: Iterable[_Lies]) -> Sequence[Spot]:
        """Return the spots by which places of a stratum may be drawn, as `Gazette._anchor`; () for no spot."""
        if what.spot is None or one.overseas:
            return ()
        if one.lies[1] in (None, what.left, what.spot.centre.region):
            return (what.spot,)
        there = Counter(department for department, region in beside if department and region == one.lies[1])
        department = there.most_common(1)[0][0] if there else what.spot.centre.department
        return (what.spot,) if department == what.spot.centre.department else self._table.spots(department)

    def _list_draw(
        self, name: str, spots: Sequence[Spot], moved: bool, epsilon: float
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the candidates of a stratum, and their mean weights for each of its communes, or for all of them."""
        one = self._named[name]
        mine = self._table.territory(one.first)
        each = [self._candidates(one, spot, moved) for spot in spots] or [mine]
        codes = [indices(self._table, among) for among in each]
        laws = [weights_among(self._table, mine, among, self._places, epsilon) for among in each]
        outputs = np.unique(np.concatenate(codes))
        total = np.zeros((max(map(len, laws)), len(outputs)))
        for at, weights in zip(codes, laws, strict=True):
            total[:, np.searchsorted(outputs, at)] += weights / weights.sum(axis=1, keepdims=True)
        return outputs, total

    def _candidates(self, one: _Stratum, spot: Spot, moved: bool) -> Sequence[Commune]:
        if one.lies[0] is not None and not moved:
            return self._table.near(one.first, spot)
        return self._table.alike(self._like[one.sorts], spot)  # of sorts alone: one list for all strata of these

    def _list_near(self, name: str, spot: Spot) -> NDArray[np.bool_]:
        one = self._named[name]
        return np.isin(one.codes, indices(self._table, candidates(self._table, one.first, spot, moved=True)))

    def having(self, town: Commune) -> Sequence[_Stratum]:
        """Return the strata that may have a published town among their candidates."""
        own = self._named[self._table.territory_name(town)]
        return [own] if own.overseas else self._strata_of[sort_of(town)]

    def lies(self, town: Commune) -> _Lies:
        return self._named[self._table.territory_name(town)].lies

    @cached_property
    def _strata(self) -> Sequence[_Stratum]:
        table, found = self._table, []
        for name, codes in table.partition.items():
            members = [one for one in map(table.get, codes) if one]
            lies = table.department_of_territory(members[0]), table.region_of_territory(members[0])
            where: _Lies = (None, None) if is_overseas_code(members[0].department) else lies
            found.append(_Stratum(name, where, members[0], frozenset(map(sort_of, members)), indices(table, members)))
        return found

    @cached_property
    def _named(self) -> Mapping[str, _Stratum]:
        return {one.name: one for one in self._strata}

    @cached_property
    def _like(self) -> Mapping[frozenset[tuple[int, str | None]], Commune]:
        return {one.sorts: one.first for one in self._strata if not one.overseas}

    @cached_property
    def _strata_of(self) -> Mapping[tuple[int, str | None], Sequence[_Stratum]]:
        """Size and kind of hospital → the strata of the metropolis that have it."""
        found: dict[tuple[int, str | None], list[_Stratum]] = defaultdict(list)
        for one in self._strata:
            for sort in () if one.overseas else one.sorts:
                found[sort].append(one)
        return found


class _Reading:
    """The published towns of a document, and the originals that each may have under a hypothesis."""

    def __init__(self, attack: TownAttack, epsilon: float, towns: Sequence[Commune], home: int | None) -> None:
        self._attack, self._epsilon, self._towns, self._home = attack, epsilon, towns, home
        self._lies = [attack.lies(one) for one in towns]
        self._values = cache(self._values_of)
        self._supposed = cache(attack.supposed)

    def originals(self, what: _Hypothesis) -> list[_Originals]:
        """Return the originals of each town; of none where the home has none."""
        if self._home is not None and not len(self._of(what, self._home).codes):
            return []
        return [self._of(what, at) for at in range(len(self._towns))]

    def _of(self, what: _Hypothesis, at: int) -> _Originals:
        rows = [_NOTHING]
        for one in self._attack.having(self._towns[at]):
            if what.told == one.lies if at == self._home else what.allows(one):
                beside = chain(self._lies[:at], [one.lies], self._lies[at + 1 :])
                spots = tuple(self._attack.spots(one, what, beside))
                moved = bool(spots) and one.lies[1] is not None and one.lies[1] == what.left
                values = self._values(at, one, spots, moved)
                if values is not None:
                    near = True if at == self._home else self._supposed(one, what.told)
                    rows.append(_Originals(one.codes, values * near, np.full(len(values), what.needs(one))))
        return _Originals(*map(np.concatenate, zip(*rows, strict=True))) if len(rows) > 1 else _NOTHING

    def _values_of(self, at: int, one: _Stratum, spots: tuple[Spot, ...], moved: bool) -> NDArray[np.float64] | None:
        return self._attack.values(self._epsilon, one, spots, moved, self._towns[: at + 1])


def _populations(communes: Sequence[Commune]) -> NDArray[np.float64]:
    people: NDArray[np.float64] = np.array([max(one.population, 1) for one in communes], dtype=float)
    shares: NDArray[np.float64] = people / people.sum()
    return shares


def _crowds(outputs: NDArray[np.intp], after: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    """Return, for each surrogate, the number of its likeliest originals that hold `_CROWD_SHARE` of the posterior."""
    order = np.lexsort((-after, outputs))
    share, who = after[order], outputs[order]
    starts = np.flatnonzero(np.r_[True, who[1:] != who[:-1]])
    running = np.cumsum(share)
    offset = np.repeat(running[starts] - share[starts], np.diff(np.r_[starts, len(who)]))
    needed = running - offset - share < _CROWD_SHARE
    return np.bincount(who[needed], minlength=number).astype(float)


class _Measure:
    """Distances between communes, by their index in the table."""

    def __init__(self, table: CommuneTable, features: tuple[str, ...]) -> None:
        greatest = feature_maxima((one.features for one in table.communes), features)
        self._profiles = np.array([normalise_profile(one.features, greatest) for one in table.communes]) / MICRO
        points = [table.atlas.point(one) for one in table.communes]
        self._points = np.array([(point.x, point.y) for point in points]) / _METRES

    def profiles(self, a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.float64]:
        return _lengths(self._profiles, a, b)

    def kilometres(self, a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.float64]:
        return _lengths(self._points, a, b)


def _lengths(rows: NDArray[np.float64], a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.float64]:
    squares = np.zeros(len(a))
    for column in rows.T:
        squares += (column[a] - column[b]) ** 2
    return np.sqrt(squares)


STRATEGIES = ("health_exponential", "knn_exponential", "geo_indistinguishability")


def main() -> None:
    """Print the figures of each strategy on a grid of ε as a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--departments", default="21,25,39,58,70,71,89,90", help="codes; 'all' for the country")
    parser.add_argument("--epsilons", default="0.25,1,4,16,64")
    asked = parser.parse_args()
    departments = None if asked.departments == "all" else asked.departments.split(",")
    table, shipped = packaged_tables().communes, policy.load().substitution.places
    columns = [field.name for field in fields(Posterior)]
    print("| " + " | ".join(columns) + " |")
    print("|---|" + "---:|" * (len(columns) - 1))
    for strategy in STRATEGIES:
        places = shipped.model_copy(update={"strategy": strategy})
        for row in commune_posteriors(table, places, map(Fraction, asked.epsilons.split(",")), departments):
            values = (getattr(row, name) for name in columns)
            print("| " + " | ".join(one if isinstance(one, str) else f"{one:.4g}" for one in values) + " |")


if __name__ == "__main__":
    main()
