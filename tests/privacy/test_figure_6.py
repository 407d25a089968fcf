"""Figure 6 of Tchouka et al. 2023: what `knn_exponential` gives for Dijon, by the article's own features."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp, sqrt

import pytest

from deid.config.policy import Policy
from deid.privacy.stream import KeyedStream
from deid.reference import Commune, CommuneTable
from deid.substitution.places.strategies import neighbour_draws
from tests.privacy.laws import commune_law
from tests.unit.substitution.examples import changed

EPSILON = Fraction(1, 4)
FEATURES = ("population", "cancer", "stroke")
# Tchouka et al. 2023, figure 6, in full in Couchot 2023, slide 27: features, distance to Dijon, probability of each.
FIGURE = {
    "Dijon": (160204, 182.252004, 273.184785, 0.000000, 0.133468),
    "Besançon": (119249, 134.135495, 218.375283, 0.418721, 0.120203),
    "Chalon-sur-Saône": (46603, 52.730489, 108.706972, 1.170695, 0.099602),
    "Dole": (24606, 57.437117, 55.200112, 1.349742, 0.095242),
    "Lons-le-Saunier": (18023, 42.070599, 40.497996, 1.450857, 0.092865),
    "Le Creusot": (21935, 24.819073, 51.165964, 1.466909, 0.092493),
    "Vesoul": (15728, 42.069461, 33.302482, 1.475195, 0.092301),
    "Beaune": (21747, 24.739921, 37.083653, 1.497015, 0.091799),
    "Montceau-les-Mines": (18789, 21.259429, 43.827550, 1.504867, 0.091619),
}
# The tenth row is cut off. Its probability is what the nine leave, which gives its distance, and a share of Dijon's
# features that has this distance.
TENTH_SHARE = 0.100421
TENTH_DISTANCE = 1.558116


@pytest.fixture(scope="module")
def figure(communes: CommuneTable) -> CommuneTable:
    """The article's communes with the article's features, where they lie."""
    rows = []
    for name, (population, cancer, stroke, _, _) in FIGURE.items():
        real = communes.find(name)[0]
        rows.append(_with(real, population, cancer, stroke))
    dijon = FIGURE["Dijon"]
    rows.append(_with(communes.find("Gray", department="70")[0], *(TENTH_SHARE * value for value in dijon[:3])))
    return CommuneTable(rows, version="figure 6", min_communes=1, min_inhabitants=0)


def _with(commune: Commune, *values: float) -> Commune:
    features = dict(zip(FEATURES, values, strict=True))
    return Commune(commune.insee, commune.name, "", "", (), commune.lon, commune.lat, 0, features)


def _knn(policy: Policy, **changes: object) -> Policy:
    return changed(policy, places={"strategy": "knn_exponential", "features": FEATURES, **changes})


def test_the_published_distances_give_the_published_probabilities() -> None:
    distances = [row[3] for row in FIGURE.values()] + [TENTH_DISTANCE]
    total = sum(exp(-EPSILON * far) for far in distances)
    for *_, far, probability in FIGURE.values():
        assert abs(exp(-EPSILON * far) / total - probability) < 1e-6


def test_the_published_features_give_the_published_distances(figure: CommuneTable) -> None:
    near = {one.name: far / 1e6 for one, far in figure.neighbours(figure.find("Dijon")[0], FEATURES, 10, 100_000)}
    assert len(near) == 10
    for name, (*_, far, _) in FIGURE.items():
        assert abs(near[name] - far) < 2e-4
    assert abs(near["Gray"] - TENTH_DISTANCE) < 2e-4


def test_the_law_is_the_published_one(figure: CommuneTable, policy: Policy) -> None:
    dijon = figure.find("Dijon")[0]
    found = {
        one.name: share for one, share in commune_law(figure, dijon, _knn(policy).substitution.places, EPSILON).items()
    }
    assert abs(sum(found.values()) - 1) < 1e-12
    for name, (*_, probability) in FIGURE.items():
        assert abs(found[name] - probability) < 5e-6
    far = figure.neighbours(dijon, FEATURES, 10, 100_000)
    ratios = {one.name: exp(-EPSILON * distance / 1e6) for one, distance in far}
    for name in FIGURE:
        assert abs(found[name] / found["Dijon"] - ratios[name]) < 1e-9
    assert abs(exp(-EPSILON * 0.418721) - 0.120203 / 0.133468) < 1e-6


def test_draws_have_that_law(figure: CommuneTable, policy: Policy) -> None:
    dijon, places, number = figure.find("Dijon")[0], _knn(policy).substitution.places, 20_000
    draws = neighbour_draws(KeyedStream(b"law", "figure 6"), figure, dijon, places, EPSILON)
    counts = Counter(commune for _, commune in zip(range(number), draws, strict=False))
    shares = commune_law(figure, dijon, places, EPSILON)
    assert set(counts) == set(shares)
    for one, share in shares.items():
        assert abs(counts[one] - number * share) <= 5 * sqrt(number * share * (1 - share)) + 1


def test_two_neighbours_have_other_candidates_which_is_why_it_is_not_the_default(
    communes: CommuneTable, policy: Policy
) -> None:
    places = changed(policy, places={"strategy": "knn_exponential"}).substitution.places
    chenove, talant = (
        set(commune_law(communes, communes.find(name)[0], places, EPSILON)) for name in ("Chenôve", "Talant")
    )
    assert chenove - talant
    fixed = places.model_copy(update={"strategy": "health_exponential"})
    chenove, talant = (
        set(commune_law(communes, communes.find(name)[0], fixed, EPSILON)) for name in ("Chenôve", "Talant")
    )
    assert chenove == talant
