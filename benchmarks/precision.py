"""False mentions of the detector: on published case reports, and on authors that its taggers never saw.

    python -m benchmarks.precision [--texts FOLDER] [--sample development] [--unjudged]

FOLDER (or the environment variable NOCTURNE_TEXTS) holds the texts that `benchmarks.case_reports` names. A mention of
a report that nobody has judged is counted apart and, with `--unjudged`, listed with its sentence.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import case_reports
from benchmarks.case_reports import CLINICAL, FALSE, CaseReport, Verdict
from deid.domain.errors import NocturneError
from deid.evaluation.score_tables import markdown

ROOT = Path(__file__).parents[1]
WORKER = Path(__file__).with_name("detect_in_checkout.py")
POLICIES = ("default", "balanced")
# A number with its unit: none may be touched by a mention, whatever was judged.
WITH_UNIT = re.compile(
    r"\d+(?:[.,]\d+)?\s?(?:[kmµu]?g|[mcdµ]?l|[mcdk]?m|mmol|[µn]mol|UI|U|mmHg|Gy|meq|%|°|bpm|Hz|kcal)"
    r"(?:/(?:[kmcd]?[glm]|mm ?3|min|h|j|jour|24 ?h|kg)){0,2}(?![\w])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """A mention: `[start, end)` and its label."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Read:
    """A case report with its mentions and what was judged of each, None where nobody has."""

    report: CaseReport
    mentions: Sequence[Found]
    verdicts: Sequence[Verdict | None]

    @property
    def false(self) -> list[Verdict]:
        """Return the verdicts of false mentions."""
        return [one for one in self.verdicts if one is not None and not one.right]

    @property
    def unjudged(self) -> list[Found]:
        """Return the mentions without a verdict."""
        return [one for one, verdict in zip(self.mentions, self.verdicts, strict=True) if verdict is None]


def detect(
    checkout: Path, documents: Sequence[tuple[str, str]], runs: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, list[list[Found]]], dict[str, float]]:
    """Return the mentions of each run by document, and its processor seconds, by the library of a checkout.

    Args:
        checkout: folder of the library.
        documents: identifier and text.
        runs: `name`, `policy`, and perhaps `nats`, `models`, `timed` (`benchmarks/detect_in_checkout.py`).
    """
    answer = subprocess.run(
        [sys.executable, str(WORKER)],
        input=json.dumps({"documents": documents, "runs": runs}),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"},
        cwd=checkout,
        text=True,
        check=True,
    )
    told = json.loads(answer.stdout)
    found = {name: [[Found(*one) for one in own] for own in documents] for name, documents in told["found"].items()}
    return found, told["seconds"]


def judged(reports: Sequence[CaseReport], found: Sequence[Sequence[Found]]) -> list[Read]:
    """Return each report with its mentions and their verdicts."""
    verdicts = case_reports.read_verdicts()
    return [
        Read(
            report,
            mentions,
            [case_reports.verdict_of(one.start, one.end, verdicts.get(report.id, ())) for one in mentions],
        )
        for report, mentions in zip(reports, found, strict=True)
    ]


def reports_table(runs: Mapping[str, Sequence[Read]]) -> str:
    """Tabulate false mentions, documents touched, clinical content changed and mentions that nobody judged."""
    head = [
        "detector",
        "reports",
        "words",
        "mentions",
        "false",
        "false per 1,000 words",
        "reports with a false mention",
        "clinical values changed",
        "numbers with a unit touched",
        "unjudged",
    ]
    return markdown(head, [_reports_row(name, reports) for name, reports in runs.items()])


def _reports_row(name: str, reports: Sequence[Read]) -> list[str]:
    words = sum(len(one.report.text.split()) for one in reports)
    false = [verdict for one in reports for verdict in one.false]
    figures: list[str | int] = [
        len(reports),
        f"{words:,}",
        sum(len(one.mentions) for one in reports),
        len(false),
        f"{1000 * len(false) / words:.2f}",
        sum(bool(one.false) for one in reports),
        sum(verdict.reason in CLINICAL for verdict in false),
        sum(_touched(one) for one in reports),
        sum(len(one.unjudged) for one in reports),
    ]
    return [name, *map(str, figures)]


def _touched(read: Read) -> int:
    spans = [match.span() for match in WITH_UNIT.finditer(read.report.text)]
    return sum(any(one.start < end and start < one.end for one in read.mentions) for start, end in spans)


def reasons_table(runs: Mapping[str, Sequence[Read]]) -> str:
    """Tabulate false mentions by reason, the most frequent first."""
    counts = {name: Counter(one.reason for read in reports for one in read.false) for name, reports in runs.items()}
    total = sum(counts.values(), Counter[str]())
    rows = [[FALSE[reason], *(str(own[reason]) for own in counts.values())] for reason, _ in total.most_common()]
    return markdown(["what it is", *runs], rows)


def unjudged_list(runs: Mapping[str, Sequence[Read]]) -> list[str]:
    """Return a line per mention that nobody has judged, with its surroundings."""
    lines = {}
    for reports in runs.values():
        for read in reports:
            text = read.report.text
            for one in read.unjudged:
                before, after = text[max(0, one.start - 80) : one.start], text[one.end : one.end + 60]
                place = f"{read.report.id} {one.start} {one.end} {one.label}"
                lines[place] = f"{place}: {before}[[{text[one.start : one.end]}]]{after}"
    return [*lines.values()]


def main() -> int:
    """Print the tables; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, default=os.environ.get("NOCTURNE_TEXTS"), help="folder of case reports")
    parser.add_argument("--sample", choices=case_reports.SAMPLES, default="development")
    parser.add_argument("--unjudged", action="store_true", help="list the mentions that nobody has judged")
    given = parser.parse_args()
    if given.texts is None:
        parser.error("the folder of the case reports is missing: give --texts, or set NOCTURNE_TEXTS")
    try:
        chosen = {row["document"] for row in case_reports.listed() if row["sample"] == given.sample}
        reports = [one for one in case_reports.read_reports(Path(given.texts)) if one.id in chosen]
    except NocturneError as error:
        print(error, file=sys.stderr)
        return 1
    documents = [(one.id, one.text) for one in reports]
    found, _ = detect(ROOT, documents, [{"name": name, "policy": name} for name in POLICIES])
    runs = {name: judged(reports, found[name]) for name in POLICIES}
    print(reports_table(runs), reasons_table(runs), sep="\n\n")
    if given.unjudged:
        print("", *unjudged_list(runs), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
