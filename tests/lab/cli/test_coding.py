"""`coding`: from documents to folders of coders, their sheets, and figures."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.lab.learning.exchange.test_formats import case
from tests.unit.cli.conftest import Call, jsonl

CODES = {"v1": ["I501", "I10"], "v2": ["J13"], "v3": ["K359"], "v4": ["E119"]}
FILES = ("stays.jsonl", "out", "--documents", "documents.jsonl", "--published", "published.jsonl")


@pytest.fixture
def given(tmp_path: Path) -> Path:
    documents = [
        {"id": f"{stay}-{n}", "text": f"M. Dupont, {stay}, page {n}.", "type": "CRH", "reference_date": f"2026-03-0{n}"}
        for stay in CODES
        for n in (2, 1)
    ]
    published = [{"id": one["id"], "text": one["text"].replace("Dupont", "Martin")} for one in documents]
    stays = [{"id": stay, "documents": [f"{stay}-2", f"{stay}-1"], "codes": own} for stay, own in CODES.items()]
    for name, records in {"documents": documents, "published": published, "stays": stays}.items():
        (tmp_path / f"{name}.jsonl").write_text(jsonl(records), encoding="utf-8")
    return tmp_path


def _key(given: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (given / "out.cle.jsonl").read_text().splitlines()]


def _fill(given: Path, coder: str, spoil: int = 0) -> Path:
    """Fill in a sheet with the true codes of originals, and of published texts but some."""
    sheet = given / "out" / coder / "feuille.csv"
    about = {one["item"]: one for one in _key(given)}
    rows = [line.rstrip(";") for line in sheet.read_text().splitlines()[1:]]
    codes = {item: about[item]["codes"] for item in rows}
    for item in [one for one in rows if about[one]["arm"] == "published"][:spoil]:
        codes[item] = ["R53"]
    sheet.write_text("item;codes\n" + "".join(f"{item};{' '.join(own)}\n" for item, own in codes.items()))
    return sheet


def test_from_stays_to_figures(deid: Call, given: Path) -> None:
    said = deid("coding", "export", *FILES, "--coders", "ab,cd", "--seed", 3)
    assert (said.status, said.err) == (0, "4 séjours, 16 textes à coder ; clé : out.cle.jsonl\n")
    names = sorted(path.name for path in (given / "out").iterdir())
    assert names == ["ab", "cd"]
    for one in _key(given):
        folder = given / "out" / str(one["coder"])
        (file,) = folder.glob(f"*_{one['item']}.txt")
        assert file.name == f"{one['place']}_{one['item']}.txt"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        who = "Dupont" if one["arm"] == "original" else "Martin"
        first, second = file.read_text().split("-" * 72)
        assert f"<CRH> M. {who}, {one['stay']}, page 1." in first
        assert f"<CRH> M. {who}, {one['stay']}, page 2." in second
    shown = "".join(path.read_text() for path in (given / "out").rglob("*") if path.suffix == ".csv")
    assert not any(word in shown for word in ("v1", "original", "published", "I501"))

    said = deid("coding", "score", "out.cle.jsonl", _fill(given, "ab"), _fill(given, "cd", spoil=1), "--json")
    assert said.status == 0
    assert "moins de 30 séjours" in said.err
    levels = {one["level"]: one for one in json.loads(said.out)}
    assert list(levels) == ["code", "category", "block", "chapter"]
    assert levels["code"]["coders"]["ab"]["f1_loss"]["value"] == 0
    assert levels["code"]["coders"]["cd"]["f1_loss"]["value"] > 0
    assert levels["code"]["coders"]["cd"]["jaccard_loss"]["value"] == pytest.approx(1 / 4)
    (pair,) = levels["code"]["agreement"]
    assert pair["coders"] == ["ab", "cd"]
    assert (pair["arms"]["original"]["kappa"], pair["arms"]["published"]["jaccard"]["value"]) == (1, 0.75)

    tables = deid("coding", "score", "out.cle.jsonl", "out/ab/feuille.csv", "--level", "chapter")
    assert "| ab | publié | 4 | 1.000 | 1.000 | 1.000" in tables.out
    assert "κ" not in tables.out


def test_faults_of_sheets_are_told_by_their_line(deid: Call, given: Path) -> None:
    deid("coding", "export", *FILES, "--coders", "ab")
    sheet = _fill(given, "ab")
    rows = sheet.read_text().splitlines()
    item = rows[1].partition(";")[0]
    sheet.write_text("\n".join([rows[0], f"{item};HTA", *rows[2:], "BBBBBBB;I10"]))
    said = deid("coding", "score", "out.cle.jsonl", sheet, "--level", "code")
    assert said.status == 1
    assert f"feuille.csv, ligne 2, item {item} : un code n'est pas de la CIM-10" in said.err
    assert "ligne 10, item BBBBBBB : absent de la clé" in said.err
    assert "3 séjours codés" in said.err
    assert "HTA" not in said.err
    for key in ("documents.jsonl", "absent.jsonl", "out/ab/feuille.csv"):
        assert deid("coding", "score", key, sheet).status == 2


def test_stays_that_cannot_be_read_in_both_arms_are_left_out_and_named(deid: Call, given: Path) -> None:
    records = [json.loads(line) for line in (given / "stays.jsonl").read_text().splitlines()]
    records[0]["codes"] = []
    records[1]["codes"] += ["A10"]
    records += [
        {"id": "v5", "documents": ["absent"], "codes": ["I10"]},
        {"id": "v6", "documents": "v1-1", "codes": ["I10"]},
    ]
    (given / "stays.jsonl").write_text(jsonl(records), encoding="utf-8")
    lines = (given / "published.jsonl").read_text().splitlines()
    held = json.dumps({"id": json.loads(lines[-1])["id"], "verdict": {"passed": False, "reasons": ["x"]}})
    (given / "published.jsonl").write_text("\n".join([*lines[:-1], held]), encoding="utf-8")
    said = deid("coding", "export", *FILES)
    assert said.status == 1
    for told in (
        "stays.jsonl, ligne 6 : « documents » manque",
        "séjour v1 : sans codes",
        "séjour v2 : 1 codes hors de la CIM-10",
        "séjour v4 : document non publié",
        "séjour v5 : document absent de --documents",
        "2 séjours, 8 textes à coder",
    ):
        assert told in said.err
    assert {one["stay"] for one in _key(given)} == {"v2", "v3"}


def test_old_items_the_key_among_the_texts_and_too_few_stays_are_refused(deid: Call, given: Path) -> None:
    assert deid("coding", "export", *FILES, "--key", "out/key.jsonl").status == 2
    assert deid("coding", "export", *FILES, "--coders", "../ab,cd").status == 2
    assert deid("coding", "export", *FILES, "--size", 3).status == 0
    again = deid("coding", "export", *FILES)
    assert again.status == 2
    assert "n'est pas vide" in again.err
    (given / "stays.jsonl").write_text("", encoding="utf-8")
    assert "0 séjours" in deid("coding", "export", "stays.jsonl", "new", *FILES[2:]).err
    assert not (given / "new").exists()


def test_a_stay_of_two_hundred_pages_is_written_whole(deid: Call, given: Path) -> None:
    pages = "\n".join(f"page {n} " + "mot " * 400 for n in range(200)) + "fin"
    for name in ("documents", "published"):
        lines = [json.loads(line) for line in (given / f"{name}.jsonl").read_text().splitlines()]
        (given / f"{name}.jsonl").write_text(jsonl([one | {"text": pages} for one in lines]), encoding="utf-8")
    assert deid("coding", "export", *FILES, "--coders", "ab").status == 0
    for file in (given / "out" / "ab").glob("*_*.txt"):
        assert file.read_text().count("page 199 ") == 2
        assert file.read_text().endswith("fin\n")


SAID = {"I501": "insuffisance cardiaque gauche", "J13": "pneumonie à pneumocoque", "K359": "appendicite aiguë"}
COMPARED = ("stays.jsonl", "--documents", "documents.jsonl", "--published", "usuelle=usual.jsonl", "--out", "page")


def _stays(folder: Path, number: int, codes: tuple[str, ...] = tuple(SAID)) -> None:
    """Write stays that each say their code, published with it and without."""
    own = {f"v{n}": codes[n % len(codes)] for n in range(number)}
    text = {stay: f"M. Dupont{stay} est hospitalisé pour {SAID[code]}." for stay, code in own.items()}
    about = {
        "stays": [{"id": stay, "documents": [stay], "codes": [code]} for stay, code in own.items()],
        "documents": [{"id": stay, "text": one, "patient": {"key": f"p{stay}"}} for stay, one in text.items()],
        "usual": [{"id": stay, "text": one.replace("Dupont", "Martin")} for stay, one in text.items()],
        "empty": [{"id": stay, "text": one.partition(" pour ")[0]} for stay, one in text.items()],
    }
    for name, records in about.items():
        (folder / f"{name}.jsonl").write_text(jsonl(records), encoding="utf-8")


def test_policies_are_compared_by_what_a_coder_finds(deid: Call, tmp_path: Path) -> None:
    _stays(tmp_path, 33)
    stays = (tmp_path / "stays.jsonl").read_text().splitlines()
    wrong = [{"id": "w1", "documents": ["v1"], "codes": []}, {"id": "w2", "documents": ["v2"], "codes": ["I10", "A10"]}]
    (tmp_path / "stays.jsonl").write_text(jsonl([*stays, *wrong]), encoding="utf-8")
    said = deid("coding", "compare", *COMPARED, "--published", "vide=empty.jsonl", "--level", "category")
    assert said.status == 1
    for told in ("séjour w1 : sans codes", "séjour w2 : 1 codes hors de la CIM-10", "34 séjours comparés"):
        assert told in said.err
    assert {path.name for path in (tmp_path / "page").iterdir()} == {"coding.md", "coding.svg"}
    page = (tmp_path / "page" / "coding.md").read_text()
    assert "34 stays of 33 patients" in page
    assert "![Jaccard index, tf-idf, category](coding.svg)" in page
    rows = {line.split(" | ")[0].removeprefix("| "): line.split(" | ") for line in reversed(page.splitlines())}
    assert rows["usuelle"][4] == "+0.00 (+0.00 to +0.00)"
    assert rows["vide"][4].startswith("+")
    assert rows["vide"][4] != rows["usuelle"][4]
    assert "P@8" in rows["arm"]
    assert "gain over usuelle" in page
    assert rows["X"][1] == "11"
    assert not any(word in page for word in ("Dupont", "Martin", "cardiaque", "v1 "))


def test_few_stays_are_compared_without_a_plot(deid: Call, tmp_path: Path) -> None:
    _stays(tmp_path, 9)
    said = deid("coding", "compare", *COMPARED)
    assert (said.status, "moins de 30 séjours" in said.err) == (0, True)
    assert [path.name for path in (tmp_path / "page").iterdir()] == ["coding.md"]
    assert "no plot is drawn" in (tmp_path / "page" / "coding.md").read_text()


@pytest.mark.parametrize(
    ("number", "codes", "changed", "told"),
    [
        (3, tuple(SAID), (), "3 patients"),
        (9, ("J13",), (), "mêmes codes"),
        (0, ("J13",), (), "pas de séjours avec des codes"),
        (9, tuple(SAID), ("--published", "usuelle=empty.jsonl"), "NOM=FICHIER"),
        (9, tuple(SAID), ("--published", "original=empty.jsonl"), "textes originaux"),
        (9, tuple(SAID), ("--encoder", "."), "sans effet"),
        (9, tuple(SAID), ("--out", "."), "existe"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    deid: Call, tmp_path: Path, number: int, codes: tuple[str, ...], changed: tuple[str, ...], told: str
) -> None:
    _stays(tmp_path, number, codes)
    said = deid("coding", "compare", *COMPARED, *changed)
    assert said.status == 2
    assert told in said.err
    assert not (tmp_path / "page").exists()


@pytest.mark.usefixtures("given")
def test_statistics_of_stays(deid: Call) -> None:
    said = deid("coding", "statistics", "stays.jsonl", "--documents", "documents.jsonl")
    assert (said.status, said.err) == (0, "4 séjours décrits\n")
    assert "4 séjours, 8 documents, 48 mots" in said.out
    assert "| code | tous | 5 | 1.2 | 5 | 5 | 0 | 0.2500 |" in said.out
    assert "| chapitre | associés | 1 | 0.2 | 1 | 1 | 0 | 0.2500 |" in said.out


def test_parhaf_becomes_the_lines_that_the_other_commands_read(deid: Call, tmp_path: Path) -> None:
    cases = [case(1), case(2, structured_abstract={"primary_diagnosis": []})]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.jsonl").write_text(jsonl(cases), encoding="utf-8")
    said = deid("coding", "parhaf", "data", "lus")
    assert (said.status, said.err) == (1, "séjour p2 : sans codes ; laissé de côté\n1 séjours écrits dans lus\n")
    described = deid("coding", "statistics", "lus/sejours.jsonl", "--documents", "lus/documents.jsonl")
    assert described.status == 0
    assert described.out.startswith("1 séjours, 1 documents")
    assert "| code | tous | 1 |" in described.out
