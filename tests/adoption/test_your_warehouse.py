"""The tutorial's commands, literally, on a warehouse unlike the contracts that ship, up to what a researcher reads."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs import commands
from tests.adoption.own_warehouse import PEOPLE
from tests.folders import make_server_folder

PAGE = "docs/your-warehouse.md"


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder for commands that start PostgreSQL."""
    folder = make_server_folder()
    yield folder
    shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.timeout(600)  # each command of the page in a process of its own
def test_the_commands_lead_to_a_published_text(place: Path) -> None:
    page = commands.pages()[PAGE]
    commands.run(page, place)
    assert not [(one.text, one.said[-3000:]) for one in page.commands if one.outcome == "failed"]
    said = {one.text.split("\n")[0]: one.said for one in page.commands}
    assert "erreur" not in "".join(said.values())
    summary = next(one for one in said.values() if '"step": "summarise"' in one)
    assert '"warnings": 1' in summary, "an approval was asked for"
    read = said["python - <<'READ'"]
    assert read.count("bisoprolol 2,5 mg") == 3
    for last, first, born, street, town, phone in PEOPLE:
        # A town alone may be drawn as another patient's surrogate.
        for written in (last, first, phone, born, f"{street} à {town}", "TREGUIER", "du 25/02/2026 au 02/03/2026"):
            assert written not in read
