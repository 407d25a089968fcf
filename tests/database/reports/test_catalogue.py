"""The description of a release for a catalogue, against what is published and what its warehouse holds."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from deid.domain.errors import InputRefused, SettingsError
from deid.release import actions
from deid.reports.catalogue import CONTEXT, MANDATORY, describe_release
from tests import ROOT
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, process
from tests.database.warehouse.small_hospital import LETTER, PAGE, open_hospital, put
from tests.unit.cli.conftest import Call, deid

__all__ = ["deid"]

ABOUT = (ROOT / "docs/operators.md").read_text("utf-8").partition("## Catalogue")[2].partition("```yaml\n")[2]
ABOUT = ABOUT.partition("```")[0]


class Rule(NamedTuple):
    """A constraint on the values of a property of a class; of several properties (`names`), one is enough."""

    kind: str
    names: str
    least: int
    most: int  # 0: any number
    value: str  # `iri`, a reference; `literal`; a class; a datatype


# HealthDCAT-AP, release 5, on what this record holds: its shapes for NON_PUBLIC, those of DCAT-AP 3.0 that they import.
with (Path(__file__).parent / "health_dcat_ap.csv").open(encoding="utf-8", newline="") as table:
    PROFILE = [
        Rule(row["kind"], row["names"], int(row["least"]), int(row["most"]), row["value"])
        for row in csv.DictReader(table)
    ]
NON_PUBLIC = "http://publications.europa.eu/resource/authority/access-right/NON_PUBLIC"


def nodes(value: Any) -> list[Any]:
    """Return the values of a property."""
    return value if isinstance(value, list) else [value]


def faults(record: Any) -> set[tuple[str, str]]:
    """Return the constraints of `PROFILE` that a record breaks, as class and property."""
    found, held = set(), [record]
    while held:
        node = held.pop()
        held += [one for value in node.values() for one in nodes(value) if isinstance(one, dict) and "@type" in one]
        for rule in PROFILE:
            values = [one for name in rule.names.split() for one in nodes(node.get(name, []))]
            wrong = len(values) < rule.least or 0 < rule.most < len(values)
            if node.get("@type") == rule.kind and (wrong or not all(is_a(one, rule.value) for one in values)):
                found.add((rule.kind, rule.names))
    return found


def is_a(value: Any, wanted: str) -> bool:
    if wanted == "literal":
        return bool(value.get("@value") if isinstance(value, dict) else isinstance(value, str) and value)
    if wanted == "iri":
        return set(value) <= {"@id", "@type"} and ":" in value.get("@id", "")
    return isinstance(value, dict) and value.get("@type") == wanted


@pytest.fixture
def hospital(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """Three documents of two patients, one without a title that may be shown, and one that cannot be read."""
    decide(monkeypatch, tmp_path)
    open_hospital(deployed)
    put(deployed, "letter")
    put(deployed, "same", LETTER)
    put(deployed, "page", PAGE, patient="P000002", format="text/html", title="Monsieur BROUSTET")
    put(deployed, "noise", bytes(range(256)) * 4)
    return deployed


def measured(record: Any) -> dict[str, float]:
    found = record["dqv:hasQualityMeasurement"]
    return {
        one["dqv:isMeasurementOf"]["@id"].rpartition("ehds-78:")[2]: float(one["dqv:value"]["@value"]) for one in found
    }


def test_a_release_is_described_by_what_is_published(hospital: Database) -> None:
    assert night("n")["published"] == 3
    record = json.loads(Path(actions.report("2026-03-02")["catalogue"]).read_text("utf-8"))
    ((documents, patients, texts, titles),) = hospital.rows(
        "SELECT count(*), count(DISTINCT patient_id), count(DISTINCT text), count(title) FROM research.document"
    )
    assert int(record["healthdcatap:numberOfRecords"]["@value"]) == documents == 3
    assert int(record["healthdcatap:numberOfUniqueIndividuals"]["@value"]) == patients == 2
    figures = measured(record)
    assert figures["completeness:title"] == pytest.approx(titles / documents, abs=1e-6)
    assert figures["completeness:reference_date"] == 1
    assert figures["uniqueness"] == pytest.approx(texts / documents, abs=1e-6)
    assert figures["validity"] == pytest.approx(3 / 4)
    assert figures["documents_per_person"] == pytest.approx(1.5)
    assert figures["timeliness"] > 0
    assert 0 < figures["accuracy"] <= 1
    prefixes = {key.partition(":")[0] for key in record if ":" in key}
    assert prefixes <= set(CONTEXT), "every term has its vocabulary"
    written = json.dumps(record, ensure_ascii=False)
    ids = hospital.rows("SELECT document_id FROM research.document UNION SELECT patient_id FROM research.document")
    assert not any(name in written for name in ("VASSEROT", "BROUSTET", "P00000", *(name for (name,) in ids)))


@pytest.mark.usefixtures("hospital")
def test_the_hospitals_file_gives_what_the_ledger_does_not_know(deid: Call, tmp_path: Path) -> None:
    process("n")
    with pytest.raises(InputRefused, match="nothing of 2026-03-02 is published"):
        describe_release("2026-03-02")
    night("n")
    assert describe_release("2026-03-02").missing == tuple(MANDATORY.values())
    about = tmp_path / "catalogue.yaml"
    about.write_text(ABOUT, encoding="utf-8")
    described = describe_release("2026-03-02", about)
    assert described.missing == ("health_categories", "types"), "those that the page leaves to its reader"
    assert described.record["dct:publisher"]["foaf:name"] == "CHU de Montval"
    told = yaml.safe_load(ABOUT) | {"health_categories": ["urn:a"], "types": ["urn:b"]}
    about.write_text(yaml.safe_dump(told), encoding="utf-8")
    said = deid("catalogue", "2026-03-02", "--about", about)
    assert (said.status, said.err) == (0, "")
    record = json.loads(said.out)
    assert record["healthdcatap:retentionPeriod"]["dcat:endDate"]["@value"] == "2036-01-01"
    assert record["dct:accessRights"][0]["@id"] == NON_PUBLIC
    assert faults(record) == set()
    for rule in PROFILE:
        if rule.kind == record["@type"] and rule.least:
            assert faults({key: value for key, value in record.items() if key != rule.names}) == {rule[:2]}
    assert faults(record | {"dcat:contactPoint": {"@type": "vcard:Kind", "vcard:fn": "x"}}) == {
        ("vcard:Kind", "vcard:hasEmail vcard:hasURL")
    }
    assert faults(record | {"dct:type": [{"@value": "x"}]}) == {("dcat:Dataset", "dct:type")}
    about.write_text("hdab: {name: nobody answers}\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="hdab: no such key"):
        describe_release("2026-03-02", about)
    about.write_text("publisher: {nom: x}\nhdba: {name: x}\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"publisher\.name, publisher\.nom, hdba"):
        describe_release("2026-03-02", about)
