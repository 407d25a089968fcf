"""The verdict of a run: what is asked once more, what is not, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.coverage_by_package import FLOORS, MOST, raised
from tests import ROOT
from tests.conftest import ALONE, scope_of
from tests.verdict import judge

UNLUCKY = """
from pathlib import Path
def test_{0}():
    seen = Path(__file__).with_suffix(".seen")
    first = not seen.exists()
    seen.touch()
    assert not first
"""
FINE, WRONG = "def test_fine(): pass\n", "def test_wrong(): assert False\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # A pytest closes the folder of temporary files to other users, those of the tests beside this one among them.
    monkeypatch.setenv("PYTEST_DEBUG_TEMPROOT", str(tmp_path))
    (tmp_path / "tests" / "privacy").mkdir(parents=True)
    (tmp_path / "tests" / "test_fine.py").write_text(FINE)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def unlucky(checkout: Path, *names: str) -> None:
    for name in names:
        (checkout / f"{name}.py").write_text(UNLUCKY.format(Path(name).name.removeprefix("test_")))


def test_all_that_pass_pass(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert judge(["-q"], checkout) == 0
    assert "FLAKY" not in capfd.readouterr().out


def test_two_that_pass_alone_are_named(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    unlucky(checkout, "tests/test_one", "tests/test_two")
    assert judge(["-q", "-n", "2"], checkout) == 0
    last = capfd.readouterr().out.splitlines()[-2:]
    assert [line.split(":")[0] for line in last] == [f"FLAKY tests/test_{one}.py" for one in ("one", "two")]


def test_a_test_is_asked_again_behind_those_that_go_before_it(checkout: Path) -> None:
    story = "from pathlib import Path\nTOLD = []\ndef test_first(): TOLD.append(1)\n" + UNLUCKY.format("next")
    (checkout / "tests" / "test_story.py").write_text(story + "    assert TOLD\n")
    assert judge(["-q"], checkout) == 0


def test_what_fails_twice_fails(checkout: Path) -> None:
    (checkout / "tests" / "test_wrong.py").write_text(WRONG)
    assert judge(["-q"], checkout) == 1


def test_three_at_once_are_no_bad_luck(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    unlucky(checkout, "tests/test_one", "tests/test_two", "tests/test_three")
    assert judge(["-q"], checkout) == 1
    assert "Once more" not in capfd.readouterr().out


@pytest.mark.parametrize("name", ["tests/privacy/test_leak", "tests/dags/test_canary"])
def test_a_leak_is_not_asked_twice(checkout: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    (checkout / "tests" / "dags").mkdir()
    unlucky(checkout, name)
    assert judge(["-q"], checkout) == 1
    assert "Once more" not in capfd.readouterr().out


def test_a_module_that_cannot_be_read_fails(checkout: Path) -> None:
    (checkout / "tests" / "test_broken.py").write_text("import nothing_of_that_name\n")
    assert judge(["-q"], checkout) not in (0, 5)


def test_modules_that_share_an_airflow_go_to_one_process_and_those_with_their_own_do_not() -> None:
    def scopes(*folders: str) -> list[str]:
        modules = [path for folder in folders for path in (ROOT / folder).rglob("test_*.py")]
        return [scope_of(f"{path.relative_to(ROOT)}::test_it[a::b]") for path in modules]

    assert {*scopes("tests/pages", "tests/dags")} == {"tests/pages/", "tests/dags/", *ALONE}
    others = scopes("tests/unit", "tests/database")
    assert len({*others}) == len(others)


def test_a_time_limit_of_its_own_has_its_reason_beside_it() -> None:
    bare = []
    for path in (ROOT / "tests").rglob("test_*.py"):
        lines = path.read_text(encoding="utf-8").splitlines()
        limited = [at for at, line in enumerate(lines) if "pytest.mark" + ".timeout(" in line]
        bare += [f"{path.name}:{at + 1}" for at in limited if not any("# " in line for line in lines[at - 1 : at + 1])]
    assert bare == []


def test_every_package_has_a_floor_of_covered_branches_which_only_rises() -> None:
    floors = json.loads(FLOORS.read_text(encoding="utf-8"))
    packages = {path.parent.name for path in ROOT.glob("deid/*/__init__.py")}
    packages |= {f"nocturne_lab.{path.parent.name}" for path in ROOT.glob("lab/nocturne_lab/*/__init__.py")}
    assert packages - floors.keys() == set()
    assert raised({"one": 80.0}, {"one": 70.0}) == {"one": 80.0}
    assert raised({"one": 80.0}, {"one": 84.5, "new": 99.0}) == {"one": 83.0, "new": MOST}
