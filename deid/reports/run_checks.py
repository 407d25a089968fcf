"""Judge a whole run before it is published: its aggregates by Great Expectations, results kept in deid.check_result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from deid.config.policy import Policy
from deid.database.connection import open_cursor
from deid.database.queries import by_column, execute
from deid.domain.errors import InputRefused
from deid.domain.outcomes import Severity
from deid.quality.measures import CheckResult
from deid.refresh.reference_versions import source_states

RUN_SUITE = "run"


def run_checks(run_id: int, policy: Policy) -> list[CheckResult]:
    """Judge run `run_id` by the policy's limits and store the results; judging again replaces them.

    Meant for a run that is staged and not yet published: publication erases some of what is judged.

    Raises:
        InputRefused: there is no such run.
    """
    with open_cursor("publisher", "nocturne run checks") as cursor:
        if execute(cursor, "deid", "run", "read", {"run_id": run_id}).fetchone() is None:
            raise InputRefused(f"there is no run {run_id} to judge.", "Plan it first, without dry_run.")
        (found,) = by_column(execute(cursor, "deid", "check_result", "totals", {"run_id": run_id}))
        totals = {name: float(value) for name, value in found.items()}
        totals["references_old"] = sum(source.old for source in source_states(cursor, policy.references))
        parameters = {"run_id": run_id, "baseline_runs": policy.quality.baseline_runs}
        densities = [Density(*row) for row in execute(cursor, "deid", "check_result", "density", parameters).fetchall()]
        results = judge_run(totals, densities, policy)
        for result in results:
            execute(cursor, "deid", "check_result", "record", {"run_id": run_id, **asdict(result)})
    return results


def judge_run(totals: Mapping[str, float], densities: Sequence[Density], policy: Policy) -> list[CheckResult]:
    """Judge a run's totals, and its densities by document type, with Great Expectations."""
    found = run_shares(totals)
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


# ---- The rules: the aggregate judged, its bounds in the policy, its severity
EPSILON_ROUNDING = 1e-9  # ε is a sum of shares


@dataclass(frozen=True, slots=True)
class RunRule:
    """One bound on one aggregate; several rules may judge the same aggregate.

    None is no bound on that side.
    """

    name: str
    severity: Severity
    measure: str
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Density:
    """Mentions per 1,000 characters in a document type of a run, and in the runs before it (None: no such runs)."""

    document_type: str
    documents: int
    baseline_documents: int
    density: float
    baseline: float | None


def share_rules(policy: Policy, documents: int) -> tuple[RunRule, ...]:
    """Rules on the aggregates of a run of `documents` documents."""
    limits = policy.quality
    enough = documents >= limits.least_documents

    def stop(name: str, most: float) -> RunRule:
        return RunRule(name, Severity.CRITICAL, name, most=most if enough else 1.0)

    def warn(measure: str, most: float) -> RunRule:
        return RunRule(f"{measure}_high", Severity.WARNING, measure, most=most)

    nominal = policy.substitution.epsilon_per_document
    cap = policy.substitution.max_epsilon_per_document
    if cap is None and policy.substitution.split != "nominal":
        cap = nominal + 1 / policy.substitution.dates.anchor_scale_days  # the anchor is beside what is split
    capped = RunRule("epsilon_max", Severity.CRITICAL, "epsilon_max", most=(cap or 0) * (1 + EPSILON_ROUNDING))
    return (
        stop("quarantined_share", limits.max_quarantined_share),
        warn("quarantined_share", limits.warn_quarantined_share),
        stop("failed_share", limits.max_failed_share),
        stop("without_mentions_share", limits.max_without_mentions_share),
        warn("without_mentions_share", limits.warn_without_mentions_share),
        stop("unparsed_share", limits.max_unparsed_share),
        warn("unparsed_share", limits.warn_unparsed_share),
        stop("foreign_share", limits.max_foreign_share),
        warn("foreign_share", limits.warn_foreign_share),
        warn("warned_share", limits.warn_warned_share),
        warn("clinical_changed_share", limits.warn_clinical_changed_share),
        warn("epsilon_max", limits.warn_epsilon_factor * nominal),
        RunRule("references_old", Severity.WARNING, "references_old", most=0),
        *([capped] if cap is not None else []),
    )


def density_rules(policy: Policy) -> tuple[RunRule, ...]:
    """Rules on each document type's density relative to the baseline."""
    limits = policy.quality
    return (
        RunRule("density_floor", Severity.CRITICAL, "density_ratio", least=limits.density_floor),
        RunRule("density_drift_low", Severity.WARNING, "density_ratio", least=1 - limits.density_drift),
        RunRule("density_drift_high", Severity.WARNING, "density_ratio", most=1 + limits.density_drift),
    )


def run_shares(totals: Mapping[str, float]) -> dict[str, float]:
    """Return aggregates by name from a run's totals and the number of sources too old; an empty run has shares of 0.

    Totals: statement `totals` of sql/deid/check_result.sql.
    """
    documents = totals["documents"]
    kept = documents - totals["quarantined"]

    def share(part: str, whole: float) -> float:
        return totals[part] / whole if whole else 0.0

    return {
        "quarantined_share": share("quarantined", documents),
        "failed_share": share("failed", documents),
        "without_mentions_share": share("without_mentions", kept),
        "unparsed_share": share("unparsed", totals["surrogates"]),
        "foreign_share": share("foreign_language", documents),
        "warned_share": share("warned", kept),
        "clinical_changed_share": share("clinical_changed", totals["clinical_items"]),
        "epsilon_max": float(totals["epsilon_max"]),
        "references_old": float(totals.get("references_old", 0)),
    }


def ratios(densities: Iterable[Density], least_documents: int) -> list[float]:
    """Density relative to the baseline, for the types that have enough documents on both sides to compare."""
    return [
        item.density / item.baseline
        for item in densities
        if item.baseline and min(item.documents, item.baseline_documents) >= least_documents
    ]
