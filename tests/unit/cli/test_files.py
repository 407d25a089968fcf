"""`file` on folders and files of several formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import ROOT
from tests.unit.cli.conftest import Call

LETTER = "Madame Maëlys VASSEROT, née le 14/05/1961, IPP 8001234567, est suivie par le Dr Yann TREGUIER."
MESSAGE = (
    "MSH|^~\\&|APP|CHU|DPI|CHU|20240302143000||ORU^R01|M1|P|2.5|||||FRA|UNICODE UTF-8\r"
    "PID|1||8001234567^^^CHU^PI||VASSEROT^Maëlys||19610514|F\r"
    "OBX|1|TX|1^CR||Mme VASSEROT vue par le Dr TREGUIER, état stable.||||||F\r"
)
TABLE = "ipp;nom_patient;ddn;texte\n8001234567;VASSEROT;14/05/1961;Vue hier.\n8009876543;KERGOAT;02/03/1970;Vu.\n"
RULES = ROOT / "deid" / "config" / "policies" / "rules.yaml"
IDENTITY = ("VASSEROT", "Maëlys", "TREGUIER", "8001234567", "14/05/1961", "19610514")


@pytest.mark.usefixtures("secret")
def test_a_folder_is_rewritten_but_for_what_is_held_back(deid: Call, tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    (source / "VASSEROT").mkdir(parents=True)
    (source / "VASSEROT" / "a.txt").write_text(LETTER, encoding="cp1252")
    (source / "VASSEROT" / "b.hl7").write_bytes(MESSAGE.encode())
    (source / "c.json").write_text(json.dumps({"ipp": "8001234567", "texte": LETTER}), encoding="utf-8")
    (source / "d.xml").write_bytes(b"<dossier><a>")
    (source / "e.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    (source / "f.csv").write_text(TABLE, encoding="utf-8")
    said = deid("file", "--policy", RULES, "--workers", 2, "--report", tmp_path / "report.jsonl", source, target)
    assert said.status == 1
    assert "4 fichier(s) écrit(s), 2 retenu(s)." in said.out
    assert "1 fichier(s) de plusieurs patients" in said.err
    assert "malformed" in said.err
    assert "scanned" in said.err
    written = {path.name: path.read_bytes() for path in target.iterdir()}
    assert set(written) == {"1.txt", "2.hl7", "3.json", "6.csv"}
    for name, content in written.items():
        text = content.decode("cp1252" if name == "1.txt" else "utf-8")
        assert not [one for one in IDENTITY if one in text]
    report = [json.loads(line) for line in (tmp_path / "report.jsonl").read_text().splitlines()]
    assert [line["written"] is None for line in report] == [False, False, False, True, True, False]
    assert [line.get("patients") for line in report] == [1, 1, 1, None, None, 2]
    message = written["2.hl7"].decode().split("\r")
    name, ipp = message[1].split("|")[5].split("^")[0], message[1].split("|")[3].split("^")[0]
    assert f"Mme {name} vue" in message[2]
    assert json.loads(written["3.json"])["ipp"] == ipp  # the same patient, the same surrogates


@pytest.mark.usefixtures("secret")
def test_a_target_that_would_overwrite_is_refused(deid: Call, tmp_path: Path) -> None:
    letter = tmp_path / "a.txt"
    letter.write_text(LETTER, encoding="utf-8")
    for source, target in ((letter, letter), (letter, tmp_path), (tmp_path, tmp_path / "x"), (tmp_path / "no", letter)):
        assert deid("file", "--policy", RULES, source, target).status == 2
