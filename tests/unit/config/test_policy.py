"""Policies that ship, and files that hold only what differs from one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid.config.policy import DEFAULT, load
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


def test_an_unknown_key_is_refused_in_an_extension_too(tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text("extends: default\ndetection: {recal: {CITY: 1}}\n")
    with pytest.raises(PolicyError, match="recal"):
        load(path)
