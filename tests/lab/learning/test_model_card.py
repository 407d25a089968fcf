"""The card of a model: what it says of the corpus, and its licence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nocturne_lab.evaluation.corpus import DISTANT
from nocturne_lab.hospital.model_facts import read_training
from nocturne_lab.learning.model_card import STAYS, licence_of, new_card, replace_section, write_licence
from nocturne_lab.learning.taggers.training import SMALL, train_tagger
from tests.lab.learning.transformer_letters import letters


def test_a_card_says_what_the_corpus_was_and_what_it_lacked(tmp_path: Path) -> None:
    types = ("CRH", "crh", "Lettre")
    given = [
        replace(one, annotator=("lea", "max", DISTANT)[at % 3], document=replace(one.document, type=types[at % 3]))
        for at, one in enumerate(letters(9))
    ]
    folder = train_tagger("crf", given, SMALL, tmp_path)
    card = new_card("crf", read_training(folder), STAYS)
    for row in (
        "documents | 9",
        "annotators | 2",
        "distant | 3",
        "PATIENT | 18",
        "DOCTOR | 18",
        "crh | 6",
        "lettre | 3",
    ):
        assert f"| {row} |" in card, row
    absent = card.partition("Without example, hence never found: ")[2].partition("\n")[0]
    assert "NIR" in absent
    assert "PATIENT" not in absent
    assert "Kerbrat" not in card
    unknown = new_card("crf", read_training(train_tagger("crf", letters(9), SMALL, tmp_path)), STAYS)
    assert "annotators" not in unknown, "no document says who annotated it"


def test_a_licence_is_read_and_written_whatever_the_hospital_wrote(tmp_path: Path) -> None:
    card = tmp_path / "README.md"
    assert licence_of(card) == STAYS
    card.write_text("# Notre modèle\n\n---\nlicense: mit\n---\n", encoding="utf-8")
    assert licence_of(card) == STAYS, "a rule in the text is no header"
    write_licence(card, "cc-by-sa-4.0")
    assert licence_of(card) == "cc-by-sa-4.0"
    assert card.read_text(encoding="utf-8").endswith("# Notre modèle\n\n---\nlicense: mit\n---\n")
    card.write_text(new_card("crf", {}, STAYS), encoding="utf-8")
    replace_section(card, "memorisation", "## Memorisation\n\nlicense: none")
    before = card.read_text(encoding="utf-8")
    write_licence(card, "gfdl")
    assert licence_of(card) == "gfdl"
    assert card.read_text(encoding="utf-8") == before.replace("license: other\n", "license: gfdl\n", 1)
