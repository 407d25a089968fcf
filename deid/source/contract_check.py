"""Check of a source contract on the warehouse itself: each query on a sample, and what its rows contradict.

Reads as the reader, in one read-only transaction. A finding holds counts, and names of queries and columns: no value of
a row, and no id of the hospital.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from deid.config.policy import load
from deid.config.settings import settings
from deid.domain import PARIS
from deid.domain.document import sex_of_code
from deid.domain.errors import WarehouseUnreachable
from deid.domain.outcomes import Refused
from deid.source.contract import MEASURED, Source, bind, open_source
from deid.source.extraction import REPEATED_SHARE, make_content, open_contents, read_merges, value_shape
from deid.source.links import FAULTS, Asked, QueryFault, SourceLink, StatementRefused
from deid.source.patient_parts import ProjectPart, open_part

SLOW_S = 30.0
_FIRST_PAGE: Mapping[str, None] = {"after_ingested_at": None, "after_document_id": None}
_EXPIRY, _CLOCK = timedelta(days=30), timedelta(minutes=1)
_DOUBLE_ENCODED = re.compile("[ÃÂ][\u0080-\u00bf]|\ufffd")
_INSTANTS = ("postgresql", "duckdb")  # whose times with a zone are the same instant in each session
_SHARED = 0.5  # share of documents from which what a few may lack is a fault of the query
# Faults of contents.sql that may be a row's own, not the query's.
_SINGLE = frozenset({"repeated", "no_identity", "name_charset", "birth_date"})


@dataclass(frozen=True, slots=True)
class SourceFinding:
    """A finding on a query ("plan", "contents"…) or on the "server"; `kind` is a key of `FAULTS`.

    `place` is the query's file and line; `rows` counts those at fault of the `sample` looked at; `detail` names
    columns, a time or a reason.
    """

    step: str
    kind: str
    file: str = ""
    place: str = ""
    rows: int = 0
    sample: int = 0
    detail: str = ""

    @property
    def error(self) -> bool:
        """True if it stops or falsifies a night, False for a warning.

        A fault that may be a row's own is a warning for one row, and up to the share that stops a night.
        """
        if self.step == "contents" and self.kind in _SINGLE and self.rows <= max(1, REPEATED_SHARE * self.sample):
            return False
        return bool(FAULTS[self.kind]["error"]) and self.step not in MEASURED

    @property
    def message(self) -> str:
        """Sentence, in English."""
        return str(FAULTS[self.kind]["message"]).format(
            n=self.rows, of=self.sample, detail=self.detail, names=self.detail
        )

    @property
    def remedy(self) -> str:
        """Remedy in English, with the file to mend."""
        return str(FAULTS[self.kind]["remedy"]).replace("{file}", self.file)


@dataclass(slots=True)
class SourceReport:
    """Result of a check: rows and seconds by query, and findings in the order of the queries."""

    source: str
    digest: str
    rows: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    findings: list[SourceFinding] = field(default_factory=list)

    @property
    def errors(self) -> list[SourceFinding]:
        """Findings that stop or falsify a night."""
        return [finding for finding in self.findings if finding.error]


def check_source(source: Source, start: datetime, end: datetime, sample: int = 200) -> SourceReport:
    """Run the queries of a contract on up to `sample` documents ingested in [start, end), and report what is wrong.

    Contents are those of this project's part of the patients.

    Raises:
        PolicyError: the rules of the source's files, or the policy, cannot be read.
        SettingsError: the policy takes a part of the patients, and there is no secret to divide by.
    """
    with open_source("nocturne source check", snapshot=True) as link:
        check = _Check(link, source, sample, SourceReport(source.name, source.digest))
        check.run(start, end)
        return check.report


@dataclass(slots=True)
class _Check:
    link: SourceLink
    source: Source
    sample: int
    report: SourceReport

    def run(self, start: datetime, end: datetime) -> None:
        self._server(end)
        usable = [step for step in self.source.steps if self._columns(step)]
        listed = self._plan(start, end) if "plan" in usable else {}
        kept = {name: row for name, row in listed.items() if not row["withdrawn"]}
        if kept and "present" in usable:
            self._present(kept)
        if kept and "contents" in usable:
            part = self._part(usable)
            self._contents({name: row for name, row in kept.items() if part.has(name, row["patient_id"])})
        if "staff" in usable:
            self._staff()
        if "merges" in usable and (rows := self._read("merges", {}, self.sample)):
            self._count("merges", "self_merge", len(rows), sum(row["patient_id"] == row["merged_into"] for row in rows))
            self._nulls("merges", rows, ("patient_id", "merged_into"))

    def _part(self, usable: Sequence[str]) -> ProjectPart:
        """Return the part of the policy in force; a query of merges that is broken has its own finding."""
        patients = load(settings().policy).patients
        told = read_merges(self.link, self.source) if patients.of > 1 and "merges" in usable else None
        return open_part(patients, told or ())

    def _find(self, step: str, kind: str, rows: int = 0, sample: int = 0, detail: str = "", line: int = 0) -> None:
        file = place = ""
        if step in self.source.steps:
            word = FAULTS[kind].get("at") or detail.partition(" ")[0].rstrip(",")
            file, place = self.source.file(step), self.source.place(step, word, line)
        self.report.findings.append(SourceFinding(step, kind, file, place, rows, sample, detail))

    def _count(self, step: str, kind: str, sample: int, rows: int, detail: str = "") -> None:
        if rows:
            self._find(step, kind, rows, sample, detail)

    def _nulls(self, step: str, rows: Sequence[Mapping[str, Any]], columns: Iterable[str]) -> None:
        for column in columns:
            self._count(step, "null", len(rows), sum(row[column] is None for row in rows), column)

    def _read(
        self, step: str, parameters: Mapping[str, Any], most: int, cut: int | None = None, only: Mapping[str, str] = {}
    ) -> list[dict[str, Any]]:
        """Return at most `most` rows of a query; none, with a finding, where it cannot be read.

        The report keeps rows and seconds of the first reading.
        """
        began = time.monotonic()
        kinds, chosen = only or self.source.kinds(step), bool(only) or cut is not None
        try:
            with self.link.attempt():
                asked = Asked(self.source.query(step), bind(parameters), kinds, chosen, most, cut)
                rows = list(self.link.rows(asked))
        except StatementRefused as refused:
            self._fault(step, refused.fault)
            return []
        took = time.monotonic() - began
        self.report.rows.setdefault(step, len(rows))
        self.report.seconds.setdefault(step, round(took, 3))
        if took > SLOW_S:
            self._find(step, "slow", detail=f"{took:.0f}")
        return rows

    def _server(self, end: datetime) -> None:
        expires, encoding, clock = self.link.account()
        ahead = clock - datetime.now(UTC) if clock else timedelta()
        try:
            self.link.check_replay(end)
        except WarehouseUnreachable:
            self._find("server", "replica_late")
        if expires is not None and expires < datetime.now(UTC) + _EXPIRY:
            self._find("server", "password_expires", detail=f"{expires:%d/%m/%Y}")
        if encoding == "SQL_ASCII":
            self._find("server", "sql_ascii")
        if abs(ahead) > _CLOCK:
            self._find("server", "clock", detail=f"{ahead.total_seconds():+.0f}")

    def _columns(self, step: str) -> bool:
        """Return whether the query gives the columns of the contract."""
        faults = self.source.faults(self.link, step)
        for fault in faults:
            self._fault(step, fault)
        return not faults

    def _fault(self, step: str, fault: QueryFault) -> None:
        self._find(step, fault.kind.value, detail=fault.told, line=fault.line)

    def _plan(self, start: datetime, end: datetime) -> dict[str, dict[str, Any]]:
        """Return the documents of the sample by id."""
        first = {"interval_start": start, "interval_end": end, "page": self.sample}
        rows = self._read("plan", {**first, **_FIRST_PAGE}, self.sample)
        if "plan" not in self.report.rows:
            return {}
        # The newest rows tell a local time, and are past the sample of any other interval.
        soon = datetime.now(UTC) + _CLOCK
        bounds = {"interval_start": soon, "interval_end": soon + timedelta(days=1)}
        newest = [row["ingested_at"] for row in self._read("plan", {**first, **bounds, **_FIRST_PAGE}, self.sample)]
        self._count("plan", "future", len(newest), sum(moment is not None and moment >= soon for moment in newest))
        if not rows:
            self._find("plan", "nothing")
            return {}
        self._nulls("plan", rows, ("document_id", "content_hash", "ingested_at", "withdrawn"))
        whole = [row for row in rows if row["document_id"] is not None and row["ingested_at"] is not None]
        keys = [(row["ingested_at"], row["document_id"]) for row in whole]
        if [moment for moment, _ in keys] != sorted(moment for moment, _ in keys):
            self._find("plan", "unordered")
        names = Counter(name for _, name in keys)
        self._count("plan", "repeated", len(names), sum(times > 1 for times in names.values()))
        self._count("plan", "outside", len(keys), sum(not start <= moment < end for moment, _ in keys))
        self._count("plan", "no_patient", len(rows), sum(not row["patient_id"] for row in rows))
        if len(names) > 1 and len({row["content_hash"] for row in rows}) == 1:
            self._find("plan", "same_digest")
        self._zones({**first, **_FIRST_PAGE}, keys)
        if len(keys) == self.sample:
            after = {"after_ingested_at": keys[-1][0], "after_document_id": keys[-1][1]}
            again = self._read("plan", {**first, **after}, 1)
            if again and (again[0]["ingested_at"], again[0]["document_id"]) in set(keys):
                self._find("plan", "same_page")
        return {row["document_id"]: row for row in whole}

    def _zones(self, asked: Mapping[str, Any], keys: Sequence[tuple[datetime, str]]) -> None:
        """Check that no arrival time takes the zone of the session, or all do where that is UTC in a night's.

        Where it is, and some do, those and the others may both be right: it cannot be told.
        """
        page, start = 4 * self.sample, asked["interval_start"] - timedelta(hours=1)
        with self.link.earlier(1):
            rows = self._read("plan", {**asked, "interval_start": start, "page": page}, page)
        again = {(row["ingested_at"], row["document_id"]) for row in rows}
        found = {name for _, name in again}
        moved = [key not in again for key in keys if key[1] in found]
        kind = "zones" if self.link.dialect in _INSTANTS else "" if all(moved) else "mixed_zones"
        if kind:
            self._count("plan", kind, len(moved), sum(moved), str(len(moved) - sum(moved)))

    def _present(self, kept: Mapping[str, Mapping[str, Any]]) -> None:
        rows = self._read("present", {"document_ids": list(kept)}, 2 * len(kept))
        if "present" not in self.report.rows:
            return
        found = {row["document_id"]: row["patient_id"] for row in rows}
        self._compare("present", kept, found)
        self._count("present", "repeated", len(found), len(rows) - len(found))

    def _compare(self, step: str, kept: Mapping[str, Mapping[str, Any]], found: Mapping[str, str | None]) -> None:
        """Compare documents and patients of a query with those of the plan."""
        there = [name for name in kept if name in found]
        self._count(step, "gone", len(kept), len(kept) - len(there))
        self._count(step, "not_asked", len(found), len(set(found) - set(kept)))
        moved = sum(found[name] != kept[name]["patient_id"] for name in there)
        self._count(step, "other_patient", len(there), moved)

    def _contents(self, kept: Mapping[str, Mapping[str, Any]]) -> None:
        cut = settings().max_document_bytes + 1
        rows = self._read("contents", {"document_ids": list(kept)}, 2 * len(kept), cut)
        if "contents" not in self.report.rows:
            return
        found = {row["document_id"]: row for row in rows}
        self._compare("contents", kept, {name: row["patient_id"] for name, row in found.items()})
        times = Counter(row["document_id"] for row in rows)
        self._count("contents", "repeated", len(times), sum(count > 1 for count in times.values()))
        asked_for = [row for name, row in found.items() if name in kept]
        if not asked_for:
            return
        digests = sum(row["content_hash"] != kept[row["document_id"]]["content_hash"] for row in asked_for)
        self._count("contents", "other_digest", len(asked_for), digests)
        self._identities([row for row in asked_for if row["patient_id"]])
        self._moments(asked_for)
        if self.link.dialect in _INSTANTS:
            self._days({name: row for name, row in found.items() if times[name] == 1})
        bare = [row for row in asked_for if not row["content"] and not row.get("content_path")]
        if len(bare) > _SHARED * len(asked_for):
            self._find("contents", "no_content", len(bare), len(asked_for))
        else:
            self._open(asked_for)

    def _identities(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if not rows:
            return
        nameless = sum(not row["last_name"] and not row["birth_name"] for row in rows)
        self._count("contents", "no_identity", len(rows), nameless)
        known = ("first_names", "birth_date", "sex", "ipp", "addresses", "zip", "city", "phones", "stay_id", "service")
        if empty := [column for column in known if not any(row[column] for row in rows)]:
            self._find("contents", "empty_column", len(rows), len(rows), ", ".join(empty))
        names = [[row["last_name"], row["birth_name"], *(row["first_names"] or [])] for row in rows]
        badly = sum(bool(_DOUBLE_ENCODED.search(" ".join(filter(None, written)))) for written in names)
        self._count("contents", "name_charset", len(rows), badly)
        self._births([row for row in rows if row["birth_date"]])
        told = [row["sex"] for row in rows if row["sex"]]
        unknown = Counter(value_shape(code) for code in told if sex_of_code(code) is None)
        self._count("contents", "sex", len(told), unknown.total(), ", ".join(sorted(unknown)[:3]))

    def _births(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Check that birth dates are days of the calendar: another value cannot be searched for in a text."""
        read = [make_content({**row, "content": b""}) for row in rows]
        misread = Counter(content.misread_birth for content in read if content.misread_birth)
        shapes = ", ".join(f"{shape} × {times}" for shape, times in misread.most_common(3))
        self._count("contents", "birth_date", len(rows), misread.total(), shapes)
        days = [content.patient.birth_date for content in read if content.patient.birth_date]
        today = datetime.now(PARIS).date()
        self._count("contents", "birth_range", len(days), sum(not date(1880, 1, 1) <= day <= today for day in days))

    def _moments(self, rows: Sequence[Mapping[str, Any]]) -> None:
        soon = datetime.now(UTC).date() + timedelta(days=1)
        stays = [row for row in rows if row["stay_id"]]
        ends = [row for row in rows if row["stay_start"] and row["stay_end"]]
        dated = [row for row in rows if row["reference_date"]]
        for detail, sample, at_fault in (
            ("reference_date is missing", rows, [row for row in rows if not row["reference_date"]]),
            ("reference_date is in the future", dated, [row for row in dated if row["reference_date"] > soon]),
            ("stay has no beginning", stays, [row for row in stays if not row["stay_start"]]),
            ("stay ends before it begins", ends, [row for row in ends if row["stay_end"] < row["stay_start"]]),
        ):
            self._count("contents", "dates", len(sample), len(at_fault), detail)

    def _days(self, found: Mapping[str, Mapping[str, Any]]) -> None:
        """Check that no day is the one of the session's zone, which is another than the local one by night."""
        days = {column: kind for column, kind in self.source.kinds("contents").items() if "date" in kind}
        asked, kinds = {"document_ids": list(found)}, {"document_id": "text", **days}
        with self.link.earlier(12):
            rows = self._read("contents", asked, len(found) + 1, only=kinds)
        both = [(row, found[row["document_id"]]) for row in rows if row["document_id"] in found]
        for column in days:
            self._count("contents", "session_day", len(both), sum(a[column] != b[column] for a, b in both), column)

    def _open(self, rows: Sequence[dict[str, Any]]) -> None:
        """Open the documents of the sample as a night does, and count what would be held back by reason."""
        opened = open_contents([make_content(row) for row in rows], self.source.rules(), limits=settings().limits())
        reasons = Counter(reason for item in opened if isinstance(item, Refused) for reason in item.reasons)
        for reason, count in sorted(reasons.items()):
            if reason != "no_patient":
                self._find("contents", "kept_back", count, len(rows), reason)

    def _staff(self) -> None:
        rows = self._read("staff", {}, max(self.sample, 5000))
        if "staff" in self.report.rows and not any(row["last_name"] for row in rows):
            self._find("staff", "nobody")
        self._nulls("staff", rows, ("staff_id",))
