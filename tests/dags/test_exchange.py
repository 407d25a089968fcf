"""A round of annotation through the DAG: documents given, annotations taken back, faults told without text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from airflow.exceptions import ParamValidationError
from airflow.models.xcom import XComModel
from airflow.utils.session import create_session
from sqlalchemy import select

from deid.config.settings import settings
from deid.database.connection import connect
from deid.ledger import audit
from deid.models import progress
from deid.stewardship.opt_outs import PatientKey, record_opt_out
from nocturne_lab.evaluation.corpus import load_corpus
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put, withdraw

DAG = "exchange_annotations"
PERIOD = {"interval_start": NIGHT.isoformat(), "interval_end": (NIGHT + DAY).isoformat()}


@pytest.fixture
def hospital(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """Three letters of one patient, one of them withdrawn; a page of a patient who opted out."""
    decide(monkeypatch, tmp_path)
    exchange = tmp_path / "exchange"
    exchange.mkdir(mode=0o700)
    monkeypatch.setenv("NOCTURNE_EXCHANGE_FOLDER", str(exchange))
    monkeypatch.setenv("NOCTURNE_MODELS", str(tmp_path / "models"))
    settings.cache_clear()
    open_hospital(deployed)
    for name in ("one", "two", "gone"):
        put(deployed, name, LETTER + f"\nLettre {name}.\n")
    put(deployed, "page", PAGE, patient="P000002", format="text/html")
    withdraw(deployed, "gone", NIGHT)
    with connect(deployed.dsn("steward")) as link, link.cursor() as cursor:
        record_opt_out(cursor, "c.morel", PatientKey(patient_id="P000002"), "opposition reçue par courrier")
    return deployed


def only(step: str) -> dict[str, list[str]]:
    """Return the states of a run that did one step."""
    return {key: ["skipped"] for key in ("give", "take", "reviews", "adjudicate")} | {step: ["success"]}


def returned(task: str) -> Any:
    """Return the XCom of the latest run's task."""
    with create_session() as session:
        rows = session.scalars(
            select(XComModel).filter_by(dag_id=DAG, task_id=task, key="return_value").order_by(XComModel.timestamp)
        ).all()
        return json.loads(rows[-1].value) if isinstance(rows[-1].value, str) else rows[-1].value


def mended(path: Path, change: Any) -> list[str]:
    """The lines of a file for annotators, each task changed."""
    return [json.dumps(change(json.loads(line))) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_round_gives_documents_and_takes_annotations_back(
    hospital: Database, play: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ended = play(
        DAG, action="export", reason="campagne", format="doccano", annotators=["a", "b"], shared=2, size=10, **PERIOD
    )
    assert (ended.state, ended.steps) == ("success", only("give"))
    given = returned("give")
    assert (given["documents"], given["listed"], given["refused"]) == (2, 2, 0), "neither withdrawn nor opted out"
    folder = tmp_path / "exchange" / "tour1"
    assert {path.stat().st_mode & 0o077 for path in folder.rglob("*")} == {0}
    tasks = [json.loads(line) for line in (folder / "given" / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(task["text"] for task in tasks) == sorted(LETTER + f"\nLettre {name}.\n" for name in ("one", "two"))
    marked = {task["text"][start:end] for task in tasks for start, end, _ in task["label"]}
    assert {"14/05/1961", "VASSEROT"} <= {word for passage in marked for word in passage.split()}
    assert given["mentions"] == sum(len(task["label"]) for task in tasks)

    def renamed(task: dict[str, Any]) -> dict[str, Any]:
        return {**task, "label": [[*span, "NOM" if name == "PATIENT" else name] for *span, name in task["label"]]}

    (folder / "returned" / "a.jsonl").write_text("\n".join(mended(folder / "given" / "a.jsonl", renamed)))
    lines = mended(folder / "given" / "b.jsonl", lambda task: {**task, "label": task["label"][:-1]})
    lines[0] = json.dumps({**json.loads(lines[0]), "text": "Madame VASSEROT"})  # another version of the text
    lines.append(json.dumps({"id": "VASSEROT", "document_id": "VASSEROT", "text": "Madame VASSEROT", "label": []}))
    (folder / "returned" / "b.jsonl").write_text("\n".join(lines))
    ended = play(DAG, action="import", reason="campagne", format="doccano", labels={"NOM": "PATIENT"})
    assert (ended.state, ended.steps) == ("success", only("take"))
    taken = returned("take")
    assert (taken["documents"], taken["annotators"], taken["faults"]) == (3, 2, 2)
    assert (taken["other_version"], taken["unknown_document"]) == (1, 1)
    assert 0 < taken["fleiss"] < 1
    assert len(load_corpus(folder / "corpora" / "a.jsonl")) == 2
    assert load_corpus(folder / "corpora" / "b.jsonl")[0].document.patient.last_name == "VASSEROT"
    assert "κ de Fleiss" in (folder / "agreement.md").read_text(encoding="utf-8")
    told = (folder / "faults.jsonl").read_text(encoding="utf-8") + caplog.text
    assert "VASSEROT" not in told
    with connect(hospital.dsn("steward")) as link, link.cursor() as cursor:
        exported = audit.list_lines(cursor, action=audit.Action.EXPORT)
    assert [(line.object, line.details["documents"], line.details["reason"]) for line in exported] == [
        ("annotation round tour1", 3, "campagne"),
        ("annotation round tour1", 2, "campagne"),
    ]


def test_disagreements_of_a_round_are_written_decided_and_merged(
    hospital: Database, play: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    form = {"reason": "campagne", "format": "doccano"}
    play(DAG, action="export", annotators=["a", "b"], shared=2, size=10, **form | PERIOD)
    folder = tmp_path / "exchange" / "tour1"
    assert play(DAG, action="adjudicate", **form).steps["adjudicate"] == ["failed"], "nothing was imported"
    (folder / "returned" / "a.jsonl").write_text("\n".join(mended(folder / "given" / "a.jsonl", dict)))
    lines = mended(folder / "given" / "b.jsonl", lambda task: {**task, "label": task["label"][1:]})
    (folder / "returned" / "b.jsonl").write_text("\n".join(lines))
    play(DAG, action="import", **form)
    ended = play(DAG, action="adjudicate", **form)
    assert (ended.state, ended.steps) == ("success", only("adjudicate"))
    assert returned("adjudicate") == {"disagreements": 2, "undecided": 2, "documents": 0}
    assert not (folder / "corpora" / "adjudicated.jsonl").exists(), "nobody decided: a training must refuse"
    differing = [json.loads(line) for line in (folder / "disagreements.jsonl").read_text(encoding="utf-8").splitlines()]
    marked = [next(at for at, option in enumerate(one["options"]) if option["mentions"]) for one in differing]
    decided = [{**differing[0], "decision": marked[0]}, {**differing[1], "decision": 9}]
    (folder / "decisions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in decided), encoding="utf-8")
    play(DAG, action="adjudicate", **form)
    assert returned("adjudicate") == {"disagreements": 2, "undecided": 1, "documents": 1}
    (left,) = (folder / "disagreements.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(left)["document"] == differing[1]["document"]
    with (folder / "decisions.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({**json.loads(left), "decision": marked[1]}) + "\n")
    play(DAG, action="import", **form)  # once more: neither decisions nor their corpus are lost
    play(DAG, action="adjudicate", **form)
    assert returned("adjudicate") == {"disagreements": 2, "undecided": 0, "documents": 2}
    merged = {one.document.id: one.mentions for one in load_corpus(folder / "corpora" / "adjudicated.jsonl")}
    assert merged == {one.document.id: one.mentions for one in load_corpus(folder / "corpora" / "a.jsonl")}
    written = [folder / "disagreements.jsonl", *(folder / "corpora").iterdir()]
    assert {path.stat().st_mode & 0o077 for path in written} == {0}
    (shown,) = progress.read("rounds")
    assert (shown["name"], shown["given"], shown["returned"]) == ("tour1", {"a": 2, "b": 2}, {"a": 2, "b": 2})
    assert (shown["faults"], shown["undecided"]) == (0, 0)
    assert 0 < shown["fleiss"] < 1
    with connect(hospital.dsn("steward")) as link, link.cursor() as cursor:
        details = [line.details for line in audit.list_lines(cursor, action=audit.Action.EXPORT)]
    assert [one["undecided"] for one in details if one.get("adjudicated")] == [0, 1, 2]
    assert "VASSEROT" not in caplog.text
    (folder / "decisions.jsonl").write_text("VASSEROT\n", encoding="utf-8")
    assert play(DAG, action="adjudicate", **form).steps["adjudicate"] == ["failed"]
    assert "VASSEROT" not in caplog.text


@pytest.mark.usefixtures("hospital")
def test_a_round_that_cannot_be_given_leaves_nothing(play: Any, tmp_path: Path) -> None:
    folder, form = tmp_path / "exchange", {"action": "export", "reason": "campagne", **PERIOD}
    for reason in ("", " "):
        with pytest.raises(ParamValidationError, match="reason"):
            play(DAG, **form | {"reason": reason})
    assert play(DAG, **form | {"interval_end": PERIOD["interval_start"]}).steps["give"] == ["failed"]
    later = {"interval_start": (NIGHT + DAY).isoformat(), "interval_end": (NIGHT + 2 * DAY).isoformat()}
    assert play(DAG, **form | later).steps["give"] == ["failed"], "no document of that period"
    assert play(DAG, **form | {"action": "import"}).steps["take"] == ["failed"], "no such round"
    assert play(DAG, **form | {"action": "reviews"}).steps["reviews"] == ["failed"], "no review was closed"
    folder.chmod(0o755)
    assert play(DAG, **form).steps["give"] == ["failed"], "others could read originals"
    assert list(folder.iterdir()) == []
    folder.chmod(0o700)
    assert play(DAG, **form, method="stratified", size=1, pre_annotate=False).state == "success"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert returned("give") == {"documents": 1, "listed": 2, "refused": 0, "mentions": 0}
    assert play(DAG, **form).steps["give"] == ["failed"], "the round exists"
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
