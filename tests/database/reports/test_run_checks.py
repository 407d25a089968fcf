"""Rules on whole runs: each fails on its defect, for given numbers and for a real ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from deid.config.policy import load
from deid.domain.errors import InputRefused
from deid.domain.outcomes import Severity
from deid.quality.measures import CheckResult
from deid.reports.run_checks import Density, judge_run, run_checks
from tests.database.release.ledger import Ledger

SOUND = {
    "documents": 500,
    "quarantined": 5,
    "without_mentions": 2,
    "foreign_language": 1,
    "failed": 0,
    "warned": 10,
    "surrogates": 9000,
    "unparsed": 20,
    "clinical_items": 4000,
    "clinical_changed": 4,
    "epsilon_max": 3.5,
}
USUAL = [Density("CRH", 100, 900, 15.0, 15.5), Density("BIO", 40, 300, 9.0, 8.8)]

# What is changed in a sound run, and the rules that then fail.
TOTALS: list[tuple[dict[str, float], set[str]]] = [
    ({}, set()),
    ({"quarantined": 60}, {"quarantined_share_high"}),
    ({"quarantined": 101}, {"quarantined_share", "quarantined_share_high"}),
    ({"failed": 26}, {"failed_share"}),
    ({"without_mentions": 30}, {"without_mentions_share_high"}),
    ({"without_mentions": 120}, {"without_mentions_share", "without_mentions_share_high"}),
    ({"foreign_language": 30}, {"foreign_share_high"}),
    ({"foreign_language": 130}, {"foreign_share", "foreign_share_high"}),
    ({"unparsed": 200}, {"unparsed_share_high"}),
    ({"unparsed": 1000}, {"unparsed_share", "unparsed_share_high"}),
    ({"warned": 200}, {"warned_share_high"}),
    ({"clinical_changed": 41}, {"clinical_changed_share_high"}),
    ({"epsilon_max": 400.0}, {"epsilon_max_high"}),
    ({"references_old": 1}, {"references_old"}),
    (
        {"documents": 6, "quarantined": 5, "warned": 0, "without_mentions": 0},
        {"quarantined_share_high", "foreign_share_high"},
    ),
    (dict.fromkeys(SOUND, 0), set()),
]
DENSITIES: list[tuple[list[Density], set[str]]] = [
    ([], set()),
    ([Density("CRH", 100, 0, 15.0, None)], set()),
    ([Density("CRH", 5, 900, 1.0, 15.0)], set()),
    ([*USUAL, Density("CS", 30, 90, 10.0, 15.0)], {"density_drift_low"}),
    ([*USUAL, Density("CS", 30, 90, 7.0, 15.0)], {"density_drift_low", "density_floor"}),
    ([*USUAL, Density("CS", 30, 90, 21.0, 15.0)], {"density_drift_high"}),
]


def critical_failures(results: Sequence[CheckResult]) -> tuple[str, ...]:
    """Return the names of the critical rules that failed."""
    return tuple(item.rule for item in results if not item.success and item.severity is Severity.CRITICAL)


@pytest.mark.parametrize(("changes", "expected"), TOTALS)
def test_totals(changes: dict[str, float], expected: set[str]) -> None:
    results = judge_run(SOUND | changes, USUAL, _policy())
    assert {item.rule for item in results if not item.success} == expected


@pytest.mark.parametrize(("densities", "expected"), DENSITIES)
def test_densities(densities: list[Density], expected: set[str]) -> None:
    results = judge_run(SOUND, densities, _policy())
    assert {item.rule for item in results if not item.success} == expected


def test_budget_cap() -> None:
    results = judge_run(SOUND | {"epsilon_max": 4.1}, USUAL, _policy(split="uniform"))
    assert "epsilon_max" in critical_failures(results)
    anchor = 1 / 180  # spent beside what is split
    results = judge_run(SOUND | {"epsilon_max": 4.0 + anchor}, USUAL, _policy(split="uniform"))
    assert "epsilon_max" not in critical_failures(results)


def test_a_ledger_is_judged_and_the_result_kept(deployed: Any) -> None:
    ledger = Ledger(deployed)
    for day in ("2026-10-01", "2026-10-02"):
        assert critical_failures(run_checks(ledger.night(day, 400), load())) == ()
    broken = ledger.night("2026-10-03", 400, quarantined=90, density=0.4, unparsed=280)
    names = {"quarantined_share", "density_floor", "unparsed_share"}
    assert set(critical_failures(run_checks(broken, load()))) == names
    run_checks(broken, load())  # judging again replaces
    kept = deployed.rows(
        "SELECT rule FROM deid.check_result WHERE run_id = %s AND batch_id IS NULL AND NOT success "
        "AND severity = 'critical'",
        (broken,),
        role="steward",
    )
    assert sorted(rule for (rule,) in kept) == sorted(names)


@pytest.mark.usefixtures("deployed")
def test_an_unknown_run_is_refused() -> None:
    with pytest.raises(InputRefused, match="no run 404"):
        run_checks(404, load())


def _policy(split: str = "nominal") -> Any:
    policy = load()
    changed = {"split": split, "max_epsilon_per_document": None, "epsilon_per_document": 4.0}
    return policy.model_copy(update={"substitution": policy.substitution.model_copy(update=changed)})
