"""Losses on labels that are doubtful, wrong or a teacher's."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch

from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument, gold_record, load_corpus
from nocturne_lab.learning.objectives import (
    bounded_loss,
    chain_logarithms,
    chain_loss,
    distance,
    is_certain,
    known_tokens,
    without_labels,
)

TEXT = "Vu par le Dr Kerbrat ce jour. Adressé à Mme Madec\nSuite : RAS."


def chain(tags: int = 3, tokens: int = 4) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    torch.manual_seed(5)
    emissions = torch.randn(2, tokens, tags, requires_grad=True)
    return emissions, torch.randn(tags, tags), torch.tensor([tokens, tokens - 1])


def summed(emissions: torch.Tensor, transitions: torch.Tensor, allowed: list[list[int]]) -> float:
    """Sum the potentials of every allowed path, one by one."""
    total, emissions = 0.0, emissions.detach()
    for path in itertools.product(*allowed):
        score = sum(float(emissions[at, tag]) for at, tag in enumerate(path))
        total += math.exp(score + sum(float(transitions[pair]) for pair in itertools.pairwise(path)))
    return total


def test_sentences_of_a_doubtful_mention_are_unknown() -> None:
    reading = Reading(Document("a", TEXT))
    sure = Mention(TEXT.index("Kerbrat"), TEXT.index("Kerbrat") + 7, Label.DOCTOR, 0.9)
    doubtful = Mention(TEXT.index("Madec"), TEXT.index("Madec") + 5, Label.PERSON, 0.3)
    known = known_tokens(reading, [sure, doubtful])
    said = {word: bool(one) for word, one in zip(reading.words, known, strict=True)}
    assert said["kerbrat"]
    assert said["jour"]
    assert not said["adresse"]
    assert not said["madec"]
    assert said["suite"]
    assert known_tokens(reading, [sure]).all()
    assert not known_tokens(reading, [sure, doubtful], least=0.95)[:5].any()


def test_nothing_is_known_of_a_document_without_labels() -> None:
    gold = without_labels(GoldDocument(Document("a", TEXT), (), "w1"))
    assert not known_tokens(Reading(gold.document), gold.mentions).any()
    assert not is_certain(gold)


def test_unknown_tokens_are_summed_over() -> None:
    emissions, transitions, lengths = chain()
    tags = torch.tensor([[0, 1, 2, 0], [1, 1, 0, 0]])
    known = torch.tensor([[True, False, True, True], [True, True, False, False]])
    whole = [summed(emissions[row], transitions, [[0, 1, 2]] * length) for row, length in enumerate((4, 3))]
    partial = [
        summed(emissions[0], transitions, [[0], [0, 1, 2], [2], [0]]),
        summed(emissions[1], transitions, [[1], [1], [0, 1, 2]]),
    ]
    wanted = sum(math.log(one / other) for one, other in zip(whole, partial, strict=True)) / 5
    assert float(chain_loss(emissions, transitions, lengths, tags, known).detach()) == pytest.approx(wanted, abs=1e-4)


def test_marginals_sum_to_one_and_are_those_of_all_paths() -> None:
    emissions, transitions, lengths = chain()
    marginal = chain_logarithms(emissions, transitions, lengths).exp().detach()
    assert np.allclose(marginal[0].sum(dim=1), 1, atol=1e-4)
    whole = summed(emissions[0], transitions, [[0, 1, 2]] * 4)
    with_tag = summed(emissions[0], transitions, [[0, 1, 2], [1], [0, 1, 2], [0, 1, 2]])
    assert float(marginal[0, 1, 1]) == pytest.approx(with_tag / whole, abs=1e-4)


def test_a_bounded_loss_lets_an_improbable_label_pull_less() -> None:
    logarithms = torch.log(torch.tensor([0.9, 1e-4]))
    plain, bounded = bounded_loss(logarithms, 0.0), bounded_loss(logarithms, 0.5)
    assert torch.allclose(plain, -logarithms)
    assert (bounded <= 2).all()
    assert bounded[1] / bounded[0] < plain[1] / plain[0]
    assert torch.allclose(bounded_loss(logarithms, 1e-4), plain, rtol=1e-2)  # cross-entropy at the limit


def test_a_bounded_loss_of_chains_can_be_descended() -> None:
    emissions, transitions, lengths = chain()
    tags = torch.tensor([[0, 1, 2, 0], [1, 1, 0, 0]])
    known = torch.tensor([[True, False, True, True], [True, True, False, False]])
    before = chain_loss(emissions, transitions, lengths, tags, known, 0.5)
    (slope,) = torch.autograd.grad(before, emissions)
    after = chain_loss((emissions - 0.5 * slope).detach().requires_grad_(), transitions, lengths, tags, known, 0.5)
    assert float(after.detach()) < float(before.detach())
    assert not slope[1, 3].any()  # padding


def test_the_distance_from_a_teacher_is_zero_at_its_own_distribution() -> None:
    teacher = torch.tensor([[0.7, 0.2, 0.1], [0.05, 0.9, 0.05]])
    assert torch.allclose(distance(teacher.log(), teacher, 2.0), torch.zeros(2), atol=1e-5)
    assert (distance(teacher.flip(1).log(), teacher, 2.0)[0]) > 0.1


def test_confidence_outlives_a_file_of_documents(tmp_path: Path) -> None:
    mentions = (Mention(0, 2, Label.CITY), Mention(13, 20, Label.DOCTOR, 0.25))
    gold = GoldDocument(Document("a", TEXT), mentions, "", "")
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(gold_record(gold)) + "\n", encoding="utf-8")
    assert [one.score for one in load_corpus(path)[0].mentions] == [1.0, 0.25]
    path.write_text(json.dumps(gold_record(gold)).replace("0.25", "1.5") + "\n", encoding="utf-8")
    with pytest.raises(InputRefused, match="line 1"):
        load_corpus(path)
