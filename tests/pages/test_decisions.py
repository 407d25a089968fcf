"""The decision on an interval, over HTTP and in a browser: asked, confirmed, given to Airflow, or refused clearly."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import requests
from playwright.sync_api import Page, expect

from deid.config.policy import DEFAULT
from deid.config.settings import settings
from deid.domain.errors import ReleaseRefused
from deid.release import actions
from deid.release.decisions import ANSWERS, AnswerProblem, Outcome, take_answer
from tests.conftest import Database
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import DAY, NIGHT, put
from tests.pages.conftest import ACCOUNTS
from tests.pages.open_questions import ask_people, fail_task, read_answer
from tests.pages.serving import Server
from tests.pages.test_accessibility import violations

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
    stewards.rows(
        "TRUNCATE deid.question, deid.answer, deid.publication; DELETE FROM deid.decision;"
        " UPDATE deid.run SET requested_by = ''"
    )


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
    back = post(server, "intendante", digest, "approve", "lu en entier", confirmed="no")
    assert back.status_code == 200
    assert re.search(r'value="approve"[^>]* checked', back.text)
    assert ">lu en entier</textarea>" in back.text
    assert read_answer("asset__approve")[1] is None
    given = post(server, "intendante", digest, "approve", "lu en entier", confirmed="yes")
    assert (given.status_code, given.headers["Location"]) == (303, f"/nocturne{PATH}?given=approve&of={digest[:12]}")
    form = {"motif": "lu en entier", "empreinte": digest}
    assert read_answer("asset__approve") == ("scheduled", "intendante", ["Approuver"], form)


def test_the_second_of_two_answers_is_told_whose_came_first(server: Server) -> None:
    digest = ask_people("asset__twice", KEY)
    assert post(server, "referente", digest, "reject", "trop d'alertes", confirmed="yes").status_code == 303
    second = post(server, "intendante", digest, "approve", "<lu en entier>", confirmed="yes")
    assert second.status_code == 409
    shown = html.unescape(second.text)
    assert "referente a répondu avant vous : rejeté" in shown
    assert "<lu en entier>" in shown, "what was typed is kept on the page"
    assert read_answer("asset__twice")[1:3] == ("referente", ["Rejeter"])


def together(*asked: Callable[[], Any]) -> list[Any]:
    """Call several at the same instant; return what each gave, in their order."""
    start = Barrier(len(asked))

    def call(one: Callable[[], Any]) -> Any:
        start.wait()
        return one()

    with ThreadPoolExecutor(len(asked)) as pool:
        return list(pool.map(call, asked))


@pytest.mark.parametrize("door", ["pages", "airflow", "both"])
@pytest.mark.parametrize("other", ["approve", "reject"])
def test_of_two_answers_at_the_same_instant_one_is_taken_and_a_rejection_is_never_lost(
    server: Server, database: Database, door: str, other: str
) -> None:
    run = f"asset__race_{door}_{other}"
    digest = ask_people(run, KEY)
    tokens = {account: server.token(account) for account in ("intendante", "referente")}

    def by_page(account: str, chosen: str) -> Any:
        form = {"digest": digest, "chosen": chosen, "reason": "un nom dans le titre", "confirmed": "yes"}
        return server.ask("POST", PATH, None, data=form, headers=HTML | {"Authorization": f"Bearer {tokens[account]}"})

    def by_airflow(account: str, chosen: str) -> Any:
        return answer_in_airflow(server, account, run, ANSWERS[chosen], "un nom dans le titre", tokens[account])

    first, second = (by_airflow if door == "airflow" else by_page), (by_page if door == "pages" else by_airflow)
    answers = together(lambda: first("intendante", "approve"), lambda: second("referente", other))
    taken = [one.status_code in (200, 303) for one in answers]
    assert sorted(taken) == [False, True]
    assert answers[taken.index(False)].status_code == 409
    won, lost = ("intendante", "referente") if taken[0] else ("referente", "intendante")
    assert won in html.unescape(answers[taken.index(False)].text)
    assert read_answer(run)[1] == won
    kept = "veto" if (lost, other) == ("referente", "reject") else "late"
    said = database.rows("SELECT account, outcome FROM deid.answer ORDER BY outcome NULLS FIRST")
    assert said == [(won, None), (lost, kept)]
    assert trail_of(database, "veto" if kept == "veto" else "refused")[-1] == lost
    _, _, (choice,), form = read_answer(run)
    answer = {"chosen_options": [choice], "responded_by_user": {"name": won}, "params_input": form}
    outcome = take_answer(KEY, answer, digest=digest, airflow_run=run).outcome
    assert outcome is (Outcome.REJECT if other == "reject" else Outcome.APPROVE), "whichever came first"
    if other == "reject":
        assert "Rejeté" in server.get(PATH, headers=HTML).text
        with pytest.raises(ReleaseRefused):
            actions.publish(KEY)


def test_an_answer_at_a_command_line_and_one_on_the_pages_do_not_cross(server: Server, database: Database) -> None:
    digest = ask_people("asset__crossed", KEY)
    assert post(server, "intendante", digest, "reject", "un nom dans le titre", confirmed="yes").status_code == 303
    by_command = {"chosen": "approve", "decided_by": "referente", "reason": "lu"}
    with pytest.raises(ReleaseRefused, match="intendante answered"):
        take_answer(KEY, by_command, digest=digest)
    assert database.rows("SELECT chosen FROM deid.decision WHERE chosen <> 'proposed'") == []
    database.rows("UPDATE deid.answer SET outcome = 'lost' WHERE outcome IS NULL")  # its task failed
    assert take_answer(KEY, by_command, digest=digest).outcome is Outcome.APPROVE
    late = answer_in_airflow(server, "intendante", "asset__crossed", "Approuver")
    assert (late.status_code, "referente a répondu avant vous" in late.json()["detail"]) == (409, True)


def test_an_answer_that_airflow_refuses_was_never_received(server: Server, database: Database) -> None:
    digest = ask_people("asset__odd", KEY)
    assert answer_in_airflow(server, "intendante", "asset__odd", "Peut-être").status_code == 400
    assert database.rows("SELECT count(*) FROM deid.answer") == [(0,)]
    assert post(server, "intendante", digest, "approve", confirmed="yes").status_code == 303


def test_whoever_asked_for_the_run_may_not_approve_it_through_airflow_either(
    server: Server, database: Database
) -> None:
    database.rows("UPDATE deid.run SET requested_by = 'intendante'")
    ask_people("asset__own_rest", KEY)
    refused = answer_in_airflow(server, "intendante", "asset__own_rest")
    assert (refused.status_code, "Vous avez demandé ce traitement" in refused.json()["detail"]) == (403, True)
    assert answer_in_airflow(server, "intendante", "asset__own_rest", "Rejeter").status_code == 422, "without a reason"
    assert read_answer("asset__own_rest")[1] is None
    assert trail_of(database, "refused")[-2:] == ["intendante", "intendante"]
    assert answer_in_airflow(server, "referente", "asset__own_rest").status_code == 200


def trail_of(database: Database, action: str) -> list[str]:
    return [
        actor for (actor,) in database.rows("SELECT actor FROM deid.audit WHERE action = %s ORDER BY seq", (action,))
    ]


def test_what_changed_since_it_was_shown_is_said(server: Server, database: Database) -> None:
    digest = ask_people("asset__changed", KEY)
    other = "0" * 64
    answer = post(server, "intendante", other, "approve", confirmed="yes")
    assert answer.status_code == 409
    assert other[:12] in answer.text
    assert digest[:12] in answer.text
    assert re.search(r"Documents prêts : 3 ; en quarantaine : 1", answer.text)
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
    assert read_answer(run)[:3] == ("scheduled", "intendante", ["Approuver"])
    given = {"chosen": "approve", "decided_by": "intendante"}
    assert take_answer(KEY, given, digest=digest, airflow_run=run).outcome is Outcome.APPROVE


def answer_in_airflow(
    server: Server, account: str | None, run_id: str, option: str = "Approuver", reason: str = "", token: str = ""
) -> requests.Response:
    """An answer as «Required Actions» or a script sends it."""
    headers = {} if account is None else {"Authorization": f"Bearer {token or server.token(account)}"}
    path = f"/api/v2/dags/release_dataset/dagRuns/{run_id}/taskInstances/approve/-1/hitlDetails"
    body = {"chosen_options": [option], "params_input": {"motif": reason, "empreinte": ""}}
    return requests.patch(server.url + path, json=body, headers=headers, timeout=60)


def test_in_required_actions_a_steward_approves_without_a_reason(visit: Callable[..., Page], server: Server) -> None:
    digest = ask_people("asset__required", KEY)
    page = visit("intendante", errors=True)  # the console is Airflow's
    page.goto(f"{server.url}/dags/release_dataset/runs/asset__required/tasks/approve/required_actions")
    form = page.locator("body")
    expect(form).to_contain_text("Nuit du lundi 2 mars 2026 : publier ?", timeout=60_000)
    for words in ("documents prêts : 3", "en quarantaine : 1", digest[:12], "Motif (exigé pour rejeter ou renvoyer)"):
        expect(form).to_contain_text(words)
    assert digest not in form.inner_text()
    assert [choice.inner_text() for choice in page.locator("[data-testid^=hitl-option]").all()] == [*ANSWERS.values()]
    page.get_by_role("button", name="Approuver").click()
    expect(page.get_by_role("button", name="Approuver")).to_be_disabled()
    expect(form).to_contain_text("intendante")
    given = read_answer("asset__required")
    assert given == ("scheduled", "intendante", ["Approuver"], {"motif": None, "empreinte": digest})
    answer = {"chosen_options": given[2], "responded_by_user": {"name": given[1]}, "params_input": given[3]}
    assert take_answer(KEY, answer, digest=digest, airflow_run="asset__required").outcome is Outcome.APPROVE


def test_a_run_that_is_at_work_has_nothing_to_decide(server: Server, database: Database) -> None:
    database.rows("UPDATE deid.run SET state = 'planned'")
    try:
        assert "Traitement non terminé" in server.get(PATH, headers=HTML).text
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
    assert "permet de la reposer" in answer.text
    shown = server.get(PATH, headers=HTML).text
    assert "Question perdue" in shown
    assert 'name="chosen"' not in shown
    assert database.rows("SELECT outcome FROM deid.question") == [("lost",)]


def test_a_lost_question_is_asked_again_from_the_page(
    visit: Callable[..., Page], server: Server, database: Database
) -> None:
    ask_people("asset__lost", KEY)
    database.rows("UPDATE deid.question SET closed_at = now(), outcome = 'lost'")
    early = server.ask("POST", f"{PATH}/again", "intendante", headers=HTML)
    assert (early.status_code, "n&#39;a pas échoué" in early.text) == (409, True)
    fail_task("asset__lost")
    assert server.ask("POST", f"{PATH}/again", "lecteur", headers=HTML).status_code == 403
    offered = {name: "Reposer la question" in server.get(PATH, name, headers=HTML).text for name in ACCOUNTS}
    assert offered == {"lecteur": False, "exploitant": True, "intendante": True, "referente": True}
    page = visit("referente")
    page.goto(f"{server.pages}{PATH}")
    run = page.get_by_role("link", name="asset__lost")
    assert run.get_attribute("href") == f"{server.url}/dags/release_dataset/runs/asset__lost"
    assert violations(page) == []
    page.get_by_role("button", name="Reposer la question").click()
    expect(page.get_by_role("status")).to_contain_text("La reprise est demandée.")
    assert read_answer("asset__lost")[0] == "None", "the scheduler runs it again"
    database.rows("UPDATE deid.question SET airflow_run = 'asset__deleted'")
    gone = server.ask("POST", f"{PATH}/again", "referente", headers=HTML)
    assert (gone.status_code, f"clé de partition {KEY}" in gone.text) == (409, True)


def test_a_publication_that_failed_is_resumed_and_nothing_else(server: Server, database: Database) -> None:
    digest = ask_people("asset__stuck", KEY)
    waiting = server.ask("POST", f"{PATH}/again", "intendante", headers=HTML)
    assert (waiting.status_code, "Rien n&#39;est à reprendre" in waiting.text) == (409, True)
    assert take_answer(KEY, {"chosen": "approve", "decided_by": "referente"}, digest=digest).outcome is Outcome.APPROVE
    database.rows("UPDATE deid.question SET closed_at = now(), outcome = 'approve'")
    fail_task("asset__stuck")
    assert "Reprendre la publication" in server.get(PATH, headers=HTML).text
    resumed = server.ask("POST", f"{PATH}/again", "exploitant", headers=HTML)
    assert (resumed.status_code, resumed.headers["Location"]) == (303, f"/nocturne{PATH}?given=again")


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
    assert violations(page) == []
    page.get_by_role("button", name="Rejeter").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Votre rejet est transmis")
    assert read_answer("asset__keyboard")[1:3] == ("intendante", ["Rejeter"])


def test_going_back_after_an_answer_shows_where_it_stands_and_sends_nothing_again(
    visit: Callable[..., Page], server: Server
) -> None:
    ask_people("asset__back", KEY)
    page = visit("intendante")
    page.goto(f"{server.pages}/releases/{KEY}")
    page.get_by_label("Approuver").check()
    page.get_by_role("button", name="Continuer").click()
    page.get_by_role("button", name="Approuver").click()
    main = page.get_by_role("main")
    expect(main).to_contain_text("Réponse transmise")
    expect(main).not_to_contain_text("En attente de décision")
    page.go_back()
    expect(page).to_have_url(f"{server.pages}{PATH}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Décision")
    assert read_answer("asset__back")[1:3] == ("intendante", ["Approuver"])
    second = visit("referente", errors=True)
    second.goto(f"{server.pages}{PATH}")
    second.get_by_label("Rejeter").check()
    second.get_by_label("Motif").fill("trop d'alertes")
    second.get_by_role("button", name="Continuer").click()
    second.get_by_role("button", name="Rejeter").click()
    expect(second.get_by_role("alert")).to_contain_text("votre refus arrête la publication")
    assert violations(second) == []
    second.get_by_role("link", name="Ouvrir la publication").click()
    expect(second).to_have_url(f"{server.pages}/releases/{KEY}")


def test_what_a_person_wrote_is_shown_again_where_the_session_has_ended(
    visit: Callable[..., Page], server: Server
) -> None:
    ask_people("asset__ended", KEY)
    page = visit("intendante", errors=True)
    page.goto(f"{server.pages}{PATH}")
    page.get_by_label("Rejeter").check()
    page.get_by_label("Motif").fill("<b>trop d'alertes</b>")
    page.context.clear_cookies()
    page.get_by_role("button", name="Continuer").click()
    expect(page.get_by_role("alert")).to_contain_text("Votre session est terminée")
    expect(page.get_by_role("textbox", name="Ce que vous aviez écrit")).to_have_value("<b>trop d'alertes</b>")
    assert violations(page) == []
    assert read_answer("asset__ended")[1] is None


def test_what_another_site_sends_is_not_shown(server: Server) -> None:
    form = {"digest": "0" * 64, "chosen": "reject", "reason": "appelez le 01 99 00 00 00"}
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://ailleurs.example"}):
        for account in (None, "intendante"):
            answer = server.ask("POST", PATH, account, data=form, headers=HTML | headers)
            assert answer.status_code >= 400
            assert "appelez" not in answer.text


def test_a_policy_that_changed_since_staging_is_named_beside_the_one_in_force(
    server: Server, database: Database
) -> None:
    ask_people("asset__policy", KEY)
    ((staged,),) = database.rows("SELECT DISTINCT policy_hash FROM deid.run WHERE state = 'staged'")
    assert "a été préparé sous la politique" not in html.unescape(server.get(PATH, headers=HTML).text)
    database.rows(
        "INSERT INTO deid.policy (policy_hash, content)"
        " SELECT repeat('a', 16), content || '{\"name\": \"avant-hier\"}' FROM deid.policy WHERE policy_hash = %s;",
        (staged,),
    )
    database.rows("UPDATE deid.run SET policy_hash = repeat('a', 16) WHERE interval_key = %s", (KEY,))
    try:
        for path in (PATH, f"/releases/{KEY}"):
            page = html.unescape(server.get(path, headers=HTML).text)
            assert f"a été préparé sous la politique « avant-hier » ({'a' * 16})" in page
            assert f"la politique en vigueur est maintenant « default » ({staged})" in page
    finally:
        database.rows("UPDATE deid.run SET policy_hash = %s WHERE interval_key = %s", (staged, KEY))


def test_english_is_there_too(visit: Callable[..., Page], server: Server) -> None:
    ask_people("asset__english", KEY)
    page = visit("intendante", lang="en")
    page.goto(f"{server.pages}{PATH}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Decision")
    page.get_by_label("Send back for reprocessing").check()
    page.get_by_label("Reason").fill("dates look wrong")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("are erased at once")).to_be_visible()
    page.get_by_role("button", name="Go back without doing anything").click()
    expect(page.get_by_label("Reason")).to_have_value("dates look wrong")
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
