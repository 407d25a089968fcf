"""Places of failed checks: the words that fail, and no others, wherever they stand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.quality import measure
from deid.quality.places import find_places
from deid.stewardship.workbench import OF_DRAWS
from tests.unit.quality.documents import CLEAN, checked
from tests.unit.quality.test_verdicts import FAILING


def places(marked: str, *checks: str) -> dict[str, list[str]]:
    candidate = checked(marked)
    failed = checks or [name for name, number in measure(candidate).items() if number]
    found = find_places(candidate, failed)
    return {name: [candidate.substitution.text[start:end] for start, end in spans] for name, spans in found.items()}


@pytest.mark.parametrize(
    ("check", "text", "shown"),
    [
        ("identity_name", "Anaïs va bien, Mme dubreuilh aussi.", ["Anaïs", "dubreuilh"]),
        ("identity_name", "Vue par D U B R E U I L H ce jour.", ["D U B R E U I L H"]),
        ("identity_name", "Signé : DUBREU-\nILH, ce jour.", ["DUBREU-\nILH"]),
        ("identity_name", "Voir anaisdubreuilh et encore anaisdubreuilh.", ["anaisdubreuilh", "anaisdubreuilh"]),
        ("identity_name", "Revu avec Mme [[PATIENT|Roux=>DUBREUILH]] hier.", ["DUBREUILH"]),
        ("identity_fuzzy", "Madame Dubreulih est sortie.", ["Dubreulih"]),
        ("identity_number", "Dossier 000-348-12-97.", ["000-348-12-97"]),
        ("identity_birth_date", "Née le sept novembre mille neuf cent trente-huit.", None),
        ("identity_contact", "Appeler le 06.39.98.44.17 demain.", ["06.39.98.44.17"]),
        ("identity_address", "Domicile : rue des tilleuls.", ["rue des tilleuls"]),
        ("residual_phone", "Fax 05 36 49 12 31 puis 05 36 49 12 32.", ["05 36 49 12 31", "05 36 49 12 32"]),
        ("residual_email", "Écrire à j.roux@chu-lointain.fr.", ["j.roux@chu-lointain.fr"]),
        (
            "residual_url",
            "Voir https://dossier.example.fr/patients?x=1 ici.",
            ["https://dossier.example.fr/patients?x=1"],
        ),
        ("residual_date", "Vu le 3 mars 2026 et le 04/03/2026.", ["3 mars 2026", "04/03/2026"]),
        ("residual_digits", "Charge 12000000000 copies/mL, dossier 98765432.", ["98765432"]),
        ("order_overridden", "Rendez\u202evous", ["\u202e"]),
    ],
)
def test_a_place_is_what_fails(check: str, text: str, shown: list[str] | None) -> None:
    found = places(CLEAN + text, check)[check]
    assert found == shown if shown else found[0] in text


def test_what_points_at_someone_in_an_unchanged_text_is_a_place() -> None:
    assert places("Aucune plainte.\nNom :\nRien à signaler ce jour.", "text_unchanged") == {"text_unchanged": ["Nom :"]}


def test_a_clinical_value_replaced_and_a_word_cut_have_their_place() -> None:
    changed = CLEAN + "Hémoglobine [[ID|12,4 g/dL=>83,1 x/kB]] ce jour. Le [[DOCTOR|Rou=>Mar]]sseau est là."
    found = places(changed, "clinical_value_changed", "words_cut")
    assert found == {"clinical_value_changed": ["83,1 x/kB"], "words_cut": ["Mar"]}


def test_what_says_that_a_person_is_unique_has_its_place() -> None:
    told = CLEAN + "Seule bouchère du canton. Dernier contrôle normal. Champion\nde France de lutte."
    assert places(told, "unique_person") == {"unique_person": ["Seule bouchère du canton", "Champion\nde France"]}


# Checks of the document as a whole, which no passage shows; those of what was drawn are `OF_DRAWS`.
WHOLE = {
    *("output_empty", "language_foreign", "spans_broken", "mentions_lost", "context_altered", "lines_changed"),
    *("identity_unknown", "mentions_none", "clinical_items"),
}


@pytest.mark.parametrize("check", FAILING)
def test_every_failure_has_places_or_is_of_the_whole_or_of_what_was_drawn(check: str) -> None:
    candidate = FAILING[check]()
    if check == "unmeasured":
        return
    found = find_places(candidate, [check])
    unplaced = check in WHOLE | OF_DRAWS
    assert bool(found) != unplaced, (
        f"find the places of {check} in deid/quality/places.py, or name it in WHOLE or OF_DRAWS"
    )
    for spans in found.values():
        assert all(0 <= start < end <= len(candidate.substitution.text) for start, end in spans)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["Le bilan est normal.", "Anaïs", "\n", "06 39 98 44 17", "rien", "Vu."]), max_size=12))
def test_a_text_without_its_places_passes_the_check(words: list[str]) -> None:
    candidate = checked(CLEAN + " ".join(words))
    for name in ("identity_name", "identity_contact", "residual_phone"):
        found = find_places(candidate, [name]).get(name, ())
        assert bool(found) == bool(measure(candidate)[name])
        assert len(found) >= (sum(word == "Anaïs" for word in words) if name == "identity_name" else 0)
