"""Deployments that lack something: no DAG works on them, and the first task's log says which command mends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deid.config.settings import settings
from tests.conftest import Database
from tests.dags.conftest import Ended
from tests.dags.test_integrity import FILES

ASKED: dict[str, dict[str, Any]] = {
    "exchange_annotations": {"reason": "refusal"},
    "train_detector": {"reason": "refusal"},
    "release_dataset": {"key": "2026-03-02"},
    "evaluate_release": {"key": "2026-03-02"},
}


@pytest.mark.parametrize("dag_id", sorted(FILES))
def test_no_dag_works_on_a_database_of_another_form(
    dag_id: str, deployed: Database, play: Callable[..., Ended], caplog: pytest.LogCaptureFixture
) -> None:
    ((last,),) = deployed.rows("SELECT max(migration_id) FROM public._yoyo_migration")
    deployed.rows("DELETE FROM public._yoyo_migration WHERE migration_id = %s", (last,))
    assert_refused(play(dag_id, **ASKED.get(dag_id, {})))
    assert f"n'a pas la forme de cette version : il y manque {last}." in caplog.text
    assert "Lancer « python -m deid migrate » avec NOCTURNE_OWNER_DSN" in caplog.text


@pytest.mark.parametrize("dag_id", sorted(FILES))
@pytest.mark.usefixtures("deployed")
def test_no_dag_works_without_its_settings(
    dag_id: str, play: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """All that are absent are named at once."""
    for role in ("READER", "WORKER", "PUBLISHER", "STEWARD", "REFRESHER"):
        monkeypatch.delenv(f"NOCTURNE_{role}_DSN", raising=False)
    settings.cache_clear()
    assert_refused(play(dag_id, **ASKED.get(dag_id, {})))
    needed = {"refresh_references": "NOCTURNE_REFRESHER_DSN"}
    published = ("apply_oppositions", "ask_again", "release_dataset")
    needed |= dict.fromkeys(published, "NOCTURNE_STEWARD_DSN, NOCTURNE_PUBLISHER_DSN")
    assert f"non donnés : {needed.get(dag_id, 'NOCTURNE_READER_DSN, NOCTURNE_WORKER_DSN')}." in caplog.text
    assert "python -m deid doctor" in caplog.text


def assert_refused(ended: Ended) -> None:
    """The run failed, and no step did any work."""
    assert ended.state == "failed"
    assert "success" not in {state for states in ended.steps.values() for state in states}
