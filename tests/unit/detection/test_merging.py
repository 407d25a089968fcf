"""Weights table, the paper's decision procedure, votes."""

from __future__ import annotations

import pytest

from deid.detection.merging import votes
from deid.domain.document import Mention
from deid.domain.labels import Label

SENTENCE = "M. Jean habite à Bermont 90400"
PER, CITY, ZIP = Label.PERSON, Label.CITY, Label.ZIP


def _at(surface: str, label: Label, score: float = 0.9) -> Mention:
    start = SENTENCE.index(surface)
    return Mention(start, start + len(surface), label, score)


# Tchouka et al. 2022, section 3.4.3: what MEDINA and what NERDA say, and what must come out.
MEDINA = [_at("Jean", PER), _at("Bermont", PER), _at("90400", ZIP)]
NERDA = [_at("Jean", PER), _at("Bermont", CITY)]
EXPECTED = [("Jean", PER), ("Bermont", CITY), ("90400", ZIP)]


@pytest.mark.parametrize("merge", [votes.merge_by_procedure, votes.merge_by_weights])
@pytest.mark.parametrize("neural", sorted(votes.NEURAL))
def test_the_paper_s_sentence(merge, neural: str) -> None:
    merged = merge(votes.weigh({"crf": MEDINA, neural: NERDA}), 0.5)
    best: dict[str, Mention] = {}
    for mention in sorted(merged, key=lambda one: one.score):
        best[SENTENCE[mention.start : mention.end]] = mention
    assert {surface: mention.label for surface, mention in best.items()} == dict(EXPECTED)


def test_case_1_same_tag() -> None:
    merged = votes.merge_by_procedure(votes.weigh({"crf": [_at("Jean", PER)], "transformer": [_at("Jean", PER)]}), 0.5)
    assert [(one.label, one.end - one.start) for one in merged] == [(PER, 4)]


def test_case_2_one_side_says_nothing() -> None:
    for side in ("crf", "transformer"):
        merged = votes.merge_by_procedure(votes.weigh({side: [_at("90400", ZIP)]}), 0.5)
        assert [one.label for one in merged] == [ZIP]


def test_case_3_neural_side_for_names_places_organisations_rules_for_the_rest() -> None:
    contextual = {"patterns": [_at("Bermont", Label.ID)], "transformer": [_at("Bermont", CITY)]}
    formal = {"patterns": [_at("90400", ZIP)], "transformer": [_at("90400", Label.PHONE)]}
    assert [one.label for one in votes.merge_by_procedure(votes.weigh(contextual), 0.5)] == [CITY]
    assert [one.label for one in votes.merge_by_procedure(votes.weigh(formal), 0.5)] == [ZIP]


def test_votes_of_all_who_spoke_are_kept() -> None:
    found = {"context": [_at("Jean", PER, 0.9)], "gazetteer": [_at("Jean", CITY, 0.3)], "identity": [_at("90400", ZIP)]}
    merged = votes.merge_by_weights(votes.weigh(found), 0.5)
    jean = next(one for one in merged if one.label is PER)
    assert {(vote.annotator, vote.label, vote.score) for vote in jean.votes} == {
        ("context", PER, 0.9),
        ("gazetteer", CITY, 0.3),
    }


def test_a_weight_of_zero_silences_and_a_higher_weight_wins() -> None:
    found = {"context": [_at("Bermont", PER)], "gazetteer": [_at("Bermont", CITY)]}
    silenced = votes.weigh(found, {"context": {PER: 0}})
    assert [one.mention.label for one in silenced] == [CITY]
    reweighed = votes.weigh(found, {"gazetteer": {CITY: 100}, "context": {PER: 50}})
    assert max(reweighed, key=lambda one: one.strength).mention.label is CITY


def test_strength_is_weight_times_score_and_threshold_holds() -> None:
    (candidate,) = votes.weigh({"context": [_at("Jean", PER, 0.5)]}, {"context": {PER: 80}})
    assert candidate.strength == pytest.approx(0.4)
    assert votes.merge_by_weights([candidate], 0.5) == []


def test_every_annotator_that_ships_or_will_has_a_weight_for_every_label() -> None:
    for row in votes.WEIGHTS.values():
        assert set(row) == set(Label)
        assert all(0 <= weight <= 100 for weight in row.values())


def test_mentions_sort_whether_or_not_they_have_a_subtype() -> None:
    plain, refined = Mention(0, 4, Label.ID), Mention(0, 4, Label.ID, subtype="plate")
    assert sorted([refined, Mention(0, 2, Label.ID), plain]) == [Mention(0, 2, Label.ID), plain, refined]
