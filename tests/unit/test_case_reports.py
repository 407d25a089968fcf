"""The judgements of mentions in case reports: consistent, and found again by their place."""

from __future__ import annotations

import csv

import pytest

from benchmarks import case_reports
from benchmarks.case_reports import FALSE, TRUE, CaseReport, Verdict, verdict_of
from deid.domain.document import Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label


def test_each_judgement_names_a_listed_report_and_a_reason_of_its_verdict():
    listed = {row["document"] for row in case_reports.listed()}
    places = []
    for row in _judgements():
        assert row["document"] in listed
        assert row["reason"] in {"true": TRUE, "false": FALSE}[row["verdict"]]
        assert len(row["words"]) == int(row["end"]) - int(row["start"])
        places.append((row["document"], row["start"], row["end"], row["label"]))
    assert len(set(places)) == len(places) > 0


def test_a_place_takes_its_own_verdict_then_that_of_the_shortest_around_it():
    whole, part = Verdict(0, 20, True, "organisation"), Verdict(5, 10, False, "word")
    verdicts = [whole, part]
    assert verdict_of(0, 20, verdicts) is whole
    assert verdict_of(5, 10, verdicts) is part
    assert verdict_of(6, 8, verdicts) is part
    assert verdict_of(4, 10, verdicts) is whole
    assert verdict_of(15, 21, verdicts) is None


def test_samples_do_not_overlap_nor_depend_on_the_order_of_the_file():
    source, size = next(iter(case_reports.SOURCES.values()))
    reports = [CaseReport(f"10.1/{n}", source, f"texte {n}") for n in range(2 * size + 9)]
    taken = [*case_reports.sample(reports)]
    assert taken == [*case_reports.sample(reports[::-1])]
    assert len({one.id for _, one in taken}) == 2 * size


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputRefused, match=r"medical_cases_pamj_ccby\.jsonl\.xz is missing"):
        case_reports.read_reports(tmp_path)


def test_a_right_place_that_no_mention_meets_is_missed():
    row = next(row for row in _judgements() if row["verdict"] == "true")
    report = CaseReport(row["document"], "", "")
    mention = Mention(int(row["start"]), int(row["end"]), Label(row["label"]))
    place = (mention.start, mention.end)
    (without,), (found,) = case_reports.judged([report], [[]]), case_reports.judged([report], [[mention]])
    assert place in {(one.start, one.end) for one in without.missed}
    assert place not in {(one.start, one.end) for one in found.missed}
    assert [one.right for one in found.verdicts if one] == [True]


def _judgements():
    with case_reports.JUDGEMENTS.open(encoding="utf-8", newline="") as stream:
        return [*csv.DictReader(stream)]
