"""Going back to a former version: its rows are still there, runs cite it, and what was put away stays away."""

from __future__ import annotations

import json

import pytest

from deid.cli import main
from deid.domain.errors import ReferenceRefused
from deid.refresh.reference_versions import list_versions, roll_back, version_names
from deid.refresh.refreshing import refresh
from tests.conftest import Database
from tests.database.refresh import formats
from tests.database.refresh.conftest import Web

BAN = "/ban/adresses-25.csv.gz"


@pytest.fixture
def dsn(postgres: Database) -> str:
    return postgres.dsn("refresher")


def edition(web: Web, dsn: str, streets: int) -> dict[str, int | str]:
    return refresh("streets", dsn=dsn, location=web.serve(BAN, formats.packed(formats.ban(streets))))


def test_rollback_puts_the_former_version_back_and_the_same_file_is_held(
    postgres: Database, dsn: str, web: Web
) -> None:
    first, second = edition(web, dsn, 5200), edition(web, dsn, 5300)
    assert version_names(postgres.dsn("worker"))["streets"] == second["version"]
    back = roll_back("streets", dsn=dsn)
    assert (back["state"], back["version"], back["rows"]) == ("rolled_back", first["version"], 5200)
    assert version_names(postgres.dsn("worker"))["streets"] == first["version"]
    in_use = "SELECT count(*) FROM ref.street JOIN ref.release USING (release_id) WHERE state = 'in_use'"
    assert postgres.rows(in_use) == [(5200,)]

    assert edition(web, dsn, 5300)["state"] == "held"
    assert version_names(dsn)["streets"] == first["version"]
    third = edition(web, dsn, 5250)
    assert third["state"] == "loaded"
    # The version before the new one keeps its rows; the withdrawn one does not stand in its place.
    assert [(one["rows"], one["state"]) for one in list_versions(dsn, "streets")] == [
        (5250, "in_use"), (5300, "pruned"), (5200, "former"),
    ]  # fmt: skip
    assert list_versions(dsn, "streets")[1]["withdrawn_by"] == "nocturne_refresher"
    assert edition(web, dsn, 5300)["state"] == "held"


def test_a_withdrawn_version_can_be_put_back_by_its_number(dsn: str, web: Web) -> None:
    edition(web, dsn, 5200)
    second = edition(web, dsn, 5300)
    roll_back("streets", dsn=dsn)
    again = roll_back("streets", dsn=dsn, to=int(second["release_id"]))
    assert again["version"] == second["version"]
    assert edition(web, dsn, 5300)["state"] == "unchanged"


def test_without_a_former_version_nothing_moves(postgres: Database, dsn: str, web: Web) -> None:
    loaded = edition(web, dsn, 5200)
    for to in (None, 999, int(loaded["release_id"])):
        with pytest.raises(ReferenceRefused, match="no former version"):
            roll_back("streets", dsn=dsn, to=to)
    with pytest.raises(ReferenceRefused, match="no source “horoscopes”"):
        roll_back("horoscopes", dsn=dsn)
    assert postgres.rows("SELECT state, withdrawn_at FROM ref.release") == [("in_use", None)]


@pytest.mark.usefixtures("english")
def test_by_one_command(deployed: Database, web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    dsn = deployed.dsn("refresher")
    first = edition(web, dsn, 5200)
    edition(web, dsn, 5300)
    capsys.readouterr()
    assert main(["references", "rollback", "streets"]) == 0
    assert json.loads(capsys.readouterr().out)["version"] == first["version"]
    assert main(["references", "list", "streets"]) == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["state"] for one in listed] == ["former", "in_use"]
    assert main(["references", "rollback", "streets"]) == 1
    assert "no former version" in capsys.readouterr().err
    assert main(["references", "refresh", "streets", "--location", web.url + BAN]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "held"
