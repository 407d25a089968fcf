"""Votes of the labelling functions, and one label from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.detection.lookup import Kind, LookupTable, build_lookup, folded_spellings, packaged_spellings
from deid.detection.lookup.lexicon import use_lookup
from deid.detection.lookup.staff import Staff
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.learning.distant.aggregation import Aggregation, Agreement, LabelModel, Patterns, decide
from nocturne_lab.learning.distant.functions import LABELS, LabellingFunction, Votes, labelling_functions, vote
from tests.lab.learning.distant.letters import STAFF, letter, letters

WORDS = "alpha beta gamma delta epsilon zeta"


def saying(name: str, annotator: str, *mentions: Mention) -> LabellingFunction:
    return LabellingFunction(name, annotator, lambda _: mentions)


def votes_of(*functions: LabellingFunction, text: str = WORDS) -> Votes:
    return vote(Reading(Document("d", text)), functions)


def found(aggregation: Aggregation, votes: Votes, functions: Sequence[LabellingFunction]) -> list[tuple[str, str]]:
    mentions = decide(votes, aggregation.distributions(votes), functions)
    return [(votes.reading.text[one.start : one.end], str(one.label)) for one in mentions]


def test_functions_of_the_hospitals_own_data_vote() -> None:
    functions = labelling_functions(Staff(STAFF))
    document = letter()
    votes = vote(Reading(document), functions)
    said = {
        (function.name, document.text[one.start : one.end], one.label)
        for function, mentions in zip(functions, votes.mentions, strict=True)
        for one in mentions
    }
    assert {
        ("patient", "Maëlys VASSEROT", Label.PATIENT),
        ("staff", "Yann TREGUIER", Label.DOCTOR),
        ("places", "Dijon", Label.CITY),
        ("streets", "12 rue des Lilas", Label.STREET),
        ("numeric_dates", "14/05/1961", Label.DATE),
        ("contacts", "03 80 11 22 33", Label.PHONE),
        ("announced", "Treguier-Delorme", Label.DOCTOR),
    } <= said


# What each function finds that the letter's text would not show; the last two need a reference that does not ship.
EXAMPLES = {
    "patient": ("Entrée de Maëlys VASSEROT hier.", "Maëlys VASSEROT", Label.PATIENT),
    "staff": ("Avis de Yann TREGUIER demandé.", "Yann TREGUIER", Label.DOCTOR),
    "compound_names": ("Vu avec le Dr Vasquin ce jour.", "Vasquin", Label.DOCTOR),
    "places": ("Elle a été opérée à Dijon en urgence.", "Dijon", Label.CITY),
    "towns": ("Il vit à Trifouillis-les-Bains depuis un an.", "Trifouillis-les-Bains", Label.CITY),
    "names": ("Jean-Pierre Delcourt est venu seul.", "Jean-Pierre Delcourt", Label.PERSON),
    "numeric_dates": ("Revue le 14/05/2021.", "14/05/2021", Label.DATE),
    "months": ("Vu en mars 2024.", "mars 2024", Label.DATE),
    "calendar_days": ("Revu le lundi de Pâques.", "Pâques", Label.DATE),
    "years": ("Opéré en 1998.", "1998", Label.DATE),
    "ages_and_relative_dates": ("Revu dans trois mois.", "dans trois mois", Label.RELDATE),
    "contacts": ("Tél. 03 80 11 22 33.", "03 80 11 22 33", Label.PHONE),
    "identifiers": ("IPP 48213977.", "48213977", Label.IPP),
    "streets": ("Domicile : 12 rue des Lilas", "12 rue des Lilas", Label.STREET),
    "postal_codes": ("Domicile : 21000 Dijon", "21000", Label.ZIP),
    "announced": ("Suivi par le Dr Xzqualec.", "Xzqualec", Label.DOCTOR),
    "organisations": ("Adressé à la clinique des Cèdres.", "clinique des Cèdres", Label.ORG),
    "geography": ("Chute dans le massif du Xzqualec hier.", "massif du Xzqualec", Label.LOC),
    "directory": ("Hier soir Zorvek Pliquemol trouve le tableau inchangé.", "Zorvek Pliquemol", Label.PERSON),
    "localities": ("demeure à la garcine avec sa soeur et son chien.", "la garcine", Label.STREET),
}


def test_each_function_finds_its_example() -> None:
    functions = labelling_functions(Staff(STAFF))
    assert {one.name for one in functions} == set(EXAMPLES), "a function has no example, or is gone"
    listed = [(Kind.PROFESSIONAL, "ZORVEK PLIQUEMOL", 0), (Kind.LOCALITY, "La Garcine", 0)]
    said: dict[str, set[tuple[str, Label]]] = {}
    use_lookup(LookupTable.of(build_lookup([*packaged_spellings(), *folded_spellings(listed)])))
    try:
        for function in functions:
            document = letter(text=EXAMPLES[function.name][0])
            found = vote(Reading(document), functions).mentions[functions.index(function)]
            said[function.name] = {(document.text[one.start : one.end], one.label) for one in found}
    finally:
        use_lookup(None)
    missed = {name: said[name] for name, (_, surface, label) in EXAMPLES.items() if (surface, label) not in said[name]}
    assert not missed


def test_no_function_is_learned() -> None:
    assert {one.annotator for one in labelling_functions()} == {"identity", "gazetteer", "patterns", "context"}


def test_part_of_a_compound_name_but_no_word() -> None:
    (compound,) = (one for one in labelling_functions(Staff(STAFF)) if one.name == "compound_names")
    text = "Avis du Dr Vasquin, puis contrôle."
    (mention,) = compound.find(Reading(Document("d", text)))
    assert (text[mention.start : mention.end], mention.label) == ("Vasquin", Label.DOCTOR)


def test_votes_add_up_and_ambiguous_words_vote_against() -> None:
    one = saying("one", "gazetteer", Mention(0, 5, Label.CITY, 0.6))
    two = saying("two", "context", Mention(0, 5, Label.CITY, 0.6))
    alone, both = (
        Agreement(some).distributions(votes_of(*some))[0, LABELS.index(Label.CITY)] for some in ((one,), (one, two))
    )
    assert 0.5 < alone < both < 1
    drug = saying("one", "gazetteer", Mention(0, 11, Label.PERSON, 0.8))
    assert found(Agreement([drug]), votes_of(drug, text="paracétamol le soir"), [drug]) == []


def test_two_neighbours_of_one_label_stay_two() -> None:
    dates = [saying(name, "patterns", Mention(0, 5, Label.DATE), Mention(6, 10, Label.DATE)) for name in "ab"]
    glued = [saying(name, "context", Mention(0, 10, Label.DATE)) for name in "cd"]
    two, one = [*dates, glued[0]], [dates[0], *glued]
    assert found(Agreement(two), votes_of(*two), two) == [("alpha", "DATE"), ("beta", "DATE")]
    assert found(Agreement(one), votes_of(*one), one) == [("alpha beta", "DATE")]


def test_the_label_model_learns_whom_to_trust() -> None:
    # Two functions agree; the third, as loud at first, contradicts them, and is alone against one of them at last.
    functions = [
        saying("a", "gazetteer", *(Mention(at, at + 4, Label.CITY, 0.8) for at in (0, 6, 11, 17))),
        saying("b", "gazetteer", *(Mention(at, at + 4, Label.CITY, 0.8) for at in (0, 6, 11))),
        saying("c", "gazetteer", *(Mention(at, at + 4, Label.PERSON, 0.8) for at in (0, 6, 11, 17))),
    ]
    votes = votes_of(*functions)
    agreement = Agreement(functions)
    patterns = Patterns(agreement)
    for _ in range(20):
        patterns.add(votes)
    tied = votes.reading.token_at(17)
    city, person = LABELS.index(Label.CITY), LABELS.index(Label.PERSON)
    before, after = (one.distributions(votes)[tied] for one in (agreement, LabelModel.fit(patterns)))
    assert before[city] == pytest.approx(before[person])
    assert after[city] > 2 * after[person]


def test_a_label_model_of_nothing_is_refused() -> None:
    patterns = Patterns(Agreement([]))
    patterns.add(votes_of(text="le soir"))
    with pytest.raises(InputRefused):
        LabelModel.fit(patterns)


SPANS = st.tuples(st.integers(0, 5), st.integers(0, 5)).map(sorted)
STARTS, ENDS = (0, 6, 11, 17, 23, 31), (5, 10, 16, 22, 30, 35)
MENTIONS = st.builds(
    lambda span, label, score: Mention(STARTS[span[0]], ENDS[span[1]], label, score),
    SPANS,
    st.sampled_from([one for one in LABELS if one]),
    st.floats(0, 1),
)


@given(st.lists(st.lists(MENTIONS, max_size=4), min_size=3, max_size=3))
def test_distributions_are_distributions(said: list[list[Mention]]) -> None:
    names = ("gazetteer", "context", "patterns")
    functions = [saying(name, name, *mentions) for name, mentions in zip(names, said, strict=True)]
    votes = votes_of(*functions)
    agreement = Agreement(functions)
    made: list[Aggregation] = [agreement]
    if votes.symbols.any():
        patterns = Patterns(agreement)
        patterns.add(votes)
        made.append(LabelModel.fit(patterns))
    for one in made:
        rows = one.distributions(votes)
        assert np.isfinite(rows).all()
        assert rows.sum(axis=1) == pytest.approx(1)
        assert (rows[~votes.symbols.any(axis=1)].argmax(axis=1) == 0).all()


def test_both_methods_find_the_same_sure_values() -> None:
    functions = labelling_functions(Staff(STAFF))
    agreement = Agreement(functions)
    patterns = Patterns(agreement)
    for one in letters(3):
        patterns.add(vote(Reading(one), functions))
    votes = vote(Reading(letter()), functions)
    for method in (agreement, LabelModel.fit(patterns)):
        assert {("14/05/1961", "DATE"), ("03 80 11 22 33", "PHONE")} <= set(found(method, votes, functions))
