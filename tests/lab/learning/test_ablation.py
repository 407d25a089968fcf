"""Ablation of annotators on a document of two lines, by rules alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid.config.policy import Policy
from deid.domain.document import Document, Patient
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.markup import parse_marked
from nocturne_lab.learning import ablation


@pytest.fixture(scope="module")
def documents() -> list[GoldDocument]:
    marked = "Madame [[PATIENT|Claire LEMOINE]], vue le [[DATE|12/03/2021]], téléphone [[PHONE|04 92 51 20 33]]."
    text, mentions = parse_marked(marked, "letter")
    return [GoldDocument(Document("d1", text, Patient(), type="Lettre d'adressage"), mentions, "w1")]


@pytest.fixture(scope="module")
def rules() -> Policy:
    return ablation.policy_of(("patterns",), Path("nowhere"), ())


def test_a_policy_of_annotators_reads_taggers_from_the_folder() -> None:
    policy = ablation.policy_of(("patterns", "crf"), Path("held"), ("crf",), merge="weights")
    plain, tagger = policy.detection.annotators
    assert (plain.name, dict(plain.options)) == ("patterns", {})
    assert tagger.name == "nocturne_lab.learning.held_out:HeldOut"
    assert dict(tagger.options) == {"tagger": "crf", "folder": "held"}
    assert (policy.detection.merge, dict(policy.detection.recall)) == ("weights", {})


def test_a_recall_bias_is_the_same_for_all_labels_or_one_of_each(rules: Policy) -> None:
    assert dict(ablation.with_recall_bias(rules, 2.0).detection.recall) == dict.fromkeys(Label, 2.0)
    assert dict(ablation.with_recall_bias(rules, {Label.CITY: 1.0}).detection.recall) == {Label.CITY: 1.0}


def test_a_document_is_judged_by_what_the_policy_finds(rules: Policy, documents: list[GoldDocument]) -> None:
    (judged,) = ablation.judge_policy(rules, documents)
    assert (judged.id, judged.author, judged.type) == ("d1", "w1", "Lettre d'adressage")
    assert {mention.label for mention in judged.predicted} == {Label.DATE, Label.PHONE}
    assert {mention.label for mention in judged.gold} == {Label.PATIENT, Label.DATE, Label.PHONE}


def test_tables_have_a_row_per_setting(rules: Policy, documents: list[GoldDocument]) -> None:
    table = ablation.recall_table(rules, documents).splitlines()
    assert [line.split("|")[1].strip() for line in table[2:]] == ["0", "1", "2", "3", "4"]
    combined = ablation.combinations_table(documents, Path("nowhere"), ())
    for name in (*ablation.RULES, "rules", "all, decision procedure (T22)", "all, weights (B19)"):
        assert f"| {name} " in combined


@pytest.mark.parametrize(
    ("kind", "head"),
    [("Lettre d'adressage", "lettre d"), ("Compte rendu opératoire", "compte rendu"), (None, "–"), ("", "–")],
)
def test_free_types_are_grouped_by_their_first_words(kind: str | None, head: str) -> None:
    assert ablation._head_word(kind) == head
