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
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache, cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from deid.config import policy
from deid.config.policy import Places
from deid.reference import Commune, CommuneTable
from deid.reference.distances import MICRO, feature_maxima, normalise_profile
from deid.reference.partition import GENERAL, UNIVERSITY, hospital_towns, is_overseas_code, population_class
from deid.reference.tables import packaged_tables
from nocturne_lab.evaluation.attacks.commune_laws import Law, Pairs, indices, is_across, key_areas, law_of, published

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
    return posteriors_of(table, places, epsilons, inputs)


def posteriors_of(
    table: CommuneTable,
    places: Places,
    epsilons: Iterable[Fraction],
    inputs: Sequence[Commune],
    area: str | None = None,
) -> list[Posterior]:
    """Return `commune_posteriors` of some communes: homes alone, or towns of documents of an area."""
    prior, laws = _populations(inputs), law_of(table, inputs, places, area)
    before = _guess_before(table, places, inputs, prior)
    measure = _Measure(table, places.features)
    return [_figures(places.strategy, epsilon, laws, prior, before, measure) for epsilon in epsilons]


def _figures(
    strategy: str, epsilon: Fraction, laws: Law, prior: NDArray[np.float64], before: float, measure: _Measure
) -> Posterior:
    pairs, joint = _joint(laws, strategy, float(epsilon), prior)
    inputs, outputs = pairs.inputs, pairs.outputs
    marginal = np.bincount(outputs, joint)
    after = joint / marginal[outputs]
    best = np.zeros_like(marginal)
    np.maximum.at(best, outputs, joint)
    number = np.bincount(outputs)
    return Posterior(
        strategy=strategy,
        epsilon=float(epsilon),
        candidates=float((marginal * number).sum()),
        crowd=float((marginal * _crowds(outputs, after, len(marginal))).sum()),
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


def _sort(one: Commune) -> int:
    """Return a number for a size and kind of hospital, as `CommuneTable.near` compares them."""
    return 3 * population_class(one.population) + (UNIVERSITY, GENERAL, None).index(hospital_towns().get(one.insee))


class TownAttack:
    """The attacker on towns of documents: who knows the code reads the area of a document in what it publishes.

    The home's stratum is published, and with it the area, where that is one's. Other towns are then supposed there:
    those of strata across regions among `CommuneTable.near`. Where the key drew the area (`free`) a town may be of any
    region, one moved into the area (`Gazette._left`) too, of all strata of its sort; the area is then read in all
    published towns. Towns are independent but for that, the prior of each is population, and the towns of a document's
    moved region are those published in the region of its area. Words that a surrogate may not have are not known.
    """

    def __init__(self, table: CommuneTable, places: Places) -> None:
        self._table, self._places = table, places
        self._people = _populations(table.communes)
        about = [(one.region, one.department, _sort(one)) for one in table.communes]
        self._regions, self._departments, self._sorts = map(np.array, zip(*about, strict=True))
        self._law = cache(self._law_of)
        self._pairs = cache(self._published)
        self._moved = cache(self._list_moved)

    def posteriors(
        self, epsilon: float, towns: Sequence[tuple[Commune, Commune]], home: Commune | None
    ) -> list[NDArray[np.float64]]:
        """Return the posterior of each commune of the table as the original of each town of a document, in order.

        `towns` are true and published, `home` is published; of the true ones only the department counts, and that under
        the strategies of the articles. Where no candidate can have given a town, the posterior is the prior.

        Raises:
            KeyError: a commune is not of the table, or the table lacks a feature.
        """
        drawn = [one for _, one in towns]
        areas, free = self._areas(home, drawn)
        likely = [
            {area: self._originals(epsilon, true, one, drawn[:at], area, free) for area in areas}
            for at, (true, one) in enumerate(towns)
        ]
        masses = [{area: float(values.sum()) for area, (_, values) in one.items()} for one in likely]
        found = []
        for at, (true, one) in enumerate(towns):
            after = np.zeros(len(self._people))
            for area, share in areas.items():
                beside = prod(other[area] for number, other in enumerate(masses) if number != at)
                codes, values = likely[at][area]
                after[codes] += share * beside * values
            if not after.any():
                codes = indices(self._table, self._crowd(self._name(true, one)))
                after[codes] = self._people[codes]
            found.append(after / after.sum())
        return found

    def _areas(self, home: Commune | None, drawn: Sequence[Commune]) -> tuple[Mapping[str, float], bool]:
        """Return the areas of a document with their shares before its towns are looked at; whether the key drew it."""
        inland = [one for one in drawn if not is_overseas_code(one.department)]
        about = inland if home is None else [home]
        if self._places.strategy != "health_exponential" or not about or is_overseas_code(about[0].department):
            return {"": 1.0}, False
        if most := Counter(filter(None, map(self._table.area_of_territory, about))).most_common(1):
            return {str(most[0][0]): 1.0}, False
        every, regions = key_areas(self._table), {one.region for one in inland if one != home}
        if not any(map(self._table.area_of_territory, inland)):
            return every, True
        return {area: one for area, one in every.items() if self._table.region_of(area) in regions} or every, True

    def _originals(
        self, epsilon: float, true: Commune, one: Commune, before: Sequence[Commune], area: str, free: bool
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the originals that a published town may have in an area, by index; prior times likelihood of each."""
        table, across = self._table, bool(area) and is_across(self._table, one)
        inputs, pairs = self._pairs(self._name(true, one), area if across else "", epsilon)
        left = ~np.isin(pairs.outputs, indices(table, before if across else ()))
        sums, here = (
            np.bincount(pairs.inputs[rows], pairs.weights[rows], minlength=len(inputs))
            for rows in (left, left & (pairs.outputs == indices(table, [one])))
        )
        prior = self._people[inputs]
        if across and not free:  # a patient is supposed to be treated near the home
            prior = prior * np.isin(inputs, indices(table, table.near(one, area)))
        found = [(inputs, prior * here / np.where(sums > 0, sums, 1))]
        if free and one.region == table.region_of(area):
            moved = self._moved(area, _sort(one))
            kept = ((members, np.setdiff1d(near, indices(table, before))) for members, near in moved)
            found += [
                (members, self._people[members] / len(near)) for members, near in kept if indices(table, [one]) in near
            ]
        codes, values = zip(*found, strict=True)
        return np.concatenate(codes), np.concatenate(values)

    def _published(self, name: str, area: str, epsilon: float) -> tuple[NDArray[np.intp], Pairs]:
        law = self._law(name, area)
        return law.codes, published(law, self._places.strategy, epsilon)

    def _law_of(self, name: str, area: str) -> Law:
        return law_of(self._table, self._crowd(name), self._places, area)

    def _list_moved(self, area: str, sort: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Return the communes of other regions and what they become in a department, for strata with this sort."""
        region, found = self._table.region_of(area), []
        for sorts, codes in self._strata.items():
            if sort in sorts:
                around = np.flatnonzero((self._regions == region) & np.isin(self._sorts, list(sorts)))
                inside = around[self._departments[around] == area]
                found.append((codes[self._regions[codes] != region], inside if len(inside) else around))
        return found

    @cached_property
    def _strata(self) -> Mapping[frozenset[int], NDArray[np.intp]]:
        """Sorts → the communes of the strata of one region that have these."""
        found: dict[frozenset[int], list[NDArray[np.intp]]] = defaultdict(list)
        for members in map(self._crowd, self._table.partition):
            if not is_across(self._table, members[0]) and not is_overseas_code(members[0].department):
                codes = indices(self._table, members)
                found[frozenset(self._sorts[codes].tolist())].append(codes)
        return {sorts: np.concatenate(codes) for sorts, codes in found.items()}

    def _name(self, true: Commune, drawn: Commune) -> str:
        """Return the name of the communes that the attacker chooses from, what is moved aside."""
        return self._table.territory_name(drawn) if self._places.strategy == "health_exponential" else true.department

    def _crowd(self, name: str) -> Sequence[Commune]:
        if self._places.strategy != "health_exponential":
            return self._table.in_department(name)
        return [one for one in map(self._table.get, self._table.partition[name]) if one]


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


def _guess_before(table: CommuneTable, places: Places, inputs: Sequence[Commune], prior: NDArray[np.float64]) -> float:
    """Return the probability of a right guess from public knowledge: the territory, if draws stay inside it."""
    if places.strategy != "health_exponential":
        return float(prior.max())
    best: dict[str, float] = {}
    for commune, share in zip(inputs, prior, strict=True):
        name = table.territory_name(commune)
        best[name] = max(best.get(name, 0.0), float(share))
    return sum(best.values())


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
