"""Coding of stays: levels of the classification, stays, scores, the classical coder and comparison of arms."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.domain.document import Document, Patient
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.evaluation.coding.classical import ClassicalCoder
from nocturne_lab.evaluation.coding.comparison import compare
from nocturne_lab.evaluation.coding.icd10 import at_level, checked
from nocturne_lab.evaluation.coding.scores import jaccard, loss, macro, micro, precision_at
from nocturne_lab.evaluation.coding.stays import CodedStay, folds, gather, statistics
from nocturne_lab.evaluation.coding.values import read_values
from nocturne_lab.evaluation.intervals import resampled


@pytest.mark.parametrize(
    ("code", "block", "chapter"),
    [
        ("I501", "I30", "IX"),
        ("C509", "C50", "II"),
        ("H251", "H25", "VII"),
        ("H663", "H65", "VIII"),
        ("D62", "D60", "III"),
        ("Z864", "Z80", "XXI"),
        ("U071", "U00", "XXII"),
        ("W19", "W00", "XX"),
        ("T810", "T80", "XIX"),
    ],
)
def test_classes_of_a_code(code: str, block: str, chapter: str) -> None:
    assert (at_level(code, "category"), at_level(code, "block"), at_level(code, "chapter")) == (
        code[:3],
        block,
        chapter,
    )


def test_codes_are_read_with_their_point_and_refused_without_form() -> None:
    assert checked(" i50.1") == "I501"
    for wrong in ("", "501", "I5", "I50 1", "HTA"):
        with pytest.raises(InputRefused):
            checked(wrong)


def test_values_are_classes_of_what_they_tell() -> None:
    text = "Né le 03/05/1951 (74 ans), 97110, opéré en 2019 puis le 24/02/2026, revu le 12 mars 2026 par Mme Roy."
    marked = {"03/05/1951": "DATE", "74 ans": "AGE", "97110": "ZIP", "2019": "DATE", "24/02/2026": "DATE"}
    marked |= {"12 mars 2026": "DATE", "Roy": "DOCTOR"}
    spans = [(text.index(value), text.index(value) + len(value), Label(label)) for value, label in marked.items()]
    assert read_values(text, spans, date(2026, 3, 2)) == (
        "Né le [DATE] avant-a70 ([AGE] age-70), [ZIP] departement-971, opéré en [DATE] avant-a10 ecart-apres ecart-a60"
        " puis le [DATE] avant-j6 ecart-apres ecart-a10, revu le [DATE] apres-j14 ecart-apres ecart-j30 par Mme"
        " [DOCTOR]."
    )


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("02/03/2026", "05/03/2026", "apres ecart-j4"),
        ("05/03/2026", "02/03/2026", "avant ecart-j4"),
        ("02/03/2026", "02/03/2026", "apres ecart-j0"),
        ("01/06/2025", "13/02/2026", "apres ecart-j258"),  # 36 weeks and five days
        ("01/06/2025", "15/02/2026", "apres ecart-j286"),
        ("02/03/2020", "05/03/2026", "apres ecart-a10"),
    ],
)
def test_a_date_beside_another_has_their_order_and_gap(first: str, second: str, said: str) -> None:
    text = f"Du {first} au {second}." + " " * 60 + "Vu le 04/03/2026."
    spans = [(3, 13, Label.DATE), (17, 27, Label.DATE), (94, 104, Label.DATE)]
    read = read_values(text, spans, date(2026, 3, 6))
    assert read.count("ecart-") == 2, "the third date is too far from the second"
    assert f" ecart-{said}. " in read


@given(st.integers(-40_000, 40_000))
def test_a_gap_has_the_class_of_its_shift(days: int) -> None:
    """Dates that move together keep their classes: these are what a shift by whole documents publishes."""
    own, moved = date(1980, 1, 1), date(2026, 3, 2)
    classes = {
        read_values(f"{reference + timedelta(days // 4):%d/%m/%Y}", [(0, 10, Label.DATE)], reference)
        for reference in (own, moved)
    }
    assert len(classes) == 1


def _document(name: str, text: str, day: int, patient: str) -> Document:
    return Document(name, text, Patient(key=patient), date(2026, 3, day), type="CRH")


def test_a_stay_reads_its_documents_in_order_and_needs_codes() -> None:
    texts = [
        ("v1", _document("b", "Sortie.", 9, "p1")),
        ("v1", _document("a", "Entrée.", 2, "p1")),
        ("v2", _document("c", "Rien.", 2, "p2")),
        ("v3", _document("d", "Vide.", 2, "p2")),
    ]
    (stay,) = gather(texts, {"v1": ("I501", "I10"), "v2": (), "v4": ("J13",)})
    assert stay.text == "<CRH> Entrée.\n\n<CRH> Sortie."
    assert (stay.patient, stay.at_level("category")) == ("p1", frozenset({"I50", "I10"}))


def _stays(number: int) -> list[CodedStay]:
    """Stays whose text says their code, one of three."""
    words = {"I501": "cœur fatigué", "J13": "pneumocoque trouvé", "K359": "appendice enflammé"}
    found = []
    for index in range(number):
        code = sorted(words)[index % 3]
        text = f"<CRH> patient numéro {index} hospitalisé avec {words[code]} et surveillance"
        found.append(CodedStay(f"v{index}", f"p{index // 2}", (text,), (code,)))
    return found


def test_the_statistics_count_rare_and_frequent_classes() -> None:
    stays = [CodedStay(f"v{n}", f"p{n}", ("un deux trois",), ("I10", *(["J13"] if n < 4 else []))) for n in range(120)]
    told = statistics(stays)
    assert (told.stays, told.words, told.assigned, told.classes, told.rare, told.frequent) == (120, 360, 124, 2, 1, 1)


def test_the_stays_of_a_patient_are_in_one_fold_whatever_their_order() -> None:
    stays = _stays(60)
    at = dict(zip((one.stay for one in stays), folds(stays, 5), strict=True))
    turned = dict(zip((one.stay for one in stays[::-1]), folds(stays[::-1], 5), strict=True))
    assert at == turned
    assert all(at[f"v{n}"] == at[f"v{n + 1}"] for n in range(0, 60, 2))
    assert len(set(at.values())) == 5


def test_fewer_patients_than_folds_are_refused() -> None:
    with pytest.raises(InputRefused, match="folds"):
        folds(_stays(4), 5)


def test_a_coder_finds_codes_that_texts_tell_and_none_where_words_are_gone() -> None:
    stays = _stays(60)
    silent = [CodedStay(one.stay, one.patient, ("<CRH> patient hospitalisé",), one.codes) for one in stays]
    found = compare({"original": stays, "silent": silent}, ClassicalCoder)
    assert micro(found["original"].gold, found["original"].found).f1 > 0.95
    lost = loss(found["original"].gold, found["original"].found, found["silent"].found, resampled(60))
    assert 0 < lost.low <= lost.value <= lost.high


@pytest.mark.parametrize("stays", [[], [CodedStay(f"v{n}", f"p{n}", ("texte",), ("I10",)) for n in range(20)]])
def test_stays_that_teach_nothing_are_refused(stays: list[CodedStay]) -> None:
    with pytest.raises(InputRefused):
        compare({"original": stays}, ClassicalCoder)


def test_arms_of_other_stays_are_refused() -> None:
    with pytest.raises(InputRefused, match="differ"):
        compare({"original": _stays(30), "other": _stays(29)}, ClassicalCoder)


@given(st.data())
def test_scores_against_counting(data: st.DataObject) -> None:
    shape = (data.draw(st.integers(1, 6)), data.draw(st.integers(1, 5)))
    bits = st.lists(st.booleans(), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    gold, found = (np.asarray(data.draw(bits)).reshape(shape) for _ in range(2))
    right = sum(bool(g and f) for g, f in zip(gold.flat, found.flat, strict=True))
    told = micro(gold, found)
    assert told.precision * found.sum() == pytest.approx(right)
    assert told.recall * gold.sum() == pytest.approx(right)
    assert 0 <= macro(gold, found).f1 <= 1
    assert np.allclose(jaccard(gold, gold), 1)
    for row, value in enumerate(jaccard(gold, found)):
        one, other = set(np.flatnonzero(gold[row])), set(np.flatnonzero(found[row]))
        assert value == pytest.approx(len(one & other) / len(one | other) if one | other else 1)
    same = loss(gold, found, found, resampled(shape[0], resamples=20))
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_precision_at_k_takes_the_best_scores() -> None:
    gold = np.asarray([[True, False, True, False]])
    assert precision_at(gold, np.asarray([[0.9, 0.8, 0.1, 0.2]]), 2) == 0.5
