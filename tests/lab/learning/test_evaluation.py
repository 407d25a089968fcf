"""Scores against examples counted by hand."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.domain.document import Mention
from deid.domain.labels import SCHEMES, Label
from nocturne_lab.evaluation.markup import parse_marked
from nocturne_lab.evaluation.score_tables import class_table, percent, summary_table
from nocturne_lab.evaluation.scoring import Judged, evaluate, evaluate_by


def judged(gold: str, predicted: str, **about: str) -> Judged:
    """Two markings of one text."""
    text, right = parse_marked(gold, "gold")
    same, guess = parse_marked(predicted, "predicted")
    assert text == same
    return Judged("d1", text, right, guess, **about)


# 5 mentions marked, 5 predicted: one exact, one too short, one of another label of the same role, one missed,
# one in two pieces, one invented
LETTER = judged(
    "M. [[PATIENT|Jean DUPONT]], vu le [[DATE|12/02/2020]] par le Dr [[DOCTOR|MARTIN]] à [[CITY|Lyon]], "
    "[[AGE|72 ans]], Charcot",
    "M. [[PATIENT|Jean]] DUPONT, vu le [[DATE|12/02/2020]] par le Dr [[PATIENT|MARTIN]] à Lyon, "
    "[[AGE|72]] [[AGE|ans]], [[DOCTOR|Charcot]]",
)


@pytest.mark.parametrize(
    ("scheme", "name", "way", "right", "predicted", "found", "gold"),
    [
        ("nocturne", "PATIENT", "exact", 0, 2, 0, 1),
        ("nocturne", "PATIENT", "overlap", 1, 2, 1, 1),
        ("nocturne", "PATIENT", "token", 1, 2, 1, 2),
        ("nocturne", "DATE", "exact", 1, 1, 1, 1),
        ("nocturne", "DATE", "token", 5, 5, 5, 5),  # 12 / 02 / 2020
        ("nocturne", "DOCTOR", "overlap", 0, 1, 0, 1),
        ("nocturne", "CITY", "overlap", 0, 0, 0, 1),
        ("nocturne", "AGE", "exact", 0, 2, 0, 1),
        ("nocturne", "AGE", "overlap", 2, 2, 1, 1),
        ("nocturne", "AGE", "token", 2, 2, 2, 2),
        ("coarse", "PER", "exact", 1, 3, 1, 2),
        ("coarse", "PER", "overlap", 2, 3, 2, 2),
        ("coarse", "PER", "token", 2, 3, 2, 3),
        ("e24", "VILLE", "overlap", 0, 0, 0, 1),
        ("nocturne", "any", "exact", 2, 6, 2, 5),
        ("nocturne", "any", "overlap", 5, 6, 4, 5),
        ("nocturne", "any", "token", 9, 10, 9, 11),
    ],
)
def test_counts_are_those_made_by_hand(
    scheme: str, name: str, way: str, right: int, predicted: int, found: int, gold: int
) -> None:
    tally = evaluate([LETTER]).schemes[scheme].classes[name][way]
    assert (tally.right, tally.predicted, tally.found, tally.gold) == (right, predicted, found, gold)


def test_figures_follow_from_counts() -> None:
    scores = evaluate([LETTER]).schemes["nocturne"]
    micro = scores.micro("overlap")
    assert micro.precision == pytest.approx(4 / 6)
    assert micro.recall == pytest.approx(3 / 5)
    assert micro.f1 == pytest.approx(2 * (4 / 6) * (3 / 5) / (4 / 6 + 3 / 5))
    per_class = {"AGE": 1.0, "CITY": 0.0, "DATE": 1.0, "DOCTOR": 0.0, "PATIENT": 2 / 3}
    assert scores.macro_f1("overlap") == pytest.approx(sum(per_class.values()) / 5)


def test_reldate_can_be_left_out() -> None:
    case = judged("[[RELDATE|hier]], le [[DATE|3 mai]]", "hier, le [[DATE|3 mai]]")
    scores = evaluate([case]).schemes["nocturne"]
    assert scores.micro("exact").recall == 0.5
    assert scores.micro("exact", ["RELDATE"]).recall == 1
    assert evaluate([case]).schemes["coarse"].micro("exact").recall == 1


def test_redaction_ignores_labels_and_white_space() -> None:
    result = evaluate([LETTER])
    # gold: JeanDUPONT 10, date 10, MARTIN 6, Lyon 4, 72ans 5; uncovered: DUPONT 6, Lyon 4
    assert result.redaction["all"].recall == pytest.approx(25 / 35)
    assert result.redaction["direct"].recall == pytest.approx(10 / 16)
    assert result.redaction["quasi"].recall == pytest.approx(15 / 19)
    assert result.redaction["all"].precision == pytest.approx(25 / 32)  # Charcot 7
    assert result.share_fully_redacted("all") == 0
    pieces = judged("M. [[PATIENT|Jean DUPONT]] à [[CITY|Lyon]]", "M. [[PERSON|Jean]] [[ORG|DUPONT]] à Lyon")
    whole = evaluate([pieces, LETTER])
    assert whole.share_fully_redacted("direct") == 0.5
    assert whole.share_fully_redacted("all") == 0


def test_a_document_with_nothing_to_find_is_fully_redacted() -> None:
    result = evaluate([judged("Rien à signaler.", "[[ORG|Rien]] à signaler.")])
    assert result.share_fully_redacted("all") == 1
    assert result.redaction["all"].recall is None
    assert result.redaction["all"].precision == 0
    assert result.schemes["nocturne"].classes["ORG"]["exact"].f1 == 0


def test_no_document_at_all_gives_no_figure() -> None:
    result = evaluate([])
    assert result.as_json()["documents_fully_redacted"] == {"all": None, "direct": None}
    assert result.schemes["coarse"].micro("exact").f1 is None
    assert result.schemes["coarse"].macro_f1("exact") is None


def test_groups_are_scored_apart() -> None:
    good = judged("[[DATE|3 mai]]", "[[DATE|3 mai]]", author="w1")
    bad = judged("[[DATE|3 mai]]", "3 mai", author="w2")
    groups = evaluate_by([bad, good, judged("a", "a")], lambda one: one.author)
    assert list(groups) == ["w1", "w2", "–"]
    assert groups["w1"].redaction["all"].recall == 1
    assert groups["w2"].redaction["all"].recall == 0


mentions = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5), st.sampled_from(Label)), max_size=8)


def _laid_out(drawn: list[tuple[int, int, Label]]) -> list[Mention]:
    laid: list[Mention] = []
    for start, length, label in sorted(drawn):
        if not laid or laid[-1].end <= start:
            laid.append(Mention(start, start + length, label))
    return laid


@given(mentions, mentions)
def test_every_scheme_keeps_its_bounds(
    gold: list[tuple[int, int, Label]], predicted: list[tuple[int, int, Label]]
) -> None:
    one = Judged("d", "abc d e.f gh 12/3 klm nop q rst uvw x", _laid_out(gold), _laid_out(predicted))
    other = Judged("d", one.text, one.predicted, one.gold)
    forth, back = evaluate([one]), evaluate([other])
    for scheme in SCHEMES:
        for way in ("exact", "overlap", "token"):
            there, here = forth.schemes[scheme].micro(way), back.schemes[scheme].micro(way)
            assert 0 <= there.right <= there.predicted
            assert 0 <= there.found <= there.gold
            assert (there.precision, there.recall) == (here.recall, here.precision)
        exact, overlap = (forth.schemes[scheme].micro(way) for way in ("exact", "overlap"))
        assert exact.right <= overlap.right
    perfect = evaluate([Judged("d", one.text, one.gold, one.gold)])
    assert perfect.share_fully_redacted("all") == 1
    assert perfect.schemes["nocturne"].micro("exact").f1 in (1, None)


def test_json_is_json_and_tables_show_percents() -> None:
    result = evaluate([LETTER])
    assert json.loads(json.dumps(result.as_json()))["schemes"]["coarse"]["micro"]["overlap"]["recall"] == pytest.approx(
        4 / 5
    )
    table = class_table(result, "nocturne").splitlines()
    assert table[0].startswith("| classe | réf. | exact P |")
    assert {line.count("|") for line in table} == {12}
    assert any(line.startswith("| PATIENT | 1 | 0.0 | 0.0 | 0.0 | 50.0 | 100.0 | 66.7 |") for line in table)
    summary = summary_table({"tout": result}, "ensemble", "coarse").splitlines()
    assert summary[2].startswith("| tout | 1 | 71.4 | 62.5 |")
    assert percent(None) == "–"


def test_classes_of_tchouka_2023() -> None:
    t23 = SCHEMES["t23"]
    assert [label for label in Label if t23[label] == "QID"] == [Label.ID]
    assert {label for label in Label if t23[label] == "REF"} == {Label.NIR, Label.IPP, Label.NDA, Label.RPPS}
    assert (t23[Label.EMAIL], t23[Label.URL]) == (None, None)
