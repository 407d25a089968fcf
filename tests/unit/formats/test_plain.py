"""Plain text: line ends, characters that hide words, and the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.domain.errors import DocumentRefused
from deid.formats import SourceText, read_source
from tests.unit.formats.strategies import spans, surrogates

characters = st.text(st.sampled_from("ab é\r\n\f\t\x1d\u00ad\u200b\u00a0œ"), min_size=1, max_size=30)


def plain(source: str) -> SourceText:
    return read_source(source.encode(), format="text/plain", charset="utf-8", document_id="d1", max_bytes=10_000)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("un\r\ndeux\rtrois\nquatre\f", "un\ndeux\ntrois\nquatre\n"),
        ("DU\u00adPONT\u200b Jean\u2028né", "DUPONT Jean né"),
        ("Nom\t:  DUPONT\u00a0!\x1d", "Nom\t:  DUPONT\u00a0! "),
        ("\ufeffcafe\u0301 <b>&eacute;", "café <b>&eacute;"),
    ],
)
def test_text_is_the_source_with_one_kind_of_line_end(source: str, text: str) -> None:
    assert plain(source).text == text


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("M. DUPONT\r\nné\r\n", "M. ROY\r\nné\r\n"),
        ("M. DUPONT\nné\r\n", "M. ROY\nné\n"),
        ("M. DUPONT", "M. ROY"),
        ("M. DU\u00adPONT\rné", "M. ROY\nné"),
    ],
)
def test_line_ends_stay_windows_where_all_were(source: str, result: str) -> None:
    assert plain(source).rewrite([(3, 9, "ROY")]) == result


@given(characters, st.data())
def test_what_is_rewritten_reads_as_replaced(source: str, data: st.DataObject) -> None:
    try:
        document = plain(source)
    except DocumentRefused:
        return
    replacements = [(start, end, data.draw(surrogates)) for start, end in data.draw(spans(len(document.text)))]
    expected = document.text
    for start, end, surrogate in reversed(replacements):
        expected = expected[:start] + surrogate + expected[end:]
    if expected.strip():
        assert plain(document.rewrite(replacements)).text == expected


def test_replacements_out_of_order_are_an_error() -> None:
    with pytest.raises(ValueError, match="unsorted"):
        plain("un deux").rewrite([(3, 7, "x"), (0, 2, "y")])
