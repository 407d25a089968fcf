"""Every attack on every strategy, over one population."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from deid.config.policy import Policy
from deid.reference import CommuneTable
from deid.reference.tables import packaged_tables
from nocturne_lab.evaluation.attacks.averaging import (
    Averaging,
    CommuneAveraging,
    SurrogatesPerPatient,
    average_communes,
    average_dates,
    surrogates_per_patient,
)
from nocturne_lab.evaluation.attacks.city_posterior import Posterior, commune_posteriors
from nocturne_lab.evaluation.attacks.document_dates import publish_dates
from nocturne_lab.evaluation.attacks.inputs import Population, Resident, with_dates, with_places
from nocturne_lab.evaluation.attacks.published_epsilon import DRAWS, published_epsilons
from nocturne_lab.evaluation.attacks.reidentification import Linkage, SequenceMatching, linkages, match_sequences
from nocturne_lab.evaluation.attacks.surnames import BandInformation, RankMatching, Whose, band_information, match_ranks
from nocturne_lab.evaluation.attacks.usefulness import DateUtility, ProfileUtility, measure_dates, measure_profiles
from nocturne_lab.evaluation.audit import CASES, Audit, audit

SHIPPED = Fraction(1, 4)
DATE_GRID = {
    "metric": (Fraction(1, 16), SHIPPED, Fraction(1), Fraction(4)),
    "bounded_laplace": (SHIPPED, Fraction(1), Fraction(4), Fraction(16)),
}
PLACE_GRID = {
    "health_exponential": (Fraction(0), SHIPPED, *map(Fraction, (1, 4, 16, 64, 256))),
    "knn_exponential": (SHIPPED, Fraction(4), Fraction(64)),
    "geo_indistinguishability": (Fraction(1, 16), SHIPPED, Fraction(1), Fraction(4)),
}
AVERAGED = (1, 2, 4, 8, 16, 32, 64)
COMMUNES_AVERAGED = (1, 4, 16, 64, 256)
# Strategies and ε with noise of its own for the document's own date (`document_date: metric`).
OWN_DATES = (("metric", Fraction(1, 16)), ("metric", SHIPPED), ("metric", Fraction(1)), ("tag", SHIPPED))
# Strategy, ε, scope, split: the shipped one, then each way of drawing again, then other strategies drawn again.
COMMUNE_DRAWS = (
    ("health_exponential", SHIPPED, "patient", "nominal"),
    ("health_exponential", SHIPPED, "corpus", "nominal"),
    ("health_exponential", SHIPPED, "patient", "uniform"),
    ("health_exponential", SHIPPED, "document", "nominal"),
    ("health_exponential", Fraction(16), "document", "nominal"),
    ("knn_exponential", SHIPPED, "document", "nominal"),
    ("geo_indistinguishability", SHIPPED, "document", "nominal"),
)
SCOPES = ("patient", "document", "corpus")
# Departments with a lower share of the patients are left out of the posterior of communes.
_LEAST_SHARE = 0.05

Step = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class DateRow:
    """One strategy for dates at one ε; `name` says its options; ε is None where none is spent."""

    strategy: str
    name: str
    epsilon: float | None
    sequences: SequenceMatching
    kept: DateUtility
    linkages: tuple[Linkage, ...]


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """One strategy for communes at one ε."""

    posterior: Posterior
    kept: ProfileUtility


@dataclass(frozen=True, slots=True)
class AveragingRow:
    """One strategy for dates in one scope."""

    strategy: str
    scope: str
    points: tuple[Averaging, ...]


@dataclass(frozen=True, slots=True)
class CommuneAveragingRow:
    """One strategy for communes in one scope, under one split of ε."""

    strategy: str
    epsilon: float
    scope: str
    split: str
    points: tuple[CommuneAveraging, ...]


@dataclass(frozen=True, slots=True)
class Study:
    """All findings, for `report` and `plots`."""

    patients: int
    documents: int
    departments: tuple[str, ...]
    dates: tuple[DateRow, ...]
    averages: tuple[AveragingRow, ...]
    places: tuple[PlaceRow, ...]
    commune_averages: tuple[CommuneAveragingRow, ...]
    surrogates_per_patient: tuple[SurrogatesPerPatient, ...]
    surnames: tuple[RankMatching, ...]
    band: BandInformation
    published: tuple[Audit, ...]
    mechanisms: tuple[Audit, ...]
    draws: int


def study(population: Population, *, draws: int = 50_000, step: Step = lambda _what: None) -> Study:
    """Attack every strategy on a population.

    The same arguments give the same findings on any machine.

    Args:
        population: the documents and residents.
        draws: per input, for the audit of mechanisms.
        step: called with the name of each finished part.

    Raises:
        ValueError: too few patients for an attack to have a target, or too few draws.
    """
    patients = len(population.residents)
    dates = tuple(_dates(population, step))
    averages = tuple(_averages(patients, step))
    table, departments = packaged_tables().communes, _departments(population.residents)
    places = tuple(_places(table, population.residents, departments, step))
    commune_averages = tuple(_commune_averages(table, population.residents, departments, step))
    per_patient = tuple(_per_patient(table, population, step))
    surnames = tuple(_surnames(population, step))
    band = band_information()
    published = tuple(published_epsilons(min(draws, DRAWS)))
    step("published ε")
    mechanisms = tuple(audit(case, draws) for case in CASES)
    step("mechanisms")
    return Study(
        patients=patients,
        documents=len(population.records),
        departments=departments,
        dates=dates,
        averages=averages,
        places=places,
        commune_averages=commune_averages,
        surrogates_per_patient=per_patient,
        surnames=surnames,
        band=band,
        published=published,
        mechanisms=mechanisms,
        draws=draws,
    )


def steps() -> int:
    """Return the number of calls of `step` by `study`."""
    return (
        3
        + sum(map(len, DATE_GRID.values()))
        + len(OWN_DATES)
        + 5
        + 6
        + len(PLACE_GRID)
        + len(COMMUNE_DRAWS)
        + len(SCOPES)
        + 6
    )


def _dates(population: Population, step: Step) -> Iterator[DateRow]:
    errors: dict[str, float | None] = {}
    for strategy, grid in DATE_GRID.items():
        for epsilon in grid:
            row = _date_row(population, strategy, strategy, epsilon, with_dates(strategy, epsilon))
            if epsilon == SHIPPED:
                errors[strategy] = row.kept.error
            step(f"{strategy} {epsilon}")
            yield row
    for strategy, epsilon in OWN_DATES:
        policy = with_dates(strategy, epsilon, document_date="metric")
        yield _date_row(population, strategy, f"{strategy}, document_date: metric", epsilon, policy)
        step(f"document's date {epsilon}")
    yield _date_row(population, "uniform_shift", "uniform_shift, ± 1 to 365 days", None, with_dates("uniform_shift"))
    step("uniform_shift")
    for strategy, error in errors.items():
        days = max(1, round(error or 0))
        policy = with_dates("uniform_shift", shift_min_days=days, shift_max_days=days)
        yield _date_row(
            population, "uniform_shift", f"uniform_shift, ± {days} days: the error of {strategy}", None, policy
        )
        step("uniform_shift")
    for strategy in ("generalise", "tag"):
        name = "generalise, to the month" if strategy == "generalise" else strategy
        yield _date_row(population, strategy, name, None, with_dates(strategy))
        step(strategy)


def _date_row(population: Population, strategy: str, name: str, epsilon: Fraction | None, policy: Policy) -> DateRow:
    published = publish_dates(population.records, policy)
    return DateRow(
        strategy,
        name,
        None if epsilon is None else float(epsilon),
        match_sequences(published),
        measure_dates(published),
        tuple(linkages(published, policy.substitution.dates)),
    )


def _averages(patients: int, step: Step) -> Iterator[AveragingRow]:
    for strategy in ("metric", "bounded_laplace", "uniform_shift"):
        for scope in ("patient", "document"):
            points = average_dates(with_dates(strategy, scope=scope), AVERAGED, min(patients, 60))
            step(f"averaging {strategy}")
            yield AveragingRow(strategy, scope, tuple(points))


def _departments(residents: Sequence[Resident]) -> tuple[str, ...]:
    homes = Counter(one.department for one in residents)
    least = _LEAST_SHARE * homes.total()
    return tuple(sorted(name for name, number in homes.items() if number >= least))


def _places(
    table: CommuneTable, residents: Sequence[Resident], departments: tuple[str, ...], step: Step
) -> Iterator[PlaceRow]:
    for strategy, grid in PLACE_GRID.items():
        places = with_places(strategy).substitution.places
        posteriors = commune_posteriors(table, places, grid, departments)
        kept = measure_profiles(table, residents, places, grid)
        step(strategy)
        yield from map(PlaceRow, posteriors, kept)


def _commune_averages(
    table: CommuneTable, residents: Sequence[Resident], departments: tuple[str, ...], step: Step
) -> Iterator[CommuneAveragingRow]:
    for strategy, epsilon, scope, split in COMMUNE_DRAWS:
        policy = with_places(strategy, epsilon, scope=scope, split=split)
        points = average_communes(policy, COMMUNES_AVERAGED, residents, departments, table)
        step(f"averaging {strategy}")
        yield CommuneAveragingRow(strategy, float(epsilon), scope, split, tuple(points))


def _per_patient(table: CommuneTable, population: Population, step: Step) -> Iterator[SurrogatesPerPatient]:
    for scope in SCOPES:
        yield surrogates_per_patient(population, with_places("health_exponential", scope=scope), table)
        step(f"communes, scope {scope}")


def _surnames(population: Population, step: Step) -> Iterator[RankMatching]:
    whose: tuple[Whose, ...] = ("PATIENT", "DOCTOR")
    for one in whose:
        for scope in SCOPES:
            yield match_ranks(population, with_dates("metric", scope=scope), one)
            step(f"surnames {scope}")
