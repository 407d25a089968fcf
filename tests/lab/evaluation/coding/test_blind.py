"""Human coders: the design of the reading, sheets that come back, figures against counting; bad input of coding."""

from __future__ import annotations

import logging
import tracemalloc
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.domain.document import Document, Patient
from deid.domain.errors import InputRefused
from demo.hospital import generate
from nocturne_lab.evaluation.coding.blind import ARMS, Arm, Item, Sheet, deal, read_sheet
from nocturne_lab.evaluation.coding.classical import ClassicalCoder
from nocturne_lab.evaluation.coding.comparison import code
from nocturne_lab.evaluation.coding.human import judge
from nocturne_lab.evaluation.coding.icd10 import LEVELS, checked
from nocturne_lab.evaluation.coding.scores import alpha, encoded, jaccard
from nocturne_lab.evaluation.coding.stays import CodedStay, gather, statistics
from nocturne_lab.evaluation.intervals import resampled


def _stays(number: int) -> list[CodedStay]:
    return [CodedStay(f"v{n}", f"p{n}", (f"texte {n}",), ("I501", "I10")) for n in range(number)]


@given(st.integers(2, 40), st.integers(1, 4), st.integers(0, 2**32))
def test_each_coder_reads_each_stay_in_both_arms_far_apart(number: int, coders: int, seed: int) -> None:
    names = [f"c{n}" for n in range(coders)]
    items = deal(_stays(number), names, seed)
    assert len({one.item for one in items}) == len(items) == 2 * number * coders
    firsts: list[dict[str, Arm]] = []
    for name in names:
        mine = [one for one in items if one.coder == name]
        assert [one.place for one in mine] == list(range(1, 2 * number + 1))
        assert {(one.stay, one.arm) for one in mine} == {(f"v{n}", arm) for n in range(number) for arm in ARMS}
        at = {(one.stay, one.arm): one.place for one in mine}
        assert all(abs(at[f"v{n}", "original"] - at[f"v{n}", "published"]) > number // 2 for n in range(number))
        firsts.append({one.stay: one.arm for one in mine[:number]})
        assert abs(2 * Counter(firsts[-1].values())["original"] - number) <= 1
    for one, other in pairwise(firsts):
        assert all(one[stay] != other[stay] for stay in one)


def test_coders_have_orders_of_their_own_and_a_seed_gives_the_same() -> None:
    items = deal(_stays(30), ["a", "b"], 7)
    orders = [[one.stay for one in items if one.coder == name] for name in "ab"]
    assert orders[0] != orders[1]
    assert orders[0][:30] != orders[0][30:]
    assert items == deal(_stays(30), ["a", "b"], 7) != deal(_stays(30), ["a", "b"], 8)


@pytest.mark.parametrize(("stays", "coders"), [(1, ["a"]), (5, []), (5, ["a", "a"])])
def test_what_cannot_be_read_blind_is_refused(stays: int, coders: list[str]) -> None:
    with pytest.raises(InputRefused):
        deal(_stays(stays), coders, 1)


KEY = {one.item: one for one in deal(_stays(3), ["a", "b"], 1)}
MINE = [one.item for one in KEY.values() if one.coder == "a"]


def _sheet(path: Path, *rows: str, head: str = "item;codes", encoding: str = "utf-8") -> Sheet:
    path.write_bytes("\r\n".join((head, *rows)).encode(encoding))
    return read_sheet(path, KEY)


def test_faults_of_a_sheet_are_named_and_the_rest_counts(tmp_path: Path) -> None:
    found = _sheet(
        tmp_path / "s.csv",
        f"{MINE[0].lower()}; i50.1 I10, i10",
        f"{MINE[1]};aucun",
        f"{MINE[2]};I10",
        f"{MINE[2]};I501",
        f"{MINE[3]};I10 insuffisance",
        f"{MINE[4]};",
        "ZZZZZZZ;I10",
        "",
    )
    codes = {(KEY[MINE[0]].stay, KEY[MINE[0]].arm): ("I501", "I10"), (KEY[MINE[1]].stay, KEY[MINE[1]].arm): ()}
    assert (found.coder, found.codes) == ("a", codes)
    told = {(one.item, one.line, one.fault) for one in found.problems}
    assert told == {
        ("ZZZZZZZ", 8, "unknown_item"),
        (MINE[2], 5, "duplicate"),
        (MINE[3], 6, "not_a_code"),
        (MINE[4], 7, "missing"),
        (MINE[5], None, "missing"),
    }


@pytest.mark.parametrize(
    ("head", "row", "encoding"),
    [
        ("item,codes", '{},"I501,I10"', "utf-8"),
        ("item;codes", "{};I501;I10", "utf-8-sig"),
        ('"Item";"Codes"', '"{}";"I501 I10"', "cp1252"),
        ("item\tcodes", "{}\tI501 / I10", "utf-16"),
    ],
)
def test_sheets_as_spreadsheets_save_them(tmp_path: Path, head: str, row: str, encoding: str) -> None:
    found = _sheet(tmp_path / "s.csv", row.format(MINE[0]), head=head, encoding=encoding)
    assert list(found.codes.values()) == [("I501", "I10")]


@pytest.mark.parametrize(
    "rows", [(), tuple(f"{one};" for one in MINE), ("ZZZZZZZ;I10",), tuple(f"{one};I10" for one in KEY)]
)
def test_a_sheet_that_is_empty_foreign_or_of_two_coders_is_refused(tmp_path: Path, rows: tuple[str, ...]) -> None:
    with pytest.raises(InputRefused):
        _sheet(tmp_path / "s.csv", *rows)


@pytest.mark.parametrize("raw", [b"", b"PK\x03\x04\x00\x00", b"codes;item\nI10;X", b"\xff\xfe\x00"])
def test_a_file_that_is_no_sheet_is_refused(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "s.csv").write_bytes(raw)
    with pytest.raises(InputRefused, match="no sheet"):
        read_sheet(tmp_path / "s.csv", KEY)


def _coded(coder: str, original: list[str], published: list[str]) -> Sheet:
    texts = {"original": original, "published": published}
    codes = {(f"v{n}", arm): tuple(texts[arm][n].split()) for n in range(len(original)) for arm in ARMS}
    return Sheet(coder, codes, ())


def _key(stays: list[str]) -> dict[str, Item]:
    own = [CodedStay(f"v{n}", f"p{n}", ("",), tuple(codes.split())) for n, codes in enumerate(stays)]
    return {one.item: one for one in deal(own, ["a", "b"], 1)}


def test_figures_of_coders_against_counting() -> None:
    key = _key(["I501 I10", "J13", "K359 K37"])
    good = _coded("a", ["I501 I10", "J13", "K359 K37"], ["I501", "J13", "K37 Z740"])
    poor = _coded("b", ["I10 I501", "J13", "K359"], ["I500", "J13", ""])
    found = judge(key, [poor, good])
    own = found.coders["a"]
    assert (own.arms["original"].f1.value, own.f1_loss.value) == (1, pytest.approx(1 - 2 * 3 / (4 + 5)))
    assert own.arms["published"].micro.precision == 3 / 4
    assert own.arms["published"].micro.recall == 3 / 5
    assert own.arms["published"].main.value == pytest.approx(2 / 3)
    assert own.arms["published"].jaccard.value == pytest.approx((1 / 2 + 1 + 1 / 3) / 3)
    assert (own.same.precision, own.same.recall) == (3 / 4, 3 / 5)
    assert own.cumulative[5] == pytest.approx(2 / 3)
    assert own.cumulative[10] == pytest.approx(1 / 3)
    assert found.coders["b"].arms["original"].main.value == pytest.approx(2 / 3)
    everybody = found.everybody
    assert everybody.arms["original"].micro.recall == pytest.approx(9 / 10)
    agreed = found.agreement["a", "b"]
    assert agreed["original"].jaccard.value == pytest.approx((1 + 1 + 1 / 2) / 3)
    assert agreed["published"].jaccard.value == pytest.approx(1 / 3)
    assert agreed["original"].kappa is not None
    assert agreed["published"].kappa is not None
    assert agreed["original"].kappa > agreed["published"].kappa
    assert judge(key, [good], "category").coders["a"].arms["published"].f1.value > 0
    assert judge(key, [poor], "category").coders["b"].arms["published"].micro.precision == 1


def test_a_stay_that_lacks_an_arm_is_left_out_of_its_coder_alone() -> None:
    key = _key(["I501", "J13", "K359"])
    whole = _coded("a", ["I501", "J13", "K359"], ["I501", "J13", "K359"])
    part = replace(
        _coded("b", ["I501", "J13", ""], ["I501", "J13", ""]),
        codes=dict.fromkeys((("v0", "original"), ("v0", "published"), ("v1", "original")), ("I501",)),
    )
    found = judge(key, [whole, part])
    assert (found.coders["a"].stays, found.coders["b"].stays, found.everybody.stays) == (3, 1, 3)
    assert (found.agreement["a", "b"]["original"].stays, found.agreement["a", "b"]["published"].stays) == (2, 1)
    with pytest.raises(InputRefused, match="both arms"):
        judge(key, [whole, replace(part, codes={("v1", "original"): ("J13",)})])
    with pytest.raises(InputRefused, match="one coder"):
        judge(key, [whole, whole])


def test_alpha_of_sets() -> None:
    sets = [frozenset(own) for own in ("a", "ab", "c", "d")]
    same = encoded(sets, "abcd")
    weights = resampled(4, resamples=50)
    told = alpha(same, same, weights)
    assert told is not None
    assert told.value == 1
    # By hand, Passonneau's formula: distances of items over distances of all pairs of the eight sets.
    other = encoded([sets[1], *sets[1:]], "abcd")
    both = [*sets, sets[1], *sets[1:]]
    apart = [1 - len(one & two) / len(one | two) for at, one in enumerate(both) for two in both[at + 1 :]]
    told = alpha(same, other, weights)
    assert told is not None
    assert told.value == pytest.approx(1 - (0.5 / 4) / (sum(apart) / len(apart)))
    assert told.low <= told.value <= told.high
    assert alpha(same[:1], same[:1], resampled(1, resamples=5)) is None


def test_the_statistics_part_main_and_associated_codes() -> None:
    stays = [CodedStay(f"v{n}", f"p{n}", ("un",), ("I501", "I500", "J13")) for n in range(2)]
    main, others = (statistics(stays, "category", part) for part in ("main", "associated"))
    assert (main.assigned, main.classes, others.assigned, others.classes) == (2, 1, 4, 2)
    assert [statistics(stays, level).classes for level in LEVELS] == [3, 2, 2, 2]
    assert (statistics(stays).per_stay, statistics(stays).density) == (3, 1)


def test_codes_outside_the_classification_are_refused_and_the_hospitals_are_in_it() -> None:
    for wrong in ("A10", "J99.9", "U99", "O93"):
        if wrong == "J99.9":
            assert checked(wrong) == "J999"
            continue
        with pytest.raises(InputRefused, match="category"):
            checked(wrong)
    codes = {code for stay in generate(patients=40, documents=300).stays for code in stay.diagnoses}
    assert len(codes) > 100
    assert {checked(one) for one in codes} == codes


def test_stays_without_codes_and_codes_that_are_none_are_left_out_and_said(caplog: pytest.LogCaptureFixture) -> None:
    texts = [(f"v{n}", Document(f"d{n}", "Texte.", Patient(key=f"p{n}"))) for n in range(4)]
    with caplog.at_level(logging.WARNING):
        found = gather(texts, {"v0": ("i50.1", "I501", "A10"), "v1": (), "v2": ("HTA",)})
    assert [(one.stay, one.codes) for one in found] == [("v0", ("I501",))]
    assert "3 stays" in caplog.text
    assert "2 codes" in caplog.text
    assert "HTA" not in caplog.text


def _telling(number: int) -> list[CodedStay]:
    words = {"I501": "cœur fatigué", "J13": "pneumocoque trouvé", "K359": "appendice enflammé"}
    own = [sorted(words)[n % 3] for n in range(number)]
    return [CodedStay(f"v{n}", f"p{n}", (f"séjour avec {words[one]}",), (one, "Z740")) for n, one in enumerate(own)]


def test_a_code_of_every_stay_is_found_everywhere_and_hides_no_other() -> None:
    found = code(_telling(30), ClassicalCoder)
    column = found.classes.index("Z740")
    assert found.found[:, column].all()
    assert jaccard(found.gold, found.found).mean() > 0.9


@pytest.mark.parametrize(("number", "folds"), [(4, 5), (30, 2)])
def test_fewer_patients_than_folds_and_too_few_folds_are_refused(number: int, folds: int) -> None:
    with pytest.raises(InputRefused, match="folds"):
        code(_telling(number), ClassicalCoder, number=folds)


def test_the_last_page_of_two_hundred_counts_within_bounded_memory() -> None:
    page = " ".join(f"mot{n}" for n in range(400))
    learned = _telling(30)
    classes = ("I501", "J13", "K359")
    gold = encoded([one.at_level("code") for one in learned], classes)
    texts = [f"{page} {one.text}" for one in learned]
    tracemalloc.start()
    coder = ClassicalCoder().fit(texts, gold)
    scores = coder.scores(["\f".join([page] * 199 + [f"{page} pneumocoque trouvé"])])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert int(np.argmax(scores)) == classes.index("J13")
    assert peak < 100 << 20
