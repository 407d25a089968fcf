"""Privacy cost of the exclusions: moved by noise, a commune never shares a distinctive word or the postal code.

    python -m nocturne_lab.evaluation.attacks.exclusions --departments 21,25,39,58,70,71,89,90

Let E(v) be the communes excluded for v, and P_v the probability under the strategy. A draw outside E(v) and E(w) is at
most (1 − P_w(E(w))) / (1 − P_v(E(v))) times likelier for v than for w beyond the strategy's own bound. The figures are
the logarithms of this ratio, in nats, over the pairs of communes of a territory. They are floats, and take no part in
a draw.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deid.config import policy
from deid.config.policy import Places
from deid.reference import Commune, CommuneTable
from deid.reference.tables import packaged_tables
from deid.substitution.context import words_of_place
from nocturne_lab.evaluation.attacks.commune_laws import law_of

_GRID = {"geo_indistinguishability": ("1/4", "1", "4")}
_HEAD = """\
| strategy | ε | postal code written | set aside: mean, 95 % | nats more: median, 95 %, most |
|---|---:|---|---:|---:|"""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Probability of the exclusions (mean, 95th percentile over communes) and their cost in nats over pairs of a
    territory (median, 95th percentile, maximum); `with_code` if the document contains the commune's postal code.
    """

    strategy: str
    epsilon: float
    with_code: bool
    mean: float
    most_often: float
    median: float
    nearly_all: float
    most: float


def exclusion_cost(
    table: CommuneTable, places: Places, epsilon: Fraction, departments: Collection[str], *, with_code: bool
) -> Exclusion:
    """Return the figures of one strategy (`places.strategy`) at one ε, for the communes of some departments.

    Raises:
        ValueError: no commune of the table is of these departments, or the strategy draws none.
    """
    inputs = [one for one in table.communes if one.department in departments]
    if not inputs:
        raise ValueError("no commune of the table is of these departments")
    aside = _aside(table, inputs, places, epsilon, with_code=with_code)
    more = np.concatenate(list(_pairs(table, inputs, -np.log1p(-aside))))
    return Exclusion(
        places.strategy, float(epsilon), with_code, float(aside.mean()), float(np.quantile(aside, 0.95)),
        *(float(np.quantile(more, at)) for at in (0.5, 0.95, 1)),
    )  # fmt: skip


def _aside(
    table: CommuneTable, inputs: list[Commune], places: Places, epsilon: Fraction, *, with_code: bool
) -> NDArray[np.float64]:
    """Return P_v(E(v)) of each input, below 1: some commune is always allowed."""
    pairs = law_of(table, inputs, places).at(float(epsilon))
    names, codes = [words_of_place(one.name) for one in table.communes], [frozenset(one.zips) for one in table.communes]
    mine = [(one.insee, words_of_place(one.name), frozenset(one.zips[:1] if with_code else ())) for one in inputs]

    def excluded(at: int, output: int) -> bool:
        insee, words, code = mine[at]
        if table.communes[output].insee == insee or not words.isdisjoint(names[output]):
            return True
        return bool(code) and codes[output] <= code

    marks = np.fromiter(map(excluded, pairs.inputs.tolist(), pairs.outputs.tolist()), dtype=bool)
    number = len(inputs)
    lost = np.bincount(pairs.inputs[marks], pairs.weights[marks], minlength=number)
    return np.minimum(lost / np.bincount(pairs.inputs, pairs.weights, minlength=number), 1 - 1e-9)


def _pairs(table: CommuneTable, inputs: list[Commune], cost: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """Yield |cost(v) − cost(w)| over the pairs of inputs of each territory."""
    territories: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(inputs):
        territories[table.territory(one)[0].insee].append(at)
    for members in territories.values():
        costs = cost[members]
        yield np.abs(costs[:, None] - costs[None, :])[np.triu_indices(len(members), 1)]


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m nocturne_lab.evaluation.attacks.exclusions", description=__doc__)
    parser.add_argument("--departments", default="21,25,39,58,70,71,89,90", help="default: %(default)s")
    departments = parser.parse_args(arguments).departments.upper().split(",")
    table, shipped = packaged_tables().communes, policy.load().substitution.places
    print(_HEAD)
    for strategy, grid in _GRID.items():
        places = shipped.model_copy(update={"strategy": strategy})
        for epsilon in map(Fraction, grid):
            for with_code in (False, True):
                one = exclusion_cost(table, places, epsilon, departments, with_code=with_code)
                print(
                    f"| `{one.strategy}` | {one.epsilon:g} | {'yes' if with_code else 'no'} "
                    f"| {one.mean:.0%}, {one.most_often:.0%} "
                    f"| {one.median:.2f}, {one.nearly_all:.2f}, {one.most:.2f} |"
                )


if __name__ == "__main__":
    main()
