"""Judge a whole run before it is published: its aggregates by Great Expectations, results kept in deid.check_result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deid.config.policy import Policy
from deid.config.settings import settings
from deid.domain.errors import InputRefused
from deid.domain.outcomes import Severity
from deid.quality.verdicts import CheckResult
from deid.refresh.reference_versions import source_states
from deid.reports.run_rules import Density, RunRule, density_rules, ratios, share_rules, shares
from deid.warehouse.connection import connect
from deid.warehouse.queries import Cursor, one, query

RUN_SUITE = "run"


def run_checks(run_id: int, policy: Policy) -> list[CheckResult]:
    """Judge run `run_id` by the policy's limits and store the results; judging again replaces them.

    Meant for a run that is staged and not yet published: publication erases some of what is judged.

    Raises:
        InputRefused: there is no such run.
        WarehouseUnreachable, WarehouseError: nothing was stored.
    """
    with connect(settings().dsn("publisher"), application="nocturne run checks") as link, link.cursor() as cursor:
        cursor.execute(query("deid", "run", "read"), {"run_id": run_id})
        if cursor.fetchone() is None:
            raise InputRefused(f"there is no run {run_id} to judge.", "Plan it first, without dry_run.")
        cursor.execute(query("deid", "check_result", "totals"), {"run_id": run_id})
        totals = _named(cursor, one(cursor))
        totals["references_old"] = sum(source.old for source in source_states(cursor, policy.references))
        parameters = {"run_id": run_id, "baseline_runs": policy.quality.baseline_runs}
        cursor.execute(query("deid", "check_result", "density"), parameters)
        densities = [Density(*row) for row in cursor.fetchall()]
        results = judge_run(totals, densities, policy)
        for result in results:
            cursor.execute(query("deid", "check_result", "record"), _row(run_id, result))
    return results


def judge_run(totals: Mapping[str, float], densities: Sequence[Density], policy: Policy) -> list[CheckResult]:
    """Judge a run's totals, and its densities by document type, with Great Expectations."""
    found = shares(totals)
    compared = ratios(densities, policy.quality.least_documents)
    by_share = share_rules(policy, int(totals["documents"]))
    by_density = density_rules(policy)
    return [
        *_judged(by_share, [{rule.name: found[rule.measure] for rule in by_share}]),
        *_judged(by_density, [{rule.name: ratio for rule in by_density} for ratio in compared]),
    ]


def _judged(rules: Sequence[RunRule], rows: Sequence[Mapping[str, float]]) -> list[CheckResult]:
    from deid.quality.judging import judge  # seconds to import, for this step only

    return [
        CheckResult(
            suite=RUN_SUITE,
            rule=found.rule,
            severity=found.severity,
            success=not found.failed_rows,
            element_count=found.element_count,
            unexpected_count=len(found.failed_rows),
            observed=_worst(rule, [row[rule.name] for row in rows]),
        )
        for rule, found in zip(rules, judge(RUN_SUITE, rules, rows), strict=True)
    ]


def _worst(rule: RunRule, observed: Sequence[float]) -> float | None:
    """The number nearest to breaking the rule, or furthest beyond it; None where there was nothing to judge."""
    if not observed:
        return None
    return max(observed) if rule.least is None else min(observed)


def _named(cursor: Cursor, row: Sequence[Any]) -> dict[str, float]:
    columns = [column.name for column in cursor.description or ()]
    return {name: float(value) for name, value in zip(columns, row, strict=True)}


def _row(run_id: int, result: CheckResult) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "suite": result.suite,
        "rule": result.rule,
        "severity": result.severity.value,
        "success": result.success,
        "element_count": result.element_count,
        "unexpected_count": result.unexpected_count,
        "observed": result.observed,
    }


def critical_failures(results: Sequence[CheckResult]) -> tuple[str, ...]:
    """Names of the critical rules that failed."""
    return tuple(item.rule for item in results if not item.success and item.severity is Severity.CRITICAL)
