"""The benchmark of ICD-10 coding, on twelve patients of the synthetic hospital."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

from benchmarks import coding
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from demo.hospital.coding import OF_AGE, OF_PLACE
from demo.hospital.dated import CODES
from nocturne_lab.evaluation.coding import tables
from nocturne_lab.evaluation.coding.classical import ClassicalCoder
from nocturne_lab.evaluation.coding.comparison import GROUPS, Coded
from nocturne_lab.evaluation.coding.scores import Matrix
from nocturne_lab.evaluation.coding.stays import CodedStay

LONG = 8  # characters
Sources = tuple[coding.Texts, dict[str, tuple[str, ...]]]


@pytest.fixture(scope="module")
def sources() -> Sources:
    texts, codes = coding.sources(12)
    return texts[:30], codes


def _said(texts: coding.Texts, label: Label) -> dict[str, set[str]]:
    """Return the long values of a label by stay: short ones, such as the parts of a number, stand elsewhere too."""
    found: dict[str, set[str]] = {}
    for stay, document, mentions in texts:
        own = {document.text[one.start : one.end] for one in mentions if one.label is label}
        found.setdefault(stay, set()).update(value for value in own if len(value) >= LONG)
    return found


def test_a_tagged_text_keeps_what_no_mention_covers() -> None:
    document = Document("a", "Mme Le Goff, vue le 3 mai.")
    mentions = [Mention(20, 25, Label.DATE, "test", 1.0), Mention(4, 11, Label.PATIENT, "test", 1.0)]
    found = coding.tagged(document, mentions)
    assert found.text == "Mme [PATIENT], vue le [DATE]."
    assert [found.text[start:end] for start, end in found.spans] == ["[PATIENT]", "[DATE]"]


def test_arms_hold_the_same_stays_and_each_what_its_policy_publishes(sources: Sources) -> None:
    texts, codes = sources
    written, read = coding.arms(texts, codes, ("original", "tags", "default"))
    for versions in (written, read):
        assert list(versions) == ["original", "tags", "default"]
        assert len({tuple((one.stay, one.patient, one.codes) for one in stays) for stays in versions.values()}) == 1
    phones = _said(texts, Label.PHONE)
    for original, tags, default in zip(*written.values(), strict=True):
        for phone in phones[original.stay]:
            assert phone in original.text
            assert phone not in tags.text
            assert phone not in default.text
    assert any(phones.values())
    assert all("[PHONE]" in one.text for one in written["tags"] if phones[one.stay])
    # With values read, the distance of a date to its document's is a word in all arms but the tags.
    assert any("[DATE] avant-" in one.text for one in read["default"])
    assert not any("[DATE] avant-" in one.text for one in read["tags"])


def test_an_arm_keeps_its_labels_as_written_and_no_other(sources: Sources) -> None:
    texts, codes = sources
    found = dict(coding.kept_arms(texts, codes))
    assert list(found) == [f"{name} kept" for name in GROUPS]
    kept, moved = {"numbers kept": Label.PHONE, "dates kept": Label.DATE}, {"dates kept": Label.PHONE}
    for name, label in kept.items():
        said = _said(texts, label)
        assert all(value in one.text for one in found[name] for value in said[one.stay]), name
    for name, label in moved.items():
        said = _said(texts, label)
        assert not any(value in one.text for one in found[name] for value in said[one.stay]), name


CLASSES = ("A90", "I10", "J13", "R54")  # by home; by none; by none; by age
GOLD = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [0, 1, 0, 1]] * 30, dtype=bool)


def _coded(found: np.ndarray) -> Coded:
    return Coded(CLASSES, GOLD, found.astype(float), found)


def _without(*columns: int) -> Coded:
    answers = GOLD.copy()
    answers[:, list(columns)] = False
    return _coded(answers)


def test_codes_that_values_yield_are_those_of_the_hospital_s_rules() -> None:
    found = coding.decided()
    assert {code for _, _, code, _ in OF_AGE} < found["age"]
    assert {code for _, _, code, _ in OF_PLACE} == found["place"]
    assert {"G459", "Z867", "I639"} < found["date"]
    assert not any("<" in code for codes in found.values() for code in codes)
    assert {*found} == {"age", "place", "date", *CODES}


def test_codes_that_values_yield_are_scored_apart() -> None:
    """The default loses the code of the home, tags those of age and home; neither loses another."""
    rows = {
        row[0]: row
        for row in coding.by_value({"original": _coded(GOLD), "tags": _without(0, 3), "default": _without(0)})
    }
    assert rows["place"][1:7] == ["1", "30", "12.5 %", "1.000", "0.000", "0.000"]
    assert rows["age"][1:7] == ["1", "60", "25.0 %", "1.000", "0.000", "1.000"]
    assert rows["none of them"][4:] == ["1.000", "1.000", "1.000", *["+0.00 (+0.00 to +0.00)"] * 2]


@pytest.mark.parametrize(
    ("original", "tags", "default", "said"),
    [
        (_coded(GOLD), _without(0, 3), _without(0), ["as there", "as there"]),
        (_without(0, 3), _coded(GOLD), _without(0), ["the opposite", "the opposite"]),
        (_without(0), _without(0), _without(0), ["no difference shown", "no difference shown"]),
    ],
)
def test_the_order_is_said_by_the_paired_intervals(
    original: Coded, tags: Coded, default: Coded, said: list[str]
) -> None:
    text = coding.order({"original": original, "tags": tags, "default": default})
    assert [part.rsplit(", ", 1)[1] for part in text.split("; ")] == said


def test_tags_are_called_better_where_no_value_tells_only_if_they_are() -> None:
    better = {"original": _without(2), "tags": _coded(GOLD), "default": _without(2)}
    same = {"original": _without(0), "tags": _coded(GOLD), "default": _without(0)}
    assert coding.rest_gains(better)
    assert not coding.rest_gains(same)


def test_published_codes_stand_beside_those_of_the_article() -> None:
    """Four stays are repeated: one keeps both of its codes, the others one of two."""
    rows = [
        [cell.strip() for cell in row.strip("| ").split("|")]
        for row in coding.beside({"original": _coded(GOLD), "default": _without(0, 3)}).splitlines()
        if row.startswith("|")
    ]
    assert rows[2] == list(coding.TCHOUKA)
    assert rows[3] == ["default", "120", "4", "1.000", "0.625", "0.769", "25 %", "100 %", "25 %"]


def test_a_coder_that_knows_more_patients_codes_better() -> None:
    """Each patient's word is that of five others: one patient in eight seldom has one of them."""
    stays = [
        CodedStay(f"s{at}", f"p{at}", (f"mot{at % 40} vu",), (("I10", "E119", "J13", "R54")[at % 4],))
        for at in range(240)
    ]
    page = coding.curve(dict.fromkeys(coding.TOLD, stays), ClassicalCoder)
    rows = [row.split("|") for row in page.splitlines() if row.startswith("| 1 /")]
    scores = [float(row[2].split("**")[1]) for row in rows]
    assert scores[0] < 0.8 < scores[-1]
    assert all("+0.00 (+0.00 to +0.00)" in row[5] for row in rows)


def test_chapters_score_every_arm_over_their_own_codes() -> None:
    rows = list(tables.by_chapter({"original": _coded(GOLD), "default": _without(1)}))
    assert [row[:2] for row in rows] == [["I", "30"], ["IX", "90"], ["X", "60"], ["XVIII", "60"]]
    assert [row[2] for row in rows] == ["1.00 1.00 **1.00**"] * 4
    assert [row[3][-8:] for row in rows] == ["**1.00**", "**0.00**", "**1.00**", "**1.00**"]


def test_a_kept_label_gains_over_the_default() -> None:
    others = {"names kept": _without(0, 1), "dates kept": _without(0)}
    rows = {row[0]: row for row in tables.gained(others, _without(0, 1))}
    assert rows["names kept"][2] == "+0.00 (+0.00 to +0.00)"
    assert rows["dates kept"][2].startswith("+")
    assert rows["dates kept"][2] != rows["names kept"][2]


class Learned:
    """A coder that has each text that it learned from by heart, or none of them."""

    name = "by heart"

    def __init__(self, by_heart: bool) -> None:
        self._by_heart = by_heart
        self._gold: dict[str, np.ndarray] = {}
        self._shares = np.zeros(0)

    def fit(self, texts: Sequence[str], gold: Matrix) -> Learned:
        self._shares = gold.mean(axis=0)
        self._gold = dict(zip(texts, gold, strict=True)) if self._by_heart else {}
        return self

    def scores(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self._gold.get(one, self._shares) for one in texts], dtype=float)


def test_a_coder_tells_whom_it_learned_from_only_if_it_kept_something_of_them() -> None:
    stays = [CodedStay(f"s{at}", f"p{at}", (f"texte {at}",), ("I10", "E119")[at % 2 :]) for at in range(60)]
    by_heart, forgetful = (coding.remembered(stays, partial(Learned, one)) for one in (True, False))
    assert by_heart.auc.value == by_heart.advantage.value == 1
    assert by_heart.members == by_heart.others == 30
    assert abs((forgetful.auc.value or 0) - 0.5) < 0.15
    page = coding.memory({"original": stays}, partial(Learned, True))
    assert "| original | 30 and 30 | 1.000 (1.000–1.000) |" in page
    with pytest.raises(InputRefused, match="are too few"):
        coding.remembered(stays[:8], partial(Learned, True))
