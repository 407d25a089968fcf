"""Files that were written with the identity of a patient in them, or damaged: each is written without either."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.raw_search import found_in
from deid.cli import app
from deid.formats import FileRules, read_file
from tests.unit.cli.conftest import SECRET

FOLDER = Path(__file__).parent / "file_cases"
CASES = {one["file"]: one for one in map(json.loads, (FOLDER / "expected.jsonl").read_text("utf-8").splitlines())}
ONE = "k01_one_ipp.hl7"
SECOND = b"N^PI~9911223344^^^CHU-VOISIN&390000124&N^PI~"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of them under the policy that ships, and one again with a second identifier of its patient."""
    source, target = tmp_path_factory.mktemp("in"), tmp_path_factory.mktemp("out") / "written"
    for name in CASES:
        (source / name).write_bytes((FOLDER / name).read_bytes())
    raw = (FOLDER / ONE).read_bytes()
    (source / "two.hl7").write_bytes(raw.replace(b"N^PI~", SECOND, 1))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("NOCTURNE_SECRET", SECRET)
        done = CliRunner().invoke(app, ["file", "--keep-names", str(source), str(target)])
    assert done.exit_code == 0, done.stderr
    return target


def test_every_file_is_a_case() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {*CASES, "expected.jsonl"}
    assert len(CASES) == 39


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_written_without_the_identity_and_without_damage(written: Path, name: str) -> None:
    case, raw, before = CASES[name], (written / name).read_bytes(), (FOLDER / name).read_bytes()
    unwanted, wanted = case.get("must_not_contain", []), case.get("must_contain", [])
    assert unwanted or wanted or name in (ONE, "m01_english_desc.dcm")
    assert raw != before or not unwanted
    told = read_file(raw, document_id="d", max_bytes=10_000_000, hint="", rules=FileRules()).text
    held = f"{raw.decode('utf-8', 'replace')}\n{raw.decode('cp1252', 'replace')}\n{told}"
    assert [one for one in unwanted if one in held] == []
    assert found_in(raw, [one for one in unwanted if not one.startswith(("[", ";"))]) == set()
    assert [one for one in wanted if one not in held] == []


def test_a_second_identifier_changes_no_surrogate(written: Path) -> None:
    one, two = ((written / name).read_bytes().split(b"\r") for name in (ONE, "two.hl7"))
    fields, more = one[1].split(b"|"), two[1].split(b"|")
    assert more[5:] == fields[5:]
    assert more[3].split(b"~")[0] == fields[3].split(b"~")[0]
    assert two[2:] == one[2:]
