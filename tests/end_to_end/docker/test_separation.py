"""Processes of a deployment apart: each works with the connection strings and secrets that compose.yaml gives it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager

import pytest

from deid.config.settings import settings
from deid.domain.errors import SettingsError
from deid.ledger import opt_outs
from deid.refresh.refreshing import refresh
from deid.release import actions
from deid.stewardship import overview
from tests.conftest import Database
from tests.database.warehouse.nights import process, published
from tests.database.warehouse.small_hospital import open_hospital, put
from tests.end_to_end.docker.test_compose import SERVICES

Within = Callable[[str], AbstractContextManager[None]]


@pytest.fixture
def within(deployed: Database, monkeypatch: pytest.MonkeyPatch) -> Within:
    """`within("worker-cpu")` is a block in which this process has what that service is given, and no more."""

    @contextmanager
    def block(service: str):  # type: ignore[no-untyped-def]
        named = {name.removesuffix("_FILE") for name in SERVICES[service]["environment"]}
        with monkeypatch.context() as patch:
            for name in deployed.environment:
                if name not in named:
                    patch.delenv(name)
            settings.cache_clear()
            yield
        settings.cache_clear()

    return block


def test_a_night_goes_from_worker_to_worker(deployed: Database, within: Within) -> None:
    open_hospital(deployed)
    put(deployed, "D000001")
    with within("worker-cpu"):
        key = process("nuit-1")["interval_key"]
        with pytest.raises(SettingsError, match="NOCTURNE_PUBLISHER_DSN"):
            actions.summarise(key)
    with within("worker-publication"):
        opt_outs.apply_opt_outs()
        if actions.needs_approval(actions.summarise(key)):
            actions.publish(key, {"chosen": "approve", "decided_by": "morel", "reason": "lu"})
        else:
            actions.publish(key)
        assert actions.report(key)["html"]
        with pytest.raises(SettingsError, match="NOCTURNE_READER_DSN"):
            settings().dsn("reader")
    assert len(published(deployed)) == 1


def test_open_data_is_loaded_by_a_process_without_patients_or_the_secret(deployed: Database, within: Within) -> None:
    with within("worker-references"):
        assert refresh("former_communes", dsn=settings().dsn("refresher"))["state"] == "loaded"
        with pytest.raises(SettingsError, match="NOCTURNE_SECRET"):
            _ = settings().keyring
    assert deployed.rows("SELECT count(*) > 0 FROM ref.former_commune") == [(True,)]


def test_the_pages_are_shown_without_the_secret(within: Within) -> None:
    with within("api-server"):
        assert overview.read_overview().judged == []
        with pytest.raises(SettingsError, match="NOCTURNE_PUBLISHER_DSN"):
            settings().dsn("publisher")
