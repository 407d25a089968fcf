"""`benchmark`: a small corpus in the published shape becomes a page of figures, and no text of it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests import ROOT
from tests.lab.learning.exchange.test_formats import case, parhaf, row
from tests.unit.cli.conftest import Call, jsonl

RULES = "version: 1\ndetection:\n  annotators: [{name: patterns}]\n  merge: weights\n"
SURNAMES = "Vasserot Quillivic Brandelet Ostrowik Guyonvarc Melchiorri".split()
SEEN = "patient vu pour dyspnée le 14/05/2021, tél. 06 12 34 56 78, suivi par Z{name} depuis."
DISEASES = {"J13": "Pneumopathie, toux et fièvre.", "K35.9": "Appendicite, douleur iliaque droite opérée."}


def annotated(folder: Path, names: list[str]) -> None:
    """Write reports with a phone that rules find, and a name that they miss, as PARHAF-pseudo-annotated has them."""
    reports, rows = [], []
    for number, name in enumerate(names):
        text = SEEN.format(name=name)
        reports.append({"report": f"r{number}", "full_text": text})
        marks = ("14/05/2021", "IDENTIFYING_DATE", None), ("06 12 34 56 78", "PHONE_NUMBER", None)
        marks += ((f"Z{name}", "LAST_NAME", "Carer"),)
        rows += [row(text, *mark) | {"report": f"r{number}"} for mark in marks]
    parhaf(folder / "PARHAF-pseudo-annotated" / "data", reports, rows)


def coded(folder: Path, number: int) -> None:
    """Write stays of two diseases, as PARHAF has them, and one without a code."""
    cases = [case(0, structured_abstract={"primary_diagnosis": []})]
    for at in range(1, number + 1):
        code, text = list(DISEASES.items())[at % 2]
        document = {"type": "CRH", "header": None, "text": f"{text} Joindre le 06 12 34 56 {at:02}.", "word_count": 9}
        codes = {"primary_diagnosis": [{"code": code, "description": "x"}]}
        cases.append(case(at, documents=[document], structured_abstract=codes))
    (folder / "PARHAF" / "data").mkdir(parents=True)
    (folder / "PARHAF" / "data" / "train.jsonl").write_text(jsonl(cases), encoding="utf-8")


@pytest.fixture
def given(tmp_path: Path) -> Path:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    return tmp_path


def cells(page: str, first: str) -> list[str]:
    """Return the cells of the row that begins with a word."""
    (line,) = [one for one in page.splitlines() if one.startswith(f"| {first} |")]
    return [one.strip() for one in line.strip("|").split("|")]


@pytest.mark.slow
def test_parhaf_becomes_a_page_of_figures_without_text(deid: Call, given: Path) -> None:
    annotated(given / "in", SURNAMES)
    coded(given / "in", 40)
    said = deid("benchmark", "parhaf", "in", "--policy", "rules.yaml")
    assert (said.status, said.out) == (0, "")
    page = (given / "benchmark-parhaf.md").read_text(encoding="utf-8")
    assert cells(page, "PHONE_NUMBER")[1:5] == ["6", "100.0", "100.0", "100.0"]
    assert cells(page, "CARER")[1:4] == ["6", "–", "0.0"]
    # Every document is published with the name that rules miss, so the sample reads them all and says so.
    assert cells(page, "un identifiant direct")[1:] == ["6", "6", "6", "6–6", "6"]
    assert sorted(re.findall(r"\br\d\b", page)) == [f"r{number}" for number in range(6)]
    # Two words tell two diseases apart, in both texts.
    assert cells(page, "texte original")[3] == "**1.000** (1.000–1.000)"
    assert float(cells(page, "texte publié")[3][2:7]) > 0.9
    assert "41 séjours, 40 avec documents et codes" in page
    for secret in (*SURNAMES, "dyspnée", "Appendicite", "06 12", "14/05"):
        assert secret not in page + said.err
    assert deid("benchmark", "parhaf", "in", "--policy", "rules.yaml").status == 2  # the page is there already


@pytest.mark.slow
def test_one_of_both_datasets_suffices_and_a_page_speaks_english(
    deid: Call, given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCTURNE_LANG", "en")
    coded(given / "in", 8)
    said = deid("benchmark", "parhaf", "in/PARHAF", "--policy", "rules.yaml", "--size", 8, "--out", "page.md")
    assert said.status == 0
    page = (given / "page.md").read_text(encoding="utf-8")
    assert "the folder holds no dataset PARHAF-pseudo-annotated" in page
    assert "8 stays" in page
    assert not re.search(r"\b(séjours|publié|ancien)\b", page)
    assert deid("benchmark", "parhaf", "rules.yaml", "--out", "other.md").status == 2
    assert not (given / "other.md").exists()


@pytest.mark.slow
def test_templates_are_judged_in_the_classes_of_their_scheme(deid: Call, given: Path) -> None:
    texts = [
        "Tél : [06 12 34 56 78](TEL), vu le [3 mai 2021](DATE).",
        "Vu le [4 mai 2021](DATE) avec [Zquillivic](NOM).",
    ]
    (given / "templates.txt").write_text("\n\n".join(texts), encoding="utf-8")
    said = deid("benchmark", "eds-pseudo", "templates.txt", "--policy", "rules.yaml")
    assert said.status == 0
    page = (given / "benchmark-eds-pseudo.md").read_text(encoding="utf-8")
    assert cells(page, "TEL")[1:5] == ["1", "100.0", "100.0", "100.0"]
    assert "Zquillivic" not in page
    assert "templates-2" in page


@pytest.mark.parametrize("known", [["r1"], None])
def test_a_model_that_learned_from_what_is_judged_or_may_have_is_refused(
    deid: Call, given: Path, monkeypatch: pytest.MonkeyPatch, known: list[str] | None
) -> None:
    annotated(given / "in", SURNAMES)
    monkeypatch.setenv("NOCTURNE_MODELS", str(given / "models"))
    model = shutil.copytree(ROOT / "deid" / "models" / "crf", given / "models" / "crf" / ("a" * 64))
    choice = {"name": "crf", "options": {"model": str(model)}}
    (given / "own.yaml").write_text(RULES.replace("{name: patterns}", f"{{name: patterns}}, {json.dumps(choice)}"))
    if known:
        model.with_name(f"{model.name}.learned.json").write_text(json.dumps(known))
    said = deid("benchmark", "parhaf", "in", "--policy", "own.yaml")
    assert said.status == 2
    assert ("r1" if known else "rien ne dit de quels documents le modèle crf/aaaaaaaaaaaa a appris") in said.err
    assert not (given / "benchmark-parhaf.md").exists()
