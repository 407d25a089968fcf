"""Relations that a text states between its dates, ages and lengths, and those that a published text keeps."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from deid.domain.document import Patient, Substitution, Surrogate
from deid.domain.outcomes import Constraint, Kept
from deid.substitution.temporal.constraints import count_constraints
from tests.unit.substitution.examples import marked

MOVED = date(2024, 8, 21)  # the published date of a document of `examples.ANCHOR`, a Wednesday as well


def counted(
    markup: str, texts: Sequence[str], *, birth: date | None = None, anchor: date | None = MOVED
) -> dict[Constraint, Kept]:
    """Constraints of a marked text published with these surrogates."""
    document, mentions = marked(markup, patient=Patient("p1", birth_date=birth))
    pieces, spans, position = [], [], 0
    for mention, text in zip(mentions, texts, strict=True):
        pieces += [document.text[position : mention.start], text]
        end = sum(map(len, pieces))
        spans.append((end - len(text), end))
        position = mention.end
    published = "".join((*pieces, document.text[position:]))
    drawn = tuple(Surrogate(mention, text, "test") for mention, text in zip(mentions, texts, strict=True))
    return count_constraints(document, Substitution(published, drawn, tuple(spans), reference_date=anchor))


NUMBERED = "J0 : [[DATE|03/04/2023]], J4 : [[DATE|07/04/2023]], J8 : [[DATE|11/04/2023]], J12 : [[DATE|15/04/2023]]"
BORN = "né le [[DATE|12/05/1958]], [[AGE|65 ans]]"


@pytest.mark.parametrize(
    ("kind", "markup", "texts", "kept"),
    [
        (Constraint.ORDER, "le [[DATE|03/04/2023]], le [[DATE|05/04/2023]]", ["02/02/2024", "04/02/2024"], (3, 3, 0)),
        (Constraint.ORDER, "le [[DATE|03/04/2023]], le [[DATE|05/04/2023]]", ["04/02/2024", "02/02/2024"], (3, 2, 1)),
        (Constraint.ORDER, "le [[DATE|03/04/2023]], le [[DATE|05/04/2023]]", ["04/02/2024", "04/02/2024"], (3, 2, 1)),
        (Constraint.ORDER, "le [[DATE|03/04/2023]], le [[DATE|05/04/2023]]", ["04/02/2024", "[DATE]"], (3, 1, 0)),
        (Constraint.ORDER, "en [[DATE|2014]], en [[DATE|mars 2015]]", ["2016", "mars 2016"], (3, 3, 0)),
        (Constraint.ORDER, "en [[DATE|2014]], en [[DATE|mars 2015]]", ["2017", "mars 2016"], (3, 2, 1)),
        (Constraint.RANGE, "du [[DATE|3]] au [[DATE|7 mars 2022]]", ["10", "14 mars 2023"], (1, 1, 0)),
        (Constraint.RANGE, "du [[DATE|3]] au [[DATE|7 mars 2022]]", ["26", "10 mars 2023"], (1, 0, 1)),
        (Constraint.RANGE, "du [[DATE|3]] au [[DATE|7 mars 2022]]", ["26 février", "2 mars 2023"], (1, 1, 0)),
        (Constraint.RANGE, "[[DATE|3-7 mars 2022]]", ["26-10 mars 2023"], (1, 0, 1)),
        (Constraint.RANGE, "du [[DATE|3]] au [[DATE|7 mars 2022]]", ["mars 2023", "mars 2023"], (1, 1, 0)),
        (Constraint.RANGE, "de [[DATE|2015]] à [[DATE|2018]]", ["2018", "2016"], (1, 0, 1)),
        (
            Constraint.DISTANCE,
            "[[RELDATE|dans 6 semaines]], le [[DATE|28/06/2023]]",
            ["dans 6 semaines", "02/10/2024"],
            (1, 1, 0),
        ),
        (
            Constraint.DISTANCE,
            "[[RELDATE|dans 6 semaines]], le [[DATE|28/06/2023]]",
            ["dans 6 semaines", "02/11/2024"],
            (1, 0, 1),
        ),
        (
            Constraint.DISTANCE,
            "[[RELDATE|dans un an]], en [[DATE|mai 2024]]",
            ["dans neuf ans", "août 2025"],
            (1, 0, 1),
        ),
        (Constraint.NUMBERED_DAY, NUMBERED, ["03/06/2024", "07/06/2024", "11/06/2024", "15/06/2024"], (6, 6, 0)),
        (Constraint.NUMBERED_DAY, NUMBERED, ["03/06/2024", "11/06/2024", "22/06/2024", "06/07/2024"], (6, 0, 6)),
        (Constraint.NUMBERED_DAY, NUMBERED, ["03/06/2024", "07/06/2024", "11/06/2024", "16/06/2024"], (6, 3, 3)),
        (Constraint.AGE, BORN, ["03/02/1961", "63 ans"], (1, 1, 0)),
        (Constraint.AGE, BORN, ["03/02/1961", "71 ans"], (1, 0, 1)),
        (Constraint.AGE, BORN, ["[DATE]", "71 ans"], (1, 0, 0)),
        (Constraint.AGE, "né en [[DATE|1958]], [[AGE|65 ans]]", ["1961", "62 ans"], (1, 1, 0)),
        (Constraint.WEEKDAY, "le [[DATE|lundi 15 mai 2023]]", ["mardi 20 août 2024"], (1, 1, 0)),
        (Constraint.WEEKDAY, "le [[DATE|lundi 15 mai 2023]]", ["lundi 20 août 2024"], (1, 0, 1)),
        (Constraint.WEEKDAY_WRITTEN, "le [[DATE|lundi 15 mai 2023]]", ["mardi 20 août 2024"], (1, 0, 1)),
        (Constraint.WEEKDAY_WRITTEN, "le [[DATE|lundi 15 mai 2023]]", ["lundi 19 août 2024"], (1, 1, 0)),
        (Constraint.WEEKDAY_WRITTEN, "[[RELDATE|lundi dernier]]", ["mardi dernier"], (1, 0, 1)),
        (
            Constraint.PREGNANCY,
            "DDR [[DATE|10/10/2022]], ce jour 31 SA + 2, terme le [[DATE|24/07/2023]]",
            ["15/01/2024", "28/10/2024"],
            (3, 3, 0),
        ),
        (
            Constraint.PREGNANCY,
            "DDR [[DATE|10/10/2022]], ce jour 31 SA + 2, terme le [[DATE|24/07/2023]]",
            ["15/03/2024", "28/10/2024"],
            (3, 1, 2),
        ),
        (
            Constraint.STAY,
            "Admise le [[DATE|02/05/2023]] pour fièvre. Sortie le [[DATE|09/05/2023]].",
            ["12/08/2024", "07/08/2024"],
            (1, 0, 1),
        ),
        (
            Constraint.LENGTH,
            "du [[DATE|02/05/2023]] au [[DATE|12/05/2023]] (10 jours)",
            ["01/08/2024", "19/08/2024"],
            (1, 0, 1),
        ),
        (Constraint.GAP, "le [[DATE|07/05/2023]]", ["14/08/2024"], (1, 1, 0)),
        (Constraint.GAP, "le [[DATE|07/05/2023]]", ["01/08/2024"], (1, 0, 1)),
    ],
)
def test_each_kind_is_counted(kind: Constraint, markup: str, texts: Sequence[str], kept: tuple[int, int, int]) -> None:
    birth = date(1958, 5, 12) if kind is Constraint.AGE else None
    assert counted(markup, texts, birth=birth)[kind] == Kept(*kept)


@pytest.mark.parametrize(
    ("kind", "markup"),
    [
        (Constraint.RANGE, "du [[DATE|12/05/2023]] au [[DATE|02/05/2023]]"),
        (Constraint.DISTANCE, "[[RELDATE|dans 6 semaines]], le [[DATE|28/09/2023]]"),
        (Constraint.NUMBERED_DAY, "J0 : [[DATE|03/04/2023]], J4 : [[DATE|09/04/2023]]"),
        (Constraint.AGE, "né le [[DATE|12/05/1958]], [[AGE|45 ans]]"),
        (Constraint.WEEKDAY, "le [[DATE|mardi 15 mai 2023]]"),
        (Constraint.PREGNANCY, "DDR [[DATE|10/10/2022]], terme le [[DATE|24/12/2023]]"),
        (Constraint.STAY, "Admise le [[DATE|09/05/2023]] pour fièvre. Sortie le [[DATE|02/05/2023]]."),
        (Constraint.LENGTH, "du [[DATE|02/05/2023]] au [[DATE|12/05/2023]] (25 jours)"),
        (Constraint.ORDER, "à [[DATE|Noël]], le [[DATE|12]]"),
    ],
)
def test_what_the_source_contradicts_or_leaves_open_is_not_stated(kind: Constraint, markup: str) -> None:
    document, mentions = marked(markup, patient=Patient("p1", birth_date=date(1958, 5, 12)))
    texts = [document.text[one.start : one.end] for one in mentions]
    found = counted(markup, texts, birth=date(1958, 5, 12), anchor=date(2023, 5, 17))
    assert kind not in found or (kind is Constraint.ORDER and found[kind].stated == 0)


def test_a_text_published_as_it_was_keeps_everything() -> None:
    markup = f"{BORN}. {NUMBERED}. du [[DATE|3]] au [[DATE|7 mai 2023]], [[RELDATE|il y a 3 jours]]"
    document, mentions = marked(markup)
    texts = [document.text[one.start : one.end] for one in mentions]
    found = counted(markup, texts, birth=date(1958, 5, 12), anchor=date(2023, 5, 17))
    assert {Constraint.ORDER, Constraint.AGE, Constraint.NUMBERED_DAY, Constraint.RANGE} <= found.keys()
    assert all(one.kept == one.stated and one.violated == 0 for one in found.values())


@given(
    days=st.lists(st.integers(-900, 900), min_size=2, max_size=30, unique=True),
    moved=st.data(),
)
@hypothesis_settings(max_examples=100)
def test_every_pair_of_dates_counts_once(days: list[int], moved: st.DataObject) -> None:
    """The fast count is that of all pairs."""
    shifts = moved.draw(st.lists(st.integers(-400, 400), min_size=len(days), max_size=len(days)))
    anchor = date(2023, 5, 17)
    true = [anchor + timedelta(days=one) for one in days if one]
    told = [day + timedelta(days=shift) for day, shift in zip(true, shifts, strict=False)]
    markup = "vu le " + ", le ".join(f"[[DATE|{day:%d/%m/%Y}]]" for day in true)
    found = counted(markup, [f"{day:%d/%m/%Y}" for day in told])
    pairs = [*zip(true, told, strict=True), (anchor, MOVED)]
    ordered = [(one, other) for one in pairs for other in pairs if one[0] < other[0]]
    violated = sum(one[1] >= other[1] for one, other in ordered)
    assert found[Constraint.ORDER] == Kept(len(ordered), len(ordered) - violated, violated)


def test_the_time_grows_with_the_dates_not_with_their_pairs() -> None:
    def seconds(number: int) -> float:
        days = [date(2001, 1, 1) + timedelta(days=9 * at) for at in range(number)]
        markup = "\n".join(f"J{9 * at} : [[DATE|{day:%d/%m/%Y}]], normal." for at, day in enumerate(days))
        texts = [f"{day + timedelta(days=28):%d/%m/%Y}" for day in days]
        began = time.process_time()
        found = counted(markup, texts)
        took = time.process_time() - began
        assert found[Constraint.NUMBERED_DAY].stated == found[Constraint.NUMBERED_DAY].kept
        assert found[Constraint.ORDER].stated == (number + 1) * number // 2
        return took

    seconds(20)
    assert min(seconds(2000) for _ in range(3)) < 24 * min(seconds(250) for _ in range(5))  # 64 if it were quadratic
