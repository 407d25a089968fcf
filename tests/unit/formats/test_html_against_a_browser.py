"""The same words, in the same order, as an HTML5 parser finds (lexbor, through selectolax)."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from deid.domain.errors import DocumentRefused
from deid.formats import read_source
from tests.unit.formats.strategies import ENTITIES, SPACES, VOIDS

# Without tables, whose stray text HTML5 moves, and without what is read otherwise on purpose (see deid.formats.html)
_names = st.sampled_from("p div b i u sup ul li span font h2 blockquote form label center".split())
_tags = st.one_of(_names.map("<{}>".format), _names.map("<{} id='a>b' x>".format), _names.map("</{}>".format))
_words = st.sampled_from(["DUPONT", "né", "12/02", "a & b", ">", "< 3", "<3", "&", "œ", *ENTITIES, *SPACES, *VOIDS])
_raw = st.sampled_from(["<style>p<b>{}</style>", "<script>x<!--</script>", "<textarea>a <b> c</textarea>"])
pages = st.lists(st.one_of(_tags, _words, _raw), max_size=30).map("".join)


def words(text: str) -> str:
    return re.sub(r"[\s\x00-\x1f\u200b\u00ad]", "", text)


@given(pages)
def test_words_are_those_of_an_html5_parser(source: str) -> None:
    try:
        text = read_source(source.encode(), format="text/html", charset="utf-8", document_id="d", max_bytes=10_000).text
    except DocumentRefused:
        text = ""
    tree = LexborHTMLParser(source)
    tree.strip_tags(["script", "style"])
    assert words(text) == words(tree.body.text() if tree.body else "")
