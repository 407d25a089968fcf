"""Patients found by types of known stays: all where their stays are unlike, chance where nothing is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import known_types as command
from deid.config.policy import Publication, load
from nocturne_lab.evaluation.attacks.known_types import (
    Grouped,
    by_documents,
    by_stays,
    find_by_types,
    shown_type,
    whole_documents,
    whole_stays,
)

MANY = 40
# Patient n has a type of stay of its own beside two that all share.
UNLIKE: Grouped = [[(f"t{at:02d}",), ("a", "b"), ("a", "c")] for at in range(MANY)]
ALIKE: Grouped = [[("a",), ("a", "b"), ("a", "c")] for _ in range(MANY)]


def _found(true: Grouped, known: int | None, stays: bool) -> float:
    by = by_stays if stays else by_documents(true, known or 1)
    if known is None:
        by = whole_stays if stays else whole_documents
    return find_by_types(true, true, known, by, candidates=MANY, targets=MANY).share


@pytest.mark.parametrize("stays", [True, False])
@pytest.mark.parametrize("known", [3, None])
def test_stays_of_a_type_of_ones_own_find_everybody(known: int | None, stays: bool) -> None:
    assert _found(UNLIKE, known, stays) == 1.0


@pytest.mark.parametrize("stays", [True, False])
@pytest.mark.parametrize("known", [1, 2, 3, None])
def test_stays_that_all_have_alike_find_nobody_but_by_chance(known: int | None, stays: bool) -> None:
    assert _found(ALIKE, known, stays) < 0.15  # one in 40 is expected


def test_one_stay_finds_those_alone_whose_own_stay_is_known() -> None:
    found = find_by_types(UNLIKE, UNLIKE, 1, by_stays, candidates=MANY, targets=MANY)
    least, most = found.interval
    assert (found.targets, least < 1 / 3 + 1 / 60 < most) == (MANY, True)


def test_without_stays_documents_that_two_patients_share_in_other_stays_are_not_told_apart() -> None:
    apart: Grouped = [[("a", "b"), ("c",)], [("a",), ("b", "c")]] * 20
    assert find_by_types(apart, apart, 2, by_stays, candidates=2, targets=40).share == 1.0
    together = find_by_types(apart, apart, 2, by_documents(apart, 2), candidates=2, targets=40)
    assert together.share < 0.8


def test_a_candidate_with_fewer_other_documents_is_likelier() -> None:
    few: Grouped = [[("a", "b")], [("a", "b"), ("c", "c"), ("d", "d"), ("d", "e")]]
    scores = by_documents(few, 1)(few)([("a", "b")])
    assert scores[0] > scores[1]


def test_a_type_that_nobody_has_finds_nobody() -> None:
    scores = by_documents(UNLIKE, 1)(UNLIKE)([("unheard",)])
    assert len(set(scores.tolist())) == 1


def test_what_a_policy_shows_of_types() -> None:
    stays: Grouped = [[("CRH", "XRAY", "ZZ")]]
    codes = {"CRH": "34112-3", "XRAY": "18748-4"}
    shipped = load().publication

    def shown(publication: Publication) -> Grouped:
        return [
            [tuple(sorted(shown_type(publication, kind, codes.get(kind, "")) for kind in stay)) for stay in patient]
            for patient in stays
        ]

    assert shown(shipped) == stays
    assert shown(shipped.model_copy(update={"types": "classes"})) == [[("autre", "compte rendu", "résultat")]]
    assert shown(shipped.model_copy(update={"types": "drop"})) == [[("", "", "")]]


def test_too_few_patients_are_refused() -> None:
    with pytest.raises(ValueError, match="no group of 320 patients has one with 3 stays"):
        find_by_types(UNLIKE, UNLIKE, 3, by_stays)


def test_the_command_writes_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "KNOWN", {"three stays": (3, 320), "all stays": (None, 320)})
    assert command.main(["--patients", "400", "--targets", "60", "--texts", "8", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "known_types.md")
    page = (tmp_path / "known_types.md").read_text(encoding="utf-8")
    shares = {
        line.split(" | ")[0].removeprefix("| "): float(line.split(" | ")[1].split("%")[0])
        for line in page.splitlines()
        if line.startswith("| ") and "%" in line
    }
    assert shares.keys() == {*command.WAYS, "`default`", "`strict`"}
    assert shares["types and stays (`default`)"] > shares["classes of types, no stays"] > shares["neither (`strict`)"]
    assert shares["neither (`strict`)"] <= 10
