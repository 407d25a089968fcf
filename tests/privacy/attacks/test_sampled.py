"""Attacks of places, names, times, types and stays on a sample of a release."""

from __future__ import annotations

import logging
from fractions import Fraction
from itertools import chain

import pytest

from deid.config.policy import DEFAULT, Policy, load
from deid.domain.outcomes import Candidate
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from demo.hospital import generate
from demo.population import population_of
from nocturne_lab.evaluation.attacks.city_posterior import TownAttack
from nocturne_lab.evaluation.attacks.document_dates import KEY
from nocturne_lab.evaluation.attacks.inputs import Population, with_dates, with_places
from nocturne_lab.evaluation.attacks.known_times import seek_times
from nocturne_lab.evaluation.attacks.sampled import attack_sample
from nocturne_lab.hospital.evaluations import Filed, Measured

DOCUMENTS = 90  # fewer than the attack of leaks asks for


def attacked(population: Population, policy: Policy, documents: int = DOCUMENTS, last: str = "") -> dict[str, Measured]:
    """Measures of a sample, until the `last` measure if one is named."""
    substitutor = Substitutor(policy, KEY, packaged_tables().communes)
    records = population.records[:documents]
    sample = [
        Candidate(one.document, one.mentions, substitutor.substitute(one.document, one.mentions)) for one in records
    ]
    found: dict[str, Measured] = {}
    for one in attack_sample(sample, policy, KEY):
        found[one.measure] = one
        if one.measure == last:
            break
    return found


@pytest.fixture(scope="module")
def near(small: Population) -> dict[str, Measured]:
    """A draw that nearly always gives the commune itself."""
    return attacked(small, with_places("health_exponential", Fraction(2000)))


@pytest.fixture(scope="module")
def far(small: Population) -> dict[str, Measured]:
    return attacked(small, with_places("health_exponential", Fraction(1, 100)))


def test_communes_are_guessed_as_far_as_the_draw_keeps_them(
    near: dict[str, Measured], far: dict[str, Measured]
) -> None:
    """Even a draw that keeps profiles leaves most homes out of its candidates."""
    assert far["attack.places"].value < near["attack.places"].value < 0.6
    for found in (near, far):
        one = found["attack.places"]
        assert one.low is not None
        assert one.high is not None
        assert 0 <= one.low <= one.value <= one.high <= 1
        assert one.n > 30


def test_communes_are_compared_with_what_is_guessed_without_the_published_one(
    near: dict[str, Measured], far: dict[str, Measured]
) -> None:
    prior, chance = near["attack.places_prior"], near["attack.places_chance"]
    assert prior.n == chance.n == near["attack.places"].n
    assert min(chance.value, prior.value) > 0
    assert max(chance.value, prior.value) < near["attack.places"].value
    assert prior.low is not None
    assert prior.high is not None
    assert prior.low <= far["attack.places"].value <= prior.high, "a draw that tells nothing: the populations alone"


def test_under_the_strategies_of_the_articles_the_department_is_known(small: Population) -> None:
    found = attacked(small, with_places("knn_exponential", Fraction(1)), 30)
    assert 0 <= found["attack.places"].value < 1


def test_tags_give_no_commune_to_guess_from(small: Population) -> None:
    assert "attack.places" not in attacked(small, with_places("tag"), 30)


def test_the_likeliest_commune_is_the_populous_one_where_the_draw_tells_nothing() -> None:
    """Without ε every commune of the territory is as likely given any other: the guess is by population."""
    table = packaged_tables().communes
    (village,) = table.find("Beaune-la-Rolande")
    home = next(one for one in table.in_department("45") if table.department_of_territory(one) == "45")
    attack = TownAttack(table, with_places("health_exponential").substitution.places)
    spots = table.spots("45")
    drawn, towns_of_spots = table.near(home, spots[0])[0], [table.near(village, spot) for spot in spots]
    for towns, crowd in (
        ([(home, drawn)], table.territory(home)),
        ([(home, drawn), (village, towns_of_spots[0][0])], {*chain.from_iterable(towns_of_spots)}),
    ):
        most = max(crowd, key=lambda one: one.population)
        assert table.communes[int(attack.posteriors(1e-9, towns, drawn)[-1].argmax())] == most


@pytest.mark.slow
def test_one_surrogate_per_name_keeps_its_rank_and_one_per_patient_hides_it(small: Population) -> None:
    corpus = attacked(small, with_dates("metric", scope="corpus"), 240, "attack.names")["attack.names"]
    found = attacked(small, with_dates("metric"), 240)
    patient, leaks = found["attack.names"], found["attack.leaks"]
    assert 0 <= leaks.value <= 1 <= leaks.n
    assert corpus.n == patient.n > 50
    assert corpus.value > patient.value
    assert corpus.high is not None
    assert corpus.value < corpus.high


def test_the_log_counts_attacks_and_nothing_else(small: Population, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="nocturne_lab.evaluation.attacks.sampled"):
        attacked(small, with_dates("metric"), 20)
    said = [
        record.getMessage() for record in caplog.records if record.name == "nocturne_lab.evaluation.attacks.sampled"
    ]
    assert said[0] == "attack 1 of 8: text"
    assert said[-1] == "attack 8 of 8: leaks"
    assert len(said) == 8


def filed(policy: Policy) -> dict[str, Measured]:
    """Measures of a hospital whose stays and types are known, with the times of day that detection finds."""
    hospital = generate(7, patients=24, documents=230)
    records = population_of(hospital).records
    substitutor = Substitutor(policy, KEY, packaged_tables().communes)
    sought = seek_times(records) if policy.substitution.seeks_times else [(one, []) for one in records]
    sample = [
        Candidate(one.document, mentions, substitutor.substitute(one.document, mentions))
        for one, times in sought
        for mentions in [tuple(sorted((*one.mentions, *times)))]
    ]
    filing = {
        one.document_id: Filed(one.stay_id or one.document_id, one.type_code, one.loinc_code)
        for one in hospital.documents
    }
    measured: dict[str, Measured] = {}
    for one in attack_sample(sample, policy, KEY, filing=filing):
        if one.measure == "attack.places":  # after those of times, types and stays
            break
        measured[one.measure] = one
    assert all((one.low or 0) <= one.value <= (one.high or 1) for one in measured.values())
    return measured


@pytest.mark.slow
def test_times_types_and_stays_are_attacked_as_the_policy_publishes_them() -> None:
    shipped, strict = filed(load()), filed(load(DEFAULT.with_name("strict.yaml")))
    assert shipped["attack.known_times"].value == 1, "times stay as they are"
    assert shipped["attack.known_types_all"].value > 0.9
    assert shipped["attack.known_types_all"].value > shipped["attack.known_types"].value > 3 / 24
    assert not [name for name in shipped if name.startswith(("attack.types", "attack.stays"))], "both are published"
    assert strict["attack.known_times"].n > 10
    assert strict["attack.known_times"].value < 0.6
    assert strict["attack.known_types"].value < shipped["attack.known_types"].value / 2
    assert strict["attack.known_types_all"].value < shipped["attack.known_types_all"].value, "the number of documents"
    assert {one[name].n for one in (strict, shipped) for name in one if "known_types" in name} == {24}
    assert strict["attack.types_read"].value > 0.8, "texts say their type"
    assert strict["attack.stays_read"].value > strict["attack.stays_single"].value


def test_a_sample_of_unknown_stays_and_one_of_two_patients_have_figures_where_there_are_targets(
    small: Population,
) -> None:
    assert not {name for name in attacked(small, load(), 30) if "known_t" in name}, "no stay is known"
    few = {one.patient: one for one in small.records[:60]}
    two = list(few.values())[:2]
    policy = load(DEFAULT.with_name("strict.yaml"))
    substitutor = Substitutor(policy, KEY, packaged_tables().communes)
    sample = [Candidate(one.document, one.mentions, substitutor.substitute(one.document, one.mentions)) for one in two]
    filing = {one.document.id: Filed("S", "", "") for one in two}
    found = {one.measure: one for one in attack_sample(sample, policy, KEY, filing=filing)}
    assert found["attack.known_types"].value in (0, 0.5, 1)
    assert found["attack.stays_read"].n == 2
    assert "attack.types_read" not in found, "two patients and one type teach nothing"
