"""Nights written straight into the ledger: what the steps leave behind, without running them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg2
from psycopg2.extras import execute_values

from deid.config.policy import load
from deid.config.settings import settings
from deid.database.queries import query
from deid.ledger.pseudonyms import pseudonym_row

TYPES = ("CRH", "LSO", "CS", "URG", "CRO", "ACP", "IMG", "BIO", "CPA", "IDE", "ORD", "CERT")
LABELS = {
    **{"PATIENT": 3.2, "DOCTOR": 5.1, "PERSON": 0.6, "DATE": 7.4, "RELDATE": 0.8, "AGE": 1.1, "STREET": 1.3},
    **{"ZIP": 1.4, "CITY": 2.2, "LOC": 0.2, "ORG": 1.5, "PHONE": 2.1, "EMAIL": 0.7, "URL": 0.2, "NIR": 0.3},
    **{"IPP": 0.9, "NDA": 0.8, "RPPS": 0.6, "ID": 0.4},
}
REASONS = (
    *["residual_identity"] * 5,
    *["residual_pattern"] * 4,
    *["unchanged", "not_french", "empty", "undecodable", "too_large", "date_order"],
)
CANARY = "Zézékian-Vérité"


class Ledger:
    """Writes runs as the steps would; `canary` stands wherever the ledger may hold text."""

    def __init__(self, superuser: Any, seed: int = 1) -> None:
        self._database = superuser
        self._random = random.Random(seed)  # noqa: S311 - invented figures

    def night(
        self,
        day: str,
        documents: int = 60,
        *,
        quarantined: int = 1,
        density: float = 1.0,
        epsilon: float = 0.25,
        policy: str | None = None,
        unparsed: int = 0,
        staged: bool = True,
        warned: int = 0,
    ) -> int:
        """One night of `documents` documents, `quarantined` of which are refused; returns its run.

        It is planned with the policy in force, which the ledger keeps, or with one of which it knows the hash alone.
        """
        policy = policy or self._policy_in_force()
        start = datetime.fromisoformat(day).replace(hour=1, minute=30, tzinfo=UTC)
        run_id = self._run(day, start, documents, policy, staged)
        rows = [self._document(run_id, day, number, number < quarantined) for number in range(documents)]
        self._insert("deid.document", rows)
        kept = [row for row in rows if row["state"] == "staged"]
        self._insert("deid.mention", (m for row in kept for m in self._mentions(row, density)))
        self._insert("deid.pseudonym", self._pseudonyms(kept))
        self._insert("deid.candidate", [self._candidate(row, number < unparsed) for number, row in enumerate(kept)])
        self._insert("deid.budget", (line for row in kept for line in self._budget(row, epsilon)))
        self._insert("deid.quarantine", [self._refusal(row) for row in rows if row["state"] == "quarantined"])
        self._insert("deid.verdict", [self._warning(row) for row in kept[:warned]])
        self._insert("deid.check_result", self._checks(run_id, documents, quarantined))
        self._insert("deid.timing", self._timing(run_id, rows))
        if staged:
            for table, step in (("staged_content", "salt"), ("staged_content", "insert"), ("run", "stage")):
                self._database.rows(query("deid", table, step), {"run_id": run_id})
        return run_id

    def _policy_in_force(self) -> str:
        chosen = load(settings().policy)
        row = {"policy_hash": chosen.digest, "policy": json.dumps(chosen.content)}
        self._database.rows(query("deid", "policy", "insert"), row)
        return chosen.digest

    def _insert(self, table: str, rows: Iterable[dict[str, Any]]) -> None:
        rows = list(rows)
        if not rows:
            return
        columns = list(rows[0])
        link = psycopg2.connect(self._database.owner)
        try:
            with link, link.cursor() as cursor:
                values = [[row[name] for name in columns] for row in rows]
                execute_values(cursor, f"INSERT INTO {table} ({', '.join(columns)}) VALUES %s", values, page_size=2000)
        finally:
            link.close()

    def _run(self, day: str, start: datetime, documents: int, policy: str, staged: bool) -> int:
        return self._database.rows(
            "INSERT INTO deid.run (triggered_by, source, interval_start, interval_end, interval_key, dry_run, "
            "policy_hash, pipeline_version, detector_version, key_version, key_fingerprint, reference_versions, state,"
            " seen, planned) VALUES (%s, 'ehop', %s, %s, %s, false, %s, %s, 'rules-3', 1, %s, %s, %s, %s, %s) "
            "RETURNING run_id",
            (
                *(f"scheduled__{day}", start, start + timedelta(days=1), day, policy, f"0.1.0-p{policy[:8]}-d1-k1"),
                *(settings().keyring.current.fingerprint, json.dumps({"communes": "2026-01", "streets": "2026-09"})),
                "staged" if staged else "planned",
                *(documents + 4, documents),
            ),
        )[0][0]

    def _document(self, run_id: int, day: str, number: int, refused: bool) -> dict[str, Any]:
        kind = TYPES[min(number % 17, len(TYPES) - 1)]
        return {
            "document_id": f"D{day}-{number}",
            "content_hash": f"{number:064x}",
            "pipeline_version": "0.1.0",
            "run_id": run_id,
            "batch_id": 1,
            "state": "quarantined" if refused else "staged",
            "ingested_at": f"{day}T12:00:00Z",
            "patient_id": f"P{number // 3}",
            "document_type": kind,
            "characters": int(self._random.lognormvariate(7.6, 0.55)),
        }

    def _mentions(self, row: dict[str, Any], density: float) -> Iterable[dict[str, Any]]:
        ordinal = 0
        for label, mean in LABELS.items():
            for _ in range(round(mean * density * row["characters"] / 2000 * self._random.uniform(0.6, 1.4))):
                yield {
                    "run_id": row["run_id"],
                    "document_id": row["document_id"],
                    "ordinal": ordinal,
                    "start_offset": ordinal * 10,
                    "end_offset": ordinal * 10 + 5,
                    "label": label,
                    "score": 1.0,
                }
                ordinal += 1

    def _candidate(self, row: dict[str, Any], unparsed: bool) -> dict[str, Any]:
        drawn = [[0, 5, "DATE", None, 1.0, "metric", not unparsed], [9, 12, "CITY", None, 1.0, "health", True]]
        return {
            "run_id": row["run_id"],
            "document_id": row["document_id"],
            "patient_id": row["patient_id"],
            "text": f"{CANARY} est venu.",
            "spans": json.dumps([[0, 5, "DATE"]]),
            "surrogates": json.dumps(drawn),
        }

    def _pseudonyms(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """As the worker draws them."""
        names = {("document", row["document_id"]) for row in rows} | {("patient", row["patient_id"]) for row in rows}
        known = set(self._database.rows("SELECT kind, ledger_id FROM deid.pseudonym"))
        key, columns = settings().keyring.current, ("kind", "ledger_id", "key_fingerprint", "encrypted")
        drawn = (pseudonym_row(key, kind, name, name) for kind, name in sorted(names - known))
        return [dict(zip(columns, row, strict=True)) for row in drawn]

    def _budget(self, row: dict[str, Any], epsilon: float) -> Iterable[dict[str, Any]]:
        means = {"anchor": 1, "date": 7, "age": 1, "place": 2}
        mechanisms = {"place": "health_exponential", "anchor": "discrete_laplace"}
        for category, mean in means.items():
            elements = mean if category == "anchor" else max(1, round(self._random.gauss(mean, mean / 2)))
            yield {
                "run_id": row["run_id"],
                "document_id": row["document_id"],
                "patient_id": row["patient_id"],
                "category": category,
                "mechanism": mechanisms.get(category, "metric"),
                "epsilon": elements * (epsilon if category != "anchor" else 0.07),
                "elements": elements,
            }

    def _refusal(self, row: dict[str, Any]) -> dict[str, Any]:
        reason = self._random.choice(REASONS)
        early = reason in ("empty", "undecodable", "too_large")
        return {
            "run_id": row["run_id"],
            "document_id": row["document_id"],
            "content_hash": row["content_hash"],
            "step": "detect" if early else "validate",
            "reason": reason,
        }

    def _warning(self, row: dict[str, Any]) -> dict[str, Any]:
        return {
            "run_id": row["run_id"],
            "document_id": row["document_id"],
            "check_name": "words_cut",
            "severity": "warning",
            "success": False,
            "observed": 1,
        }

    def _checks(self, run_id: int, documents: int, quarantined: int) -> Iterable[dict[str, Any]]:
        from deid.quality import CHECKS

        failing = {"identity_name": quarantined // 2, "residual_phone": quarantined // 3, "drawn_kept": documents // 3}
        for check in CHECKS:
            failures = failing.get(check.name, 0)
            yield {
                "run_id": run_id,
                "batch_id": 1,
                "suite": "document",
                "rule": check.name,
                "severity": check.severity.value,
                "success": failures == 0,
                "element_count": documents,
                "unexpected_count": failures,
            }

    def _timing(self, run_id: int, rows: Sequence[dict[str, Any]]) -> Iterable[dict[str, Any]]:
        characters = sum(row["characters"] for row in rows)
        for step, speed, memory in (("detect", 150, 812), ("substitute", 210, 655), ("validate", 95, 540)):
            yield {
                "run_id": run_id,
                "batch_id": 1,
                "step": step,
                "seconds": len(rows) / speed,
                "documents": len(rows),
                "characters": characters,
                "peak_rss_mb": memory,
            }
