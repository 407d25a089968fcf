"""HTML to text, and back into a clean page."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from deid.domain.errors import DocumentRefused, Reason
from deid.formats import SourceText, read_source
from tests.unit.formats.strategies import spans, surrogates, tag_soup


def page(source: str) -> SourceText:
    return read_source(source.encode(), format="text/html", charset="utf-8", document_id="d1", max_bytes=10_000_000)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("M. DU<b>PO</b><i>NT</i> Jean", "M. DUPONT Jean"),
        ("<p>un</p><p>deux</p>", "un\ndeux"),
        ("<div><p>un<br></p></div>deux", "un\ndeux"),
        ("un<br><br/>deux", "un\n\ndeux"),
        ("<p>un</p><br><p>deux</p>", "un\n\ndeux"),
        ("<ul><li>un<li>deux</ul>trois", "un\ndeux\ntrois"),
        (
            "<table><tr><td>Nom<td>DUPONT</tr><tr><td>Prénom</td><td><p>Jean</p></td></table>",
            "Nom\tDUPONT\nPrénom\tJean",
        ),
        ("<table><tr><td>a</td><td></td><td>c</td><td> </td></tr><tr><td>d</td></tr></table>", "a\t\tc\nd"),
        ("<table><tr><td>a<br>b<br></td><td>c</td></tr></table>", "a\nb\tc"),
        ("<table><tr><td>a<table><tr><td>b<td>c</table></td><td>d</td></tr></table>", "a\nb\tc\n\td"),
        ("  deux \n\t espaces ", "deux espaces"),
        ("<b> un </b> <i> deux</i>", "un deux"),
        ("IPP&nbsp;:&nbsp;&nbsp;12", "IPP :  12"),
        ("n&eacute;e &#101;n &#x65;t&eacute &euro;&#128; &inconnue; A&B &amp;lt;", "née en eté €€ &inconnue; A&B &lt;"),
        ("DU&shy;PONT DU\u200bPONT", "DUPONT DUPONT"),
        ("<pre>\n  a\tb\r\nc </pre>d", "  a\tb\nc \nd"),
        ("<textarea>\nM. <b> &amp; X</textarea>", "M. <b> & X"),
        ("1<sup>er</sup> mars", "1er mars"),
        ("Nom<input value='x'>Prénom", "Nom Prénom"),
        ("<p hidden>caché</p><p style='display:none'>aussi</p>", "caché\naussi"),
        ("<head><title>T</title><style>p{}</style></head><body>un</body>", "un"),
        ("<HTML><HEAD><META CHARSET=x><BODY>un</BODY></HTML>", "un"),
        ("un<script>var a = '<p>DUPONT</p>'; // </scrip</script> deux<!-- <p>non --> trois", "un deux trois"),
        ("<!DOCTYPE html><?xml version='1.0'?><!--[if mso]><p>non</p><![endif]--><![if !mso]>oui<![endif]>", "oui"),
        ("<![CDATA[a <b> & &amp;]]>", "a <b> & &amp;"),
        ("TA <12, K<n et Na>n, CRP <seuil et <b>x</b>, Hb < 8, <3", "TA <12, K<n et Na>n, CRP <seuil et x, Hb < 8, <3"),
        ('<p class="x>DUPONT</p><p class="y">Jean</p>', '<p class="x>DUPONT\nJean'),
        ('<a title="a > b < c" href=x>lien</a><o:p></o:p><x-y z>w</x-y>', "lienw"),
        ("<b><p>DUPONT</b> Jean</p>", "DUPONT Jean"),
        ("un</div>deux</p>trois", "un\ndeux\ntrois"),
        ("cafe\u0301", "café"),
        ("A\u202fB\x1dC\x0bD", "A B C D"),
    ],
)
def test_text_is_what_a_person_reads(source: str, text: str) -> None:
    assert page(source).text == text


@pytest.mark.parametrize(
    "source",
    [
        "<html><body><p>Le patient</p></body>",
        "<html><body><p>Le patient",
        "<p>Le patient <stro",
        "<p>Le patient </p",
        '<p>Le patient <a href="x',
        "<p>Le patient <!-- vu",
        "<p>Le patient <script>var a",
        "<p>Le patient <style>p {",
        "<p>x</p><title>Le patient",
        "<p>x</p><textarea>Le patient",
        "<p>x</p><![CDATA[Le patient",
        "<table><tr><td>Le patient",
        "<table><tr><td><table></table>",
        "<html><head><p>Le patient</p></html>",
        "<html></html><html><body>Le patient",
    ],
)
def test_a_document_cut_short_is_refused(source: str) -> None:
    with pytest.raises(DocumentRefused) as refusal:
        page(source)
    assert refusal.value.reason is Reason.MALFORMED
    assert "patient" not in str(refusal.value)


@pytest.mark.parametrize("source", ["Le <b>patient", "<div><p>Le patient", "Le patient</table></body></html>", "a <"])
def test_a_fragment_is_whole(source: str) -> None:
    assert page(source).text


@pytest.mark.parametrize("source", ["<p></p>", "<html><body><br>&nbsp;</body></html>", "<!-- DUPONT -->", " \n "])
def test_a_page_without_text_is_empty(source: str) -> None:
    with pytest.raises(DocumentRefused) as refusal:
        page(source)
    assert refusal.value.reason is Reason.EMPTY


def test_rewriting_leaves_structure_and_nothing_else() -> None:
    source = page(
        "<html lang=fr><head><title>DUPONT</title><meta name=author content=DUPONT></head>"
        "<body onload='x()'><!-- DUPONT --><script>DUPONT</script><h1 class='DUPONT'>Lettre</h1>"
        "<p style='x'>M. <a href='mailto:DUPONT'>DU<b>PONT</b></a> <font color=red>vu &lt; hier</font></p>"
        "<form><table><tr><td colspan='2' title='DUPONT'>un<td rowspan=1000000>deux</table></form></body></html>"
    )
    start = source.text.index("DUPONT")
    assert source.rewrite([(start, start + 6, "MAR<TIN>")]) == (
        "<html><body>\n<h1>Lettre</h1>\n<p>M. MAR&lt;TIN&gt;<b></b> vu &lt; hier</p>\n"
        '<div><table>\n<tr><td colspan="2">un</td>\n<td>deux</td>\n</tr>\n</table>\n</div>\n\n</body></html>\n'
    ).replace("<table>\n", "<table>")


def whole(source: str) -> SourceText | None:
    try:
        return page(source)
    except DocumentRefused:
        return None


@given(tag_soup, st.data())
def test_what_is_rewritten_reads_as_replaced(source: str, data: st.DataObject) -> None:
    document = whole(source)
    if document is None:
        return
    replacements = [
        (start, end, data.draw(surrogates))
        for start, end in data.draw(spans(len(document.text)))
        if not re.search(r"[\n\t]", document.text[start:end])
    ]
    expected = document.text
    for start, end, surrogate in reversed(replacements):
        expected = expected[:start] + surrogate + expected[end:]
    assert page(document.rewrite(replacements)).text == expected


@given(tag_soup, st.data())
def test_a_span_over_lines_loses_no_surrogate_and_keeps_no_original(source: str, data: st.DataObject) -> None:
    document = whole(source)
    if document is None:
        return
    replacements = [(start, end, "§") for start, end in data.draw(spans(len(document.text)))]
    expected = document.text
    for start, end, surrogate in reversed(replacements):
        expected = expected[:start] + surrogate + expected[end:]
    again = page(document.rewrite(replacements) + "§").text[:-1]
    assert re.sub(r"\s", "", again) == re.sub(r"\s", "", expected)


@given(tag_soup)
def test_a_clean_page_is_well_formed_and_stays_as_it_is(source: str) -> None:
    document = whole(source)
    if document is None:
        return
    clean = document.rewrite([])
    etree.fromstring(re.sub(r"<(br|hr)>", r"<\1/>", clean))
    assert page(clean).rewrite([]) == clean


@pytest.mark.parametrize("bad", [(2, 2), (3, 1), (-1, 2), (0, 99)])
def test_a_span_outside_the_text_is_an_error(bad: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="span"):
        page("DUPONT").rewrite([(*bad, "x")])


def test_overlapping_replacements_are_an_error() -> None:
    with pytest.raises(ValueError, match="overlapping"):
        page("DUPONT").rewrite([(0, 3, "x"), (2, 5, "y")])


N = 60_000


@pytest.mark.parametrize(
    "source",
    [
        "<div>" * N + "x",
        "<b>" * N + "x" + "</i>" * N,
        "<i><p>" + "<b>" * N + "</i>" * N + "x",
        "<td><div>" * N + "</tr>" * N + "x",
        "<table><tr><td>" * N + "x" + "</table>" * N,
        '<a b="' * N + "x",
        '<a b="<a" ' * N + "x <b>y</b>",
        "<a b='\"<a c=\"'" * N + "x <b>y</b>",
        "<a " * N + "x <b>y</b>",
        "<!" * N + "x>y",
        "</" * N + "x>y",
        "<a =" * N + " " * N + "x>y",
        "&" * N + "x",
        "&#" + "9" * N + ";x",
        "x<p>" + " <b>" * N + "y",
        "<script></script>" * N + "x",
        "x" + "<br>" * N + "y",
    ],
)
def test_reading_hostile_markup_takes_time_in_proportion(source: str) -> None:
    began = time.process_time()
    whole(source)
    assert time.process_time() - began < 10
