"""Every number of a report, gathered from the ledger as the steward: counts and quantiles, no text, no patient."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from deid.config.policy import Policy, load, next_rewriting, read_kept
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import Cursor, by_column, execute, one
from deid.domain import PARIS
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from deid.quality.measures import ROW_SUITE
from deid.refresh.reference_versions import source_states
from deid.reports.charts import count_bins, quantiles
from deid.reports.evaluation import MOST
from deid.reports.intervals import IntervalSummary, habit, habits, read
from deid.reports.run_checks import RUN_SUITE

# JSON-safe: what is written beside the page is exactly what the page shows.
Figures = dict[str, Any]
SIDES = ("proposed", "held")
_AS_IS = frozenset({str, float, int})  # thousands of rows: the rest is looked at


def gather(interval_key: str, side: str | None = None) -> Figures:
    """The numbers of an interval's report.

    `sides` tells what is proposed now from what research holds now. The details (mentions, ε, lengths…) are of `side`,
    one of `SIDES`; by default of what is proposed, or of what is held where nothing waits.

    Raises:
        InputRefused: no run ever worked on this interval.
    """
    with open_cursor("steward", "nocturne report", readonly=True) as cursor:
        runs = read_rows(cursor, "runs", interval_key=interval_key)
        if not runs:
            raise InputRefused(f"no run has worked on {interval_key}.", "Run deidentify_documents on it first.")
        run_ids = [run["run_id"] for run in runs]
        mentions = read_rows(cursor, "mentions", interval_key=interval_key)
        spent = read_rows(cursor, "epsilon_documents", interval_key=interval_key)
        types = _types(cursor, interval_key, mentions, spent)
        waived = read_rows(cursor, "waived", interval_key=interval_key)
        sides = {name: _side(name, types, waived) for name in SIDES}
        side = side or next((name for name in SIDES if sides[name]["documents"]), "held")
        about = {"interval_key": interval_key, "side": side}
        policy, (this,) = load(settings().policy), read(cursor, limit=1, keys=[interval_key])
        earlier = read(cursor, limit=policy.quality.baseline_runs, before=this.start)
        figures: Figures = {
            "interval": _interval(interval_key, runs),
            "headline": _headline(cursor, this, runs),
            "balance": _balance(cursor, interval_key, policy),
            "sides": sides,
            "side": side,
            "decision": next(iter(read_rows(cursor, "decisions", interval_key=interval_key)), None),
            "checks": _checks(cursor, interval_key, runs, policy),
            "mentions": _mentions([row for row in mentions if row["side"] == side]),
            "constraints": read_rows(cursor, "constraints", **about),
            "agreement": read_rows(cursor, "agreement", **about),
            "indirect": _indirect(read_rows(cursor, "indirect", **about)),
            "files": read_rows(cursor, "files", **about),
            "clinical": read_rows(cursor, "clinical", **about)[0],
            "types": sides[side]["types"],
            "quarantine": read_rows(cursor, "quarantine", interval_key=interval_key),
            "held_back": read_rows(cursor, "held_back")[0],
            "evaluation": read_rows(cursor, "history", table="evaluation", interval_key=interval_key, most=MOST),
            "waived": [row for row in waived if row["check_name"] is not None],
            "epsilon": _epsilon(cursor, about, [row["epsilon"] for row in spent if row["side"] == side]),
            "lengths": _lengths(cursor, about),
            "steps": read_rows(cursor, "steps", run_ids=run_ids),
            "references": _references(cursor, runs, policy),
            "versions": _versions(runs),
            "previous": _previous(cursor, interval_key, runs[0]["interval_start"], earlier),
            "usual": _usual(this, earlier),
            "state": _state(cursor, interval_key),
        }
        figures["policy_changes"] = _policy_changes(cursor, figures)
    figures["generated_at"] = datetime.now(UTC).isoformat(timespec="seconds")
    return figures


def gather_checks(interval_key: str) -> tuple[Figures, Policy]:
    """The results of an interval's checks, and its policy: this process's where the ledger's cannot be read.

    Raises:
        InputRefused: no run ever worked on this interval.
    """
    with open_cursor("publisher", "nocturne report", readonly=True) as cursor:
        runs = read_rows(cursor, "runs", interval_key=interval_key)
        if not runs:
            raise InputRefused(f"no run has worked on {interval_key}.", "Run deidentify_documents on it first.")
        figures: Figures = {
            "interval": _interval(interval_key, runs),
            "documents": max(run["planned"] for run in runs),
            "checks": read_rows(cursor, "checks", run_ids=[run["run_id"] for run in runs]),
        }
        return figures, read_kept(policy_content(cursor, _versions(runs)["policy_hash"])) or load(settings().policy)


def pages_of_checks(figures: Figures) -> dict[str, str]:
    """Addresses of an interval's pages of Great Expectations by suite, relative to the folder of the reports."""
    key, start = (figures["interval"][name] for name in ("key", "start"))
    run = datetime.fromisoformat(start).astimezone(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    pages = (ROW_SUITE, RUN_SUITE)
    return {suite: f"data_docs/validations/{suite}/{run_name_of(key)}/{run}/{key}.html" for suite in pages}


def run_name_of(interval_key: str) -> str:
    """Return how Great Expectations names the run of an interval.

    It reads a name as a time if it can, and fails on some that it cannot: "2026-10-01..2026-10-28".
    """
    return f"interval_{interval_key}"


def read_rows(cursor: Cursor, step: str, *, table: str = "report", **parameters: Any) -> list[dict[str, Any]]:
    """Return the rows of a statement of `sql/deid`, by column; counts as integers, instants as ISO text."""
    found = by_column(execute(cursor, "deid", table, step, parameters))
    return [{name: value if type(value) in _AS_IS else _plain(value) for name, value in row.items()} for row in found]


def _indirect(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Indirect identifiers that texts keep, by label, and the number of texts that were read for them."""
    return {
        "read": next((row["documents"] for row in rows if row["label"] is None), 0),
        "kept": [row for row in rows if row["label"] is not None],
    }


def _plain(value: Any) -> Any:
    """Return a value as JSON holds it: counts as integers, instants as ISO text."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if hasattr(value, "is_finite"):  # numeric columns arrive as Decimal
        return int(value) if value.is_finite() and value == value.to_integral_value() else float(value)
    return value


def _headline(cursor: Cursor, summary: IntervalSummary, runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return numbers that count a document once, however many runs took up the interval."""
    run_ids = [run["run_id"] for run in runs]
    (counts,) = read_rows(cursor, "headline", interval_key=summary.key, run_ids=run_ids)
    (released,) = read_rows(cursor, "releases", interval_key=summary.key)
    read = {name: max(run[name] for run in runs) for name in ("seen", "elsewhere")}
    return {**read, **counts, "kept": summary.kept, "mentions": summary.mentions, **released}


def _balance(cursor: Cursor, interval_key: str, policy: Policy) -> dict[str, Any]:
    """Return what became of the documents seen, in parts that add up.

    `visible_on`: the day from which a release makes the `later` ones readable; None if the next one does.
    """
    (row,) = read_rows(cursor, "balance", interval_key=interval_key)
    (last,), now = one(execute(cursor, "deid", "rewriting", "last")), datetime.now(UTC)
    due = next_rewriting(policy.release.visible, last, now)
    return {**row, "visible_on": due.isoformat() if row["later"] and due > now.astimezone(PARIS).date() else None}


def _interval(interval_key: str, runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "key": interval_key,
        "start": min(run["interval_start"] for run in runs),
        "end": max(run["interval_end"] for run in runs),
        "run_ids": [run["run_id"] for run in runs],
        "reasons": sorted({run["reason"] for run in runs if run["reason"]}),
    }


def _types(
    cursor: Cursor, interval_key: str, mentions: Sequence[dict[str, Any]], spent: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the document types of both sides with their documents, characters, mentions and ε."""
    sums: dict[tuple[str, str, str], float] = defaultdict(int)
    for figure, cells in (("mentions", mentions), ("epsilon", spent)):
        for cell in cells:
            sums[figure, cell["side"], cell["document_type"]] += cell[figure]
    types = read_rows(cursor, "types", interval_key=interval_key)
    return [
        row | {figure: sums[figure, row["side"], row["document_type"]] for figure in ("mentions", "epsilon")}
        for row in types
    ]


def _side(name: str, types: Sequence[dict[str, Any]], waived: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Documents, characters, mentions and ε of one side, in all and by type; documents with a check that was waived."""
    mine = [row for row in types if row["side"] == name]
    return {
        **{figure: sum(row[figure] for row in mine) for figure in ("documents", "characters", "mentions", "epsilon")},
        "waived": sum(row["documents"] for row in waived if row["side"] == name and row["check_name"] is None),
        "types": mine,
    }


def _mentions(cells: Sequence[dict[str, Any]]) -> dict[str, Any]:
    counts: dict[str, dict[str, int]] = {}
    for cell in cells:
        row = counts.setdefault(cell["document_type"], {})
        row[cell["label"]] = row.get(cell["label"], 0) + cell["mentions"]
    own = {cell["label"]: cell["own"] for cell in cells if cell["own"]}  # names of the policy's own types
    found = {cell["label"] for cell in cells}
    labels = [*(label.value for label in Label if label.value in found), *sorted(own)]
    totals = {label: sum(row.get(label, 0) for row in counts.values()) for label in labels}
    return {"labels": labels, "counts": counts, "totals": totals, "own": own}


def _epsilon(cursor: Cursor, about: Mapping[str, str], spent: Sequence[float]) -> dict[str, Any]:
    return {
        "mechanisms": read_rows(cursor, "epsilon_mechanisms", **about),
        "documents": quantiles(spent),
        "histogram": count_bins(spent),
    }


def _lengths(cursor: Cursor, about: Mapping[str, str]) -> dict[str, Any]:
    lengths = [row["characters"] for row in read_rows(cursor, "lengths", **about)]
    return {"documents": quantiles(lengths), "histogram": count_bins(lengths, tail=0.99)}


def _versions(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the versions of the last run that took up a document, else of the last run."""
    run = max(runs, key=lambda one: (one["planned"] > 0, one["run_id"]))
    names = ("policy_hash", "pipeline_version", "detector_version", "key_version")
    contract = f"{run['source']} {run['source_digest'][:16]}".strip()
    planned_by = {"source_contract": contract, "code": run["code_digest"][:16] or "–"}
    planned_by["dag_version"] = run["dag_version"] or "–"
    references = dict(sorted(run["reference_versions"].items()))
    return {**{name: run[name] for name in names}, **planned_by, "references": references}


def _references(cursor: Cursor, runs: Sequence[dict[str, Any]], policy: Policy) -> list[dict[str, Any]]:
    """Return the sources in service today: age, drift, and whether the interval's last run used that release."""
    used = runs[-1]["reference_versions"]
    told = ("source", "version", "loaded_at", "age_days", "most_days", "old", "rows", "drift")
    return [
        {name: _plain(getattr(source, name)) for name in told} | {"used": used.get(source.source) == source.version}
        for source in source_states(cursor, policy.references)
    ]


def _previous(
    cursor: Cursor, interval_key: str, interval_start: str, earlier: Sequence[IntervalSummary]
) -> dict[str, Any] | None:
    """Return the same headline for the published interval before this one, which is mostly one of the `earlier`."""
    asked = {"interval_key": interval_key, "interval_start": interval_start}
    found = execute(cursor, "deid", "report", "previous", asked).fetchone()
    if found is None:
        return None
    runs = read_rows(cursor, "runs", interval_key=found[0])
    (summary,) = [one for one in earlier if one.key == found[0]] or read(cursor, limit=1, keys=[found[0]])
    spent = read_rows(cursor, "epsilon_documents", interval_key=found[0])
    return {
        "key": found[0],
        "headline": _headline(cursor, summary, runs),
        "measures": summary.measures,
        "epsilon": quantiles([row["epsilon"] for row in spent if row["side"] == "held"]),
        "versions": _versions(runs),
    }


def _checks(cursor: Cursor, interval_key: str, runs: Sequence[dict[str, Any]], policy: Policy) -> list[dict[str, Any]]:
    """Return each rule's result over the interval, with its usual value."""
    limit, start = policy.quality.baseline_runs, min(run["interval_start"] for run in runs)
    history: dict[tuple[str, str], list[float]] = {}
    for row in read_rows(cursor, "check_history", interval_key=interval_key, before=start, limit=limit):
        value = row["observed"] if row["suite"] == RUN_SUITE else row["share"]
        if value is not None:
            history.setdefault((row["suite"], row["rule"]), []).append(value)
    checks = read_rows(cursor, "checks", run_ids=[run["run_id"] for run in runs])
    for check in checks:
        found = habit(history.get((check["suite"], check["rule"]), []), least=0.01)
        value = check["observed"]
        if check["suite"] != RUN_SUITE:
            value = check["unexpected"] / check["elements"] if check["elements"] else None
        check["usual"] = None if found is None or value is None else {**asdict(found), "holds": found.holds(value)}
    return checks


def _usual(this: IntervalSummary, earlier: Sequence[IntervalSummary]) -> list[dict[str, Any]]:
    """Return the interval's measures, each with its habit; no habit where too few intervals came before."""
    known = habits(this, earlier)
    return [
        {
            "measure": name,
            "value": value,
            "habit": asdict(known[name]) if name in known else None,
            "holds": name not in known or known[name].holds(value),
        }
        for name, value in this.measures.items()
    ]


def _policy_changes(cursor: Cursor, figures: Figures) -> list[dict[str, Any]] | None:
    """Return the keys of the policy that changed since the previous publication; None if that cannot be told."""
    if figures["previous"] is None:
        return []
    before, now = (part["versions"]["policy_hash"] for part in (figures["previous"], figures))
    return policy_changes(cursor, before, now)


def _state(cursor: Cursor, interval_key: str) -> str:
    """Return the interval's state, from the view deid.interval_state."""
    return str(one(execute(cursor, "deid", "interval_state", "read", {"interval_key": interval_key}))[0])


# ---- Changes of the policy
def policy_changes(cursor: Cursor, before: str, now: str) -> list[dict[str, Any]] | None:
    """Keys ("detection.recall.CITY") whose values differ between two policies named by their hashes.

    Each is `key`, `before` and `now`, as YAML would have them in a line; None for a key that the policy lacks. None in
    all if a policy was planned with before policies were kept.
    """
    contents = [policy_content(cursor, digest) for digest in (before, now)]
    if before == now:
        return []
    if contents[0] is None or contents[1] is None:
        return None
    old, new = (_flat(content) for content in contents if content is not None)
    return [
        {"key": key, "before": old.get(key), "now": new.get(key)}
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    ]


def policy_content(cursor: Cursor, digest: str) -> dict[str, Any] | None:
    """Return the content of a policy by its hash; None if the ledger does not keep it."""
    found = execute(cursor, "deid", "policy", "read", {"policy_hash": digest}).fetchone()
    return None if found is None else dict(found[0])


def _flat(content: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in content.items():
        if isinstance(value, Mapping) and value:
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return flat
