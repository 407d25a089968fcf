"""The attacker who reads the area of a document: against published texts of patients drawn by the attacker's prior."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain
from math import sqrt
from random import Random

import numpy as np
import pytest

from deid.domain.document import Patient
from deid.reference import Commune
from deid.reference.communes import sort_of
from deid.reference.partition import is_overseas_code
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from nocturne_lab.evaluation.attacks.city_posterior import TownAttack
from nocturne_lab.evaluation.attacks.commune_laws import candidates, indices, key_spots, weights_among
from nocturne_lab.evaluation.attacks.document_places import towns_of
from nocturne_lab.evaluation.attacks.inputs import with_places
from tests.unit.substitution.examples import marked

TABLE = packaged_tables().communes
EPSILON = 8
POLICY = with_places("health_exponential", Fraction(EPSILON))
PLACES = POLICY.substitution.places
(POITIERS,) = TABLE.find("Poitiers")
HOME = next(one for one in TABLE.in_department("86") if TABLE.department_of_territory(one) == "86")

Towns = list[tuple[Commune, Commune]]


def by_population(random: Random, communes: Sequence[Commune]) -> Commune:
    return random.choices(communes, [max(one.population, 1) for one in communes])[0]


def published(number: int, towns: Sequence[Commune], home: Commune | None) -> Towns:
    """True and published towns of a document that names them in order, each beside its postal code."""
    markup = "".join(f"Vu à [[ZIP|{one.zips[0]}]] [[CITY|{one.name}]].\n" for one in towns)
    patient = Patient(key=f"p{number}", city=home.name if home else None, zip=home.zips[0] if home else None)
    document, mentions = marked(markup, patient=patient)
    done = Substitutor(POLICY, b"the secret of towns", TABLE).substitute(document, mentions)
    return [(true, drawn) for true, drawn in towns_of(document, done, TABLE) if drawn]


def assert_calibrated(said: Sequence[float], happened: Sequence[float]) -> None:
    """A posterior that is right expects of what happens as much as happens."""
    apart = np.array(happened) - np.array(said)
    assert abs(apart.mean()) <= 4 * apart.std() / sqrt(len(apart))


def at(commune: Commune) -> int:
    return int(indices(TABLE, [commune])[0])


@pytest.mark.slow
@pytest.mark.parametrize("home", [HOME, None])
def test_the_posterior_in_the_area_of_the_home_is_the_frequency(home: Commune | None) -> None:
    """Without a known home the area is that of most towns, here of one village."""
    random, attack = Random(1), TownAttack(TABLE, PLACES)  # noqa: S311 - no secret
    towns, whole = [one.seat for one in TABLE.spots("86")], TABLE.territory(POITIERS)
    trues: dict[Commune, list[tuple[Commune, np.ndarray]]] = defaultdict(list)
    said, happened, right, formerly = [], [], 0, 0
    joint = weights_among(TABLE, whole, whole, PLACES, EPSILON) * np.array([[one.population] for one in whole])
    old = dict(zip(whole, (whole[at] for at in joint.argmax(axis=0)), strict=True))  # by who does not know of areas
    for number in range(1200):
        first = by_population(random, towns)
        second = by_population(random, [one for one in towns if one != first])
        found = published(number, [HOME, first, second], home)
        assert [true for true, _ in found] == [HOME, first, second]
        _, after, other = attack.posteriors(EPSILON, found, home and found[0][1])
        trues[found[1][1]].append((first, after))
        right += TABLE.communes[int(after.argmax())] == first
        formerly += old[found[1][1]] == first
        weights = np.where(np.arange(len(other)) == at(first), 0, other)  # no town is written twice
        said.append(float((weights**2).sum() / weights.sum() ** 2))
        happened.append(float(weights[at(second)] / weights.sum()))
    assert set(trues) == set(towns)
    assert_frequencies(trues, towns)
    assert_calibrated(said, happened)
    assert right > 1.5 * formerly


def assert_frequencies(trues: Mapping[Commune, Sequence[tuple[Commune, np.ndarray]]], crowd: Sequence[Commune]) -> None:
    """Each commune is the original of a published town as often as the posteriors of its documents say together."""
    for found in trues.values():
        for one in crowd:
            shares = np.array([after[at(one)] for _, after in found])
            happened = sum(true == one for true, _ in found)
            assert abs(happened - shares.sum()) <= 4 * sqrt((shares * (1 - shares)).sum()) + 1
        assert all(after[indices(TABLE, crowd)].sum() == pytest.approx(1) for _, after in found)


@pytest.mark.slow
def test_towns_of_several_strata_become_one_another() -> None:
    """Near Creuse a town with a general hospital is of the strata of two regions, or of that across regions."""
    random, attack = Random(4), TownAttack(TABLE, PLACES)  # noqa: S311 - no secret
    home = next(one for one in TABLE.in_department("23") if TABLE.department_of_territory(one) == "23")
    near = [TABLE.near(TABLE.find("Guéret")[0], spot) for spot in TABLE.spots("23")]
    towns = sorted(set(chain.from_iterable(near)), key=lambda one: one.insee)
    assert len(set(map(TABLE.territory_name, towns))) > 2
    trues: dict[Commune, list[tuple[Commune, np.ndarray]]] = defaultdict(list)
    for number in range(400):
        true = by_population(random, towns)
        found = published(number, [home, true], home)
        trues[found[1][1]].append((true, attack.posteriors(EPSILON, found, found[0][1])[1]))
    assert set(trues) == set(towns)
    assert_frequencies(trues, towns)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("homes", "least"),
    [("Poitiers", 0.1), ("Châtellerault", 0.4), (HOME.name, 0.6), (None, 0.6)],
    ids=["regions", "region", "department", "no home"],
)
def test_the_posterior_is_right_wherever_the_stratum_of_the_home_lies(homes: str | None, least: float) -> None:
    """Homes are all those of one size and kind of hospital, which a published one may be of."""
    random, attack = Random(2), TownAttack(TABLE, PLACES)  # noqa: S311 - no secret
    inland = [one for one in TABLE.communes if one.zips and not is_overseas_code(one.department)]
    like = sort_of(TABLE.find(homes or HOME.name)[0])
    crowd = [one for one in inland if sort_of(one) == like]
    stays: tuple[list[float], list[float]] = [], []
    each: tuple[list[float], list[float]] = [], []
    for number in range(300):
        home = by_population(random, crowd) if homes else None
        true = by_population(random, inland)
        if home == true or not is_supposed(true, home or true):
            continue
        towns = [true] if home is None else [home, true]
        found = published(number, towns, home)
        assert [one for one, _ in found] == towns
        after = attack.posteriors(EPSILON, found, home and found[0][1])
        for one, chances in zip(towns, after, strict=True):
            assert chances[at(one)] > 0
            each[0].append(float((chances**2).sum()))
            each[1].append(float(chances[at(one)]))
        own = indices(TABLE, TABLE.territory(found[-1][1]))
        stays[0].append(float(after[-1][own].sum()))
        stays[1].append(float(at(true) in own))
    assert_calibrated(*stays)
    assert_calibrated(*each)
    assert least < np.mean(stays[1]) < least + 0.4


def is_supposed(town: Commune, home: Commune) -> bool:
    """Return whether the attacker supposes a town among those of a patient with a home of a stratum."""
    region, department = TABLE.region_of_territory(home), TABLE.department_of_territory(home)
    if region is None or TABLE.department_of_territory(town) is not None:
        return True
    return any(town in candidates(TABLE, town, spot) for spot in key_spots(TABLE, region, department))
