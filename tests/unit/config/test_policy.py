"""Policies that ship, and files that hold only what differs from one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid.config.policy import DEFAULT, Publication, load, read_kept
from deid.detection import Detector
from deid.domain.errors import PolicyError
from deid.domain.labels import Label


@pytest.mark.parametrize("path", sorted(DEFAULT.parent.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_policy_that_ships_can_be_used(path: Path) -> None:
    policy = load(path)
    assert policy.name == path.stem
    assert Detector.check(policy)


def test_a_file_may_hold_only_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text("extends: default\nname: ours\ndetection: {recall: {CITY: 1.5}}\nquality: {baseline_runs: 3}\n")
    policy, base = load(path), load()
    assert policy.detection.recall[Label.CITY] == 1.5
    assert policy.quality.baseline_runs == 3
    assert policy.detection.annotators == base.detection.annotators
    assert policy.substitution == base.substitution
    assert policy.digest != base.digest


@pytest.mark.parametrize("base", sorted(path.stem for path in DEFAULT.parent.glob("*.yaml")))
def test_any_policy_that_ships_can_be_extended(base: str, tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(f"extends: {base}\nname: ours\n")
    assert load(path) == load(DEFAULT.with_name(f"{base}.yaml")).model_copy(update={"name": "ours"})


@pytest.mark.parametrize("base", ["nothing", "../default", "ours"])
def test_what_does_not_ship_cannot_be_extended(base: str, tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(f"extends: {base}\n")
    with pytest.raises(PolicyError, match="which does not ship"):
        load(path)


@pytest.mark.parametrize("setting", ["recal: {CITY: 1}", "repeat_across_documents: true"])  # misspelt; gone
def test_an_unknown_key_is_refused_by_its_name_in_an_extension_too(setting: str, tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(f"extends: default\ndetection: {{{setting}}}\n")
    with pytest.raises(PolicyError, match=rf"detection\.{setting.split(':')[0]}: .* Leave it out or correct its name"):
        load(path)


def test_a_policy_of_the_ledger_is_read_without_the_keys_that_are_gone_and_no_others() -> None:
    policy = load(DEFAULT.with_name("strict.yaml"))
    kept = policy.content
    kept["detection"]["repeat_across_documents"] = True
    assert read_kept(kept) == policy
    renamed = policy.content
    renamed["release"]["share_of_old"] = renamed["release"].pop(next(iter(renamed["release"])))
    assert read_kept(renamed) is None
    misplaced = policy.content | {"repeat_across_documents": True}
    assert read_kept(misplaced) is None
    wrong = kept | {"patients": {"of": 1, "take": 7}}
    assert read_kept(wrong) is None
    assert read_kept(None) is None


def _given(tmp_path: Path, publication: str, labels: str = "{NDA: {provider: mask}}") -> Path:
    path = tmp_path / "ours.yaml"
    path.write_text(f"extends: default\nsubstitution: {{labels: {labels}}}\npublication: {publication}\n")
    return path


def test_what_is_shown_of_types_and_stays_may_be_chosen_and_classes_added_to_those_that_ship(tmp_path: Path) -> None:
    chosen = load(_given(tmp_path, "{types: classes, classes: {XYZ: ' lettre '}, other_class: reste, stay: drop}"))
    assert (chosen.publication.stay, chosen.publication.other_class) == ("drop", "reste")
    assert chosen.publication.classes["XYZ"] == "lettre"
    assert chosen.publication.classes["CRH"] == load().publication.classes["CRH"] == "compte rendu"


@pytest.mark.parametrize(
    ("publication", "labels", "said"),
    [
        ("{types: some}", "{}", "'warehouse', 'classes' or 'drop'"),
        ("{types: classes, classes: {CRH: ' '}}", "{}", "publication.classes.CRH: String should have at least 1"),
        ("{types: classes, other_class: ''}", "{}", "publication.other_class: String should have at least 1"),
        ("{types: drop, files: rewritten}", "{}", "needs types: warehouse and stay: pseudonym"),
        ("{stay: drop, files: rewritten}", "{NDA: {provider: mask}}", "needs types: warehouse and stay: pseudonym"),
        ("{stay: drop}", "{}", "needs mask or redact or null for substitution.labels.NDA: by format_preserving"),
        ("{stay: drop}", "{NDA: {provider: hash}}", "by hash, documents of a stay have the same number"),
    ],
)
def test_a_policy_that_would_show_what_it_hides_is_refused(
    tmp_path: Path, publication: str, labels: str, said: str
) -> None:
    with pytest.raises(PolicyError, match=said):
        load(_given(tmp_path, publication, labels))


def test_classes_without_a_class_are_refused() -> None:
    with pytest.raises(ValueError, match="needs classes, a class for each type"):
        Publication(types="classes")


@pytest.mark.parametrize("provider", ["redact", "null", "mask"])
def test_stays_may_be_hidden_where_their_numbers_are_all_alike(tmp_path: Path, provider: str) -> None:
    labels = f"{{NDA: {{provider: {provider}}}}}"
    assert load(_given(tmp_path, "{stay: drop}", labels)).publication.stay == "drop"


def test_documents_are_made_anew_where_what_is_shown_changes_and_there_alone() -> None:
    shown = [
        Publication(),
        Publication(stay="drop"),
        Publication(types="drop"),
        Publication(types="drop", stay="drop"),
        Publication(types="classes", classes={"CRH": "a"}),
        Publication(types="classes", classes={"CRH": "b"}),
        Publication(types="classes", classes={"CRH": "a"}, other_class="b"),
        Publication(columns=("sex",)),
        Publication(columns=("sex",), stay="drop"),
    ]
    digests = [one.beside_digest for one in shown]
    assert len(set(digests)) == len(shown)
    assert digests[0] == Publication(classes={"CRH": "a"}, other_class="b").beside_digest == ""
