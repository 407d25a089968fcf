"""`detect` and `deidentify` on files and pipes."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

import pytest

from deid.config.policy import DEFAULT
from deid.domain.labels import Label
from tests.unit.cli.conftest import Call, jsonl

TEXT = "Madame Maëlys VASSEROT, née le 14/05/1961, est suivie par le Dr Yann TREGUIER. Tél. 06 12 34 56 78."
PATIENT = {"key": "p1", "last_name": "VASSEROT", "first_names": ["Maëlys"], "birth_date": "1961-05-14", "zip": None}
LETTER = {"id": "d1", "text": TEXT, "patient": PATIENT, "reference_date": "2026-03-02", "type": "Lettre"}
RULES = DEFAULT.with_name("rules.yaml")  # without models, which take long
SEEN = "Patient vu le 24/02/2026 pour une toux, puis revu le 02/03/2026 : auscultation normale."

BAD_LINES = [
    ("nope", "n'est pas du JSON"),
    ("[1]", "n'est pas un objet JSON"),
    ("[" * 100_000, "n'est pas du JSON"),
    ('{"id": "x", "text": ' + "9" * 5000 + "}", "n'est pas du JSON"),
    ({"text": TEXT}, "« id »"),
    ({"id": 7, "text": TEXT}, "« id »"),
    ({"id": " ", "text": TEXT}, "« id »"),
    ({"id": "a\u0007", "text": TEXT}, "« id »"),
    ({"id": "x"}, "« text »"),
    ({"id": "x", "text": None}, "« text »"),
    ({"id": "x", "text": TEXT, "patient": "VASSEROT"}, "« patient »"),
    ({"id": "x", "text": TEXT, "patient": {"zip": 21000}}, "« patient.zip »"),
    ({"id": "x", "text": TEXT, "patient": {"first_names": ["VASSEROT", 3]}}, "« patient.first_names »"),
    ({"id": "x", "text": TEXT, "patient": {"birth_date": "1961-13"}}, "« patient.birth_date »"),
    ({"id": "x", "text": TEXT, "reference_date": "VASSEROT"}, "« reference_date »"),
    ({"id": "x", "text": TEXT, "type": 3}, "« type »"),
    ({"id": "x", "text": TEXT, "format": []}, "« format »"),
    (LETTER, "déjà rencontré"),
]


def test_detect_writes_offsets_labels_scores_and_votes(deid: Call) -> None:
    said = deid("detect", stdin=jsonl([LETTER]))
    assert (said.status, said.err) == (0, "")
    (line,) = said.lines
    assert list(line) == ["id", "mentions"]
    found = {TEXT[one["start"] : one["end"]]: one for one in line["mentions"]}
    assert found["Maëlys VASSEROT"]["label"] == "PATIENT"
    assert found["14/05/1961"]["label"] == "DATE"
    assert found["06 12 34 56 78"]["label"] == "PHONE"
    for one in line["mentions"]:
        assert set(one) - {"subtype"} == {"start", "end", "label", "score", "votes"}
        assert one["label"] in list(Label)
        assert 0 <= one["score"] <= 1
        assert {"annotator", "label", "score"} == set(one["votes"][0])


def test_annotators_can_be_chosen(deid: Call) -> None:
    said = deid("detect", "--annotators", "patterns", stdin=jsonl([LETTER]))
    votes = {vote["annotator"] for one in said.lines[0]["mentions"] for vote in one["votes"]}
    assert votes == {"patterns"}
    assert deid("detect", "--annotators", "divination", stdin=jsonl([LETTER])).status == 2
    assert deid("detect", "--annotators", " , ", stdin=jsonl([LETTER])).status == 2


def test_a_page_gives_the_text_its_offsets_count_in(deid: Call) -> None:
    page = {**LETTER, "text": f"<p>{TEXT.replace('VASSEROT', 'VASSE<b>ROT</b>')}</p>", "format": "text/html"}
    (line,) = deid("detect", stdin=jsonl([page])).lines
    assert line["text"] == TEXT
    assert any(TEXT[one["start"] : one["end"]] == "Maëlys VASSEROT" for one in line["mentions"])


def test_deidentify_replaces_and_tells_where(deid: Call, secret: str) -> None:
    said = deid("deidentify", stdin=jsonl([LETTER, {**LETTER, "id": "d2"}]))
    assert (said.status, said.err) == (0, "")
    first, second = said.lines
    assert list(first) == ["id", "text", "mentions", "budget", "verdict"]
    assert second["text"] == first["text"]  # the same patient, the same values
    for original in ("VASSEROT", "Maëlys", "14/05/1961", "TREGUIER", "06 12 34 56 78"):
        assert original not in first["text"]
    position = surrogate_position = 0
    for one in first["mentions"]:
        assert set(one) == {"start", "end", "label", "surrogate_start", "surrogate_end"}
        assert TEXT[position : one["start"]] == first["text"][surrogate_position : one["surrogate_start"]]
        position, surrogate_position = one["end"], one["surrogate_end"]
    assert TEXT[position:] == first["text"][surrogate_position:]
    assert {"category", "mechanism", "epsilon", "elements"} == set(first["budget"][0])
    assert first["verdict"]["passed"] is True
    assert first["verdict"]["reasons"] == []
    assert secret not in said.out


def test_without_a_secret_nothing_is_drawn(deid: Call, tmp_path: Path) -> None:
    said = deid("deidentify", "-o", tmp_path / "out.jsonl", stdin=jsonl([LETTER]))
    assert said.status == 2
    assert "NOCTURNE_SECRET n'est pas donné" in said.err
    assert said.out == ""
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.usefixtures("secret")
def test_what_the_checks_hold_back_is_not_written(deid: Call, tmp_path: Path) -> None:
    english = {"id": "en", "text": "The patient was admitted to the emergency room with chest pain and fever. " * 6}
    refused = tmp_path / "refused.jsonl"
    said = deid("deidentify", "--refused", refused, stdin=jsonl([english, LETTER, {"id": "vide", "text": " "}]))
    assert said.status == 1
    assert [line["id"] for line in said.lines] == ["d1"]
    assert "document en : " in said.err
    assert "[not_french]" in said.err
    assert "document vide : Document vide [empty]" in said.err
    held = [json.loads(line) for line in refused.read_text(encoding="utf-8").splitlines()]
    assert [(line["id"], line["verdict"]["passed"]) for line in held] == [("en", False), ("vide", False)]
    assert all(set(line) == {"id", "verdict"} for line in held)


@pytest.mark.usefixtures("secret")
@pytest.mark.parametrize("command", ["detect", "deidentify"])
def test_bad_lines_are_told_by_number_and_the_others_go_on(deid: Call, command: str) -> None:
    lines = [LETTER, *(line for line, _ in BAD_LINES), "", {**LETTER, "id": "last"}]
    said = deid(command, "-", stdin=jsonl(lines).encode() + b'{"id": "\xff"}\n')
    assert said.status == 1
    assert [line["id"] for line in said.lines] == ["d1", "last"]
    told = said.err.splitlines()
    for number, (_, message) in enumerate(BAD_LINES, start=2):
        assert f"entrée standard, ligne {number} : " in told[number - 2]
        assert message in told[number - 2]
    assert told[len(BAD_LINES)] == f"entrée standard, ligne {len(lines) + 1} : n'est pas en UTF-8"
    assert told[-1] == f"deid : {len(BAD_LINES) + 1} refusé(s), voir ci-dessus."
    assert "VASSEROT" not in said.err


@pytest.mark.usefixtures("secret")
def test_files_in_and_out(deid: Call, tmp_path: Path) -> None:
    source, result = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b"\xef\xbb\xbf" + jsonl([LETTER]).encode())
    result.write_text("earlier", encoding="utf-8")
    assert deid("deidentify", source, "-o", result).status == 0
    assert json.loads(result.read_text(encoding="utf-8"))["id"] == "d1"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]
    assert deid("deidentify", source, "-o", source).status == 0  # read whole before it is replaced
    assert "VASSEROT" not in source.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_used_is_named(deid: Call, tmp_path: Path) -> None:
    absent = deid("detect", tmp_path / "absent.jsonl")
    assert absent.status == 2
    assert "absent.jsonl" in absent.err
    assert deid("detect", tmp_path).status == 2
    nowhere = deid("detect", "-o", tmp_path / "no" / "out.jsonl", stdin=jsonl([LETTER]))
    assert nowhere.status == 2
    for folder in (tmp_path, tmp_path / "." / "", "/"):
        into = deid("detect", "-o", folder, stdin=jsonl([LETTER]))
        assert into.status == 2
        assert "est un dossier. Donner un fichier de ce dossier" in into.err
    assert deid("detect", "--policy", tmp_path / "absent.yaml", stdin=jsonl([LETTER])).status == 2


def test_no_line_gives_no_line(deid: Call) -> None:
    assert deid("detect", stdin="\n \n").out == ""


def test_progress_is_for_people_only(deid: Call) -> None:
    assert deid("detect", stdin=jsonl([LETTER])).err == ""


def test_the_staff_of_a_file_are_found(deid: Call, tmp_path: Path) -> None:
    path = tmp_path / "staff.jsonl"
    path.write_text('{"last_name": "Quillec", "first_names": ["Armel"]}\n', encoding="utf-8")
    line = {"id": "d", "text": "relu quillec armel ce matin"}
    votes = deid("detect", "--staff", path, stdin=jsonl([line])).lines[0]["mentions"][0]["votes"]
    assert ("identity", "DOCTOR") in {(vote["annotator"], vote["label"]) for vote in votes}
    path.write_text("QUILLEC", encoding="utf-8")
    said = deid("detect", "--staff", path, stdin=jsonl([line]))
    assert said.status == 2
    assert "QUILLEC" not in said.err


@pytest.mark.usefixtures("secret")
def test_dates_of_the_past_come_before_the_day_on_which_texts_are_read(deid: Call) -> None:
    letters = [{**LETTER, "id": f"d{at}", "patient": {"key": f"p{at}"}, "text": SEEN} for at in range(16)]
    found = {}
    for options in ((), ("--read-from", "2026-03-09")):
        said = deid("deidentify", "--policy", RULES, *options, stdin=jsonl(letters))
        found[options] = [date(int(year), int(month), int(day)) for line in said.lines
                          for day, month, year in re.findall(r"(\d\d)/(\d\d)/(\d{4})", line["text"])]  # fmt: skip
    free, ended = found.values()
    assert len(free) == len(ended) == 32
    assert max(ended) < date(2026, 3, 9) < max(free)
    assert deid("deidentify", "--read-from", "mars", stdin=jsonl(letters)).status == 2
