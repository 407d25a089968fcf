"""Strategies for communes by their name in the policy; another is added by registering it here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from deid.config.policy import Places
from deid.privacy import KeyedStream, exponential
from deid.reference import Commune, CommuneTable
from deid.substitution.places import health, neighbours, planar

# The stream, the table, the true commune, the policy, ε → an endless row of independent draws.
Strategy = Callable[[KeyedStream, CommuneTable, Commune, Places, Fraction], Iterator[Commune]]

STRATEGIES: Mapping[str, Strategy] = {
    "health_exponential": health.draws,
    "knn_exponential": neighbours.draws,
    "geo_indistinguishability": planar.draws,
}
MECHANISMS: Mapping[str, str] = {
    "health_exponential": health.MECHANISM,
    "knn_exponential": neighbours.MECHANISM,
    "geo_indistinguishability": planar.MECHANISM,
}
# Times the policy's ε that one draw costs, where it is not once.
COSTS: Mapping[str, int] = {"knn_exponential": neighbours.COST}
_NOTHING = Fraction(0)


def anywhere(stream: KeyedStream, communes: CommuneTable, home: Commune) -> Iterator[Commune]:
    """Communes of the home territory, uniformly: for a place that no table knows, whatever the strategy."""
    return exponential(stream, communes.territory(home), lambda _: 0, _NOTHING)
