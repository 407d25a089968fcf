"""The budget: what each split gives an element, what a document spends, and policies that no budget can be made of."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from deid.config.policy import Policy, load
from deid.domain.document import Patient
from deid.domain.errors import DocumentRefused, PolicyError, Reason
from deid.french.folding import comparable
from deid.privacy.budget import Counts, Shares, shares
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from tests.unit.substitution.examples import KEY, changed, marked

NUMBERS = st.integers(0, 200)
DURAND = (
    "M. [[PATIENT|Durand]] né à [[CITY|Dijon]], [[AGE|40 ans]], a été admis à l'hôpital du [[DATE|12/02/2020]] "
    "au [[DATE|26 février 2020]] à la suite d'un accident de la route à [[CITY|Dijon]]."
)
QUARTERS = {"split": "weighted", "weights": {"time": 3.0, "place": 1.0}}


def _policy(policy: Policy, **values: object) -> Policy:
    return policy.model_copy(update={"substitution": policy.substitution.model_copy(update=values)})


@given(time=NUMBERS, place=NUMBERS)
def test_a_nominal_share_does_not_depend_on_the_document(time: int, place: int, policy: Policy) -> None:
    assert shares(policy.substitution, Counts(time, place)) == Shares(Fraction(1, 4), Fraction(1, 4))


@given(time=NUMBERS, place=NUMBERS)
def test_uniform_shares_sum_to_the_documents_epsilon(time: int, place: int, policy: Policy) -> None:
    each = shares(_policy(policy, split="uniform").substitution, Counts(time, place))
    assert each.time == each.place
    assert time * each.time + place * each.place == (4 if time + place else 0)


@given(time=NUMBERS, place=NUMBERS, weight=st.sampled_from([0.1, 0.25, 1.0, 3.0, 7.3]))
def test_weighted_shares_give_each_category_its_part(time: int, place: int, weight: float, policy: Policy) -> None:
    weights = {"time": weight, "place": 1.0}
    each = shares(_policy(policy, split="weighted", weights=weights).substitution, Counts(time, place))
    part = Fraction(str(weight)) / (Fraction(str(weight)) + 1)
    assert time * each.time == (4 * part if time else 0)
    assert place * each.place == (4 * (1 - part) if place else 0)


def test_the_weights_of_the_2022_article(policy: Policy, communes: CommuneTable) -> None:
    """Tchouka et al. 2022: a quarter for location, three for dates and ages. The thread example of 2023 holds three of
    the latter, one of which is the document's own day here, and follows the anchor."""
    document, mentions = marked(DURAND, reference_date=date(2020, 2, 26))
    weighted = Substitutor(_policy(policy, **QUARTERS), KEY, communes)
    spent = {line.category: line.epsilon for line in weighted.substitute(document, mentions).spends}
    assert spent == {"anchor": pytest.approx(1 / 14), "date": 1.5, "age": 1.5, "place": 1.0}


def test_the_share_is_part_of_the_draw(policy: Policy, communes: CommuneTable) -> None:
    """Another ε is another draw: otherwise two releases could be averaged for less than they cost."""
    draws = {
        Substitutor(changed(policy, epsilon_per_document=epsilon), KEY, communes).substitute(*marked(DURAND)).text
        for epsilon in (1.0, 2.0, 4.0, 8.0)
    }
    assert len(draws) == 4


def test_past_the_documents_limit_it_is_refused(policy: Policy, communes: CommuneTable) -> None:
    document, mentions = marked(DURAND)
    spent = sum(line.epsilon for line in Substitutor(policy, KEY, communes).substitute(document, mentions).spends)
    assert Substitutor(changed(policy, max_epsilon_per_document=spent), KEY, communes).substitute(document, mentions)
    strict = Substitutor(changed(policy, max_epsilon_per_document=spent - 0.01), KEY, communes)
    with pytest.raises(DocumentRefused) as refusal:
        strict.substitute(document, mentions)
    assert refusal.value.reason is Reason.BUDGET_EXCEEDED


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("{epsilon_per_document: 0}", "epsilon_per_document: Input should be greater than 0"),
        ("{epsilon_per_document: -1}", "epsilon_per_document: Input should be greater than 0"),
        ("{epsilon_per_document: .inf}", "epsilon_per_document: Input should be a finite number"),
        ("{epsilon_per_document: .nan}", "epsilon_per_document"),
        ("{max_epsilon_per_document: 0}", "max_epsilon_per_document: Input should be greater than 0"),
        ("{elements_per_document: 0}", "elements_per_document: Input should be greater than or equal to 1"),
        ("{split: weighted}", "split: weighted needs a weight for place and time"),
        ("{split: weighted, weights: {time: 3}}", "split: weighted needs a weight for place"),
        ("{split: weighted, weights: {time: 3, place: 0}}", "weights.place: Input should be greater than 0"),
        ("{split: weighted, weights: {time: 3, place: 1, names: 1}}", "weights.names"),
        ("{weights: {time: 3, place: 1}}", "weights are read by split: weighted only, not by nominal"),
    ],
)
def test_what_no_budget_can_be_made_of_is_refused_by_name(given: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(f"extends: default\nname: ours\nsubstitution: {given}\n")
    with pytest.raises(PolicyError) as refusal:
        load(path)
    assert told in str(refusal.value)


FULL = (
    "Né le [[DATE|12/09/1957]], [[AGE|65 ans]], fils de [[AGE|8 ans]], bébé de [[AGE|4 jours]], vu "
    "[[RELDATE|il y a dix jours]], opéré en [[DATE|avril 2023]] et [[DATE|2022]] à [[ZIP|21000]] [[CITY|Dijon]]."
)


@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-9, 1e6, 1e300])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"dates": {"document_date": "metric"}, "ages": {"paediatric_unit": "month"}},
        {"dates": {"strategy": "bounded_laplace"}, "ages": {"strategy": "bounded_laplace"}},
        {"places": {"strategy": "knn_exponential"}},
        {"places": {"strategy": "geo_indistinguishability"}},
    ],
)
def test_no_epsilon_above_0_stops_a_draw_or_leaves_an_original_that_was_not_drawn(
    epsilon: float, changes: dict[str, dict[str, str]], policy: Policy, communes: CommuneTable
) -> None:
    extreme = changed(policy, epsilon_per_document=epsilon, max_epsilon_per_document=None, **changes)
    for born in (date(1957, 9, 12), date(2023, 5, 1)):
        document, mentions = marked(FULL, patient=Patient(key="p1", birth_date=born))
        result = Substitutor(extreme, KEY, communes).substitute(document, mentions)
        for one in result.surrogates:
            kept = comparable(one.text) == comparable(document.text[one.mention.start : one.mention.end])
            if one.strategy != "health_exponential":  # its law has the original among its values
                assert not kept


@pytest.mark.parametrize(
    ("part", "name", "most"),
    [("dates", "anchor_scale_days", 3_650), ("places", "unit_km", 1_000), ("places", "radius_km", 2_000)],
)
def test_a_scale_that_nothing_can_be_drawn_with_is_refused(part: str, name: str, most: float, policy: Policy) -> None:
    values = policy.model_dump()
    for refused in (0, -1, most + 1, float("inf"), float("nan")):
        values["substitution"][part][name] = refused
        with pytest.raises(ValidationError, match=name):
            Policy.model_validate(values)
    values["substitution"][part][name] = most
    Policy.model_validate(values)
