"""The strategies for communes, chosen in the policy: candidates, zones, ledger, and what a draw may depend on."""

from __future__ import annotations

import pytest

from deid.config.policy import Policy
from deid.domain.document import Patient
from deid.french.folding import comparable
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

STRATEGIES = ["health_exponential", "knn_exponential", "geo_indistinguishability"]
KEYS = [f"patient-{number}" for number in range(20)]


def _substitutor(policy: Policy, communes: CommuneTable, **places: object) -> Substitutor:
    return Substitutor(changed(policy, places=places), KEY, communes)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_address_stays_one_address(strategy: str, policy: Policy, communes: CommuneTable) -> None:
    substitutor = _substitutor(policy, communes, strategy=strategy)
    for key in KEYS:
        result = substitutor.substitute(*marked("[[ZIP|21200]] [[CITY|BEAUNE]]", patient=Patient(key=key)))
        code, city = surrogates(result)
        assert strategy == "health_exponential" or (code, city) != ("21200", "BEAUNE")
        assert any(code in commune.zips for commune in communes.find(city))
        assert [one.strategy for one in result.surrogates] == [strategy, strategy]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_place_is_drawn_alike_in_all_documents_of_a_patient(
    strategy: str, policy: Policy, communes: CommuneTable
) -> None:
    substitutor = _substitutor(policy, communes, strategy=strategy)
    patient = Patient(key="p1", city="Gray", zip="70100")
    alone = substitutor.substitute(*marked("né à [[CITY|Vesoul]]", id="a", patient=patient))
    among = substitutor.substitute(*marked("de [[CITY|Gray]] à [[CITY|VESOUL]]", id="b", patient=patient))
    assert comparable(surrogates(alone)[0]) == comparable(surrogates(among)[1])


@pytest.mark.parametrize("city", ["Saint-Leu", "Mamoudzou", "Cayenne", "Le Lamentin", "Pointe-à-Pitre"])
def test_noise_on_coordinates_does_not_leave_an_island(city: str, policy: Policy, communes: CommuneTable) -> None:
    substitutor = _substitutor(policy, communes, strategy="geo_indistinguishability", unit_km=20.0)
    home = communes.find(city)[0].department
    for key in KEYS:
        (found,) = surrogates(substitutor.substitute(*marked(f"[[CITY|{city}]]", patient=Patient(key=key))))
        assert found != city
        assert communes.find(found, department=home)[0].department == home


def test_noise_on_coordinates_is_as_long_as_the_policy_says(policy: Policy, communes: CommuneTable) -> None:
    means = []
    for unit in (1.0, 8.0):
        substitutor = _substitutor(policy, communes, strategy="geo_indistinguishability", unit_km=unit)
        dijon, lengths = communes.atlas.point(communes.find("Dijon")[0]), []
        for number in range(150):
            document = marked("né à [[CITY|Dijon]]", patient=Patient(key=f"p{number}"))
            (city,) = surrogates(substitutor.substitute(*document))
            near = min(
                ((p.x - dijon.x) ** 2 + (p.y - dijon.y) ** 2) ** 0.5
                for p in map(communes.atlas.point, communes.find(city))
                if p.zone == dijon.zone
            )
            lengths.append(near / 1000)
        means.append(sum(lengths) / len(lengths))
    # The mean of the radius is 2 · unit / ε, 8 and 64 km at ε = 1/4; the sea and the borders shorten the long ones.
    assert 6 < means[0] < 12
    assert 45 < means[1] < 75


def test_nearest_profiles_stay_within_the_radius(policy: Policy, communes: CommuneTable) -> None:
    substitutor = _substitutor(policy, communes, strategy="knn_exponential", neighbours=30, radius_km=15.0)
    near = {one.name for one in communes.atlas.within(communes.find("Dijon")[0], 15_000)}
    for key in KEYS:
        (city,) = surrogates(substitutor.substitute(*marked("né à [[CITY|Dijon]]", patient=Patient(key=key))))
        assert city in near - {"Dijon"}


@pytest.mark.parametrize(
    "places",
    [
        {"strategy": "knn_exponential", "neighbours": 2, "radius_km": 0.001},
        {"strategy": "geo_indistinguishability", "unit_km": 0.01},
    ],
)
def test_a_strategy_that_can_only_give_the_original_gives_way_to_a_uniform_draw(
    places: dict[str, object], policy: Policy, communes: CommuneTable
) -> None:
    substitutor = _substitutor(policy, communes, **places)
    territory = {one.name for one in communes.territory(communes.find("Dijon")[0])}
    found = set()
    for key in KEYS:
        patient = Patient(key=key, zip="70000", city="Vesoul")
        (city,) = surrogates(substitutor.substitute(*marked("né à [[CITY|Dijon]]", patient=patient)))
        assert city in territory - {"Dijon"}
        found.add(city)
    assert len(found) > len(KEYS) / 2


@pytest.mark.parametrize(
    ("strategy", "mechanism", "cost"),
    [
        ("health_exponential", "exponential", 0.25),
        ("knn_exponential", "knn_exponential", 0.5),
        ("geo_indistinguishability", "planar_laplace", 0.25),
    ],
)
def test_the_ledger_names_the_mechanism_and_what_it_costs(
    strategy: str, mechanism: str, cost: float, policy: Policy, communes: CommuneTable
) -> None:
    result = _substitutor(policy, communes, strategy=strategy).substitute(*marked("[[CITY|Dijon]] [[CITY|DIJON]]"))
    (spend,) = (one for one in result.spends if one.category == "place")
    assert (spend.mechanism, spend.epsilon, spend.elements) == (mechanism, cost, 1)


def test_an_unknown_place_costs_no_noise_but_a_uniform_draw(policy: Policy, communes: CommuneTable) -> None:
    """Check that the surrogate of an unknown name depends on the home territory only, and the key's spot in it."""
    patient = Patient(key="p", zip="21110", city="Genlis")
    document = marked("[[CITY|Xqz]] [[CITY|Bouaké]] [[ZIP|00000]]", patient=patient)
    assert not [one for one in _substitutor(policy, communes).substitute(*document).spends if one.category == "place"]
    unknown = marked("à [[CITY|Xqz]]", patient=patient)
    towns = {
        one: surrogates(_substitutor(policy, communes, strategy=one).substitute(*unknown))[0] for one in STRATEGIES
    }
    assert towns.pop("health_exponential") in {one.name for one in communes.territory(communes.find("Genlis")[0])}
    assert len(set(towns.values())) == 1
