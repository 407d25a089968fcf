"""Hostile texts (corpus/redteam) through the public flow: each has its expected outcome, or is known not to have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from deid.config.policy import load
from deid.detection import Detector
from deid.domain.errors import InputRefused
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from nocturne_lab.evaluation.hostile_texts import (
    Expected,
    HostileOutcome,
    HostileText,
    load_hostile_texts,
    run_hostile_texts,
)
from nocturne_lab.evaluation.readable_forms import GAP, is_readable
from tests import ROOT

FOLDER = ROOT / "corpus" / "redteam"
TEXTS = load_hostile_texts(FOLDER)


@pytest.fixture(scope="module")
def found() -> Mapping[str, HostileOutcome]:
    policy, tables = load(), packaged_tables()
    substitutor = Substitutor(policy, bytes(range(32)), tables.communes, tables.names)
    return run_hostile_texts(TEXTS, Detector(policy), substitutor)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.id)
def test_a_hostile_text_has_its_expected_outcome(text: HostileText, found: Mapping[str, HostileOutcome]) -> None:
    outcome = found[text.id]
    if text.known:
        assert not text.meets(outcome), "mended: take the mark `known` away"
    else:
        assert text.meets(outcome), f"{outcome}, expected {text.expected}"


def test_the_families_are_many_and_none_is_small() -> None:
    assert len({text.id for text in TEXTS}) == len({text.text for text in TEXTS}) == len(TEXTS)
    families = Counter(text.family for text in TEXTS)
    assert min(families.values()) >= 12
    assert sum(text.expected is not Expected.UNCHANGED for text in TEXTS) >= 300
    assert sum(text.expected is Expected.UNCHANGED for text in TEXTS) >= 50
    assert 0.3 < sum(bool(text.patient.names) for text in TEXTS) / len(TEXTS) < 0.7


@pytest.mark.parametrize(
    "text",
    [
        "M. D\u200bU\u200bPONT", "TNOPUD", "Ｄｕｐｏｎｔ", "D-U-P-O-N-T", "D\u0335upont", "DU\u0420ONT", "Dup&#111;nt",
        "%44UPONT", "RFVQT05UIGlzIGhlcmU=", "44 55 50 4F 4E 54", "DUP0NT", "duuupont", "D comme Denis, U comme Ursule, "
        "P comme Pierre, O comme Oscar, N comme Noémie, T comme Thomas", "DU<b>PONT</b>", "Delta uniforme papa oscar "
        "november tango", f"{GAP}PONT", f"DUPO{GAP}",
    ],
)  # fmt: skip
def test_a_disguised_value_is_still_found(text: str) -> None:
    assert is_readable("dupont", f"le patient {text} sort ce jour")


def test_other_words_are_not_taken_for_a_value() -> None:
    assert not is_readable("dupont", f"le patient {GAP} traverse le pont et le dur chemin")
    assert not is_readable("Garnier", "il garde hier sa garniture et nie")


def test_a_line_that_is_no_hostile_text_is_refused_without_quoting_it(tmp_path: Path) -> None:
    with pytest.raises(InputRefused):
        load_hostile_texts(tmp_path)
    (tmp_path / "patients.json").write_text("{}", encoding="utf-8")
    line = '{"id": "a-01", "format": "text/plain", "text": "M. Roux", "identifies": [], "expected": "removed"}\n'
    (tmp_path / "a.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(InputRefused, match=r"a\.jsonl, line 1") as refused:
        load_hostile_texts(tmp_path)
    assert "Roux" not in str(refused.value)
