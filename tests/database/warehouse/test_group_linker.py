"""No steward, who may be a researcher too, links a pseudonym to a patient by what the role reads beside `research`."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from benchmarks.linkage import GroupsLinked, link_readers, read_names
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put

# Patient → nights of the two documents: no two patients have the same.
NIGHTS = {
    **{"P000001": (0, 1), "P000002": (0, 2), "P000003": (0, 3)},
    **{"P000004": (1, 2), "P000005": (1, 3), "P000006": (2, 3)},
}


@pytest.fixture
def hospital(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """Six patients with two published letters each, all of one type, each of another length."""
    decide(monkeypatch, tmp_path)
    open_hospital(deployed, opaque=True)
    deployed.rows(
        "INSERT INTO cdw.patient SELECT 'P00000' || n, '800000000' || n, 'KERMADEC' || chr(64 + n), p.birth_name, "
        "p.first_names, p.sex, p.birth_date - n, NULL, '', '25000', 'Besançon', '25056', NULL, NULL, NULL "
        "FROM cdw.patient AS p, generate_series(3, 6) AS n WHERE p.patient_id = 'P000002'",
        role="owner",
    )
    for number in range(4):
        at = NIGHT + number * DAY
        for place, (patient, nights) in enumerate(NIGHTS.items()):
            if number in nights:
                more = "Suites simples.\n" * (4 * place + 40 * nights.index(number))
                put(deployed, f"D{place}{number}", LETTER + more, patient=patient, at=at + timedelta(minutes=place))
        night(f"night {number}", at)
    return deployed


def linked(hospital: Database) -> GroupsLinked:
    return link_readers(hospital.dsn, read_names(hospital.owner))


@pytest.mark.slow
def test_a_steward_links_no_pseudonym_beyond_what_research_shows(hospital: Database) -> None:
    found = linked(hospital)
    assert found.pseudonyms == len(NIGHTS)
    for reader in ("steward", "steward who is a researcher"):
        number, by = found.beyond(reader)
        assert number == 0, (reader, by)
    assert _by_type(found) is None, "all documents are of one type"
    hospital.rows("UPDATE research.document SET document_type = 'CRO' WHERE document_id = ANY(%s)", (_of(hospital, 0),))
    hospital.rows("UPDATE cdw.document SET type_code = 'CRO' WHERE document_id LIKE 'D0_'")
    found = linked(hospital)
    assert _by_type(found) == 1, "the one of that type"
    assert found.strongest("steward", structure=True)[0] == 0, "a steward reads no research.document"


@pytest.mark.slow
def test_each_former_grant_links_nearly_all(hospital: Database) -> None:
    former = {
        "SELECT (document_id, release_id) ON deid.published_document": "release_id",
        "SELECT (run_id, document_id, characters) ON deid.document": "characters",
    }
    for granted, by in former.items():
        hospital.rows(f"GRANT {granted} TO nocturne_steward")
        number, what = linked(hospital).beyond("steward who is a researcher")
        assert number >= len(NIGHTS) - 1, granted
        assert by in what
        hospital.rows(f"REVOKE {granted} FROM nocturne_steward")
    assert linked(hospital).beyond("dump without `identity`")[0] >= len(NIGHTS) - 1


def _by_type(found: GroupsLinked) -> int | None:
    """Number of pseudonyms that a researcher links by the types of their documents; None where types tell nothing."""
    right = {one.by: len(one.right(found.names)) for one in found.found["researcher"]}
    return right.get("research.document: document_type")


def _of(hospital: Database, place: int) -> list[str]:
    """Published ids of a patient's documents."""
    names = read_names(hospital.owner)
    return [one for one, source in names.items() if source.startswith(f"D{place}")]
