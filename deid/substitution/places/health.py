"""Strategy `health_exponential`: the exponential mechanism over a fixed public set (Tchouka et al. 2023, mended)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from deid.config.policy import Places
from deid.privacy import KeyedStream, exponential
from deid.reference import Commune, CommuneTable
from deid.reference.distances import MICRO, profile_distance

MECHANISM = "exponential"


def draws(
    stream: KeyedStream, communes: CommuneTable, true: Commune, policy: Places, epsilon: Fraction
) -> Iterator[Commune]:
    """Communes of the true one's territory, each with weight exp(−ε·d/2), d the distance of health profiles.

    Territories are a fixed public partition, so the candidates say no more than the territory does, which is public
    (docs/privacy.md). Within one, a draw is ε·d-private: `deid.privacy.exponential` has the proof. Profiles are cached
    per territory, and distances are computed for proposals only: at the shipped ε, for about one commune per draw.
    """
    profiles = communes.profiles(true, policy.features)
    mine = profiles[true.insee]
    return exponential(
        stream, communes.territory(true), lambda one: profile_distance(mine, profiles[one.insee]), _per_unit(epsilon)
    )


@lru_cache(1 << 8)
def _per_unit(epsilon: Fraction) -> Fraction:
    """An ε of the policy's in nats per millionth, the unit of distances."""
    return epsilon / MICRO
