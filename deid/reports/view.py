"""From figures to what a page shows: rows with their words, shares and the few sentences that sum an interval up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import Any

from deid.config.own_types import KEEP
from deid.domain.errors import Reason
from deid.domain.outcomes import AgreementKind, Constraint
from deid.quality import reasons
from deid.quality.checks import REQUIREMENTS
from deid.refresh.sources import SOURCES
from deid.reports.charts import histogram
from deid.reports.evaluation import shown_evaluation
from deid.reports.figures import Figures
from deid.reports.intervals import Habit, said_by_rules
from deid.reports.numbers import Writer
from deid.reports.run_checks import RUN_SUITE
from deid.reports.wording import LABEL_WORDS, WORDING, document_type_words, mechanism_words, setting_words, value_words

_SHARES = ("share", "share_high")
SEVERITIES = ("critical", "warning", "info")

# How each state of an interval is shown: classes of the style sheets.
_STATES = {
    "good": "published visible",
    "warn": "waiting approved_once approved",
    "info": "publishing sent_back unfinished empty",
    "bad": "failed refused rejected recalled",
}
TONES = {state: tone for tone, states in _STATES.items() for state in states.split()}

# Parts of the documents that an interval saw (deid.interval_balance), and how each is drawn.
_PARTS = ("later", "waiting", "quarantined", "removed", "moved", "unfinished", "untaken")
BALANCE: Mapping[str, str] = {"visible": "published", **{name: name for name in _PARTS}}


def view(figures: Figures, lang: str) -> dict[str, Any]:
    """Return all values of the page's template, in `lang` ("fr" or "en")."""
    words, write = WORDING[lang], Writer(lang)
    checks = [_check(check, lang, write) for check in figures["checks"]]
    run_checks = _paired([check for check in checks if check["suite"] == RUN_SUITE])
    document_checks = [check for check in checks if check["suite"] != RUN_SUITE]
    quarantine = _quarantine(figures, lang)
    return {
        "t": words,
        "w": write,
        "lang": lang,
        "tones": TONES,
        "f": figures,
        "run_checks": sorted(run_checks, key=_urgency),
        "failing": sorted((check for check in document_checks if not check["success"]), key=_urgency),
        "passing": sorted((check for check in document_checks if check["success"]), key=_urgency),
        "heat": _heat(figures, lang),
        "constraints": _violated(figures["constraints"], Constraint, "constraint", words, write),
        "agreement": _violated(figures["agreement"], AgreementKind, "agreement", words, write),
        "indirect": [{**row, "name": label_names(figures, lang)[row["label"]]} for row in figures["indirect"]["kept"]],
        "files": _files(figures, words, write),
        "evaluation": shown_evaluation(figures["evaluation"], figures["interval"]["key"], words, write),
        "clinical": _clinical(figures, words, write),
        "quarantine": quarantine,
        "held_back": _held_back(figures, words, write),
        "flow": _flow(figures, words, write),
        "sides": _sides(figures, words, write),
        "sides_note": _sides_note(figures, words, write),
        "epsilon_chart": _chart(figures["epsilon"], words, write, digits=_digits(figures["epsilon"]["histogram"])),
        "lengths_chart": _chart(figures["lengths"], words, write, digits=0),
        "slowest": max((step["seconds"] for step in figures["steps"]), default=0),
        "comparison": _comparison(figures, words, write),
        "usual": _usual(figures, words, write),
        "titles": {name: source.title for name, source in SOURCES.items()} if lang == "fr" else {},
        "versions": _versions(figures, words),
        "policy": _policy(figures["policy_changes"], lang),
        "mechanisms": [
            {**row, "words": mechanism_words(row["mechanism"], lang)} for row in figures["epsilon"]["mechanisms"]
        ],
        "notes": _notes(figures, checks, quarantine, words, write),
        "decision": _decision(figures, words),
    }


def _urgency(check: Mapping[str, Any]) -> tuple[bool, int, int]:
    return (check["success"], SEVERITIES.index(check["severity"]), -check["unexpected"])


def _check(check: Mapping[str, Any], lang: str, write: Writer) -> dict[str, Any]:
    """A check with its sentence; `state` is how it is shown: ok, failed, held, raised, counted or absent."""
    rule = check["rule"]
    failed_as = {
        "critical": "failed" if check["suite"] == RUN_SUITE else "held",
        "warning": "raised",
        "info": "counted",
    }[check["severity"]]
    state = "absent" if not check["elements"] else "ok" if check["success"] else failed_as
    observed = ""
    if check["observed"] is not None:
        observed = _observed(rule, check["observed"], write)
        if rule.startswith("density"):
            observed = WORDING[lang]["of_usual"].format(observed)
    return {
        **check,
        "meaning": REQUIREMENTS[lang].get(rule, rule),
        "state": state,
        "shown": observed,
        "of": WORDING[lang]["of_run"].format(run=check["run_id"], documents=write.plain(check["documents"]))
        if check["run_id"]
        else "",
        "habit": _habit(check, write),
    }


def _observed(rule: str, value: float, write: Writer) -> str:
    if rule.startswith("density"):
        return write.percent(value, 0)
    return write.percent(value) if rule.endswith(_SHARES) else write.plain(value, 0 if rule == "references_old" else 2)


def _habit(check: Mapping[str, Any], write: Writer) -> str:
    """The median of a check over the intervals before; empty where there are too few."""
    usual = check.get("usual")
    if not usual:
        return ""
    if check["suite"] == RUN_SUITE:
        return _observed(check["rule"], usual["median"], write)
    return write.percent(usual["median"])


def measured(name: str, value: float, write: Writer) -> str:
    """Return a measure of an interval as a person reads it."""
    if name == "quarantined_share":
        return write.percent(value)
    return write.plain(value, 0 if name == "documents_per_day" else 2)


def _usual(figures: Figures, words: Mapping[str, str], write: Writer) -> list[dict[str, Any]]:
    """Return each measure of the interval beside its usual value."""
    rows = []
    for row in figures["usual"]:
        name, usual = row["measure"], row["habit"]
        shown: dict[str, Any] = {
            "name": words[name],
            "measure": name,
            "holds": row["holds"],
            "now": measured(name, row["value"], write),
            "median": "",
            "range": "",
            "change": "",
        }
        if usual:
            shown["median"] = measured(name, usual["median"], write)
            shown["range"] = words["range"].format(
                low=measured(name, usual["low"], write), high=measured(name, usual["high"], write)
            )
            shown["change"] = write.signed(row["value"] / usual["median"] - 1) if usual["median"] else ""
        rows.append(shown)
    return rows


def _paired(checks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row per aggregate: of two rules for one, the row of the more serious failure."""
    rows: dict[str, dict[str, Any]] = {}
    for check in sorted(checks, key=_urgency):
        name = check["rule"].removesuffix("_high") if check["rule"] != "density_drift_high" else check["rule"]
        rows.setdefault(name, {**check, "severities": []})["severities"].append(check["severity"])
    return list(rows.values())


def _heat(figures: Figures, lang: str) -> dict[str, Any]:
    """Return the table of mentions: a row per label, a column per document type, shade by mean per document."""
    mentions = figures["mentions"]
    documents = {row["document_type"]: row["documents"] for row in figures["types"]}
    columns = [name for name in documents if name in mentions["counts"]]
    means = {
        (label, column): mentions["counts"][column].get(label, 0) / max(1, documents[column])
        for label in mentions["labels"]
        for column in columns
    }
    most = max(means.values(), default=1) or 1
    names = label_names(figures, lang)
    rows = [
        {
            "name": names[label],
            "label": label,
            "total": mentions["totals"][label],
            "cells": [
                {"count": mentions["counts"][column].get(label, 0), "shade": (means[label, column] / most) ** 0.5}
                for column in columns
            ],
        }
        for label in mentions["labels"]
    ]
    types = {name: document_type_words(name, lang) for name in columns}
    return {"columns": columns, "types": types, "rows": rows, "total": sum(mentions["totals"].values())}


def label_names(figures: Figures, lang: str) -> dict[str, str]:
    """Return what people read for each label and own type; that a type's values are left in the text is said."""
    names = dict(LABEL_WORDS[lang])
    for name, own in figures["mentions"].get("own", {}).items():
        left = f" ({WORDING[lang]['left_in_text']})" if own["provider"] == KEEP else ""
        names[name] = own["names"][lang] + left
    return names


def _files(figures: Figures, words: Mapping[str, str], write: Writer) -> list[dict[str, Any]]:
    """Return a row per format of files, with what was removed from them in words."""
    return [
        {
            **row,
            "removed": ", ".join(
                f"{words.get(f'removed_{kind}', kind)} {write.plain(number)}"
                for kind, number in sorted(row["removed"].items())
            ),
        }
        for row in figures["files"]
    ]


def _violated(
    rows: Iterable[dict[str, Any]], kinds: type[StrEnum], prefix: str, words: Mapping[str, str], write: Writer
) -> list[dict[str, Any]]:
    """Return a row per kind of relation or agreement that the texts state, in order, with its share violated."""
    counted = {row["kind"]: row for row in rows}
    return [
        {
            **counted[kind],
            "name": words[f"{prefix}_{kind}"],
            "share": write.percent(counted[kind]["violated"] / counted[kind]["stated"], 2),
        }
        for kind in kinds
        if kind in counted
    ]


def _clinical(figures: Figures, words: Mapping[str, str], write: Writer) -> str:
    """Describe the share of clinical values and terms that were kept; empty where the texts hold none."""
    counts = figures["clinical"]
    if not counts["items"]:
        return ""
    shown = {name: write.plain(count) for name, count in counts.items()}
    return words["clinical_kept"].format(share=write.percent(1 - counts["changed"] / counts["items"], 2), **shown)


def _quarantine(figures: Figures, lang: str) -> list[dict[str, Any]]:
    table = reasons.REASON_WORDS[lang]
    most = max((row["documents"] for row in figures["quarantine"]), default=1)
    return [
        {**row, "words": table[Reason(row["reason"])], "share": row["documents"] / most}
        for row in figures["quarantine"]
    ]


def _held_back(figures: Figures, words: Mapping[str, str], write: Writer) -> str:
    """Describe the share of good documents among those that checks held back, as people judged them."""
    counts = figures["held_back"]
    if not counts["judged"]:
        return words["held_back_none"]
    shown = {name: write.plain(count) for name, count in counts.items()}
    return words["held_back"].format(share=write.percent(counts["let_through"] / counts["judged"]), **shown)


def check_meaning(name: str, words: Mapping[str, str]) -> str:
    """Return what a check on a document requires, in the language of `words`; its name where it is unknown."""
    return REQUIREMENTS[words["language"]].get(name, name)


def _flow(figures: Figures, words: Mapping[str, str], write: Writer) -> list[dict[str, Any]]:
    """Return the disjoint parts of the documents seen, which add up: class of the style sheet, words, number, share."""
    balance = figures["balance"]
    said = {name: words[f"balance_{name}"] for name in BALANCE}
    if day := balance["visible_on"]:
        said["later"] = words["balance_later_on"].format(day=write.day(date.fromisoformat(day), weekday=True))
    return [
        {"class": tone, "words": said[name], "count": balance[name], "share": balance[name] / balance["seen"]}
        for name, tone in BALANCE.items()
        if balance[name]
    ]


def _sides(figures: Figures, words: Mapping[str, str], write: Writer) -> list[dict[str, Any]]:
    """A row per figure, then per document type, with its value among what is proposed and among what is held."""
    sides = figures["sides"]
    digits = {"documents": 0, "waived": 0, "mentions": 0, "epsilon": 2, "characters": 0}
    rows = [
        {"name": words[f"sides_{name}"], **{side: write.plain(sides[side][name], digits[name]) for side in sides}}
        for name in digits
    ]
    through = {
        side: {row["check_name"]: row["documents"] for row in figures["waived"] if row["side"] == side}
        for side in sides
    }
    rows[2:2] = [
        {
            "name": words["sides_waived_check"].format(meaning=check_meaning(check, words)),
            **{side: write.plain(through[side].get(check, 0)) for side in sides},
        }
        for check in sorted({check for known in through.values() for check in known})
    ]
    counts = {side: {row["document_type"]: row["documents"] for row in sides[side]["types"]} for side in sides}
    rows += [
        {
            "name": words["sides_type"].format(type=kind or "–"),
            **{side: write.plain(counts[side].get(kind, 0)) for side in sides},
        }
        for kind in sorted({kind for known in counts.values() for kind in known})
    ]
    return rows


def _sides_note(figures: Figures, words: Mapping[str, str], write: Writer) -> str:
    """Say which side the details are of, and what an opt-out took that the ledger still counts."""
    opted_out = figures["headline"]["opted_out"]
    pending = f" {words['sides_opted_out'].format(documents=write.plain(opted_out))}" if opted_out else ""
    return words[f"sides_details_{figures['side']}"] + pending


def _chart(part: Mapping[str, Any], words: Mapping[str, str], write: Writer, *, digits: int) -> Any:
    found = part["documents"]
    marks = {words["median_mark"]: found["p50"], words["p95_mark"]: found["p95"]} if found else {}
    return histogram(part["histogram"], marks, write, digits=digits, more=words["more"])


def _digits(cells: Sequence[Mapping[str, Any]]) -> int:
    """Return the digits that tell the bounds of a histogram's bins apart, one at least."""
    width = cells[0]["to"] - cells[0]["from"] if cells and cells[0]["to"] is not None else 1.0
    return next(digits for digits in range(1, 10) if round(width, digits) == round(width, 10) or digits == 9)


def _compared(headline: Mapping[str, Any], measures: Mapping[str, float], median: float) -> dict[str, float]:
    counts = {"treated": "treated", "ready_or_published": "kept", "quarantined": "quarantined", "mentions": "mentions"}
    means = {name: measures.get(name, 0.0) for name in ("quarantined_share", "mentions_per_document")}
    return {**{name: headline[figure] for name, figure in counts.items()}, **means, "epsilon_median": median}


def _comparison(figures: Figures, words: Mapping[str, str], write: Writer) -> list[dict[str, str]]:
    previous = figures["previous"]
    if previous is None:
        return []
    before = _compared(previous["headline"], previous["measures"], previous["epsilon"].get("p50", 0.0))
    measures = {row["measure"]: row["value"] for row in figures["usual"]}
    now = _compared(figures["headline"], measures, figures["epsilon"]["documents"].get("p50", 0.0))

    def shown(name: str, value: float) -> str:
        if name == "quarantined_share":
            return write.percent(value)
        return write.plain(value, 0 if isinstance(value, int) else 2)

    return [
        {
            "name": _capital(words[name]),
            "before": shown(name, before[name]),
            "now": shown(name, now[name]),
            "change": write.signed(now[name] / before[name] - 1) if before[name] else "",
        }
        for name in now
    ]


def _capital(words: str) -> str:
    """`words` as a heading; a Greek letter stays what it is in formulas."""
    return words[:1].upper() + words[1:] if words[:1].isascii() else words


def _policy(changes: list[dict[str, Any]] | None, lang: str) -> list[dict[str, Any]] | None:
    """Changed settings with their words; a value that is a code is written in words, the code after it."""

    def shown(key: str, value: str | None) -> str | None:
        said = value_words(key, value, lang) if value is not None else ""
        return f"{said} ({value})" if said else value

    return changes and [
        {
            "key": row["key"],
            "name": setting_words(row["key"], lang),
            "before": shown(row["key"], row["before"]),
            "now": shown(row["key"], row["now"]),
        }
        for row in changes
    ]


def _versions(figures: Figures, words: Mapping[str, str]) -> list[dict[str, Any]]:
    """Versions beside those of the previous publication."""
    now, previous = figures["versions"], (figures["previous"] or {}).get("versions")
    rows = [(words[name], now[name], previous and previous[name]) for name in now if name != "references"]
    for name, version in now["references"].items():
        rows.append((f"{words['reference']} « {name} »", version, previous and previous["references"].get(name)))
    return [
        {"name": name, "value": value, "before": before, "changed": previous is not None and before != value}
        for name, value, before in rows
    ]


def _notes(
    figures: Figures,
    checks: list[dict[str, Any]],
    quarantine: list[dict[str, Any]],
    words: Mapping[str, str],
    write: Writer,
) -> list[tuple[str, str]]:
    """List the remarks for a steward: kind and sentence; "good" where no check but of information fails."""
    notes = [
        (
            "bad" if check["severity"] == "critical" else "warn",
            words["not_met"].format(meaning=check["meaning"], observed=check["shown"], of=check["of"]),
        )
        for check in sorted(checks, key=_urgency)
        if check["suite"] == RUN_SUITE and not check["success"]
    ]
    if figures["state"] == "unfinished":
        notes.append(("warn", words["not_ended"]))
    broken = {check["rule"] for check in checks if check["suite"] == RUN_SUITE and not check["success"]}
    notes += [
        ("warn", words["unusual"].format(name=row["name"], now=row["now"], range=row["range"]))
        for row, usual in zip(_usual(figures, words, write), figures["usual"], strict=True)
        if not row["holds"] and not said_by_rules(row["measure"], usual["value"], Habit(**usual["habit"]), broken)
    ]
    if quarantine:
        said = ", ".join(f"{row['words'].title} ({write.plain(row['documents'])})" for row in quarantine)
        notes.append(("info", f"{words['quarantine']} : {said}."))
    for row in figures["waived"]:
        if row["side"] == figures["side"]:
            meaning = check_meaning(row["check_name"], words)
            notes.append(("warn", words["waived"].format(meaning=meaning, documents=write.plain(row["documents"]))))
    changed = [row["name"] for row in _versions(figures, words) if row["changed"]]
    if changed:
        notes.append(("info", f"{words['comparison']}, {words['changed']} : {', '.join(changed)}."))
    failing = Counter(check["severity"] for check in checks if check["suite"] != RUN_SUITE and not check["success"])
    if failing["critical"] or failing["warning"]:
        told = words["document_checks_failed"].format(critical=failing["critical"], warnings=failing["warning"])
        notes.append(("info", told))
    elif all(kind == "info" for kind, _ in notes):
        notes.append(("good", words["all_clear"]))
    return notes


def _decision(figures: Figures, words: Mapping[str, str]) -> dict[str, Any]:
    decision = figures["decision"]
    if decision is None:
        return {"words": words["decision_none"], "by": ""}
    automatic = decision["chosen"] == "approve" and decision["decided_by"] == "politique"
    name = "auto" if automatic else decision["chosen"]
    by = "" if decision["decided_by"] == "politique" else decision["decided_by"]
    return {**decision, "words": words[f"decision_{name}"], "by": by}
