"""Own types in YAML: what is refused, with file, key and remedy, and what changes the policy's stamp."""

from __future__ import annotations

import copy
import time
from pathlib import Path

import pytest

from deid.config.own_types import VALIDATORS, compiled
from deid.config.policy import Policy, load
from deid.detection import Detector
from deid.domain.errors import PolicyError
from deid.french.check_digits import luhn_digit

NAMES = "names: {fr: Badge, en: Badge}"


def policy_of(folder: Path, section: str) -> Path:
    """Write a policy whose `types` are the lines of `section`, indented by two."""
    path = folder / "ours.yaml"
    path.write_text(f"extends: rules\nname: ours\ntypes:\n  {section}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("section", "said"),
    [
        (f"BADGE: {{label: ID, {NAMES}}}", "types.BADGE: .*needs patterns, or a dictionary"),
        (f"BADGE: {{label: BADGE, {NAMES}, patterns: [a]}}", "types.BADGE.label: "),
        (
            f"BADGE: {{label: ID, {NAMES}, patterns: ['(?<!a)b']}}",
            "patterns.0: no pattern .* linear time .*look-around",
        ),
        (f"BADGE: {{label: ID, {NAMES}, patterns: [ok, '(a)\\1']}}", "patterns.1: no pattern"),
        (f"BADGE: {{label: ID, {NAMES}, patterns: ['a*']}}", "matches nothing at all"),
        (f"BADGE: {{label: ID, {NAMES}, patterns: [a], validate: crc}}", "types.BADGE.validate"),
        (f"BADGE: {{label: ID, {NAMES}, patterns: [a], pattern: b}}", "types.BADGE.pattern: Extra inputs"),
        (f"BADGE: {{label: ID, {NAMES}, patterns: [a], weight: 0}}", "types.BADGE.weight"),
        (f"BADGE: {{label: ID, {NAMES}, patterns: [a], provider: keeps}}", "no provider keeps"),
        (f"BADGE: {{label: ID, {NAMES}, patterns: [a], provider: truncate}}", "truncate is refused"),
        (f"BADGE: {{label: ID, {NAMES}, patterns: [a], provider: constant}}", "text and provider: constant"),
        (f"BADGE: {{label: ID, {NAMES}, patterns: [a], provider: list}}", "surrogates and provider: list"),
        (f"NICK: {{label: PATIENT, {NAMES}, patterns: [a], provider: keep}}", "no type of PATIENT is kept"),
        (f"BADGE: {{label: ID, {NAMES}, dictionary: none.txt}}", "types.BADGE.dictionary: none.txt: No such file"),
        (f"BADGE: {{label: ID, {NAMES}, dictionary: ../ours.yaml}}", "outside the policy's folder"),
        (f"BADGE: {{label: ID, {NAMES}, dictionary: blank.txt}}", "blank.txt has no line"),
        (f"BADGE: {{label: ID, {NAMES}, dictionary: latin.txt}}", "types.BADGE.dictionary: .*not UTF-8"),
        (
            f"BADGE: {{label: ID, {NAMES}, patterns: [a], join: {{with: [X], between: '-'}}}}",
            "BADGE.join.with: X is no",
        ),
        (f"BADGE: {{label: ID, {NAMES}, patterns: [a], join: {{with: [ID], between: '('}}}}", "types.BADGE.join"),
        (f"NDA: {{label: ID, {NAMES}, patterns: [a]}}", "no label's"),
        (f"IBAN: {{label: ID, {NAMES}, patterns: [a]}}", "known subtype's"),
        (f"badge: {{label: ID, {NAMES}, patterns: [a]}}", "in capitals"),
        (f"B: {{label: ID, {NAMES}, patterns: [a]}}", "3 to 30 signs"),
        (
            f"SITE: {{label: ORG, {NAMES}, dictionary: sites.txt, provider: list, surrogates: drawn.txt}}",
            "types.SITE.surrogates: 1 lines are terms",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_file_and_key(section: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "blank.txt").write_text("# nothing\n\n")
    (tmp_path / "latin.txt").write_bytes("Crèche".encode("latin-1"))
    (tmp_path / "sites.txt").write_text("La Butte\nLes Pins\n")
    (tmp_path / "drawn.txt").write_text("Le Val\nla butte\n")
    with pytest.raises(PolicyError, match=said) as refused:
        load(policy_of(tmp_path, section))
    assert "ours.yaml" in str(refused.value)
    assert refused.value.remedy


def test_a_pattern_that_would_backtrack_without_end_is_searched_in_linear_time() -> None:
    """(a+)+$ and its kin take Python's engine longer than the age of the universe on these."""
    began = time.process_time()
    for pattern in (r"(a+)+$", r"(a|a)*b", r"(?:a|aa)+\d", r"(.*a){12}x", r"([a-z]+)*=", r"(\w+\s?)*;"):
        assert not list(compiled(f"x{pattern}").finditer("x" + "a" * 20_000 + "!"))
    assert time.process_time() - began < 2


def test_the_stamps_change_with_the_section_and_with_a_dictionary(tmp_path: Path) -> None:
    sites = tmp_path / "sites.txt"
    sites.write_text("La Butte\n")
    path = policy_of(tmp_path, f"SITE: {{label: ORG, {NAMES}, dictionary: sites.txt}}")
    first = load(path)
    sites.write_text("La Butte\nLes Pins\n")
    second = load(path)
    third = load(policy_of(tmp_path, f"SITE: {{label: ORG, {NAMES}, dictionary: sites.txt, weight: 90}}"))
    for stamp in (lambda one: one.digest, lambda one: one.text_digest, lambda one: Detector(one).version):
        assert len({stamp(first), stamp(second), stamp(third)}) == 3
    with pytest.raises(PolicyError, match="has changed since the policy was read"):
        first.types["SITE"].terms("dictionary")
    assert copy.deepcopy(second).types["SITE"].terms("dictionary") == ("La Butte", "Les Pins")
    assert Policy.model_validate(second.content).digest == second.digest


def test_a_stated_digest_must_be_the_file_s(tmp_path: Path) -> None:
    (tmp_path / "sites.txt").write_text("La Butte\n")
    path = policy_of(tmp_path, f"SITE: {{label: ORG, {NAMES}, dictionary: sites.txt, dictionary_digest: '00'}}")
    with pytest.raises(PolicyError, match=r"types\.SITE\.dictionary_digest: the file sites\.txt has another SHA-256"):
        load(path)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("luhn", ["B-4471-0" + luhn_digit("44710"), "4539 1488 0343 6467"], ["4539 1488 0343 6468", "B"]),
        ("mod97", ["794-44"], ["794-45", "abc-"]),
        ("mod11", ["0000-0001-2281-955X", "07940"], ["0000-0001-2281-9551", ""]),
        ("finess", ["25 000 048 " + luhn_digit("25000048")], ["25 000 048 0", "2500004"]),
        ("nir", ["2 55 08 14 168 025 38"], ["2 55 08 14 168 025 39"]),
        ("iban", ["FR76 3000 6000 0112 3456 7890 189"], ["FR76 3000 6000 0112 3456 7890 188"]),
        ("date", ["12/03/2021", "20210312", "120321"], ["31/02/2021", "2021", "12 mars"]),
    ],
)
def test_validators(name: str, right: list[str], wrong: list[str]) -> None:
    holds = VALIDATORS[name]
    assert all(map(holds, right))
    assert not any(map(holds, wrong))
