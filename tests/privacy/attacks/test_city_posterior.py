"""The posterior of a commune: against a sum done by hand, against real draws, and against what must hold at any ε."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import exp, log, sqrt

import pytest

from deid.config.policy import Places, load
from deid.privacy.stream import KeyedStream
from deid.reference import Commune, CommuneTable
from deid.reference.tables import packaged_tables
from deid.substitution.places.strategies import STRATEGIES, health_draws
from nocturne_lab.evaluation.attacks.city_posterior import commune_posteriors
from nocturne_lab.evaluation.attacks.commune_laws import law_of, weights_among
from tests.privacy.laws import commune_law

TABLE = packaged_tables().communes
SHIPPED = load().substitution.places
DRAWS = 4_000


def _places(strategy: str, **changes: object) -> Places:
    return SHIPPED.model_copy(update={"strategy": strategy, **changes})


def _three(populations: tuple[int, int, int]) -> CommuneTable:
    """Three communes of one territory, 10 km apart on a line, their only feature 0, 1/2 and 1 of its maximum."""
    return CommuneTable(
        [
            Commune(f"2100{n}", f"C{n}", "21", "27", ("21000",), 5.0, 47 + n * 0.09, people, {"f": float(n)})
            for n, people in enumerate(populations)
        ],
        version="three",
        min_communes=1,
        min_inhabitants=0,
        partition={"21-01": ["21000", "21001", "21002"]},
    )


def test_three_communes_by_hand() -> None:
    epsilon = 2.0
    (found,) = commune_posteriors(
        _three((100, 300, 600)), _places("health_exponential", features=("f",)), [Fraction(2)]
    )
    prior = [0.1, 0.3, 0.6]
    weight = [[exp(-epsilon * abs(a - b) / 2 / 2) for b in range(3)] for a in range(3)]
    joint = [[prior[a] * weight[a][b] / sum(weight[a]) for b in range(3)] for a in range(3)]
    marginal = [sum(joint[a][b] for a in range(3)) for b in range(3)]
    assert found.mean == pytest.approx(sum(joint[a][b] ** 2 / marginal[b] for a in range(3) for b in range(3)))
    assert found.guess == pytest.approx(sum(max(joint[a][b] for a in range(3)) for b in range(3)))
    assert found.max == pytest.approx(max(joint[a][b] / marginal[b] for a in range(3) for b in range(3)))
    assert found.distance == pytest.approx(sum(joint[a][b] * abs(a - b) / 2 for a in range(3) for b in range(3)))
    assert found.km == pytest.approx(20 * found.distance, rel=0.01)
    assert (found.candidates, found.guess_before) == pytest.approx((3.0, 0.6))


@pytest.mark.parametrize("strategy", ["health_exponential", "knn_exponential", "geo_indistinguishability"])
def test_the_law_is_that_of_the_draws(strategy: str) -> None:
    true, epsilon, places = TABLE.find("Genlis")[0], Fraction(8), _places(strategy)
    stream = KeyedStream(b"law", strategy)
    if strategy == "health_exponential":
        among = TABLE.near(true, TABLE.spots("21")[0])
        (weights,) = weights_among(TABLE, [true], among, places, float(epsilon))
        shares = dict(zip(among, map(float, weights / weights.sum()), strict=True))
        draws = health_draws(stream, TABLE, true, places, epsilon, among)
    else:
        shares = {**commune_law(TABLE, true, places, epsilon)}
        draws = STRATEGIES[strategy](stream, TABLE, true, places, epsilon)
    counts = Counter(one for _, one in zip(range(DRAWS), draws, strict=False))
    assert sum(shares.values()) == pytest.approx(1)
    for one in {*counts, *shares}:
        share = shares.get(one, 0.0)
        # The raster of the planar law has cells of 500 m: a few thousandths on a commune.
        assert abs(counts[one] - DRAWS * share) <= 5 * sqrt(DRAWS * share * (1 - share)) + 1 + 0.003 * DRAWS


def test_many_neighbours_at_once_are_those_of_the_table() -> None:
    places = _places("knn_exponential", neighbours=7, radius_km=30.0)
    inputs = TABLE.communes[::3000]
    pairs = law_of(TABLE, inputs, places).at(1.0)
    for at, commune in enumerate(inputs):
        near = TABLE.neighbours(commune, places.features, 7, 30_000)
        mine = pairs.inputs == at
        found = dict(zip((TABLE.communes[one] for one in pairs.outputs[mine]), pairs.weights[mine], strict=True))
        assert found.keys() == {one for one, _ in near}
        assert [log(found[commune] / found[one]) for one, _ in near] == pytest.approx([far / 1e6 for _, far in near])


def test_more_epsilon_keeps_more_and_tells_more() -> None:
    rows = commune_posteriors(TABLE, _places("health_exponential"), map(Fraction, (0, 4, 16, 64, 256)), ["25"])
    for less, more in pairwise(rows):
        assert less.distance > more.distance
        assert less.mean < more.mean
        assert less.crowd > more.crowd
        assert less.guess <= more.guess
    assert rows[0].guess == pytest.approx(rows[0].guess_before, abs=0.02)
    assert rows[0].candidates > 62


def test_nearest_profiles_give_an_attacker_certainty_at_any_epsilon() -> None:
    """In a department that is one stratum: of one that has a single town of its stratum the department tells all."""
    fixed, nearest = (
        commune_posteriors(TABLE, _places(strategy), [Fraction(1, 4)], ["971"])[0]
        for strategy in ("health_exponential", "knn_exponential")
    )
    assert nearest.max == 1.0
    assert fixed.max < 1.0
    assert nearest.mean > 2 * fixed.mean


def test_a_planar_move_is_two_over_epsilon() -> None:
    near, far = commune_posteriors(TABLE, _places("geo_indistinguishability"), [Fraction(1, 2), Fraction(1, 8)], ["90"])
    assert 3 < near.km < 6
    assert 13 < far.km < 19
    (scaled,) = commune_posteriors(TABLE, _places("geo_indistinguishability", unit_km=4.0), [Fraction(1, 2)], ["90"])
    assert scaled.km == pytest.approx(far.km)


def test_what_cannot_be_asked() -> None:
    with pytest.raises(ValueError, match="draws no commune"):
        commune_posteriors(TABLE, _places("tag"), [Fraction(1)], ["90"])
    with pytest.raises(ValueError, match="no commune"):
        commune_posteriors(TABLE, SHIPPED, [Fraction(1)], ["00"])
    with pytest.raises(KeyError):
        commune_posteriors(TABLE, _places("knn_exponential", features=("horoscope",)), [Fraction(1)], ["90"])
