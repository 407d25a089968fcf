"""Medical prose as training text: what may be right is left out, articles of a list are, and identities are planted."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.domain.document import Document, Mention
from deid.domain.labels import Label
from nocturne_lab.evaluation.markup import parse_marked
from nocturne_lab.learning.augmentation.rates import SeededRandom
from nocturne_lab.learning.medical_prose import SOURCES, articles, build, kept_sentences, planted

PLAIN = "La tumeur était classée selon Masaoka."


def kept(text: str, part: str, label: Label, score: float) -> list[str]:
    at = text.index(part)
    return [one.text for one in kept_sentences(Document("d", text), [Mention(at, at + len(part), label, score)])]


@pytest.mark.parametrize(
    ("text", "part", "label", "score", "stays"),
    [
        (PLAIN, "Masaoka", Label.PERSON, 0.6, True),  # wrong, and to be unlearned
        (PLAIN, "Masaoka", Label.PERSON, 0.9, False),  # the detector is sure
        ("Elle vient du Mali à pied.", "Mali", Label.LOC, 0.3, False),
        ("Elle vient de Karachi à pied.", "Karachi", Label.CITY, 0.6, False),
        ("Elle vient de Valence à pied.", "Valence", Label.CITY, 0.6, False),  # a table of places knows it
        ("Le dosage était à 345 678.", "345 678", Label.PHONE, 0.95, True),  # nobody's number
        ("Un homme de 45 ans était admis.", "45 ans", Label.AGE, 0.95, True),
        ("Un contrôle à 6 mois était fait.", "6 mois", Label.AGE, 0.6, False),  # doubtful
        ("Il s'agit de Mme Masaoka.", "Masaoka", Label.PERSON, 0.3, False),  # a civility
        ("Il s'agit de M. K admis au CHU Ibn Sina.", "K", Label.PERSON, 0.3, False),
    ],
)
def test_a_sentence_that_may_name_somebody_is_left_out(
    text: str, part: str, label: Label, score: float, stays: bool
) -> None:
    assert kept(f"{text} {PLAIN.replace('Masaoka', 'TNM')}", part, label, score)[:1] == (
        [text] if stays else [PLAIN.replace("Masaoka", "TNM")]
    )


def test_sure_ages_keep_their_label_and_the_rest_of_a_sentence_has_none() -> None:
    text = f"{PLAIN} Un homme de 45 ans était admis."
    found = [
        Mention(text.index("Masaoka"), text.index("Masaoka") + 7, Label.PERSON, 0.6),
        Mention(text.index("45"), text.index("45") + 6, Label.AGE, 0.95),
    ]
    first, second = kept_sentences(Document("d", text), found)
    assert (str(first), first.hard) == (PLAIN, True)
    assert (str(second), second.hard) == ("Un homme de [[AGE|45 ans]] était admis.", False)


@given(st.integers(0, 10_000))
def test_what_is_planted_is_marked(seed: int) -> None:
    text = "La patiente allait bien. " * 9 + PLAIN
    sentences = [*kept_sentences(Document("d", text), [])]
    bare, mentions = parse_marked(planted(sentences, SeededRandom(f"{seed}")), "d")
    assert PLAIN[:-1] in bare
    assert all(bare[one.start : one.end].strip() for one in mentions)


def test_listed_articles_are_left_out_and_every_other_is_read(tmp_path: Path) -> None:
    for name in SOURCES:
        rows = [
            json.dumps({"doi": f"10.1/{n}", "text": f"Cas {n}."}) if ".jsonl" in name else f"Cas {n}." for n in "12"
        ]
        (tmp_path / name).write_bytes(lzma.compress("\n".join(rows).encode()))
    everything = [*articles(tmp_path, frozenset())]
    assert len(everything) == 6
    left = [*articles(tmp_path, frozenset({"10.1/1", everything[-1].id}))]
    assert {one.id for one in everything} - {one.id for one in left} == {"10.1/1", everything[-1].id}


def test_documents_end_at_the_number_of_words() -> None:
    texts = [Document(f"{n}", "La fièvre a disparu. L'examen était normal. La sortie a eu lieu.") for n in range(9)]
    made = [*build(texts, 30, 1)]
    assert len(made) == 3
    assert made == [*build(texts, 30, 1)]
