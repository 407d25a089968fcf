"""The commands of docs/fr/premier-modele.md, in their order, on letters of the synthetic hospital."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from deid.cli import main
from deid.config.settings import settings
from demo.hospital import generate, load
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from tests import ROOT
from tests.conftest import Database
from tests.database.warehouse.nights import night
from tests.database.warehouse.small_hospital import NIGHT, READABLE

PAGE = ROOT / "docs" / "fr" / "premier-modele.md"
POLICY = """extends: rules
name: own
detection:
  annotators: [{name: patterns}, {name: context}, {name: identity}, {name: bilstm_crf, options: {model: registry}}]
  merge: average
promotion: {least_documents: 2}
quality: {max_quarantined_share: 1, warn_quarantined_share: 1}
"""


def commands() -> list[list[str]]:
    """Return the words of each command of the page, without the program."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    return [shlex.split(line)[1:] for block in blocks for line in block.strip().splitlines()]


def names_searched(model: str, corpus: str, capsys: pytest.CaptureFixture[str]) -> int:
    """Return how many strings of one corpus `models check` looks for."""
    main(["models", "check", model, "--corpus", corpus])
    return int(json.loads(capsys.readouterr().out)["searched"])


def check_unlearned(measured: list[list[GoldDocument]], learned: list[GoldDocument]) -> None:
    """Two people measured on documents of other patients than those learned from."""
    known = {one.document.patient.key for one in [*learned, *load_corpus(Path("lointain") / "train")]}
    texts = {one.document.text for one in load_corpus(Path("lointain") / "train")}
    assert all(measured)
    for one in (one for part in measured for one in part):
        assert one.document.patient.key not in known
        assert one.document.text not in texts


@pytest.mark.slow
def test_the_day_goes_through(
    deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command ends well, and the night states the hash of the model; measured on patients not learned from."""
    hospital = generate(seed=23, patients=12, documents=30, nights=2)
    deployed.rows(READABLE)
    load(deployed.owner, replace(hospital, documents=tuple(one for one in hospital.documents if not one.fault)))
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(tmp_path / "policy.yaml"))
    monkeypatch.setenv("NOCTURNE_MODELS", str(tmp_path / "models"))
    settings.cache_clear()
    monkeypatch.chdir(tmp_path)
    digest = ""
    for words in commands():
        asked = [digest if word == "EMPREINTE" else word for word in words]
        if asked[0] == "train":
            asked.append("--small")
        if asked[:2] == ["annotations", "sample"]:
            asked[asked.index("--size") + 1] = "6"  # of few letters: the others are learned by distant labels alone
        if asked[:2] == ["models", "evaluate"]:
            check_unlearned([load_corpus(tmp_path / name) for name in asked[3:]], load_corpus(tmp_path / "relus.jsonl"))
        capsys.readouterr()
        code = main(asked)
        said = capsys.readouterr()
        if asked[:2] == ["models", "check"]:
            found = json.loads(said.out)
            assert code == bool(found["obstacles"]), "what must not leave ends with 1"
            assert [len(group) for group in found["exposure_bits"].values()] == [2], "the canaries were planted"
            assert names_searched(asked[2], "relus.jsonl", capsys) < found["searched"], "what it learned first counts"
            continue
        assert code == 0, (asked, said.err)
        if asked[:2] == ["models", "register"]:
            digest = re.findall(r"\b[0-9a-f]{12,64}\b", said.out)[0]
        if asked[:2] == ["models", "promote"]:
            assert deployed.rows("SELECT state FROM deid.model") == [("serving",)]
            deployed.rows("UPDATE cdw.document SET ingested_at = %s WHERE document_id = 'D0000003'", (NIGHT,))
            night("promoted")
            ((kept, stated),) = deployed.rows("SELECT models, detector_version FROM deid.run")
            assert kept == {"bilstm_crf": digest}
            assert f"bilstm_crf@{digest[:12]}" in stated
    assert deployed.rows("SELECT state FROM deid.model") == [("retired",)]
