"""The commands of docs/fr/premier-modele.md, in their order, on letters of the synthetic hospital."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from deid.cli import main
from deid.config.settings import settings
from demo.hospital import Hospital, generate
from demo.population import population_of
from tests import ROOT
from tests.conftest import Database
from tests.database.warehouse.small_hospital import open_hospital

PAGE = ROOT / "docs" / "fr" / "premier-modele.md"
POLICY = """extends: rules
name: own
detection:
  annotators: [{name: patterns}, {name: context}, {name: identity}, {name: bilstm_crf, options: {model: registry}}]
  merge: average
promotion: {least_documents: 2}
"""


def commands() -> list[list[str]]:
    """Return the words of each command of the page, without the program."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    return [shlex.split(line)[1:] for block in blocks for line in block.strip().splitlines()]


def write_letters(hospital: Hospital, path: Path) -> None:
    people = {one.patient_id: one for one in hospital.patients}
    kinds = {one.document_id: one.type_code for one in hospital.documents}
    with path.open("w", encoding="utf-8") as file:
        for record in population_of(hospital).records:
            assert record.document.patient is not None
            person = people[record.document.patient.key]
            patient = {
                "key": person.patient_id,
                "last_name": person.last_name,
                "first_names": person.first_names,
                "birth_date": person.birth_date.isoformat(),
            }
            line = {"id": record.document.id, "text": record.document.text, "type": kinds[record.document.id]}
            file.write(json.dumps(line | {"patient": patient}) + "\n")


@pytest.mark.slow
def test_the_day_goes_through(
    deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command ends well; the night's detector then has the hash of the model."""
    open_hospital(deployed)
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(tmp_path / "policy.yaml"))
    monkeypatch.setenv("NOCTURNE_MODELS", str(tmp_path / "models"))
    settings.cache_clear()
    monkeypatch.chdir(tmp_path)
    write_letters(generate(seed=11, patients=6, documents=24, nights=2), tmp_path / "lettres.jsonl")
    digest = ""
    for words in commands():
        asked = [digest if word == "EMPREINTE" else word for word in words]
        if asked[0] == "train":
            asked.append("--small")
        if asked[:2] == ["models", "evaluate"]:
            (tmp_path / "mesure.jsonl").write_bytes((tmp_path / "relus.jsonl").read_bytes())
        capsys.readouterr()
        code = main(asked)
        said = capsys.readouterr()
        assert code == 0 or asked[:2] == ["models", "check"], (asked, said.err)
        if asked[:2] == ["models", "register"]:
            digest = re.findall(r"\b[0-9a-f]{12,64}\b", said.out)[0]
        if asked[:2] == ["models", "promote"]:
            assert deployed.rows("SELECT state FROM deid.model") == [("serving",)]
    assert deployed.rows("SELECT state FROM deid.model") == [("retired",)]
