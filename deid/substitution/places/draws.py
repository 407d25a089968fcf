"""Strategies for communes by their name in the policy; another is added by registering it here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from deid.policy import SubstitutionPolicy
from deid.privacy import KeyedStream, exponential
from deid.reference import Commune, CommuneTable

MICRO = 1_000_000

# The true commune (None where the place is unknown), the home commune, ε → an endless row of draws.
Strategy = Callable[
    [KeyedStream, CommuneTable, Commune | None, Commune, SubstitutionPolicy, Fraction], Iterator[Commune]
]


def health_exponential(
    stream: KeyedStream,
    communes: CommuneTable,
    true: Commune | None,
    home: Commune,
    policy: SubstitutionPolicy,
    epsilon: Fraction,
) -> Iterator[Commune]:
    """Communes of the true one's territory, each with weight exp(−ε·d/2), d the distance of health profiles.

    Territories are a fixed public partition, so the candidates say no more than the territory does, which is public
    (docs/privacy.md). A place that is no known commune is drawn uniformly from the home territory.
    """
    if true is None:
        return exponential(stream, communes.territory(home), lambda _: Fraction(0), Fraction(0))
    features = policy.places.features

    def distance(candidate: Commune) -> Fraction:
        return Fraction(communes.distance(true, candidate, features), MICRO)

    return exponential(stream, communes.territory(true), distance, epsilon)


STRATEGIES: Mapping[str, Strategy] = {"health_exponential": health_exponential}
MECHANISMS: Mapping[str, str] = {"health_exponential": "exponential"}
