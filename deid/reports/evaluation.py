"""The last evaluation of a release beside those before it: rows of a table, and a plot of privacy and utility."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from deid.reports.charts import Point, scatter
from deid.reports.numbers import Writer

MOST = 13  # intervals of a plot, this one among them
WIDEST = 0.3  # of an interval of 95 % that is worth a point
# First letters of the attacks of which the plot shows the one that surely finds most; texts are found by design.
ATTACKS = ("attack.person", "attack.dates", "attack.known_")
UTILITY = "utility.constraints_kept"
RATIOS = (
    *("utility.long_gaps_error", "utility.perplexity_ratio"),
    *("utility.own_perplexity_ratio", "utility.own_undated_perplexity_ratio"),
)
# Rows that say why a measure has no figure.
REASONS = (
    *("attack.membership_no_model", "attack.membership_unrecorded", "attack.membership_few"),
    *("utility.coding_no_codes", "utility.coding_few"),
)
Row = Mapping[str, Any]


def shown_evaluation(rows: Sequence[Row], key: str, words: Mapping[str, str], write: Writer) -> dict[str, Any]:
    """Return what a page shows of the evaluations up to interval `key`: `rows`, `at`, `chart` or why it has none.

    `rows` are those of the statement `history`, newest interval first. Without an evaluation of the interval, `rows`
    is empty.
    """
    by_interval = groupby(rows, itemgetter("interval_key"))
    evaluations = {name: {row["measure"]: row for row in ones} for name, ones in by_interval}
    own = evaluations.get(key, {})
    points = [
        point
        for name, measures in evaluations.items()
        if own and (point := _point(write.interval(name), measures, words, write, current=name == key))
    ]
    drawn = bool(points) and points[0].current
    return {
        "rows": [shown_measure(row, words, write) for row in own.values()],
        "at": next((row["at"] for row in own.values()), ""),
        "chart": scatter(points, write) if drawn else None,
        "no_chart": "" if drawn else _why_none(own, words, write),
    }


def _why_none(own: Mapping[str, Row], words: Mapping[str, str], write: Writer) -> str:
    """Return why an evaluation has no plot: intervals are wide, or a sample of one patient was not attacked."""
    if "attack.chance" not in own:
        return words["evaluation_one_patient"]
    return words["evaluation_wide"].format(widest=write.percent(WIDEST, 0))


def shown_measure(row: Row, words: Mapping[str, str], write: Writer) -> dict[str, Any]:
    """Return the words of a measure, its value and its interval as a page shows them."""
    name = row["measure"]

    def written(value: float) -> str:
        if name.startswith(REASONS):
            return "–"
        return write.plain(value, 2) if name in RATIOS else write.percent(value)

    bounds = row["low"] is not None
    return {
        "name": name_of(name, words),
        "measure": name,
        "value": written(row["value"]),
        "range": words["range"].format(low=written(row["low"]), high=written(row["high"])) if bounds else "",
        "n": row["n"],
    }


def name_of(measure: str, words: Mapping[str, str]) -> str:
    """Return the words for a measure, with the kind of model that it is of, if any."""
    head, _, kind = measure.removeprefix("attack.").partition(".")
    if measure.startswith("attack.") and kind:
        return f"{name_of(f'attack.{head}', words)} – {kind}"
    return words.get(f"evaluation_{measure}", measure)


def _point(
    label: str, measures: Mapping[str, Row], words: Mapping[str, str], write: Writer, *, current: bool
) -> Point | None:
    """Return the point of an evaluation; None where it lacks a measure, or an interval is too wide."""
    attacks = [row for name, row in measures.items() if name.startswith(ATTACKS)]
    if not attacks or UTILITY not in measures:
        return None
    attack, kept = max(attacks, key=lambda row: row["low"] or 0), measures[UTILITY]
    if any(row["low"] is None or row["high"] - row["low"] > WIDEST for row in (attack, kept)):
        return None
    name = name_of(attack["measure"], words)
    told = f"{label} · {name} : {write.percent(attack['value'])} · {write.percent(kept['value'])}"
    return Point(
        x=attack["value"],
        y=kept["value"],
        across=(attack["low"], attack["high"]),
        along=(kept["low"], kept["high"]),
        label=told,
        current=current,
    )
