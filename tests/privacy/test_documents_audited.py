"""Neighbouring documents through `Substitutor.substitute`: no claim is refuted, and what breaks one is caught."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isinf

import pytest

from deid.config.policy import Policy, load
from nocturne_lab.evaluation.audit.__main__ import documents_table
from nocturne_lab.evaluation.audit.documents import Neighbours, audit_documents, audited_policy, pairs
from tests.unit.substitution.examples import changed

FEW = 500
POLICY = audited_policy()
PAIRS = pairs(POLICY)
# One of each: what the previous strategies were refuted by, and forms that a fixed rule might treat apart.
SUBSET = (
    ("range", "the stay a week later"),
    ("weekday", "the stay a week later"),
    ("il y a 3 jours", "the stay a week later"),
    ("stay of one day", "Tuesday or Friday"),
    ("two stays", "one of them a week later"),
    ("two documents of a stay", "the stay a week later"),
    ("month ahead of a stay's window", "juillet 2021, août 2021"),
    ("year before the document's", "2020, 2021"),
    ("the first years", "1850, 1851"),
    ("two years", "2014 and 2016, 2015 and 2017"),
    ("relative's age beside the patient's own", "70 ans, 71 ans"),
    ("two relatives", "40 and 44, 41 and 44 ans"),
    ("birth date", "1953-12-31, 1954-01-01"),
    ("age of a child beside a birthday", "2018-03-12, 2018-03-19"),
    ("birth of a newborn", "two days later, with its stay"),
    ("stay of a toddler", "a week later"),
    ("age in two documents", "births a year apart"),
)


def pair(kind: str, inputs: str) -> Neighbours:
    (found,) = [one for one in PAIRS if (one.kind, one.inputs) == (kind, inputs)]
    return found


def metric() -> Policy:
    return changed(load(), dates={"strategy": "metric", "anchor_scale_days": 14.0}, ages={"strategy": "metric"})


@pytest.mark.parametrize(("kind", "inputs"), SUBSET)
def test_no_pair_of_documents_refutes_its_claim(kind: str, inputs: str) -> None:
    assert not audit_documents(pair(kind, inputs), POLICY, FEW).refuted


def test_strategy_metric_is_refuted_by_what_it_was_refuted_by() -> None:
    """An age near the patient's own follows the birth date there, and one that is further from it does not."""
    case = replace(pair("relative's age beside the patient's own", "70 ans, 71 ans"), claimed=0.25)
    assert audit_documents(case, metric(), FEW * 4).refuted


def test_noise_of_a_fraction_of_the_scale_is_caught() -> None:
    loud = audited_policy({"episode_epsilon": 1, "anchor_scale_days": 4})
    assert audit_documents(pair("day of a stay", "the stay four weeks later"), loud, FEW).refuted


@pytest.mark.parametrize(
    "inputs",
    [
        "a day later, its stay where it was",
        "two days later, its stay where it was",
        "il y a 3 or 4 jours",
        "17, 18 ans, of two stages",
    ],
)
def test_what_is_public_is_told_apart_and_has_no_claim(inputs: str) -> None:
    (case,) = [one for one in PAIRS if one.inputs == inputs]
    found = audit_documents(case, POLICY, FEW)
    assert isinf(case.claimed)
    assert found.lower > 2
    assert not found.refuted


def test_forty_pairs_and_more_have_a_claim_and_a_line() -> None:
    assert sum(one.claimed < inf for one in PAIRS) >= 40
    assert len({(one.kind, one.inputs) for one in PAIRS}) == len(PAIRS)
    line = documents_table([audit_documents(PAIRS[0], POLICY, 40)], 40).splitlines()[-1]
    assert line.startswith("| day of a stay | the stay a week later | 0.0350 | 0.0000 |")
