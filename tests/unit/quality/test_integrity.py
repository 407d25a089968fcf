"""Nothing but the mentions changes, in the text or in the page."""

from __future__ import annotations

import html

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.quality import measure
from deid.quality.integrity import markup_counts, visible_text
from deid.quality.words import is_foreign
from tests.unit.quality.documents import CLEAN, checked

PAGES = [
    ("<p>Vu par <b>Ma</b>rie</p>", "Vu par Marie", 0, 0),
    ("<table><tr><td colspan='2'>a</td><td>b</td></tr></table>", "a\nb", 0, 0),
    ("<p>a &amp; b &eacute;</p>", "a & b é", 0, 0),
    ("<p>a</p>", "a b", 1, 0),
    ("<p class='x'>a</p>", "a", 0, 1),
    ("<p>a</p><!-- Dupont -->", "a", 0, 1),
    ("<p>a</p><script>x</script>", "a", 0, 1),
    ("<img src='x'>a", "a", 0, 2),
    ("a < b et c > d", "a < b et c > d", 0, 0),
]


@pytest.mark.parametrize(("page", "text", "differs", "unsafe"), PAGES)
def test_pages(page: str, text: str, differs: int, unsafe: int) -> None:
    counts = markup_counts(page, text)
    assert (counts["markup_differs"], counts["markup_unsafe"] > 0) == (differs, unsafe > 0)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=80))
def test_escaped_text_shows_itself(text: str) -> None:
    assert visible_text(f"<p>{html.escape(text)}</p>").strip("\n") == html.unescape(html.escape(text)).strip("\n")


def test_plain_text_has_no_page() -> None:
    assert sum(markup_counts(None, "x").values()) == 0
    assert sum(markup_counts("x", "x").values()) == 0


@given(st.integers(0, 10_000), st.characters(codec="ascii", categories=["L", "N"]))
@settings(max_examples=60, deadline=None)
def test_any_change_between_mentions_is_seen(position: int, char: str) -> None:
    whole = checked()
    source = whole.document.text
    position %= len(source)
    inside = any(mention.start <= position < mention.end for mention in whole.mentions)
    altered = checked(CLEAN, source=source[:position] + char + source[position + 1 :])
    numbers = measure(altered)
    assert (numbers["context_altered"] > 0) == (not inside and source[position] != char)


def test_foreign_languages() -> None:
    german = "der Patient ist mit der Familie und wurde nicht von dem Arzt in den Saal gebracht auf die Station " * 3
    assert is_foreign(german.split())
    assert not is_foreign(CLEAN.casefold().split())
    assert not is_foreign("the of and to".split())  # too short to tell
    assert not is_foreign(["na", "k", "cl", "hb"] * 20)  # a list of results
