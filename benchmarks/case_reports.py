"""Published case reports kept out of training, and what was judged, by reading, of the mentions found in them.

    python -m benchmarks.case_reports TEXTS > benchmarks/case_reports.documents.csv

`TEXTS` is a folder with the files of `SOURCES`; the texts are not in the repository. Samples are taken by the hash of
the article's identifier. `case_reports.judgements.csv` has a row per mention: place, label when it was judged, verdict,
reason.
"""

from __future__ import annotations

import csv
import hashlib
import json
import lzma
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.left_out import rate
from deid.domain.document import Mention
from deid.domain.errors import InputRefused
from nocturne_lab.evaluation.score_tables import markdown

HERE = Path(__file__).parent
DOCUMENTS, JUDGEMENTS = HERE / "case_reports.documents.csv", HERE / "case_reports.judgements.csv"
# File → (source, articles of a sample).
SOURCES = {
    "medical_cases_pamj_ccby.jsonl.xz": ("Pan African Medical Journal, CC BY", 150),
    "medical_cases_casimedicos_ccby.txt.xz": ("CasiMedicos, CC BY 4.0", 50),
}
SAMPLES = ("development", "test")
TRUE = {
    "age": "age of a person",
    "date": "calendar date",
    "relative_date": "date relative to the document",
    "name": "name or initials of a person",
    "place": "place",
    "organisation": "named organisation",
}
FALSE = {
    "duration": "duration of follow-up, disease, treatment; interval",
    "gestation": "age of a pregnancy",
    "ordinal": "rank of a day, month or rib",
    "value": "measured value, fraction, range, tooth",
    "dose": "dose",
    "posology": "posology",
    "score": "score or classification",
    "drug": "drug or protocol",
    "analyte": "name of what a laboratory measures",
    "test": "examination or technique",
    "disease": "disease",
    "germ": "germ",
    "device": "device or its brand",
    "eponym": "eponym of a sign, angle or method",
    "anatomy": "anatomy",
    "nationality": "nationality",
    "reference": "year or name of a publication, study or guideline",
    "pronoun": "pronoun",
    "word": "other word",
}
# What research reads as a fact; none may change.
CLINICAL = frozenset({"value", "dose", "posology", "score", "drug", "analyte"})
# A number with its unit: none may be touched by a mention, whatever was judged.
WITH_UNIT = re.compile(
    r"\d+(?:[.,]\d+)?\s?(?:[kmµu]?g|[mcdµ]?l|[mcdk]?m|mmol|[µn]mol|UI|U|mmHg|Gy|meq|%|°|bpm|Hz|kcal)"
    r"(?:/(?:[kmcd]?[glm]|mm ?3|min|h|j|jour|24 ?h|kg)){0,2}(?![\w])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CaseReport:
    """One report: `id` is the DOI, or the hash of a text without one."""

    id: str
    source: str
    text: str
    sample: str = ""

    @property
    def order(self) -> str:
        """Return the hash by which samples are taken: of the DOI, or of the text, which is the identifier then."""
        return _digest(self.id) if self.id.startswith("10.") else self.id

    @property
    def digest(self) -> str:
        """Return 16 hexadecimal digits of the SHA-256 of the text."""
        return _digest(self.text)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Judgement of `[start, end)` of a report: whether it is a mention, and the reason (a key of `TRUE` or `FALSE`)."""

    start: int
    end: int
    right: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Read:
    """A case report with its mentions and what was judged of each, None where nobody has.

    `missed` are places judged right that no mention meets.
    """

    report: CaseReport
    mentions: Sequence[Mention]
    verdicts: Sequence[Verdict | None]
    missed: Sequence[Verdict]

    @property
    def false(self) -> list[Verdict]:
        """Return the verdicts of false mentions."""
        return [one for one in self.verdicts if one is not None and not one.right]

    @property
    def unjudged(self) -> list[Mention]:
        """Return the mentions without a verdict."""
        return [one for one, verdict in zip(self.mentions, self.verdicts, strict=True) if verdict is None]


def read_reports(folder: Path) -> list[CaseReport]:
    """Return the reports that `case_reports.documents.csv` lists, in its order.

    Raises:
        InputRefused: a file is missing, or a listed report is not in it with the text that was judged.
    """
    texts = {report.id: report for report in _all_reports(folder)}
    reports = []
    for row in listed():
        report = texts.get(row["document"])
        if report is None or report.digest != row["sha256"]:
            raise InputRefused(
                f"report {row['document']} is not in {folder} with the text that was judged.",
                "Use the files that SOURCES in benchmarks/case_reports.py names, unchanged.",
            )
        reports.append(replace(report, sample=row["sample"]))
    return reports


def listed() -> list[dict[str, str]]:
    """Return the rows of `case_reports.documents.csv`."""
    with DOCUMENTS.open(encoding="utf-8", newline="") as stream:
        return [*csv.DictReader(stream)]


def read_verdicts() -> dict[str, list[Verdict]]:
    """Return the verdicts by document."""
    verdicts: dict[str, list[Verdict]] = {}
    with JUDGEMENTS.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            verdict = Verdict(int(row["start"]), int(row["end"]), row["verdict"] == "true", row["reason"])
            verdicts.setdefault(row["document"], []).append(verdict)
    return verdicts


def verdict_of(start: int, end: int, verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the verdict of a place: its own, else that of the shortest judged place around it; None if unjudged."""
    around = [one for one in verdicts if one.start <= start and end <= one.end]
    return min(around, key=lambda one: one.end - one.start, default=None)


def sample(reports: Sequence[CaseReport]) -> Iterator[tuple[str, CaseReport]]:
    """Yield `(sample, report)`: of each source, in the order of the hash of the identifiers."""
    for source, size in SOURCES.values():
        own = sorted((one for one in reports if one.source == source), key=lambda one: one.order)
        for number, name in enumerate(SAMPLES):
            yield from ((name, one) for one in own[number * size : (number + 1) * size])


def judged(reports: Sequence[CaseReport], found: Sequence[Sequence[Mention]]) -> list[Read]:
    """Return each report with its mentions and their verdicts."""
    verdicts = read_verdicts()
    return [_read(*one, verdicts.get(one[0].id, ())) for one in zip(reports, found, strict=True)]


def _read(report: CaseReport, mentions: Sequence[Mention], known: Sequence[Verdict]) -> Read:
    met = [one for one in known if any(one.start < mention.end and mention.start < one.end for mention in mentions)]
    right = {(one.start, one.end): one for one in known if one.right and one not in met}
    return Read(report, mentions, [verdict_of(one.start, one.end, known) for one in mentions], [*right.values()])


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
        "right but missed",
    ]
    return markdown(head, [_reports_row(name, reports) for name, reports in runs.items()])


def _reports_row(name: str, reports: Sequence[Read]) -> list[str]:
    words = [len(one.report.text.split()) for one in reports]
    false = [verdict for one in reports for verdict in one.false]
    figures: list[str | int] = [
        len(reports),
        f"{sum(words):,}",
        sum(len(one.mentions) for one in reports),
        len(false),
        str(rate([len(one.false) for one in reports], words)),
        sum(bool(one.false) for one in reports),
        sum(verdict.reason in CLINICAL for verdict in false),
        sum(_touched(one) for one in reports),
        sum(len(one.unjudged) for one in reports),
        sum(len(one.missed) for one in reports),
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


def _all_reports(folder: Path) -> Iterator[CaseReport]:
    for name, (source, _) in SOURCES.items():
        path = folder / name
        if not path.is_file():
            raise InputRefused(f"{path} is missing.", "Give the folder of the texts: --texts, or NOCTURNE_TEXTS.")
        with lzma.open(path, "rt", encoding="utf-8") as stream:
            for line in stream:
                if name.endswith(".jsonl.xz"):
                    record: Mapping[str, str] = json.loads(line)
                    yield CaseReport(record["doi"], source, record["text"])
                else:
                    text = line.rstrip("\n")
                    yield CaseReport(f"casimedicos-{_digest(text)}", source, text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def main() -> None:
    """Print the list of the sampled reports."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["document", "sample", "source", "sha256", "words"])
    for name, report in sample([*_all_reports(Path(sys.argv[1]))]):
        writer.writerow([report.id, name, report.source, report.digest, len(report.text.split())])


if __name__ == "__main__":
    main()
