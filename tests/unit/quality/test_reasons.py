"""Every reason and every rule has its words, in both languages."""

from __future__ import annotations

import pytest

from deid.config.policy import load
from deid.domain.errors import Reason
from deid.domain.outcomes import Severity
from deid.domain.wording import LANGUAGES
from deid.quality import CHECKS
from deid.quality.checks import REQUIREMENTS
from deid.quality.reasons import REASON_WORDS, WAIVABLE
from deid.reports.run_checks import density_rules, share_rules
from tests import ROOT


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_reason_has_its_words(lang: str) -> None:
    table = REASON_WORDS[lang]
    assert set(table) == set(Reason), "say it in deid/wording/reasons.yaml"
    for wording in table.values():
        assert all(text.strip() for text in (wording.title, wording.meaning, wording.remedy))
        assert wording.meaning.endswith(".")
        assert wording.remedy.endswith(".")
    assert {reason for reason, wording in table.items() if wording.waivable} == WAIVABLE


def test_every_critical_check_has_its_reason() -> None:
    for check in CHECKS:
        assert (check.reason is not None) == (check.severity is Severity.CRITICAL)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_check_and_every_rule_has_its_words(lang: str) -> None:
    policy = load()
    uniform = policy.substitution.model_copy(update={"split": "uniform"})
    rules = (*share_rules(policy.model_copy(update={"substitution": uniform}), 100), *density_rules(policy))
    assert {one.name for one in (*CHECKS, *rules)} == set(REQUIREMENTS[lang]), (
        "say what it demands in deid/wording/checks.yaml"
    )
    assert all(sentence.endswith(".") for sentence in REQUIREMENTS[lang].values())


def test_the_stewards_page_explains_every_rule() -> None:
    page = (ROOT / "docs" / "stewards.md").read_text(encoding="utf-8")
    told = {rule for rule in REQUIREMENTS["fr"] if f"`{rule}`" in page or f"`{rule.removesuffix('_high')}`" in page}
    assert told == set(REQUIREMENTS["fr"]), "explain it in the tables of docs/stewards.md"
