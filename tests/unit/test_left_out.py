"""Counts of false mentions and leaks on authors left out, and their intervals."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from benchmarks.left_out import Counts, count, false_at_equal_recall, labels_table, plot
from deid.domain.document import Document, Mention
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument

TEXT = "Mme Claire MARTIN vue le 3 mars, contrôle à 3 mois"
GOLD = GoldDocument(
    Document(id="1", text=TEXT), (Mention(4, 17, Label.PATIENT), Mention(25, 31, Label.DATE)), author="w1"
)
FOLLOW_UP = Mention(44, 50, Label.AGE)


def _counts(false: list[float], covered: list[float]) -> Counts:
    size = len(false)
    return Counts(np.full(size, 100.0), np.array(false), np.full(size, 10.0), np.array(covered), Counter())


def test_a_mention_is_false_that_meets_no_annotated_one_whatever_its_label():
    partly = Mention(4, 10, Label.DOCTOR)
    counts = count([GOLD, GOLD], [[partly, FOLLOW_UP], [*GOLD.mentions]])
    assert counts.false.tolist() == [1, 0]
    assert counts.labels == {Label.AGE: 1}
    assert counts.direct.tolist() == [12, 12]  # without the space
    assert counts.covered.tolist() == [6, 12]
    false, direct, documents = counts.figures()
    assert false.value == pytest.approx(1000 / 22)
    assert (direct.value, documents.value) == (75, 50)
    assert false.low <= false.value <= false.high
    assert "| AGE | 45.45 |" in labels_table({"run": counts})


def test_equal_recall_is_read_between_two_runs_of_a_curve():
    curve = [_counts([1, 1], [8, 8]), _counts([3, 3], [10, 10])]
    assert false_at_equal_recall(curve, _counts([0, 0], [9, 9])).value == pytest.approx(20)
    assert false_at_equal_recall(curve[::-1], _counts([0, 0], [8, 8])).value == pytest.approx(10)


def test_intervals_without_a_common_point_are_apart():
    low, high = (_counts([n, n + 1, n], [10, 9, 10]).figures()[0] for n in (1, 7))
    assert low.apart(high)
    assert high.apart(low)
    assert not low.apart(low)


def test_the_plot_has_both_lines_and_equal_bytes(tmp_path):
    curve = {0.0: _counts([1, 2], [8, 9]), 1.0: _counts([3, 3], [9, 10])}
    for name in ("a.svg", "b.svg"):
        plot(tmp_path / name, {"before": curve, "after": curve}, {"before": curve[0.0], "after": curve[1.0]})
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "direct identifiers" in (tmp_path / "a.svg").read_text()
