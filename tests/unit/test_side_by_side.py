"""Counts of tools beside Nocturne, and reading of their masks; stand-ins take the place of the tools."""

from __future__ import annotations

import json
import re
import sys
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from benchmarks import hide_with_tool, side_by_side
from benchmarks.side_by_side import (
    GROUPS,
    TOOLS,
    Case,
    Run,
    code_version,
    counts,
    environments,
    figures,
    kept,
    packages_listed,
    part,
    run_tool,
)
from deid.domain.document import Mention, Patient
from deid.domain.labels import Label

TEXT = "Mme Anne-Marie BRIZARD, vue le 3 mars : anémie"
NAMES = {first.split("==")[0] for first, *_ in packages_listed()}
NAME, DAY = Mention(4, 22, Label.PATIENT), Mention(31, 37, Label.DATE)


def case(unit: str = "p1", patient: Patient | None = None) -> Case:
    return Case(TEXT, (NAME, DAY), patient or Patient(), unit)


def of(row: list[int], group: str) -> tuple[int, int]:
    at = [*GROUPS].index(group)
    return row[2 * at], row[2 * at + 1]


def test_a_mention_is_covered_by_pieces_that_leave_its_signs_and_not_by_one_that_leaves_a_letter() -> None:
    pieces = counts(case(), [(4, 8), (9, 14), (15, 22), (31, 36)])
    assert of(pieces, "direct") == of(pieces, "PATIENT") == (1, 1)
    assert of(pieces, "others") == of(pieces, "DATE") == (0, 1)
    assert of(pieces, "DOCTOR") == (0, 0)


def test_a_word_is_touched_by_a_character_unless_a_mention_meets_it() -> None:
    assert counts(case(), [])[-2:] == [0, 4]  # Mme, vue, le, anémie
    assert counts(case(), [(0, 22), (45, 46)])[-2:] == [2, 4]


def test_the_documents_of_a_patient_are_drawn_together() -> None:
    hidden = Run(hidden=[[(4, 22)], []])
    assert figures([case(), case()], hidden)[0][0] == "50.0 (50.0–50.0)"
    assert figures([case("p1"), case("p2")], hidden)[0][0] == "50.0 (0.0–100.0)"


def test_what_masks_leave_of_a_text_is_followed_through_all_of_them() -> None:
    # "abcdef" → "a<X>ef" → "<Y>ef": the second mask counts in what the first wrote.
    assert hide_with_tool.hidden_by_masks(6, [[(1, 4, "<X>")], [(0, 4, "<Y>")]]) == [(0, 4)]
    # "abcdef": spans that overlap are replaced from the last one on, as the tool does.
    assert hide_with_tool.hidden_by_masks(6, [[(0, 3, "<X>"), (2, 5, "<X>")]]) == [(0, 5)]
    assert hide_with_tool.hidden_by_masks(3, []) == []


def test_words_of_a_patient() -> None:
    patient = Patient.from_json(
        {"last_name": "BRIZARD", "birth_name": "BRIZARD", "first_names": ["Anne"], "birth_date": "1961-05-14"}
    )
    assert hide_with_tool.words_of(patient.as_json()) == ["BRIZARD", "Anne", "14/05/1961"]
    assert hide_with_tool.words_of(Patient.from_json({"birth_date": "1961"}).as_json()) == []


def test_unpii_masks_what_is_known_of_the_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_spans(text: str, *, mode: str, mask: list[str]) -> list[SimpleNamespace]:
        assert mode == "paranoid"
        return [SimpleNamespace(start=text.index(one), end=text.index(one) + len(one)) for one in mask]

    stand_in("unpii", monkeypatch, find_spans=find_spans)
    given = [{"text": TEXT, "patient": {"last_name": "BRIZARD"}}]
    assert [*hide_with_tool.unpii("paranoid")(given)] == [[(15, 22)]]


def test_incognito_is_asked_for_what_each_analyzer_hides_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    class Placeholders:
        def mask(self, text: str, coordinate: dict[Any, str]) -> str:
            for spans, said in coordinate.items():
                for start, end in spans:
                    text = text[:start] + said + text[end:]
            return text

    class Anonymizer:
        def __init__(self) -> None:
            self.MASKS: dict[str, Any] = {}
            self.searched: list[str] = []

        def set_mask(self, name: str) -> None:
            self.masking = self.MASKS[name]

        def add_analyzer(self, name: str) -> None:
            self.searched.append({"pii": "BRIZARD", "regex": "3 mars"}[name])

        def anonymize(self, text: str, info: SimpleNamespace) -> None:
            assert info.postal_code == "", "its default would be searched"
            for word in self.searched:
                at = text.index(word)
                text = self.masking.mask(text, {((at, at + len(word)),): "<LONGER THAN THE WORD>"})

    stand_in("incognito_anonymizer", monkeypatch, Anonymizer=Anonymizer, PersonalInfo=SimpleNamespace)
    stand_in("incognito_anonymizer.mask", monkeypatch, PlaceholderStrategy=Placeholders)
    given = [{"text": TEXT, "patient": {"last_name": "BRIZARD"}}] * 2
    assert [*hide_with_tool.incognito("pii", "regex")(given)] == [[(15, 22), (31, 37)]] * 2


def stand_in(name: str, monkeypatch: pytest.MonkeyPatch, **held: Any) -> None:
    module = ModuleType(name)
    vars(module).update(held)
    monkeypatch.setitem(sys.modules, name, module)


def test_a_tool_writes_a_line_per_document_then_what_it_took() -> None:
    asked: list[int] = []

    def tool(given: Any) -> list[list[tuple[int, int]]]:
        asked.append(len(given))
        return [[(0, len(one["text"]))] for one in given]

    written: list[str] = []
    documents = [json.dumps({"text": "x" * at, "patient": {}}) for at in range(hide_with_tool.BATCH + 1)]
    hide_with_tool.hide(tool, documents, written.append)
    assert asked == [1, hide_with_tool.BATCH, 1]  # the first one alone, untimed
    *found, spent = map(json.loads, written)
    assert found == [[[0, at]] for at in range(hide_with_tool.BATCH + 1)]
    assert spent["seconds"] >= 0
    assert spent["peak"] > 1024


DRIVER = """import json, sys
name, documents, hidden = sys.argv[1:]
if name == "broken":
    raise SystemExit("no | list of names")
with open(hidden, "w") as output:
    for one in map(json.loads, open(documents)):
        at = one["text"].index(one["patient"]["last_name"])
        print(json.dumps([[at, at + 7]]), file=output)
    print(json.dumps({"seconds": 0.5, "peak": 2048}), file=output)
"""


def test_a_tool_is_run_by_its_interpreter_and_one_that_fails_is_told(tmp_path: Path) -> None:
    driver = tmp_path / "driver.py"
    driver.write_text(DRIVER, encoding="utf-8")
    cases = [case(unit, Patient(last_name="BRIZARD")) for unit in ("p1", "p2")]
    ran = {name: run_tool(name, cases, sys.executable, driver) for name in ("good", "broken")}
    assert ran["good"] == Run([[[15, 22]], [[15, 22]]], 0.5, 2048)
    page = part("Title", "Said.", cases, ran)
    assert "2 documents of 2 patients: 92 characters, 4 true mentions, 8 words\nwithout one." in page
    good = "| good | 0.0 (0.0–0.0) | 0.0 (0.0–0.0) | 0.00 (0.00–0.00) | 184 | 2 |"
    assert good in page
    assert "| broken | not run: no / list of names |" in page
    assert "| label | mentions | good |" in page
    assert "| PATIENT | 2 | 0.0 (0.0–0.0) |" in page
    assert "| DOCTOR |" not in page


def test_an_environment_that_is_there_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "made").touch()
    monkeypatch.setattr(side_by_side, "_failure", lambda command: pytest.fail(f"ran {command}"))
    assert environments(tmp_path) == {}
    assert {environment for environment, _ in TOOLS.values()} == NAMES | {side_by_side.OURS}
    assert TOOLS.keys() == hide_with_tool.TOOLS.keys()


def test_an_environment_that_cannot_be_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failure(command: list[str]) -> str:
        return "ERROR: no such version" if "spacy==3.8.18" in command else ""

    monkeypatch.setattr(side_by_side, "_failure", failure)
    for name in NAMES:
        (tmp_path / name).mkdir()
    assert environments(tmp_path) == {"presidio-analyzer": "ERROR: no such version"}
    assert not (tmp_path / "presidio-analyzer" / "made").exists()
    assert (tmp_path / "unpii" / "made").exists()


MADE_BY = {"tool": "good", "packages": "good==1.0", "code": "abc"}


def test_a_run_that_was_cut_asks_only_the_tools_that_were_not_done(tmp_path: Path) -> None:
    asked: list[str] = []

    def night(folder: Path, cut_at: str = "") -> dict[str, Run]:
        def run(name: str) -> Run:
            if name == cut_at:
                raise KeyboardInterrupt
            asked.append(name)
            return Run([[[4, 22]]], 0.5, 2048)

        return {
            name: kept(folder, MADE_BY | {"tool": name}, [case()], partial(run, name)) for name in ("one", "two", "six")
        }

    with pytest.raises(KeyboardInterrupt):
        night(tmp_path, cut_at="two")
    assert night(tmp_path) == night(tmp_path)
    assert asked == ["one", "two", "six"]
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"] * 3
    restored = kept(tmp_path, MADE_BY | {"tool": "one"}, [case()], lambda: pytest.fail("asked again"))
    fresh = Run([[[4, 22]]], 0.5, 2048)
    assert part("T", "S", [case()], {"one": restored}) == part("T", "S", [case()], {"one": fresh})


@pytest.mark.parametrize("other", ["tool", "packages", "code"])
def test_a_result_of_another_tool_version_or_code_is_not_taken(other: str, tmp_path: Path) -> None:
    kept(tmp_path, MADE_BY, [case()], lambda: Run(seconds=1))
    assert kept(tmp_path, MADE_BY | {other: "other"}, [case()], lambda: Run(seconds=2)).seconds == 2


def test_a_result_of_other_documents_is_not_taken_and_a_failure_is_not_kept(tmp_path: Path) -> None:
    assert kept(tmp_path, MADE_BY, [case()], lambda: Run(failure="no memory")).failure
    assert kept(tmp_path, MADE_BY, [case()], lambda: Run(seconds=1)).seconds == 1
    told = case(patient=Patient(last_name="BRIZARD"))
    assert kept(tmp_path, MADE_BY, [told], lambda: Run(seconds=2)).seconds == 2
    assert kept(None, MADE_BY, [case()], lambda: Run(seconds=3)).seconds == 3


def test_the_version_of_the_code_is_a_commit_and_what_changed_since() -> None:
    assert re.fullmatch(r"[0-9a-f]{40}(?:\+[0-9a-f]{12})?", code_version())
