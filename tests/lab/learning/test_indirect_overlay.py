"""The annotation of indirect identifiers lies beside the corpus, and is refused where the corpus has changed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from deid.domain.errors import InputRefused
from deid.domain.labels import OPTIONAL, Label
from nocturne_lab.evaluation.corpus import load_corpus, load_indirect
from tests import ROOT

TEXT = "Mme Petit, maçonne, veuve."


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "w1-01.txt").write_text("Mme [[PATIENT|Petit]], maçonne, veuve.", encoding="utf-8")
    return tmp_path


def overlay(folder: Path, mentions: list[tuple[int, int, str]], text: str = TEXT) -> Path:
    record = {
        "document": "w1-01",
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "part": "rules",
        "mentions": [{"start": start, "end": end, "label": label} for start, end, label in mentions],
    }
    path = folder / "mentions.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    return path


def test_mentions_join_those_of_the_corpus(corpus: Path) -> None:
    parts = load_indirect(overlay(corpus, [(20, 25, "FAMILY"), (11, 18, "PROFESSION")]), corpus)
    ((part, (gold,)),) = parts.items()
    assert part == "rules"
    assert [(TEXT[one.start : one.end], one.label) for one in gold.mentions] == [
        ("Petit", Label.PATIENT),
        ("maçonne", Label.PROFESSION),
        ("veuve", Label.FAMILY),
    ]
    assert [one.label for one in load_corpus(corpus)[0].mentions] == [Label.PATIENT]


@pytest.mark.parametrize(
    ("mentions", "text", "told"),
    [
        ([(11, 18, "PROFESSION")], TEXT + " ", "another text"),
        ([(4, 18, "PROFESSION")], TEXT, "overlap"),
        ([(20, 99, "FAMILY")], TEXT, "leave the text"),
        ([(11, 18, "METIER")], TEXT, "cannot be read"),
    ],
)
def test_a_bad_overlay_is_refused_without_quoting(
    mentions: list[tuple[int, int, str]], text: str, told: str, corpus: Path
) -> None:
    with pytest.raises(InputRefused, match=told) as refusal:
        load_indirect(overlay(corpus, mentions, text), corpus)
    assert "ma\u00e7onne" not in str(refusal.value)


def test_the_annotation_that_ships_fits_the_corpus() -> None:
    parts = load_indirect(ROOT / "corpus" / "indirect" / "mentions.jsonl", ROOT / "corpus" / "train")
    assert {name: len(documents) for name, documents in parts.items()} == {"rules": 20, "held out": 20}
    golds = [gold for documents in parts.values() for gold in documents]
    assert len({gold.author for gold in golds}) == 27
    assert sum(one.label in OPTIONAL for gold in golds for one in gold.mentions) == 68
