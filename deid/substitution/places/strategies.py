"""Strategies for communes, by their name in the policy; register another one here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from deid.config.policy import Places
from deid.privacy.exponential import exponential
from deid.privacy.planar_laplace import planar_laplace
from deid.privacy.stream import KeyedStream
from deid.reference import Commune, CommuneTable
from deid.reference.distances import MICRO, Point, profile_distance

HEALTH = "exponential"


def health_draws(
    stream: KeyedStream,
    communes: CommuneTable,
    true: Commune,
    policy: Places,
    epsilon: Fraction,
    among: Sequence[Commune] = (),
) -> Iterator[Commune]:
    """Yield communes of the true one's territory, each with weight exp(−ε·d/2), d the distance of health profiles.

    `among`: those by a spot alone, which depend on public facts and other draws (`Gazette._anchor`); uniformly where
    one is not of the territory, whose profiles alone are comparable.

    Territories are a fixed public partition, so the candidates reveal only the territory, which is public
    (docs/privacy.md). Within one, a draw is ε·d-private: `deid.privacy.exponential` has the proof. Profiles are cached
    per territory, and distances are computed for proposals only: at the shipped ε, for about one commune per draw.
    """
    profiles = communes.profiles(true, policy.features)
    mine = profiles[true.insee]
    if not all(one.insee in profiles for one in among):
        return anywhere(stream, among)
    # One law whatever is taken from all distances; a proposal is kept sooner where the true commune is not proposed.
    least = min((profile_distance(mine, profiles[one.insee]) for one in among), default=0)
    return exponential(
        stream,
        among or communes.territory(true),
        lambda one: profile_distance(mine, profiles[one.insee]) - least,
        epsilon / MICRO,
    )


# Strategy `knn_exponential`: Tchouka et al. 2023 as published, with its weakness.

NEIGHBOURS = "knn_exponential"
_METRES = 1000


def neighbour_draws(
    stream: KeyedStream, communes: CommuneTable, true: Commune, policy: Places, epsilon: Fraction
) -> Iterator[Commune]:
    """Yield the k nearest communes by health profile within a radius, each with weight exp(ε·U), U = 1 − d.

    Section 4.2 of the article: features normalised by their maximum over the table, d their Euclidean distance to the
    true commune, which is among the k. exp(ε·(1 − d)) and exp(−ε·d) are one law; the exponential mechanism draws it at
    2ε.

    **Guarantee.** The article claims ε·d-privacy. Its proof takes the normaliser a for a constant, but a is the inverse
    of a sum over the k communes, and moves with the input: over one set of candidates the law is 2ε·d-private (the
    bound of the exponential mechanism), as the ledger writes. And the set depends on the input: a surrogate in the set
    of only one of two communes separates them with certainty, whatever ε. There is no bound between communes whose sets
    differ. `health_exponential` mends both; this strategy is here for comparison.
    """
    near = dict(communes.neighbours(true, policy.features, policy.neighbours, int(policy.radius_km * _METRES)))
    return exponential(stream, tuple(near), near.__getitem__, 2 * epsilon / MICRO)


# Strategy `geo_indistinguishability` (Tchouka et al. 2022, section 4.5): a noisy point, then the nearest commune.

PLANAR = "planar_laplace"
STEP_M = 100
_EDGE = 40_000_000 // STEP_M  # no point is further from its plane's origin than the Earth goes round


def planar_draws(
    stream: KeyedStream, communes: CommuneTable, true: Commune, policy: Places, epsilon: Fraction
) -> Iterator[Commune]:
    """Yield communes nearest to the true one's point moved by planar Laplace noise of ε per `unit_km` kilometres.

    The point is rounded to a grid of 100 m, then moved: ε·d-private, d the kilometres between rounded points on the
    plane of `deid.reference.distances` (`deid.privacy.planar_laplace` has the proof); the nearest commune is
    post-processing. The zone is public: the metropolis with Corsica, or one overseas department. A point in the sea or
    abroad gives the nearest commune of the zone, one beyond 40,000 km the nearest to that edge.
    """
    here = communes.atlas.point(true)
    column, row = (here.x + STEP_M // 2) // STEP_M, (here.y + STEP_M // 2) // STEP_M
    per_km = epsilon / Fraction(str(policy.unit_km))
    while True:
        x, y = planar_laplace(stream, per_km, STEP_M)
        moved = (max(-_EDGE, min(place, _EDGE)) * STEP_M for place in (column + x, row + y))
        yield communes.atlas.nearest(Point(here.zone, *moved))


# The stream, the table, the true commune, the policy, ε → an endless row of independent draws.
Strategy = Callable[[KeyedStream, CommuneTable, Commune, Places, Fraction], Iterator[Commune]]

STRATEGIES: Mapping[str, Strategy] = {
    "health_exponential": health_draws,
    "knn_exponential": neighbour_draws,
    "geo_indistinguishability": planar_draws,
}
MECHANISMS: Mapping[str, str] = {
    "health_exponential": HEALTH,
    "knn_exponential": NEIGHBOURS,
    "geo_indistinguishability": PLANAR,
}
_NOTHING = Fraction(0)


def anywhere(stream: KeyedStream, communes: Sequence[Commune]) -> Iterator[Commune]:
    """Yield communes uniformly, for a place that no table knows, whatever the strategy."""
    return exponential(stream, communes, lambda _: 0, _NOTHING)
