"""Own types of a policy: patterns, dictionaries, repetitions, priority and joins."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from deid.config.policy import load
from deid.detection import Detector
from deid.detection.refining.own_types import OwnTypes
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Patient, Vote
from deid.domain.labels import Label

TYPES = """extends: rules
name: ours
types:
  BADGE:
    label: ID
    names: {fr: Badge, en: Badge}
    patterns: ['badge visiteur (?:numéro|n°) ?(?P<value>[A-Z]-\\d{4}-\\d{2})']
    validate: luhn
    join: {with: [PHONE, SITE], between: ' ?/ ?'}
  SITE: {label: ORG, names: {fr: Site, en: Site}, dictionary: sites.txt, weight: 90}
  TRIAL: {label: ID, names: {fr: Essai, en: Trial}, patterns: ['\\bNCT ?\\d{8}\\b'], provider: keep}
  ROUTE: {label: ORG, names: {fr: Filière, en: Route}, patterns: ['UF \\d+'], case: written}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sites.txt").write_text("# sites\nLes Glycines\nLes Glycines annexe\nL'Orée du Bois 2\n", "utf-8")
    (tmp_path / "ours.yaml").write_text(TYPES, "utf-8")
    return tmp_path


def laid(folder: Path, text: str, *mentions: Mention) -> list[tuple[str, str, str | None]]:
    """Return text, label and subtype of each mention once own types are added."""
    found = OwnTypes(load(folder / "ours.yaml").types).add(Reading(Document("d", text)), mentions)
    assert list(found) == sorted(found)
    return [(text[one.start : one.end], str(one.label), one.subtype) for one in found]


def at(text: str, piece: str, label: Label, score: float = 1.0, annotator: str = "patterns") -> Mention:
    start = text.index(piece)
    return Mention(start, start + len(piece), label, score, None, (Vote(annotator, label, score),))


def test_a_pattern_is_folded_validated_and_its_values_found_again(folder: Path) -> None:
    text = "BADGE VISITEUR NUMERO b-4471-02. Badge visiteur n° C-1234-56. Rendu : badge B 4471 02, 44710,2."
    assert laid(folder, text) == [("b-4471-02", "ID", "BADGE"), ("B 4471 02", "ID", "BADGE")]


def test_a_dictionary_is_found_as_whole_words_folded_longest_first(folder: Path) -> None:
    text = "Vu aux LES GLYCINES annexe, puis les  glycines ; l'oree du bois 2 ; l'orée du bois 21 ; des glycines."
    found = [piece for piece, _, kind in laid(folder, text) if kind == "SITE"]
    assert found == ["LES GLYCINES annexe", "les  glycines", "l'oree du bois 2"]


def test_case_may_count(folder: Path) -> None:
    assert laid(folder, "UF 12, uf 13") == [("UF 12", "ORG", "ROUTE")]


def test_the_stronger_wins_the_own_type_if_equal_and_a_direct_rest_stays(folder: Path) -> None:
    text = "Vu par Jeanne Les Glycines."
    sure, unsure = (at(text, "Jeanne Les Glycines", Label.PERSON, score) for score in (0.95, 0.9))
    assert laid(folder, text, sure) == [("Jeanne Les Glycines", "PERSON", None)]
    assert laid(folder, text, unsure) == [("Jeanne", "PERSON", None), ("Les Glycines", "ORG", "SITE")]


def test_what_the_identity_told_stays(folder: Path) -> None:
    text = "Badge visiteur n° B-4471-02"
    known = at(text, "B-4471-02", Label.IPP, 0.2, "identity")
    assert laid(folder, text, known) == [("B-4471-02", "IPP", None)]


def test_a_kept_type_wins_only_over_what_it_covers_whole(folder: Path) -> None:
    text = "Inclus dans NCT 01234567 DUPONT"
    inner, across = at(text, "01234567", Label.ID), at(text, "01234567 DUPONT", Label.PATIENT)
    assert laid(folder, text, inner) == [("NCT 01234567", "ID", "TRIAL")]
    assert laid(folder, text, across) == [("01234567 DUPONT", "PATIENT", None)]


def test_connected_mentions_are_joined_on_one_line(folder: Path) -> None:
    text = "Badge visiteur n° B-4471-02 / 03 80 11 22 33 et Les Glycines/badge visiteur n°B-4471-02."
    phone = at(text, "03 80 11 22 33", Label.PHONE)
    assert laid(folder, text, phone)[0] == ("B-4471-02 / 03 80 11 22 33", "ID", "BADGE")
    below = text.replace(" / 03", " /\n03")
    assert laid(folder, below, at(below, "03 80 11 22 33", Label.PHONE))[:2] == [
        ("B-4471-02", "ID", "BADGE"),
        ("03 80 11 22 33", "PHONE", None),
    ]


def test_a_detector_finds_them_beside_its_annotators(folder: Path) -> None:
    text = "Mme Anne VASSEROT, badge visiteur n° B-4471-02, vue aux Glycines et aux Les Glycines."
    document = Document("d", text, Patient(last_name="Vasserot", first_names=("Anne",)))
    (found,) = Detector(load(folder / "ours.yaml")).detect([document])
    kinds = {text[one.start : one.end]: (one.subtype, [vote.annotator for vote in one.votes]) for one in found}
    assert kinds["B-4471-02"][0] == "BADGE"
    assert "types" in kinds["B-4471-02"][1]
    assert kinds["Les Glycines"][0] == "SITE"
    assert any("VASSEROT" in piece for piece in kinds)


def test_fifty_thousand_terms_are_found_in_a_second(folder: Path) -> None:
    (folder / "sites.txt").write_text("\n".join(f"Site {number} du Bois {number % 7}" for number in range(50_000)))
    own = OwnTypes(load(folder / "ours.yaml").types)
    text = "Vu au site 49999 du bois 5. " + "Le patient va bien ce jour. " * 2_000
    began = time.process_time()
    found = own.add(Reading(Document("d", text)), ())
    assert [text[one.start : one.end] for one in found] == ["site 49999 du bois 5"]
    assert time.process_time() - began < 3
