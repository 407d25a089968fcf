"""The states of a decision, walked through by people on the pages: shown on the page, in the list and in the export."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg2
import pytest

from deid.database.connection import connect
from deid.domain.errors import ReleaseRefused
from deid.publication.publish import make_visible
from deid.release import actions
from deid.release.decisions import Outcome, close_question, take_answer
from tests.conftest import Database
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import DAY, NIGHT, put
from tests.pages.open_questions import ask_people, fail_task, park_again, read_answer
from tests.pages.serving import Server

HTML = {"Accept": "text/html"}
NIGHTS = iter(range(10, 40))


@pytest.fixture
def key(stewards: Database) -> str:
    """A staged night of its own, whose policy wants two people."""
    number = next(NIGHTS)
    put(stewards, f"D0001{number}", at=NIGHT + number * DAY)
    process(f"night-{number}", NIGHT + number * DAY)
    planned = "UPDATE deid.policy SET content = jsonb_set(content, '{release,%s}', '%s')"
    for setting in (("approvals", "2"), ("second_review", '"open"')):
        stewards.rows(planned % setting)
    return str((NIGHT + number * DAY).date())


def stands(server: Server, key: str) -> tuple[str, str, str]:
    """State of the night: on the page of its decision, in the list of releases, in the export."""
    page = html.unescape(server.get(f"/releases/{key}/decision", headers=HTML).text)
    pill = re.compile(r'<span class="pill \w+">([^<]+)</span>')
    shown = [found[1] for text in (page, list_row(server, key)) if (found := pill.search(text))]
    return shown[0], shown[1], server.get(f"/releases/{key}/export/json").json()["state"]


def overview(server: Server) -> str:
    """The first page."""
    return html.unescape(server.get("/", headers=HTML).text)


def say(server: Server, key: str, account: str, digest: str, chosen: str, reason: str = "lu") -> Any:
    """The answer of a person who has read the confirmation."""
    form = {"digest": digest, "chosen": chosen, "reason": reason, "confirmed": "yes"}
    return server.ask("POST", f"/releases/{key}/decision", account, data=form, headers=HTML)


def weigh(run: str, key: str, digest: str) -> Outcome:
    """Weigh the answer that Airflow took, as its task does."""
    _, account, options, form = read_answer(run)
    answer = {"chosen_options": options, "responded_by_user": {"name": account}, "params_input": form}
    taken = take_answer(key, answer, digest=digest, airflow_run=run)
    if taken.outcome is Outcome.ASK:
        park_again(run)
    else:
        close_question(run, taken.outcome.value)
    return taken.outcome


def approve_twice(server: Server, run: str, key: str) -> str:
    digest = ask_people(run, key)
    for account in ("intendante", "referente"):
        assert say(server, key, account, digest, "approve").status_code == 303
        weigh(run, key, digest)
    assert stands(server, key) == ("Approuvé, pas encore publié", "Approuvé, pas encore publié", "approved")
    return digest


@contextmanager
def publishing(server: Server, key: str, database: Database) -> Iterator[Future[Any]]:
    """A publication that has begun and goes on when the block ends, while the page says so."""
    with ThreadPoolExecutor(1) as pool, connect(database.dsn("publisher")) as other, other.cursor() as cursor:
        cursor.execute("SELECT deid.lock_publication()")
        begun = pool.submit(actions.publish, key)
        until(lambda: stands(server, key) == ("Publication en cours", "Publication en cours", "publishing"))
        yield begun


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_a_release_from_the_question_to_the_recall(server: Server, stewards: Database, key: str) -> None:
    digest = ask_people("asset__first", key)
    assert stands(server, key) == ("En attente de décision", "En attente de décision", "waiting")
    assert say(server, key, "intendante", digest, "reject", "trop d'alertes").status_code == 303
    assert weigh("asset__first", key, digest) is Outcome.REJECT
    assert stands(server, key) == ("Rejeté", "Rejeté", "rejected")

    digest = ask_people("asset__second", key)
    assert say(server, key, "intendante", digest, "approve").status_code == 303
    assert weigh("asset__second", key, digest) is Outcome.ASK
    assert stands(server, key) == ("Approuvé une fois", "Approuvé une fois", "approved_once")
    assert say(server, key, "referente", digest, "approve").status_code == 303
    assert weigh("asset__second", key, digest) is Outcome.APPROVE
    assert stands(server, key) == ("Approuvé, pas encore publié", "Approuvé, pas encore publié", "approved")

    ((document, text),) = stewards.rows(
        "SELECT c.document_id, c.text FROM deid.candidate AS c INNER JOIN deid.run AS r ON c.run_id = r.run_id"
        " WHERE r.interval_key = %s",
        (key,),
    )
    altered = "UPDATE deid.candidate SET text = %s WHERE document_id = %s"
    with publishing(server, key, stewards) as begun:
        stewards.rows(altered, ("autre chose", document))
    with pytest.raises(ReleaseRefused, match="altered"):
        begun.result()
    assert stands(server, key) == ("Publication en échec", "Publication en échec", "failed")
    stewards.rows(altered, (text, document))
    fail_task("asset__second")
    resumed = server.ask("POST", f"/releases/{key}/decision/again", "intendante", headers=HTML)
    assert (resumed.status_code, read_answer("asset__second")[0]) == (303, "None"), "the scheduler runs it again"
    actions.publish(key)
    make_visible("nightly")
    assert stands(server, key) == ("Publié et lu", "Publié et lu", "visible")

    late = say(server, key, "referente", digest, "reject", "un <nom> dans le titre")
    assert (late.status_code, "Cet intervalle est déjà publié" in late.text) == (409, True)
    page = html.unescape(server.get(f"/releases/{key}", headers=HTML).text)
    assert "referente a refusé cette publication après coup" in page
    assert "« un <nom> dans le titre »" in page
    assert stands(server, key) == ("Publié et lu", "Publié et lu", "visible")
    releases = " ".join(
        str(one) for (one,) in stewards.rows("SELECT release_id FROM deid.release WHERE interval_key = %s", (key,))
    )
    form = {"releases": releases, "reason": "un nom dans le titre", "confirmed": "yes"}
    assert server.ask("POST", f"/releases/{key}/recall", "referente", data=form, headers=HTML).status_code == 303
    assert stands(server, key) == ("Publication rappelée", "Rappelé", "recalled")
    assert "après coup" not in server.get(f"/releases/{key}", headers=HTML).text


def test_a_release_that_is_sent_back(server: Server, key: str) -> None:
    digest = ask_people("asset__back", key)
    assert say(server, key, "intendante", digest, "rework", "noms masqués").status_code == 303
    assert weigh("asset__back", key, digest) is Outcome.REWORK
    assert stands(server, key) == ("Renvoyé en traitement", "Renvoyé en traitement", "sent_back")
    (finding,) = re.findall(
        f'<li class="note [^"]*">(?:(?!</li>).)*/releases/{key}".*?</li>', overview(server), re.DOTALL
    )
    assert "Renvoyé en traitement par intendante. Ses textes préparés sont effacés." in finding
    assert "la question sera posée de nouveau" in finding
    assert "reste prêt" not in finding


def test_a_rejection_after_the_approval_stops_the_release(server: Server, stewards: Database, key: str) -> None:
    digest = approve_twice(server, "asset__vetoed", key)
    page = html.unescape(server.get(f"/releases/{key}/decision", headers=HTML).text)
    assert re.findall(r'name="chosen" id="choice-(\w+)"', page) == ["reject"]
    form = {"digest": digest, "chosen": "reject", "reason": "un nom dans le titre"}
    asked = server.ask("POST", f"/releases/{key}/decision", "referente", data=form, headers=HTML)
    assert "ne comptent plus" in html.unescape(asked.text)
    assert say(server, key, "lecteur", digest, "reject").status_code == 403
    assert say(server, key, "referente", digest, "approve").status_code == 409
    stopped = say(server, key, "referente", digest, "reject", "un nom dans le titre")
    assert (stopped.status_code, "?given=veto&of=" in stopped.headers["Location"]) == (303, True)
    assert stands(server, key) == ("Rejeté", "Rejeté", "rejected")
    with pytest.raises(ReleaseRefused, match="rejected after it was approved"):
        actions.publish(key)
    ((actor, details),) = stewards.rows(
        "SELECT actor, details FROM deid.audit WHERE action = 'veto' AND object = %s", (f"release {key}",)
    )
    assert (actor, details["reason"]) == ("referente", "un nom dans le titre")
    ((login,),) = stewards.rows("SELECT login FROM deid.decision WHERE interval_key = %s AND chosen = 'reject'", (key,))
    assert login == "nocturne_steward", "the pages reject; only the publisher approves"
    approve_twice(server, "asset__approved_after_all", key)
    assert actions.publish(key)["published"] == 1


def test_a_rejection_while_it_is_being_published_stops_it_before_anything_can_be_read(
    server: Server, stewards: Database, key: str
) -> None:
    digest = approve_twice(server, "asset__stopped", key)
    read = stewards.rows("SELECT count(*) FROM research.document")
    with publishing(server, key, stewards) as begun:
        assert say(server, key, "intendante", digest, "reject", "un nom dans le titre").status_code == 303
    with pytest.raises(ReleaseRefused, match="rejected it after it was approved"):
        begun.result()
    assert stands(server, key) == ("Rejeté", "Rejeté", "rejected")
    assert stewards.rows("SELECT count(*) FROM research.document") == read
    assert stewards.rows("SELECT published_at FROM deid.release WHERE interval_key = %s", (key,)) == [(None,)]


def test_a_policy_that_asks_nobody_asks_after_a_veto(server: Server, stewards: Database, key: str) -> None:
    stewards.rows("UPDATE deid.policy SET content = jsonb_set(content, '{release,approvals}', '1')")
    summary = actions.summarise(key)
    stewards.rows("UPDATE deid.check_result SET success = true WHERE batch_id IS NULL")
    assert not actions.needs_approval(summary | {"warnings": 0})
    digest = str(summary["staged_digest"])
    stewards.rows(
        "INSERT INTO deid.decision (interval_key, run_id, chosen, decided_by, staged_digest)"
        " SELECT %s, max(run_id), 'approve', 'politique', %s FROM deid.run WHERE interval_key = %s",
        (key, digest, key),
        role="publisher",
    )
    assert stands(server, key)[2] == "approved"
    assert say(server, key, "referente", digest, "reject", "un nom dans le titre").status_code == 303
    assert actions.needs_approval(summary | {"warnings": 0})
    with pytest.raises(ReleaseRefused, match="rejected after it was approved"):
        actions.publish(key)


def test_an_attempt_whose_process_dies_has_failed(server: Server, stewards: Database, key: str) -> None:
    digest = approve_twice(server, "asset__killed", key)
    stewards.rows(
        "INSERT INTO deid.publication (interval_key, staged_digest, life) VALUES (%s, %s, pg_current_xact_id())",
        (key, digest),
    )  # whose transaction has ended
    assert stands(server, key) == ("Publication en échec", "Publication en échec", "failed")


def note(server: Server, key: str, account: str, text: str) -> Any:
    return server.ask("POST", f"/releases/{key}/comments", account, data={"text": text}, headers=HTML)


def read_everywhere(server: Server, key: str, account: str) -> str:
    """All that the pages and exports show a person about a release."""
    paths = [f"/releases/{key}{part}" for part in ("", "/decision", "/export/json", "/export/html")]
    paths += [f"/audit?about=release+{key}&action={action}" for action in ("approve", "comment")]
    pages = [html.unescape(server.get(path, account, headers=HTML).text) for path in paths]
    return "\n".join([*pages, list_row(server, key, account)])


def list_row(server: Server, key: str, account: str = "intendante") -> str:
    """The row of a night in the list of releases."""
    listed = html.unescape(server.get("/releases", account, headers=HTML).text)
    (row,) = [row for row in re.findall(r"<tr>.*?</tr>", listed, re.DOTALL) if f"/releases/{key}" in row]
    return str(row)


def test_in_a_blind_review_nobody_sees_what_the_other_said_before_answering(
    server: Server, stewards: Database, key: str
) -> None:
    stewards.rows("UPDATE deid.policy SET content = jsonb_set(content, '{release,second_review}', '\"blind\"')")
    digest = ask_people("asset__blind", key)
    assert note(server, key, "intendante", "un nom <b>douteux</b> en page 2").status_code == 303
    assert say(server, key, "intendante", digest, "approve", "faux positif").status_code == 303
    assert weigh("asset__blind", key, digest) is Outcome.ASK
    assert stands(server, key) == ("En attente de décision", "En attente de décision", "waiting")
    before = read_everywhere(server, key, "referente")
    for hidden in ("intendante", "faux positif", "douteux"):
        assert hidden not in before
    assert "douteux" in read_everywhere(server, key, "intendante"), "one's own"
    form = {"digest": digest, "chosen": "approve", "reason": ""}
    asked = server.ask("POST", f"/releases/{key}/decision", "referente", data=form, headers=HTML)
    assert "une des deux" in html.unescape(asked.text), "not told which"
    assert say(server, key, "referente", digest, "approve", "rien vu").status_code == 303
    assert weigh("asset__blind", key, digest) is Outcome.APPROVE
    after = read_everywhere(server, key, "referente")
    for told in ("intendante", "faux positif", "un nom <b>douteux</b> en page 2"):
        assert told in after
    assert "&lt;b&gt;douteux" in server.get(f"/releases/{key}/decision", "referente", headers=HTML).text


def test_in_a_blind_review_who_answered_at_the_same_instant_is_not_told(
    server: Server, stewards: Database, key: str
) -> None:
    stewards.rows("UPDATE deid.policy SET content = jsonb_set(content, '{release,second_review}', '\"blind\"')")
    digest = ask_people("asset__blind_race", key)
    assert say(server, key, "intendante", digest, "approve").status_code == 303
    second = say(server, key, "referente", digest, "approve")
    assert (second.status_code, "intendante" in second.text) == (409, False)


def test_comments_are_for_people_who_decide_and_stay(server: Server, stewards: Database, key: str) -> None:
    ask_people("asset__comments", key)
    assert note(server, key, "referente", "à relire").status_code == 303
    for account in ("lecteur", "exploitant"):
        assert note(server, key, account, "moi aussi").status_code == 403
        assert "à relire" not in server.get(f"/releases/{key}/decision", account, headers=HTML).text
    too_long = note(server, key, "intendante", "x" * 1001)
    assert (too_long.status_code, "x" * 1001 in too_long.text) == (422, True)
    assert "à relire" in server.get(f"/releases/{key}", "intendante", headers=HTML).text
    for form in ("json", "html"):
        exported = server.get(f"/releases/{key}/export/{form}", "intendante")
        assert exported.status_code == 200
        assert "à relire".encode() not in exported.content
    ((details,),) = stewards.rows(
        "SELECT details FROM deid.audit WHERE action = 'comment' AND object = %s", (f"release {key}",)
    )
    assert details == {}
    for role in ("researcher", "publisher", "worker"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            stewards.rows("SELECT comment FROM deid.release_comment", role=role)
    for change in ("UPDATE deid.release_comment SET comment = 'x'", "DELETE FROM deid.release_comment"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            stewards.rows(change, role="owner")
