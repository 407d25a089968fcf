"""Every reason and every rule has its words, in both languages."""

from __future__ import annotations

import pytest

from deid.config.policy import load
from deid.domain.errors import Reason
from deid.domain.outcomes import Severity
from deid.quality import CHECKS
from deid.quality.reasons import ENGLISH, FRENCH
from deid.reports.run_checks import MEANING, density_rules, share_rules
from tests import ROOT


@pytest.mark.parametrize("table", [FRENCH, ENGLISH])
def test_every_reason_has_its_words(table: dict) -> None:
    assert set(table) == set(Reason)
    for wording in table.values():
        assert all(text.strip() for text in (wording.title, wording.meaning, wording.remedy))
        assert wording.meaning.endswith(".")
        assert wording.remedy.endswith(".")


def test_every_check_has_its_words_and_every_critical_one_its_reason() -> None:
    for check in CHECKS:
        assert check.french.endswith(".")
        assert check.english.endswith(".")
        assert (check.reason is not None) == (check.severity is Severity.CRITICAL)


def test_every_run_rule_has_its_words() -> None:
    policy = load()
    uniform = policy.substitution.model_copy(update={"split": "uniform"})
    rules = (*share_rules(policy.model_copy(update={"substitution": uniform}), 100), *density_rules(policy))
    assert {rule.name for rule in rules} == set(MEANING)


def test_the_stewards_page_explains_everything() -> None:
    page = (ROOT / "docs" / "stewards.md").read_text(encoding="utf-8")
    for reason, wording in FRENCH.items():
        assert f"| **{wording.title}** (`{reason}`) | {wording.meaning} | {wording.remedy} |" in page
    for check in CHECKS:
        assert f"`{check.name}`" in page
    for rule in MEANING:
        assert f"`{rule}`" in page or f"`{rule.removesuffix('_high')}`" in page
