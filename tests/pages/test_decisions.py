"""The decision on an interval, over HTTP and in a browser: asked, confirmed, given to Airflow, or refused clearly."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests
from playwright.sync_api import Page, expect

from deid.config.policy import DEFAULT
from deid.config.settings import settings
from deid.release import actions
from deid.release.decisions import AnswerProblem, Outcome, take_answer
from tests.conftest import Database
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import DAY, NIGHT, put
from tests.pages.conftest import Server
from tests.pages.open_questions import ask_people, fail_task, read_answer

KEY = "2026-03-02"
PATH = f"/releases/{KEY}/decision"
HTML = {"Accept": "text/html"}


@pytest.fixture(autouse=True)
def always(stewards: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test starts from a staged night that nobody has decided on."""
    text = DEFAULT.read_text(encoding="utf-8").replace("max_quarantined_share: 0.2", "max_quarantined_share: 0.5")
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(tmp_path / "policy.yaml"))
    settings.cache_clear()
    stewards.rows("TRUNCATE deid.question; DELETE FROM deid.decision; UPDATE deid.run SET requested_by = ''")


def post(server: Server, account: str | None, digest: str, chosen: str, reason: str = "", **more: str) -> Any:
    """An answer as a script sends it, which needs no token against forgery."""
    form = {"digest": digest, "chosen": chosen, "reason": reason, **more}
    return server.ask("POST", PATH, account, data=form, headers=HTML)


def trail(database: Database) -> list[tuple[str, str]]:
    return database.rows("SELECT actor, action FROM deid.audit WHERE action = 'refused' ORDER BY seq")


def test_an_answer_is_confirmed_and_given_under_the_persons_own_name(server: Server) -> None:
    digest = ask_people("asset__approve", KEY)
    shown = server.get(PATH, headers=HTML)
    assert shown.status_code == 200
    assert digest in shown.text
    confirm = post(server, "intendante", digest, "approve", "lu en entier")
    assert confirm.status_code == 200
    assert "Voici ce qui va se passer" in confirm.text
    assert read_answer("asset__approve")[1] is None
    given = post(server, "intendante", digest, "approve", "lu en entier", confirmed="yes")
    assert (given.status_code, given.headers["Location"]) == (303, f"/nocturne{PATH}?given=approve")
    form = {"motif": "lu en entier", "empreinte": digest}
    assert read_answer("asset__approve") == ("scheduled", "intendante", ["Approve"], form)


def test_the_second_of_two_answers_is_told_so(server: Server) -> None:
    digest = ask_people("asset__twice", KEY)
    assert post(server, "referente", digest, "reject", "trop d'alertes", confirmed="yes").status_code == 303
    second = post(server, "intendante", digest, "approve", confirmed="yes")
    assert second.status_code == 409
    assert "Une réponse a déjà été donnée" in second.text
    assert read_answer("asset__twice")[1:3] == ("referente", ["Reject"])


def test_what_changed_since_it_was_shown_is_said(server: Server, database: Database) -> None:
    digest = ask_people("asset__changed", KEY)
    other = "0" * 64
    answer = post(server, "intendante", other, "approve", confirmed="yes")
    assert answer.status_code == 409
    assert other[:12] in answer.text
    assert digest[:12] in answer.text
    assert re.search(r"3 documents prêts, 1 en quarantaine", answer.text)
    assert trail(database)[-1] == ("intendante", "refused")
    assert read_answer("asset__changed")[1] is None


@pytest.mark.parametrize("chosen", ["reject", "rework"])
def test_a_refusal_without_a_reason_is_asked_for_one(server: Server, chosen: str) -> None:
    digest = ask_people(f"asset__bare_{chosen}", KEY)
    answer = post(server, "intendante", digest, chosen, "  ")
    assert answer.status_code == 422
    assert "Écrivez un motif" in answer.text
    assert post(server, "intendante", digest, chosen, "x" * 201).status_code == 422
    assert post(server, "intendante", digest, "publish").status_code == 422
    assert read_answer(f"asset__bare_{chosen}")[1] is None


def test_whoever_asked_for_the_run_is_told_that_another_must_approve(server: Server, database: Database) -> None:
    database.rows("UPDATE deid.run SET requested_by = 'intendante'")
    digest = ask_people("asset__own", KEY)
    answer = post(server, "intendante", digest, "approve", confirmed="yes")
    assert answer.status_code == 403
    assert "Vous avez demandé ce traitement" in answer.text
    assert trail(database)[-1] == ("intendante", "refused")
    assert post(server, "referente", digest, "approve", confirmed="yes").status_code == 303


def test_without_the_permission_to_decide_one_sees_and_cannot_answer(server: Server) -> None:
    digest = ask_people("asset__permissions", KEY)
    for account, status in (("lecteur", 403), ("exploitant", 403), (None, 401)):
        assert post(server, account, digest, "approve", confirmed="yes").status_code == status
        assert server.get(PATH, account, headers=HTML).status_code == (401 if account is None else 200)
    assert "<form" not in server.get(PATH, "lecteur", headers=HTML).text
    assert read_answer("asset__permissions")[1] is None


def test_through_airflows_own_interface_too_only_a_steward_answers(server: Server, database: Database) -> None:
    run = "asset__rest"
    digest = ask_people(run, KEY, asked_by="exploitant")
    for account in ("lecteur", "exploitant", None):
        answer = answer_in_airflow(server, account, run)
        assert answer.status_code == (401 if account is None else 403)
        assert account != "exploitant" or "ne permet pas de décider" in answer.json()["detail"]
    assert read_answer(run)[:2] == ("awaiting_input", None)
    assert trail(database)[-2:] == [("lecteur", "refused"), ("exploitant", "refused")]
    forged = {"chosen": "approve", "decided_by": "exploitant"}
    assert take_answer(KEY, forged, digest=digest, airflow_run=run).why is AnswerProblem.NOT_ALLOWED
    assert answer_in_airflow(server, "intendante", run).status_code == 200
    assert read_answer(run)[:3] == ("scheduled", "intendante", ["Approve"])
    given = {"chosen": "approve", "decided_by": "intendante"}
    assert take_answer(KEY, given, digest=digest, airflow_run=run).outcome is Outcome.APPROVE


def answer_in_airflow(server: Server, account: str | None, run_id: str) -> requests.Response:
    """An approval as «Required Actions» or a script sends it."""
    headers = {} if account is None else {"Authorization": f"Bearer {server.token(account)}"}
    path = f"/api/v2/dags/release_dataset/dagRuns/{run_id}/taskInstances/approve/-1/hitlDetails"
    body = {"chosen_options": ["Approve"], "params_input": {"motif": "", "empreinte": ""}}
    return requests.patch(server.url + path, json=body, headers=headers, timeout=60)


def test_a_run_that_is_at_work_has_nothing_to_decide(server: Server, database: Database) -> None:
    database.rows("UPDATE deid.run SET state = 'planned'")
    try:
        assert "Traitement en cours" in server.get(PATH, headers=HTML).text
        answer = post(server, "intendante", "0" * 64, "approve", confirmed="yes")
        assert answer.status_code == 409
        assert "en cours" in answer.text
    finally:
        database.rows("UPDATE deid.run SET state = 'staged'")


def test_what_is_not_asked_or_gone_or_unknown_is_said(server: Server, database: Database) -> None:
    digest = ask_people("asset__gone", KEY)
    database.rows("UPDATE deid.question SET airflow_run = 'asset__deleted'")
    gone = post(server, "intendante", digest, "approve", confirmed="yes")
    assert (gone.status_code, "ne pose plus cette question" in gone.text) == (409, True)
    database.rows("UPDATE deid.question SET closed_at = now(), outcome = 'reject'")
    closed = post(server, "intendante", digest, "approve", confirmed="yes")
    assert (closed.status_code, "Aucune question" in closed.text) == (409, True)
    for key in ("2031-01-01", "nowhere", "2026-03-02..", "%3Cscript%3E"):
        assert server.get(f"/releases/{key}/decision", headers=HTML).status_code == 404


@pytest.mark.parametrize("answered", [True, False])
def test_a_question_whose_task_failed_is_said_to_be_lost(server: Server, database: Database, answered: bool) -> None:
    run = f"asset__failed_{answered}"
    digest = ask_people(run, KEY)
    if answered:
        assert post(server, "intendante", digest, "approve", confirmed="yes").status_code == 303
    fail_task(run)
    answer = post(server, "referente", digest, "approve", confirmed="yes")
    assert answer.status_code == 409
    assert "ne pose plus cette question" in answer.text
    assert "sera posée de nouveau" in answer.text
    shown = server.get(PATH, headers=HTML).text
    assert "Question perdue" in shown
    assert "<form" not in shown.split("<main")[1]
    assert database.rows("SELECT outcome FROM deid.question") == [("lost",)]


def test_a_form_of_another_site_changes_nothing(server: Server) -> None:
    digest = ask_people("asset__forged", KEY)
    cookie = {"Cookie": f"_token={server.token('intendante')}", **HTML}
    form = {"digest": digest, "chosen": "approve", "confirmed": "yes"}
    for headers in (cookie, {**cookie, "Origin": "https://ailleurs.example"}):
        assert server.ask("POST", PATH, None, data=form, headers=headers).status_code == 403
    assert read_answer("asset__forged")[1] is None


def test_a_late_decision_and_the_first_of_two_approvals_are_shown(
    server: Server, database: Database, tmp_path: Path
) -> None:
    digest = ask_people("asset__late", KEY)
    database.rows("UPDATE deid.question SET asked_at = now() - interval '49 hours'")
    text = (tmp_path / "policy.yaml").read_text(encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(text.replace("approvals: 1", "approvals: 2"), encoding="utf-8")
    answer = {"chosen": "approve", "decided_by": "referente", "reason": "lu"}
    assert take_answer(KEY, answer, digest=digest).waiting_for == 1
    shown = server.get(PATH, headers=HTML).text
    assert "Décision en retard" in shown
    assert "referente" in shown


def test_a_person_rejects_by_keyboard_in_french(visit: Callable[..., Page], server: Server) -> None:
    ask_people("asset__keyboard", KEY)
    page = visit("intendante")
    page.goto(f"{server.pages}/releases/{KEY}")
    decision = page.get_by_role("region", name="Décision")
    expect(decision).to_contain_text("En attente de décision")
    decision.get_by_label("Approuver").focus()
    page.keyboard.press("ArrowDown")
    expect(decision.get_by_label("Rejeter")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.type("<b>trop d'alertes</b>")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Rejeter cet intervalle"))
    expect(page.get_by_text("<b>trop d'alertes</b>")).to_be_visible()
    page.get_by_role("button", name="Rejeter").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Votre rejet est transmis")
    assert read_answer("asset__keyboard")[1:3] == ("intendante", ["Reject"])


def test_english_is_there_too(visit: Callable[..., Page], server: Server) -> None:
    ask_people("asset__english", KEY)
    page = visit("intendante", lang="en")
    page.goto(f"{server.pages}{PATH}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Decision")
    page.get_by_label("Send back for reprocessing").check()
    page.get_by_label("Reason").fill("dates look wrong")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("are erased at once")).to_be_visible()
    page.get_by_role("link", name="Go back without doing anything").click()
    assert read_answer("asset__english")[1] is None


def test_a_night_that_brought_nothing_asks_nothing(server: Server) -> None:
    quiet = NIGHT + 3 * DAY
    process("scheduled__quiet", quiet)
    page = html.unescape(server.get(f"/releases/{quiet.date()}", headers=HTML).text)
    assert "Rien à publier" in page
    assert "il n'y a rien à décider" in page
    assert "Question à venir" not in page
    assert "n'était pas prête à l'heure" not in page


def test_what_was_published_is_told_from_what_was_decided_before(server: Server, stewards: Database) -> None:
    later = NIGHT + 5 * DAY
    key = str(later.date())
    put(stewards, "D000009", at=later)
    process("scheduled__published", later)
    stewards.rows(
        "INSERT INTO deid.decision (interval_key, run_id, chosen, decided_by, staged_digest)"
        " SELECT %s, max(run_id), 'reject', 'une', %s FROM deid.run",
        (key, "0" * 64),
    )
    actions.summarise(key)
    answer = {"chosen_options": ["Approve"], "responded_by_user": {"id": "autre", "name": "autre"}, "params_input": {}}
    actions.publish(key, answer)
    page = server.get(f"/releases/{key}", headers=HTML).text
    rows = [row for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL) if "un contenu" in row or "le contenu" in row]
    assert [("autre" in row, "le contenu publié" in row) for row in rows] == [(True, True), (False, False)]
