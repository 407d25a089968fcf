"""Inline markup, read and written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.domain.document import Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.evaluation.markup import parse_marked, write_marked


def test_marks_go_and_offsets_count_in_what_is_left() -> None:
    text, mentions = parse_marked(
        "M. [[PATIENT|Jean DUPONT]], né le [[DATE|12/02/1950]].\n[[ZIP|87300]][[CITY|œ]]", "x.txt"
    )
    assert text == "M. Jean DUPONT, né le 12/02/1950.\n87300œ"
    assert [(text[m.start : m.end], m.label) for m in mentions] == [
        ("Jean DUPONT", Label.PATIENT),
        ("12/02/1950", Label.DATE),
        ("87300", Label.ZIP),
        ("œ", Label.CITY),
    ]


@pytest.mark.parametrize(
    ("marked", "place"),
    [
        ("un\n [[PATIENT|DUPONT", "line 2, column 2"),
        ("[[PATIENT|DUPONT]", "line 1, column 1"),
        ("[[PATIENT|]]", "line 1, column 1"),
        ("[[PATIENT]]", "line 1, column 1"),
        ("[[PATIENT|DU|PONT]]", "line 1, column 1"),
        ("[[PATIENT|DU\nPONT]]", "line 1, column 1"),
        ("a [[PATIENT|M. [[DOCTOR|DUPONT]]]]", "line 1, column 3"),
        ("[[DUPONT|Jean]]", "line 1, column 1"),
        ("[[patient|DUPONT]]", "line 1, column 1"),
        ("[[DATE|hier]] DUPONT]]", "line 1, column 21"),
    ],
)
def test_a_bad_mark_is_refused_with_its_place_and_no_text(marked: str, place: str) -> None:
    with pytest.raises(InputRefused) as refusal:
        parse_marked(marked, "w1-01.txt")
    assert str(refusal.value).startswith(f"w1-01.txt, {place}: ")
    assert "DUPONT" not in str(refusal.value)


@st.composite
def annotated(draw: st.DrawFn) -> tuple[str, tuple[Mention, ...]]:
    text = draw(st.text(st.sampled_from("ab é.\n12'[]"), max_size=40)).replace("[[", "[").replace("]]", "]")
    ends = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = zip(ends[::2], ends[1::2], strict=False)
    labels = st.sampled_from(Label)
    return text, tuple(Mention(a, b, draw(labels)) for a, b in spans if not set("\n[]") & set(text[a:b]))


@given(annotated())
def test_what_is_written_reads_back(case: tuple[str, tuple[Mention, ...]]) -> None:
    text, mentions = case
    try:
        marked = write_marked(text, mentions)
    except ValueError:
        assert "[[" in text or "]]" in text or "[" in text or "]" in text
        return
    assert parse_marked(marked, "x") == (text, mentions)


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("a [[b", []),
        ("ab|c", [Mention(0, 4, Label.ID)]),
        ("a\nb", [Mention(0, 3, Label.ID)]),
        ("abcd", [Mention(2, 4, Label.ID), Mention(0, 2, Label.ID)]),
        ("abcd", [Mention(0, 3, Label.ID), Mention(2, 4, Label.ID)]),
        ("ab", [Mention(0, 3, Label.ID)]),
    ],
)
def test_what_the_markup_cannot_say_is_an_error(text: str, mentions: list[Mention]) -> None:
    with pytest.raises(ValueError, match=r"mark|overlapping"):
        write_marked(text, mentions)
