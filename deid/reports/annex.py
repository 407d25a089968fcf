"""The annex of a release for the data protection officer: French Markdown of this release's own figures.

Singling out, linkability and inference (opinion WP216 of the Article 29 Working Party), then verdicts, quarantine,
opt-outs, versions and decisions. Counts and quantiles: no text, no id of a patient or document. It is read in the
hospital: small groups are counted as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations, groupby
from typing import Any

from deid.config.generators import DEFAULT
from deid.config.policy import PERIODS
from deid.database.connection import open_cursor
from deid.database.queries import Cursor
from deid.domain import read_entries
from deid.domain.errors import InputRefused
from deid.domain.labels import OPTIONAL, Label
from deid.quality.checks import REQUIREMENTS
from deid.reports.arrival import LEAST_LAGS, relative_lags, simulate
from deid.reports.charts import quantiles
from deid.reports.evaluation import shown_evaluation
from deid.reports.figures import Figures, gather, policy_content, read_rows
from deid.reports.numbers import Writer
from deid.reports.render import template
from deid.reports.view import label_names
from deid.reports.wording import WORDING, value_words

_W = Writer("fr")
K = 5  # patients, of the groups that no column should go below
_WORDS = read_entries("annex")
# Category of the ledger under which the ε of a label stands; the others are drawn outright or masked.
_CATEGORIES = {"DATE": "date", "RELDATE": "date", "AGE": "age", "CITY": "place", "ZIP": "place"}


def gather_annex(interval_key: str) -> Figures:
    """Return the annex's figures: those of the report, and those of published rows, read as the publisher.

    Raises:
        InputRefused: nothing of this interval is published.
    """
    figures = gather(interval_key, "held")
    with open_cursor("publisher", "nocturne annex", readonly=True) as cursor:
        part = {
            name: read_rows(cursor, name, table="annex", interval_key=interval_key)
            for name in ("made_by", "patients", "epsilon_patients", "decisions", "opt_outs")
        }
        if not part["made_by"]:
            raise InputRefused(
                f"nothing of {interval_key} is published.", "Publish it first, or take another interval."
            )
        policy = policy_content(cursor, part["made_by"][-1]["policy_hash"])
        part["signature"] = read_rows(cursor, "signature", table="annex")
        part |= _groups(partial(_group, cursor, interval_key), policy)
        arrivals = _arrivals(read_rows(cursor, "arrivals", table="annex", interval_key=interval_key))
    return {**figures, **part, "policy": policy, "arrival": _arrival(arrivals, policy, interval_key)}


def write_annex(figures: Figures) -> str:
    """Return the page."""
    patients = figures["patients"]
    everywhere = [row["everywhere"] for row in patients]
    evaluation = shown_evaluation(figures["evaluation"], figures["interval"]["key"], WORDING["fr"], _W)
    return template("annex.md.j2").render(
        f=figures,
        w=_W,
        n=_W.plain,
        of=_of,
        row=_row,
        setting=partial(_setting, figures),
        columns=_words,
        k=K,
        attacks=[one for one in evaluation["rows"] if one["measure"].startswith(("attack.", "opinion."))],
        evaluated=evaluation["at"],
        linked={
            "patients": len(patients),
            "found": quantiles(everywhere),
            "elsewhere": sum(row["everywhere"] > row["here"] for row in patients),
            "three": sum(count >= 3 for count in everywhere),
            "five": sum(count >= 5 for count in everywhere),
        },
        periods={name: value_words("release.visible", name, "fr") for name in PERIODS},
        least_lags=LEAST_LAGS,
        epsilon={
            "par document de cette publication": figures["epsilon"]["documents"],
            "par patient de cette publication, tout ce qui est publié": quantiles(
                [row["epsilon"] for row in figures["epsilon_patients"]]
            ),
        },
        mentions=list(_mentions(figures)),
        indirect=list(_indirect(figures)),
        unique=sum(one["unexpected"] for one in figures["checks"] if one["rule"] == "unique_person"),
        requirements=REQUIREMENTS["fr"],
        choices=_WORDS["choices"],
    )


def _group(cursor: Cursor, interval_key: str, columns: Sequence[str]) -> dict[str, Any]:
    """Return the sizes of the groups that share these columns, in documents of the release (query `groups`)."""
    (row,) = read_rows(cursor, "groups", table="annex", interval_key=interval_key, columns=list(columns))
    return {"columns": tuple(columns), **row}


def _groups(sizes: Callable[[Sequence[str]], dict[str, Any]], policy: Any) -> dict[str, Any]:
    """Return the groups by published columns, and the most columns whose groups are of `K` patients or more.

    `sizes` counts the groups of some columns. `kept` is None where all columns without a date reach `K`, and empty
    where the release itself has fewer patients.
    """
    publication = (policy or {}).get("publication", {})
    beside = [*publication.get("columns", ()), *(["service"] if publication.get("services") else [])]
    stay = ["stay"] if publication.get("types") != "drop" and publication.get("stay") != "drop" else []
    undated = [*beside, "type", *stay]
    dated = [("type", "month"), ("type", "day"), (*undated, "month")]
    shown = [("type",), *dated, ("type", *stay), tuple(beside), tuple(undated)]
    found = {columns: sizes(columns) for columns in shown if columns}
    kept: tuple[str, ...] | None = None
    if found[tuple(undated)]["least"] < K:
        fewer = (some for size in range(len(undated) - 1, 0, -1) for some in combinations(undated, size))
        kept = next((some for some in fewer if (found.get(some) or sizes(some))["least"] >= K), ())
    return {"groups": list(found.values()), "kept": kept}


def _words(columns: Sequence[str]) -> str:
    """Return columns in French."""
    return ", ".join(_WORDS["columns"][name] for name in columns)


def _arrivals(rows: Sequence[dict[str, Any]]) -> list[list[tuple[int, int]]]:
    """Return published day and day of arrival (ordinals) of each document, by patient."""
    return [
        [(row["reference_date"].toordinal(), row["arrived"].toordinal()) for row in documents]
        for _, documents in groupby(rows, key=lambda row: row["patient_id"])
    ]


def _arrival(patients: Sequence[Sequence[tuple[int, int]]], policy: Any, seed: str) -> dict[str, Any] | None:
    """Return the success of the attack by period on this rhythm; None with too few lags, or without a policy."""
    lags = relative_lags(patients)
    if policy is None or lags.total() < LEAST_LAGS:
        return None
    scale = float(policy["substitution"]["dates"]["anchor_scale_days"])
    exact = simulate([[arrived for _, arrived in seen] for seen in patients], lags, scale, seed)
    return {"patients": len(patients), "lags": lags.total(), "scale": scale, "exact": exact}


def _mentions(figures: Figures) -> Iterator[tuple[str, int, bool]]:
    """Yield the name of each label and own type, its mentions, and whether an ε bounds what is drawn for it."""
    bounded = {m["category"] for m in figures["epsilon"]["mechanisms"] if m["mean"] > 0}
    names = label_names(figures, "fr")
    for name, count in figures["mentions"]["totals"].items():
        yield names[name], count, _CATEGORIES.get(_base(figures, name)) in bounded


def _indirect(figures: Figures) -> Iterator[tuple[str, int, int]]:
    """Yield the name of each kind of indirect identifier, its mentions in published texts and their documents."""
    names, kept = label_names(figures, "fr"), {row["label"]: row for row in figures["indirect"]["kept"]}
    for label in sorted(OPTIONAL - {Label.TIME}):
        found = kept.get(label, {"mentions": 0, "documents": 0})
        yield names[label], found["mentions"], found["documents"]


def _base(figures: Figures, name: str) -> str:
    """Return the label whose mechanism draws a label or own type; empty for a type with a provider of its own."""
    own = figures["mentions"].get("own", {}).get(name)
    if own is None:
        return name
    return str(own["label"]) if own["provider"] == DEFAULT else ""


# ---- Words
def _row(*cells: object) -> str:
    """Return a row of a table of Markdown."""
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _of(part: float, whole: float) -> str:
    return f"{_W.plain(part)} ({_W.percent(part / whole)})" if whole else "–"


def _setting(figures: Figures, *path: str) -> str:
    """Return a value of the policy under which the release was made, in words where there is none."""
    value: Any = figures["policy"]
    if value is None:
        return "non connu : la politique de ce passage n'est pas conservée"
    for name in path:
        if name not in value:
            return "non dit par cette politique, plus ancienne que ce réglage"
        value = value[name]
    return "aucun" if value is None else str(value)
