"""Clear of Airflow, as operators press it, on the DAGs whose runs have deadlines; what pages say of a failed night."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import requests
from airflow.dag_processing.bundles.manager import DagBundlesManager
from airflow.dag_processing.dagbag import DagBag, sync_bag_to_db
from airflow.models.dagrun import DagRun
from airflow.models.deadline import Deadline
from airflow.models.serialized_dag import SerializedDagModel
from airflow.models.taskinstance import TaskInstance
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState, TaskInstanceState
from airflow.utils.types import DagRunTriggeredByType, DagRunType
from playwright.sync_api import Page, expect
from sqlalchemy import select

from deid.nightly import steps
from deid.release.decisions import REWORK, rework_run, take_answer
from deid.release.status import read_status
from tests.airflow_home import HOME, ROOT
from tests.conftest import Database
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import DAY, NIGHT, put
from tests.pages.night import UNREADABLE
from tests.pages.serving import Server
from tests.pages.test_accessibility import violations


def make_run(
    dag_id: str, run_id: str, failing: str, run_type: DagRunType = DagRunType.MANUAL, **asked: Any
) -> list[datetime]:
    """Make a run of Airflow, of which a task failed at its first try; return its deadlines."""
    DagBundlesManager().sync_bundles_to_db()
    bag = DagBag(ROOT / "dags" / f"{dag_id}.py", bundle_path=ROOT, bundle_name="nocturne")
    sync_bag_to_db(bag, "nocturne", None)
    with create_session() as session:
        made = SerializedDagModel.get_dag(dag_id, session=session).create_dagrun(
            run_id=run_id,
            run_after=datetime.now(UTC),
            run_type=run_type,
            triggered_by=DagRunTriggeredByType.TEST,
            state=DagRunState.QUEUED,
            session=session,
            **asked,
        )
        session.flush()
        made.state = DagRunState.FAILED
        failed = select(TaskInstance).filter_by(dag_id=dag_id, run_id=run_id, task_id=failing)
        task = session.scalars(failed).one()
        task.state, task.try_number = TaskInstanceState.FAILED, 1
        return list(session.scalars(select(Deadline.deadline_time).where(Deadline.dagrun_id == made.id)))


def put_back(run_id: str) -> None:
    """Make a run of Airflow wait for its first try, as one that was just asked for."""
    with create_session() as session:
        session.scalars(select(DagRun).filter_by(run_id=run_id)).one().state = DagRunState.QUEUED
        tasks = session.scalars(select(TaskInstance).filter_by(run_id=run_id, state=TaskInstanceState.FAILED))
        for task in tasks:
            task.state, task.try_number = None, 0


def write_log(run_id: str, *lines: tuple[str, str]) -> None:
    """Write the log of a failed plan: the logger and the words of each line, all of them errors."""
    path = HOME / "logs" / f"dag_id=deidentify_documents/run_id={run_id}/task_id=plan/attempt=1.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    said = [{"timestamp": f"2026-03-11T02:30:0{at}Z", "level": "error"} for at in range(len(lines))]
    written = [
        json.dumps(one | {"logger": name, "event": words}) for one, (name, words) in zip(said, lines, strict=True)
    ]
    path.write_text("\n".join(written) + "\n", encoding="utf-8")


def clear(server: Server, dag_id: str, run_id: str) -> requests.Response:
    """Clear the failed tasks of a run, as Airflow's pages do."""
    return requests.post(
        f"{server.url}/api/v2/dags/{dag_id}/clearTaskInstances",
        json={"dry_run": False, "dag_run_id": run_id, "only_failed": True},
        headers={"Authorization": f"Bearer {server.token('exploitant')}"},
        timeout=60,
    )


@pytest.mark.parametrize(("dag_id", "failing"), [("deidentify_documents", "plan"), ("release_dataset", "summarise")])
def test_a_failed_run_is_cleared_though_it_has_a_deadline(server: Server, dag_id: str, failing: str) -> None:
    run_id, started = f"cleared_{dag_id}", datetime.now(UTC)
    (due,) = make_run(dag_id, run_id, failing)
    assert due > started + timedelta(hours=1)
    answer = clear(server, dag_id, run_id)
    assert answer.status_code == 200, answer.text
    with create_session() as session:
        run = session.scalars(select(DagRun).filter_by(dag_id=dag_id, run_id=run_id)).one()
        assert run.state == DagRunState.QUEUED
        assert list(session.scalars(select(Deadline.deadline_time).where(Deadline.dagrun_id == run.id))) == [due]


def test_a_night_whose_plan_failed_is_told_at_once_though_the_ledger_knows_nothing_of_it(
    visit: Callable[..., Page], server: Server
) -> None:
    run_id = "scheduled__2026-03-08"
    make_run("deidentify_documents", run_id, "plan", DagRunType.SCHEDULED)
    page = visit("intendante")
    page.goto(f"{server.pages}/")
    told = page.get_by_role("listitem").filter(has_text="La dernière exécution planifiée a échoué")
    expect(told).to_contain_text("à l'étape « Retenir les documents », avant d'inscrire sa nuit au registre")
    expect(told).to_contain_text("puis la rejoue (Clear, avec les suivantes)")
    expect(told.get_by_role("link", name="Ouvrir l'exécution dans Airflow")).to_have_attribute(
        "href", f"{server.url}/dags/deidentify_documents/runs/{run_id}"
    )
    assert violations(page) == []


def test_the_page_of_a_night_whose_plan_failed_says_why_and_what_to_do(
    visit: Callable[..., Page], server: Server
) -> None:
    start, run_id = NIGHT + 9 * DAY, "scheduled__2026-03-11"
    span = {"data_interval": (start, start + DAY), "logical_date": start}
    make_run("deidentify_documents", run_id, "plan", DagRunType.SCHEDULED, **span)
    write_log(
        run_id,
        ("nocturne_airflow.steps", "Donner le secret (docs/keys.md) : il n'y en a pas."),
        ("task", "Task failed with exception"),
    )
    page = visit("lecteur")
    page.goto(f"{server.pages}/releases/2026-03-11")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nuit du mercredi 11 mars 2026")
    told = page.get_by_role("status")
    expect(told).to_contain_text("Le traitement a échoué à l'étape « Retenir les documents »")
    expect(told).to_contain_text("Donner le secret (docs/keys.md) : il n'y en a pas.")
    expect(told).not_to_contain_text("Task failed")
    expect(told).to_contain_text("puis la rejoue (Clear, avec les suivantes)")
    run = f"{server.url}/dags/deidentify_documents/runs/{run_id}"
    expect(told.get_by_role("link", name="Ouvrir le journal de l'étape")).to_have_attribute("href", f"{run}/tasks/plan")
    expect(page.get_by_role("main")).to_contain_text("avant d'inscrire cet intervalle au registre")
    assert violations(page) == []
    page.goto(f"{server.pages}/runs/{run_id}")
    expect(told).to_contain_text("Retenir les documents")
    page.goto(f"{server.pages}/")
    page.get_by_role("listitem").filter(has_text="avant d'inscrire").get_by_role("link", name="Nuit du").click()
    expect(told).to_contain_text("Retenir les documents")
    for unknown in ("2026-03-12", "2026-99-99", "2026-03-12..2026-99-99", "0001-01-01"):
        assert server.get(f"/releases/{unknown}").status_code == 404, "of which Airflow knows no run"
    form = {"interval_start": "2026-03-12T03:30:00+01:00", "interval_end": "2026-03-13T03:30:00+01:00"}
    make_run("deidentify_documents", "counted", "plan", conf=form | {"dry_run": True})
    make_run("deidentify_documents", "torn", "plan", conf={"interval_start": "3 h 30"})
    assert server.get("/releases/2026-03-12").status_code == 404, "nor by a dry run"
    make_run("deidentify_documents", "asked", "plan", conf=form)
    assert "Retenir les documents" in server.get("/releases/2026-03-12").text


def test_a_night_that_is_cleared_before_its_plan_ran_is_told_as_under_way_with_its_failure_folded(
    visit: Callable[..., Page], server: Server
) -> None:
    start, run_id = NIGHT + 11 * DAY, "scheduled__2026-03-13"
    span = {"data_interval": (start, start + DAY), "logical_date": start}
    make_run("deidentify_documents", run_id, "plan", DagRunType.SCHEDULED, **span)
    write_log(run_id, ("nocturne_airflow.steps", "Donner le secret (docs/keys.md) : il n'y en a pas."))
    assert clear(server, "deidentify_documents", run_id).status_code == 200
    page = visit("lecteur")
    page.goto(f"{server.pages}/releases/2026-03-13")
    expect(page.get_by_text("En cours, relancé")).to_be_visible()
    told = page.get_by_role("status")
    expect(told).to_contain_text("l'exécution, qui avait échoué, est relancée")
    before = told.get_by_text("Le traitement a échoué à l'étape « Retenir les documents »")
    expect(before).to_be_hidden()
    told.get_by_text("L'échec d'avant").click()
    expect(before).to_be_visible()
    expect(told).to_contain_text("Donner le secret (docs/keys.md) : il n'y en a pas.")
    expect(told).not_to_contain_text("Prévenez l'équipe technique")
    run = f"{server.url}/dags/deidentify_documents/runs/{run_id}"
    expect(told.get_by_role("link", name="Ouvrir l'exécution dans Airflow")).to_have_attribute("href", run)
    expect(page.get_by_role("main")).to_contain_text("n'a pas encore inscrit cet intervalle au registre")
    assert violations(page) == []
    page.goto(f"{server.pages}/runs/{run_id}")
    expect(told).to_contain_text("est relancée")
    page.goto(f"{server.pages}/")
    again = page.get_by_role("listitem").filter(has_text="qui avait échoué, est relancée")
    again.get_by_role("link", name="Nuit du vendredi 13 mars 2026").click()
    expect(told).to_contain_text("est relancée")
    form = {"interval_start": "2026-03-14T03:30:00+01:00", "interval_end": "2026-03-15T03:30:00+01:00"}
    make_run("deidentify_documents", "first", "plan", conf=form)
    put_back("first")
    page.goto(f"{server.pages}/releases/2026-03-14")
    expect(told).to_contain_text("Le traitement est en cours.")
    expect(page.get_by_text("L'échec d'avant")).to_have_count(0)


@pytest.mark.usefixtures("stewards")
def test_a_night_that_is_done_again_on_demand_is_told_as_failed_too(visit: Callable[..., Page], server: Server) -> None:
    key, status = "2026-03-02", read_status("2026-03-02")
    assert status is not None
    take_answer(key, {"chosen": REWORK, "decided_by": "c.morel", "reason": "à refaire"}, digest=str(status.digest))
    page = visit("intendante")
    page.goto(f"{server.pages}/releases/{key}")
    expect(page.get_by_role("main")).to_contain_text("Renvoyé en traitement")
    expect(page.get_by_text("Le traitement a échoué")).to_have_count(0)
    asked = rework_run(key)
    assert asked is not None
    make_run("deidentify_documents", asked["run"], "plan", DagRunType.OPERATOR_TRIGGERED, conf=asked["conf"])
    write_log(asked["run"], ("nocturne_airflow.steps", "Donner le secret (docs/keys.md) : il n'y en a pas."))
    page.goto(f"{server.pages}/releases/{key}/decision")
    expect(page.get_by_text("Renvoyé, nouveau traitement en échec")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("le traitement que le renvoi a lancé a échoué")
    told = page.get_by_role("status")
    expect(told).to_contain_text("Le traitement a échoué à l'étape « Retenir les documents »")
    expect(told).to_contain_text("Donner le secret (docs/keys.md) : il n'y en a pas.")
    expect(told).to_contain_text("Prévenez l'équipe technique")
    run = f"{server.url}/dags/deidentify_documents/runs/{asked['run']}"
    expect(told.get_by_role("link", name="Ouvrir le journal de l'étape")).to_have_attribute("href", f"{run}/tasks/plan")
    assert violations(page) == []
    form = {"digest": str(status.digest), "chosen": "approve", "confirmed": "no"}
    kept = server.ask("POST", f"/releases/{key}/decision", "intendante", data=form, headers={"Accept": "text/html"})
    assert (kept.status_code, "Renvoyé, nouveau traitement en échec" in kept.text) == (200, True)
    page.goto(f"{server.pages}/releases/{key}")
    expect(page.get_by_text("Renvoyé, nouveau traitement en échec")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("Le traitement a échoué à l'étape « Retenir les documents »")
    assert violations(page) == []
    page.goto(f"{server.pages}/releases")
    expect(page.get_by_role("row", name="Nuit du lundi 2 mars 2026")).to_contain_text("Traitement en échec")
    page.goto(f"{server.pages}/")
    told = page.get_by_role("listitem").filter(has_text="Nuit du lundi 2 mars 2026 : ")
    expect(told).to_contain_text("Le traitement a échoué à l'étape « Retenir les documents »")
    expect(told.get_by_role("link", name="Ouvrir l'exécution dans Airflow")).to_have_attribute(
        "href", f"{server.url}/dags/deidentify_documents/runs/{asked['run']}"
    )
    assert clear(server, "deidentify_documents", asked["run"]).status_code == 200
    for path in ("", "/decision"):
        page.goto(f"{server.pages}/releases/{key}{path}")
        expect(page.get_by_text("En cours, relancé").first).to_be_visible()
        expect(page.get_by_text("Le traitement a échoué")).to_be_hidden()


def test_a_failed_night_is_told_as_failed_with_its_step_and_its_remedy(
    stewards: Database, visit: Callable[..., Page], server: Server
) -> None:
    run_id, start = "scheduled__2026-03-09", NIGHT + 7 * DAY
    put(stewards, "D000009", at=start)
    steps.plan(interval_start=start, interval_end=start + DAY, triggered_by=run_id)
    page = visit("intendante")
    page.goto(f"{server.pages}/")
    expect(page.get_by_role("main")).to_contain_text("Le traitement est en cours")
    make_run("deidentify_documents", run_id, "plan", DagRunType.SCHEDULED)
    page.reload()
    told = page.get_by_role("listitem").filter(has_text="Nuit du lundi 9 mars 2026 : ")
    expect(told).to_contain_text("Le traitement a échoué à l'étape « Retenir les documents »")
    expect(told.get_by_role("link", name="Ouvrir l'exécution dans Airflow")).to_have_attribute(
        "href", f"{server.url}/dags/deidentify_documents/runs/{run_id}"
    )
    expect(page.get_by_role("row", name="Nuit du lundi 9 mars 2026")).to_contain_text("Traitement en échec")
    assert violations(page) == []
    page.goto(f"{server.pages}/releases")
    expect(page.get_by_role("row", name="Nuit du lundi 9 mars 2026")).to_contain_text("Traitement en échec")
    page.goto(f"{server.pages}/releases/2026-03-09")
    expect(page.get_by_role("status")).to_contain_text("Le traitement a échoué à l'étape « Retenir les documents »")
    expect(page.get_by_role("main")).not_to_contain_text("Rien d'anormal")
    assert violations(page) == []
    page.goto(f"{server.pages}/")
    missing = page.get_by_role("listitem").filter(has_text="nuits n'ont pas été traitées")
    expect(missing).to_contain_text("La dernière exécution planifiée a échoué à l'étape « Retenir les documents »")
    assert clear(server, "deidentify_documents", run_id).status_code == 200
    page.reload()
    expect(missing).to_contain_text("Vérifiez dans Airflow que deidentify_documents est actif")
    page.goto(f"{server.pages}/releases/2026-03-09")
    expect(page.get_by_role("status")).to_contain_text("Le traitement est en cours")


def test_a_question_about_a_night_of_which_nothing_is_ready_says_so(
    stewards: Database, visit: Callable[..., Page], server: Server
) -> None:
    put(stewards, "D000045", UNREADABLE, at=NIGHT + 3 * DAY)
    process("held", NIGHT + 3 * DAY)
    page = visit("intendante")
    page.goto(f"{server.pages}/")
    told = page.get_by_role("listitem").filter(has_text="Nuit du jeudi 5 mars 2026 : ")
    expect(told).to_contain_text("Aucun document n'est prêt, et une réponse est attendue depuis moins d'une heure")
