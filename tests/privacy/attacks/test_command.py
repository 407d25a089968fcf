"""The command: one page and its plots, the same bytes again, figures that the tests of each attack know."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import privacy_attacks as command
from nocturne_lab.evaluation.attacks import study
from nocturne_lab.evaluation.attacks.plots import plots
from nocturne_lab.evaluation.attacks.report import study_page


@pytest.mark.slow
def test_the_command_writes_a_page_and_its_plots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "PLACE_GRID", {"health_exponential": study.PLACE_GRID["health_exponential"]})
    monkeypatch.setattr(study, "AVERAGED", (1, 4))
    monkeypatch.setattr(study, "COMMUNES_AVERAGED", (1, 8))
    monkeypatch.setattr(study, "COMMUNE_DRAWS", study.COMMUNE_DRAWS[:4])
    seen: list[study.Study] = []

    def kept(found: study.Study, names: list[str]) -> str:
        seen.append(found)
        return study_page(found, names)

    monkeypatch.setattr(command, "study_page", kept)
    assert command.main(["--patients", "10", "--draws", "150", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "privacy_attacks.md")
    page = (tmp_path / "privacy_attacks.md").read_text(encoding="utf-8")
    for name in ("privacy_attacks.dates.svg", "privacy_attacks.more.svg"):
        assert f"({name})" in page
        before = (tmp_path / name).read_bytes()
        assert before.startswith(b"<?xml")
        plots(seen[0], tmp_path)
        assert (tmp_path / name).read_bytes() == before
    rows = {line.split(" | ")[0].removeprefix("| ") for line in page.splitlines() if line.startswith("| ")}
    assert {"metric", "bounded_laplace", "uniform_shift, ± 1 to 365 days", "tag", "health_exponential"} <= rows
    assert all(line.count("|") > 4 for line in page.splitlines() if line.startswith("|"))
