"""Documents with names of another origin, and what is counted of them."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.origins import ROLES, Origin, gap, read_origins, recall, renamed, tally
from deid.domain.document import Document, Patient
from deid.domain.labels import NAMES, Label
from deid.french.folding import words
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.markup import parse_marked

TEXT, MENTIONS = parse_marked(
    "Mme [[PATIENT|Claire DUPONT-LEROY]] (C.D.), née [[PERSON|LEROY]], fille de [[PERSON|Jean Leroy]], vue le "
    "[[DATE|3 mars]] par le Dr [[DOCTOR|de Kerbrat]].\nRelu : [[DOCTOR|P. Kerbrat]]",
    "d",
)
PATIENT = Patient(last_name="DUPONT-LEROY", first_names=("Claire",), sex="F")
GOLD = GoldDocument(Document("d", TEXT, PATIENT), tuple(MENTIONS), "w1")


@pytest.mark.parametrize("origin", read_origins(), ids=lambda origin: origin.name)
def test_every_name_is_of_the_origin_in_text_and_identity(origin: Origin) -> None:
    other = renamed(GOLD, origin)
    text = other.document.text
    assert [one.label for one in other.mentions] == [one.label for one in GOLD.mentions]
    assert "vue le 3 mars par le Dr " in text
    surnames = {word for name in origin.surnames for word in words(name)}
    assert set(words(other.document.patient.last_name or "")) <= surnames
    for one in other.mentions:
        if one.label in NAMES:
            written = set(words(text[one.start : one.end]))
            assert not written & {"dupont", "leroy", "claire", "kerbrat"} - origin.words
    kerbrat = [set(words(text[one.start : one.end])) for one in other.mentions if one.label is Label.DOCTOR]
    assert len(kerbrat[0] & kerbrat[1]) > 0


def test_each_origin_has_several_hundred_names_and_the_eight_come_first() -> None:
    origins = read_origins()
    assert origins[0].name == "French"
    assert all(len(one.surnames) + len(one.women) + len(one.men) >= 200 for one in origins[:8])


def test_a_name_is_missed_whose_letters_are_not_all_found() -> None:
    counts = tally([GOLD, GOLD], [GOLD.mentions, GOLD.mentions[:-1]])
    doctor = ROLES.index(Label.DOCTOR)
    assert counts[:, doctor].tolist() == [[0, 2], [1, 2]]
    found = recall(counts.sum(axis=1))
    assert found.value == pytest.approx(90)
    assert found.low <= found.value <= found.high
    assert gap(counts.sum(axis=1), np.array([[0.0, 5.0]] * 2)).value == pytest.approx(-10)
