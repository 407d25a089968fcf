"""Posterior of the true commune given its surrogate, for an attacker with the mechanism and every population.

    python -m nocturne_lab.evaluation.attacks.city_posterior --departments 21,25,39,58,70,71,89,90

The attacker has the policy, the commune table and the surrogate; the prior is population. For each strategy and ε the
posterior is summed over the whole table, without sampling. As in the product, a draw of the original is repeated by the
articles' strategies, and stands in `health_exponential`. Figures are floats: they describe the mechanism and take no
part in a draw.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deid.config import policy
from deid.config.policy import Places
from deid.reference import Commune, CommuneTable
from deid.reference.distances import MICRO, feature_maxima, normalise_profile
from deid.reference.tables import packaged_tables
from nocturne_lab.evaluation.attacks.commune_laws import Law, Pairs, law_of, published

# Share of the posterior held by the crowd of a surrogate.
_CROWD_SHARE = 0.95
_METRES = 1000
_TIE = 1e-9  # relative difference of probabilities that are equal


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


def commune_law(table: CommuneTable, true: Commune, places: Places, epsilon: Fraction) -> Mapping[Commune, float]:
    """Return the probability of each surrogate of one commune, whether or not the product excludes the original.

    Raises:
        KeyError: the commune is not of the table, or the table lacks a feature.
        ValueError: the strategy draws no commune (`tag`).
    """
    known = law_of(table, [true], places).at(float(epsilon))
    total = known.weights.sum()
    return {table.communes[at]: float(weight / total) for at, weight in zip(known.outputs, known.weights, strict=True)}


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
    prior = _populations(inputs)
    laws = law_of(table, inputs, places)
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


def guess_communes(
    table: CommuneTable, places: Places, epsilon: float, candidates: Sequence[Commune], drawn: Sequence[Commune]
) -> list[list[Commune]]:
    """Return the likeliest original of each published commune among candidates, several where they tie.

    `epsilon` is in nats per unit of the strategy's distance. A commune that no candidate can have given tells nothing:
    the most populous candidate is its guess.

    Raises:
        KeyError: a commune is not of the table, or the table lacks a feature.
        ValueError: the strategy draws no commune, or there is no candidate.
    """
    prior = _populations(candidates)
    pairs, joint = _joint(law_of(table, candidates, places), places.strategy, epsilon, prior)
    where = {one.insee: at for at, one in enumerate(table.communes)}
    found = []
    for one in drawn:
        rows = pairs.outputs == where[one.insee]
        chances = np.bincount(pairs.inputs[rows], joint[rows], minlength=len(prior)) if rows.any() else prior
        found.append([candidates[at] for at in np.flatnonzero(chances >= chances.max() * (1 - _TIE)).tolist()])
    return found


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


def _guess_before(table: CommuneTable, places: Places, inputs: list[Commune], prior: NDArray[np.float64]) -> float:
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
