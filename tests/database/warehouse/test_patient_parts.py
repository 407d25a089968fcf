"""Two projects over one warehouse: parts of its patients that are disjoint, complete and the same every night."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from deid.cli import main
from deid.config.keys import make_key, write_keyring
from deid.config.policy import PatientPart
from deid.config.settings import settings
from deid.domain.errors import PolicyError, SettingsError
from deid.ledger import planning
from deid.ledger.planning import Interval
from deid.nightly import steps
from deid.reports.figures import gather
from deid.source.contract import Source
from deid.source.contract_check import check_source
from nocturne_lab.evaluation.corpus import load_corpus
from nocturne_lab.hospital.periods import open_period
from nocturne_lab.learning.exchange.rounds import RoundOrder, give_documents
from tests.conftest import Database
from tests.database.warehouse.small_hospital import DAY, NIGHT, open_hospital, put

PEOPLE = [f"P9{number:05d}" for number in range(30)]


@pytest.fixture
def hospital(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    open_hospital(deployed)
    for patient in PEOPLE:
        deployed.rows(
            "INSERT INTO cdw.patient (patient_id, ipp, last_name, first_names) VALUES (%s, %s, 'VASSEROT', '{Anne}')",
            (patient, f"8{patient[1:]}"),
            role="owner",
        )
    _use_secret(tmp_path / "partition", monkeypatch)
    return deployed


def _use_secret(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_keyring(path, [make_key(1)])
    monkeypatch.setenv("NOCTURNE_PARTITION_SECRET_FILE", str(path))
    settings.cache_clear()


def _policy(path: Path, monkeypatch: pytest.MonkeyPatch, patients: str) -> None:
    path.write_text(f"extends: rules\npatients: {patients}\n", encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(path))
    settings.cache_clear()


def _night(number: int, trigger: str) -> None:
    start = NIGHT + number * DAY
    steps.plan(interval_start=start, interval_end=start + DAY, triggered_by=trigger, reason="projet")


def _documents(hospital: Database) -> set[str]:
    return {document_id for (document_id,) in hospital.rows("SELECT document_id FROM deid.document")}


def _counts(hospital: Database, trigger: str) -> Mapping[str, int]:
    ((seen, elsewhere, planned),) = hospital.rows(
        "SELECT seen, elsewhere, planned FROM deid.run WHERE triggered_by = %s", (trigger,)
    )
    return {"seen": seen, "elsewhere": elsewhere, "planned": planned}


def test_parts_are_disjoint_complete_and_the_same_every_night(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for night in (0, 1):
        for patient in PEOPLE:
            put(hospital, f"{patient}-{night}", patient=patient, at=NIGHT + night * DAY)
    put(hospital, "nobody", patient=None)
    parts = []
    for take in (1, 2, 3):
        _policy(tmp_path / "policy.yaml", monkeypatch, f"{{of: 3, take: {take}}}")
        hospital.rows("TRUNCATE deid.run, identity.mapping CASCADE", role="owner")
        for night in (0, 1):
            _night(night, f"{take}-{night}")
        found = _documents(hospital)
        whole = {name.partition("-")[0] for name in found}
        assert found == {f"{one}-{night}" for one in whole & set(PEOPLE) for night in (0, 1)} | (whole & {"nobody"})
        listed = 2 * len(PEOPLE) + 1
        counted = hospital.rows("SELECT sum(seen), sum(planned), sum(elsewhere) FROM deid.run")
        assert counted == [(len(found), len(found), listed - len(found))]
        assert hospital.rows("SELECT count(*) FROM deid.quarantine") == [(0,)]
        known = {name for (name,) in hospital.rows("SELECT source_id FROM identity.mapping WHERE kind = 'patient'")}
        assert known == whole & set(PEOPLE)  # the ledger learns of no patient of another project
        parts.append(found)
    assert parts[0] | parts[1] | parts[2] == {f"{one}-{night}" for one in PEOPLE for night in (0, 1)} | {"nobody"}
    assert sum(map(len, parts)) == 2 * len(PEOPLE) + 1
    assert all(parts)


def test_what_is_elsewhere_is_reported_and_a_dry_run_counts_it(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for patient in PEOPLE:
        put(hospital, patient, patient=patient)
    _policy(tmp_path / "policy.yaml", monkeypatch, "{of: 2, take: 1}")
    assert steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="dry", dry_run=True) == []
    _night(0, "night")
    counts = _counts(hospital, "night")
    assert _counts(hospital, "dry") == counts
    assert counts["elsewhere"] == len(PEOPLE) - counts["planned"] > 0
    headline = gather("2026-03-02")["headline"]
    assert (headline["seen"], headline["elsewhere"]) == (counts["seen"], counts["elsewhere"])


def test_a_document_of_a_patient_merged_into_another_part_leaves(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for patient in PEOPLE:
        put(hospital, patient, patient=patient)
    _policy(tmp_path / "policy.yaml", monkeypatch, "{of: 2, take: 1}")
    _night(0, "first")
    ours = _documents(hospital)
    (first, second, *_), (other, *_) = sorted(ours), sorted(set(PEOPLE) - ours)
    hospital.rows("UPDATE deid.document SET state = 'published'")
    hospital.rows("INSERT INTO cdw.patient_merge VALUES (%s, %s)", (first, other), role="owner")
    hospital.rows("UPDATE cdw.document SET patient_id = %s WHERE document_id = %s", (other, second), role="owner")
    _night(1, "second")
    assert hospital.rows("SELECT document_id FROM deid.withdrawal ORDER BY 1") == [(first,), (second,)]
    assert _counts(hospital, "second")["planned"] == 0


def test_a_part_or_secret_that_changes_after_publication_stops_the_night(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "VANISHED_FLOOR", 2)
    for patient in PEOPLE:
        put(hospital, patient, patient=patient)
    _night(0, "whole")
    hospital.rows("UPDATE deid.document SET state = 'published'")
    _policy(tmp_path / "policy.yaml", monkeypatch, "{of: 2, take: 1}")
    with pytest.raises(PolicyError, match="of patients of another project's part"):
        _night(1, "part")
    assert hospital.rows("SELECT count(*) FROM deid.withdrawal") == [(0,)]
    monkeypatch.delenv("NOCTURNE_PARTITION_SECRET_FILE")
    settings.cache_clear()
    with pytest.raises(SettingsError, match="NOCTURNE_PARTITION_SECRET_FILE"):
        _night(1, "without")


def test_no_door_beside_the_night_gives_a_document_of_another_project(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "exchange").mkdir(mode=0o700)
    monkeypatch.setenv("NOCTURNE_EXCHANGE_FOLDER", str(tmp_path / "exchange"))
    for patient in PEOPLE:
        put(hospital, f"{patient}-1", patient=patient)
    everything = {f"{patient}-1" for patient in PEOPLE}
    period, doors = Interval(NIGHT, NIGHT + DAY), {1: list[set[str]](), 2: list[set[str]]()}
    for take, given in doors.items():
        _policy(tmp_path / "policy.yaml", monkeypatch, f"{{of: 2, take: {take}}}")
        hospital.rows("TRUNCATE deid.run, identity.mapping CASCADE", role="owner")
        order = RoundOrder(f"part{take}", period, "campagne", "c.morel", f"part{take}", size=99, pre_annotate=False)
        listed = give_documents(order)["listed"]
        written, corpus = tmp_path / f"{take}.jsonl", tmp_path / f"corpus{take}"
        main(["annotations", "documents", str(written), "--since", "2026-03-01", "--reason", "premier modèle"])
        main(["annotations", "distant", "--warehouse", "2026-03-01", "--out", str(corpus)])
        given += [_ids(tmp_path / "exchange" / f"part{take}" / "documents.jsonl"), _ids(written)]
        given.append({one.document.id for one in load_corpus(corpus)})
        checked = check_source(Source("ehop"), period.start, period.end).rows
        assert (checked["plan"], checked["contents"], listed) == (len(PEOPLE), len(given[0]), len(given[0]))
        known = {name for (name,) in hospital.rows("SELECT source_id FROM identity.mapping WHERE kind = 'patient'")}
        assert {f"{patient}-1" for patient in known} == given[0], "the ledger learns of no patient of another project"
        assert given[0] == given[1] == given[2]
        elsewhere = sorted(everything - given[0])
        hospital.rows("INSERT INTO identity.mapping (kind, source_id) SELECT 'document', unnest(%s)", (elsewhere,))
        assert open_period(sorted(everything), settings().limits()) == open_period(
            sorted(given[0]), settings().limits()
        )
    assert (doors[1][0] & doors[2][0], doors[1][0] | doors[2][0]) == (set(), everything)


def _ids(written: Path) -> set[str]:
    return {json.loads(line)["id"] for line in written.read_text(encoding="utf-8").splitlines()}


def test_there_is_no_part_beyond_the_last() -> None:
    with pytest.raises(ValueError, match="no part 3 of 2"):
        PatientPart(of=2, take=3)
