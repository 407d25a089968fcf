"""Surrogates of own types: injective within the scope, in the layout, right by the validator; or as the policy says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.config.own_types import VALIDATORS
from deid.config.policy import Policy, load
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from deid.domain.outcomes import Candidate
from deid.french.check_digits import luhn_digit
from deid.french.folding import comparable
from deid.privacy.permutation import KeyedPermutation
from deid.quality.measures import measure
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor

SECTION = """extends: rules
name: ours
types:
  BADGE: {{label: ID, names: {{fr: Badge, en: Badge}}, patterns: [x], {options}}}
"""
KEY = b"0123456789abcdef0123456789abcdef"
PATIENT = Patient(key="P1", last_name="Vasserot", ipp="70012345")


def policy_of(folder: Path, options: str) -> Policy:
    path = folder / "ours.yaml"
    path.write_text(SECTION.format(options=options), encoding="utf-8")
    return load(path)


def written(policy: Policy, *values: str, label: Label = Label.ID, patient: Patient = PATIENT) -> list[str]:
    """Return the surrogates of values of the own type, in one document."""
    text = "".join(f"Badge {value}.\n" for value in values)
    mentions, start = [], 0
    for value in values:
        start = text.index(f" {value}.", start) + 1
        mentions.append(Mention(start, start + len(value), label, 1.0, "BADGE"))
    substitutor = Substitutor(policy, KEY, packaged_tables().communes)
    return [one.text for one in substitutor.substitute(Document("d", text, patient), mentions).surrogates]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("plain"), "weight: 100")


def test_every_value_of_a_layout_has_its_own_surrogate_in_it(plain: Policy) -> None:
    values = [f"{letter}-{number:02d}" for letter in "AB" for number in range(10, 100)]
    drawn = written(plain, *values)
    assert len(set(drawn)) == len(values)
    assert all(one[0].isalpha() and one[0].isupper() and one[1] == "-" and one[2:].isdigit() for one in drawn)
    assert not any(one == value for one, value in zip(drawn, values, strict=True))


@pytest.mark.parametrize("name", ["luhn", "mod97", "mod11", "finess", "iban", "nir"])
def test_surrogates_prove_what_their_originals_do(name: str, tmp_path: Path) -> None:
    samples = {
        "luhn": ["B-4471-02", "4539 1488 0343 6467"],
        "mod97": ["79444", "GB82"],
        "mod11": ["0000-0001-2281-955X", "07940"],
        "finess": ["25 000 048 " + luhn_digit("25000048")],
        "iban": ["FR76 3000 6000 0112 3456 7890 189"],
        "nir": ["2 55 08 14 168 025 38"],
    }[name]
    right = [value for value in samples if VALIDATORS[name](value)]
    drawn = written(policy_of(tmp_path, f"validate: {name}"), *right)
    assert right
    assert all(map(VALIDATORS[name], drawn))
    assert not set(drawn) & set(right)


@given(
    st.text("abzAZ059-/ é", min_size=1, max_size=14).filter(
        lambda text: any(map(str.isalnum, text)) and text.strip() == text
    )
)
def test_any_value_is_replaced_and_equal_ones_alike(plain: Policy, value: str) -> None:
    first, second = written(plain, value, value.upper())
    assert comparable(first) != comparable(value)
    assert first == "[BADGE]" or comparable(first) == comparable(second)
    assert [char for char in first if not char.isalnum()] == [char for char in value if not char.isalnum()] or first[
        0
    ] == "["


def test_a_patient_s_are_drawn_apart_from_another_s(plain: Policy) -> None:
    other = replace(PATIENT, key="P2")
    assert written(plain, "B-4471-02") == written(plain, "B-4471-02")
    assert written(plain, "B-4471-02") != written(plain, "B-4471-02", patient=other)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("provider: keep", "B-4471-02"),
        ("provider: constant, text: un badge", "un badge"),
        ("provider: redact, options: {width: 3}", "███"),
        ("provider: 'null'", ""),
    ],
)
def test_the_policy_chooses_what_is_written(options: str, expected: str, tmp_path: Path) -> None:
    assert written(policy_of(tmp_path, options), "B-4471-02") == [expected]


def test_a_tag_and_a_hash_are_the_type_s_own(tmp_path: Path) -> None:
    (tag,) = written(policy_of(tmp_path, "provider: tag"), "B-4471-02")
    assert tag.startswith("BADGE-")
    (one,) = written(policy_of(tmp_path, "provider: hash"), "B-4471-02")
    assert len(one) == 12


def test_a_list_gives_each_term_of_the_dictionary_its_own_line(tmp_path: Path) -> None:
    terms, lines = ([f"{stem} {number}" for number in range(40)] for stem in ("Pavillon", "Site"))
    (tmp_path / "sites.txt").write_text("\n".join(terms))
    (tmp_path / "drawn.txt").write_text("\n".join(lines))
    policy = policy_of(tmp_path, "dictionary: sites.txt, provider: list, surrogates: drawn.txt")
    drawn = written(policy, *terms)
    assert sorted(drawn) == sorted(lines)
    assert written(policy, "pavillon 7", "Autre")[0] == drawn[7]


def test_a_type_follows_its_base_label_s_generator(tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(SECTION.format(options="weight: 90") + "substitution: {labels: {ID: {provider: redact}}}\n")
    assert written(load(path), "B-4471-02") == ["█████"]


def _judged(policy: Policy, text: str, value: str, patient: Patient) -> dict[str, float]:
    start = text.index(value)
    mentions = (Mention(start, start + len(value), Label.ID, 1.0, "BADGE"),)
    document = Document("d", text, patient)
    substitution = Substitutor(policy, KEY, packaged_tables().communes).substitute(document, mentions)
    return measure(Candidate(document, mentions, substitution))


def test_a_kept_value_is_no_original_left_unless_it_is_the_patient_s(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, "provider: keep")
    sound = _judged(policy, "Inclus dans NCT01234567 sans incident.", "NCT01234567", PATIENT)
    assert (sound["original_kept"], sound["text_unchanged"], sound["residual_digits"]) == (0, 0, 0)
    assert _judged(policy, "Inclus sous 70012345.", "70012345", PATIENT)["identity_number"] == 1
    assert _judged(policy, "Groupe VASSEROT inclus.", "VASSEROT", PATIENT)["identity_name"] == 1


def test_a_surrogate_equal_to_its_original_is_found_where_the_type_is_not_kept(plain: Policy) -> None:
    text, mention = "Badge B-4471-02.", Mention(6, 15, Label.ID, 1.0, "BADGE")
    document = Document("d", text, PATIENT)
    done = Substitutor(plain, KEY, packaged_tables().communes).substitute(document, (mention,))
    (drawn,) = done.surrogates
    same = replace(done, text=text, surrogates=(drawn._replace(text="B-4471-02"),))
    assert measure(Candidate(document, (mention,), same))["original_kept"] == 1
    names = replace(mention, label=Label.PATIENT)
    kept = drawn._replace(text="B-4471-02", strategy="keep", mention=names)
    assert measure(Candidate(document, (names,), replace(same, surrogates=(kept,))))["original_kept"] == 1


@given(st.integers(1, 1 << 140), st.data())
def test_a_permutation_is_inverted(bound: int, data: st.DataObject) -> None:
    order = KeyedPermutation(KEY, bound, "test")
    value = data.draw(st.integers(0, bound - 1))
    assert order.inverse(order(value)) == value
