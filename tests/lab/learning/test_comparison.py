"""Comparison of two detectors on the same documents, and the policy's rule on it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from deid.config.policy import Promotion
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.evaluation.comparison import Comparison, Outcome, compare_found, judge
from nocturne_lab.evaluation.corpus import GoldDocument

TEXT = "Mme Vasserot vue le 12 mars par le Dr Quillec"
NAME, DAY, DOCTOR = Mention(4, 12, Label.PATIENT), Mention(20, 27, Label.DATE), Mention(38, 45, Label.DOCTOR)
WRONG = Mention(13, 16, Label.PERSON)


def corpus(documents: int, kind: str | None = None) -> list[GoldDocument]:
    return [
        GoldDocument(Document(str(at), TEXT, type=kind or ("CRH", "Lettre")[at % 2]), (NAME, DAY, DOCTOR), "")
        for at in range(documents)
    ]


def compared(documents: int, better: int, worse: int = 0) -> Comparison:
    """The candidate finds the doctor in `better` more documents than what serves, and less in `worse`."""
    whole, less = [NAME, DAY, DOCTOR], [NAME, DAY]
    ours = [less if better <= at < better + worse else whole for at in range(documents)]
    theirs = [less if at < better else whole for at in range(documents)]
    return compare_found(corpus(documents), ours, theirs, "a" * 64)


def test_figures_are_those_that_one_counts_by_hand() -> None:
    found = compare_found(corpus(4), [[NAME, DAY, DOCTOR]] * 4, [[NAME, WRONG]] * 2 + [[NAME, DAY]] * 2)
    assert {name: found.serving[name].value for name in ("clean", "overlap_recall", "exact_precision", "false")} == {
        "clean": 0.0,
        "overlap_recall": 6 / 12,
        "exact_precision": 6 / 8,
        "false": pytest.approx(1000 * 2 / (4 * 10)),
    }
    assert found.candidate["clean"].value == found.candidate["token_f1"].value == 1.0
    assert found.difference["recall/DOCTOR"].value == 1.0
    assert found.difference["recall/NIR"].value is None, "no document has one"
    assert found.serving["false/crh"].value == found.serving["false/lettre"].value
    numbers = found.numbers()
    assert numbers["documents"] == 4
    assert numbers["difference.recall/DATE.value"] == 0.5


def test_each_label_and_type_has_precision_recall_and_f1_counted_in_three_ways() -> None:
    longer, wrong = Mention(0, 12, Label.PATIENT), Mention(38, 45, Label.PATIENT)  # "Mme Vasserot"; the doctor
    documents = corpus(4)
    found = compare_found(documents, [[longer, wrong], [NAME, DAY]] * 2, [list(one.mentions) for one in documents])
    of = {name: figure.value for name, figure in found.candidate.items()}
    assert (of["exact_precision/PATIENT"], of["exact_recall/PATIENT"]) == (2 / 6, 2 / 4)
    assert of["exact_f1/PATIENT"] == pytest.approx(2 * 2 / (6 + 4))
    assert (of["overlap_precision/PATIENT"], of["recall/PATIENT"]) == (4 / 6, 1)
    assert (of["token_precision/PATIENT"], of["token_recall/PATIENT"]) == (4 / 8, 1), "Mme and the doctor are wrong"
    assert (of["overlap_precision/DOCTOR"], of["overlap_f1/DOCTOR"]) == (None, 0)
    assert (of["exact_recall/crh"], of["exact_recall/lettre"]) == (0, 2 / 3)
    assert of["overlap_precision/crh"] == 1 / 2
    assert of["overlap_f1/crh"] == pytest.approx(0.4)
    assert found.difference["exact_f1/DATE"].value == pytest.approx(-1 / 3)
    rows = {row[0]: row[1:] for row in found.breakdown()}
    assert set(rows) == {"PATIENT", "DOCTOR", "DATE", "crh", "lettre"}
    assert rows["PATIENT"] == ["0.333", "0.500", "0.400", "0.667", "1.000", "0.800", "0.500", "1.000", "0.667"]
    assert {row[0] for row in found.rows()} >= {"clean", "recall/PATIENT", "token_f1/crh", "false/lettre"}
    assert not {row[0] for row in found.rows()} & {"exact_f1/PATIENT", "exact_f1/crh", "token_f1/PATIENT"}
    assert "candidate.exact_f1/NIR.value" not in found.numbers(), "no document has one"


def test_the_same_mentions_differ_by_nothing_in_any_draw() -> None:
    random = np.random.default_rng(1)
    found = [[one for one in (NAME, DAY, DOCTOR) if random.random() < 0.5] for _ in range(30)]
    for figure in compare_found(corpus(30), found, found).difference.values():
        assert (figure.value, figure.low, figure.high) in {(0.0, 0.0, 0.0), (None, None, None)}


@hypothesis_settings(max_examples=20)
@given(st.integers(2, 40), st.data())
def test_swapping_the_detectors_turns_the_sign_and_the_order_of_documents_says_nothing(
    size: int, data: st.DataObject
) -> None:
    chosen = st.lists(st.sampled_from([(), (NAME,), (NAME, DAY), (NAME, DAY, DOCTOR)]), min_size=size, max_size=size)
    ours, theirs = data.draw(chosen), data.draw(chosen)
    documents = corpus(size, "CRH")
    there = compare_found(documents, ours, theirs)
    back = compare_found(documents, theirs, ours)
    for name, figure in there.difference.items():
        other = back.difference[name]
        if figure.value is None or other.value is None:
            assert figure.value is other.value
            continue
        assert figure.value == pytest.approx(-other.value)
        assert figure.low is not None
        assert figure.high is not None
        assert figure.low - 1e-9 <= figure.high
    turned = compare_found(documents[::-1], ours[::-1], theirs[::-1])
    assert turned.difference["clean"].value == pytest.approx(there.difference["clean"].value)


@pytest.mark.parametrize(
    ("documents", "better", "worse", "outcome", "reason"),
    [
        (100, 20, 0, Outcome.PROMOTE, "clean is better: 0.200"),
        (100, 0, 20, Outcome.REFUSE, "clean is worse: -0.200"),
        (100, 2, 1, Outcome.WAIT, "holds 0; such a difference needs about"),
        (100, 1, 2, Outcome.WAIT, "recall falls by more than 0.01: DOCTOR (-0.010)|holds 0"),
        (49, 49, 0, Outcome.WAIT, "49 documents are too few: the policy asks for 50"),
    ],
)
def test_the_rule_promotes_what_is_surely_better(
    documents: int, better: int, worse: int, outcome: Outcome, reason: str
) -> None:
    judgement = judge(compared(documents, better, worse), Promotion())
    assert judgement.outcome is outcome
    assert any(part in judgement.reason for part in reason.split("|"))


def test_a_label_that_gets_worse_waits_for_a_person_whatever_the_metric() -> None:
    documents = corpus(100)
    ours = [[NAME, DOCTOR] if at < 5 else [NAME, DAY, DOCTOR] for at in range(100)]
    theirs = [[NAME, DAY]] * 100
    comparison = compare_found(documents, ours, theirs)
    judgement = judge(comparison, Promotion())
    assert judgement.outcome is Outcome.WAIT
    assert "DATE (-0.050)" in judgement.reason
    assert judge(comparison, Promotion(tolerance=0.05)).outcome is Outcome.PROMOTE


def test_no_document_is_no_comparison() -> None:
    with pytest.raises(InputRefused, match="no annotated document"):
        compare_found([], [], [])


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """Documents of which the candidate finds a share of 0.3 more: 95 % of intervals hold 0.3, by binomial error 91."""
    random, held = np.random.default_rng(3), 0
    for _ in range(40):
        better = int(random.binomial(60, 0.3))
        figure = compared(60, better).difference["clean"]
        assert figure.low is not None
        assert figure.high is not None
        held += figure.low <= 0.3 <= figure.high
    assert held >= 34
