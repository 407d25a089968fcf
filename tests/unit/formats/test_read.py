"""Reading of all formats: refusals, and decoding of bytes."""

from __future__ import annotations

import pytest

from deid.domain.errors import DocumentRefused, Reason
from deid.formats import FORMATS, read_source

FRENCH = "Mme Hélène Lefèvre, âgée de 80 ans, née à Orléans, l’été"


def text_of(raw: bytes, charset: str = "utf-8", format: str = "text/plain") -> str:
    return read_source(raw, format=format, charset=charset, document_id="d1", max_bytes=1000).text


@pytest.mark.parametrize(
    ("raw", "charset"),
    [
        (FRENCH.encode(), "utf-8"),
        (FRENCH.encode(), "UTF8"),
        (FRENCH.encode("cp1252"), "windows-1252"),
        (FRENCH.encode("cp1252"), "iso-8859-1"),
        (FRENCH.encode("cp1252"), "latin1"),
        (FRENCH.encode("cp1252"), "us-ascii"),
        (FRENCH.encode("utf-16"), "utf-16"),
        (FRENCH.encode("utf-16"), "utf-8"),  # the mark is believed
        (FRENCH.encode("utf-8-sig"), "iso-8859-1"),
        (FRENCH.encode("utf-16-be"), "utf-16-be"),
        (FRENCH.encode("mac-roman"), "macintosh"),
    ],
)
def test_the_declared_charset_is_followed(raw: bytes, charset: str) -> None:
    assert text_of(raw, charset) == FRENCH


@pytest.mark.parametrize(
    ("raw", "charset", "reason"),
    [
        (b"", "utf-8", Reason.EMPTY),
        (b" \r\n\t ", "utf-8", Reason.EMPTY),
        (b"\xef\xbb\xbf", "utf-8", Reason.EMPTY),
        (b"x" * 1001, "utf-8", Reason.TOO_LARGE),
        (FRENCH.encode("cp1252"), "utf-8", Reason.UNDECODABLE),
        (b"cut \xc3", "utf-8", Reason.UNDECODABLE),
        (b"\x81\x8d", "cp1252", Reason.UNDECODABLE),
        (FRENCH.encode(), "cp1252", Reason.DOUBLE_ENCODED),
        (FRENCH.encode().decode("cp1252").encode(), "utf-8", Reason.DOUBLE_ENCODED),
        (FRENCH.encode("utf-16-le"), "utf-8", Reason.UNDECODABLE),
        (b"Dupont a\0b", "utf-8", Reason.UNDECODABLE),
        ("H\ufffdl\ufffdne".encode(), "utf-8", Reason.CHARACTERS_LOST),
        (b"{\\rtf1\\ansi Dupont}", "utf-8", Reason.NOT_TEXT),
        (b"%PDF-1.4 \xe2\xe3 Dupont", "cp1252", Reason.NOT_TEXT),
        (b"\xd0\xcf\x11\xe0\xa1\xb1 Dupont", "utf-8", Reason.NOT_TEXT),
        (b"PK\x03\x04 Dupont", "utf-8", Reason.NOT_TEXT),
        (b"x\x9c", "zlib", Reason.UNDECODABLE),
        (b"Dupont", "hex", Reason.UNDECODABLE),
        (b"Dupont", "", Reason.UNDECODABLE),
        (b"Dupont", "klingon\0", Reason.UNDECODABLE),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(raw: bytes, charset: str, reason: Reason) -> None:
    with pytest.raises(DocumentRefused) as refusal:
        text_of(raw, charset)
    assert refusal.value.reason is reason
    assert refusal.value.document_id == "d1"
    assert "Dupont" not in str(refusal.value)
    assert "l\ufffdne" not in str(refusal.value)


def test_one_damaged_word_in_a_long_text_does_not_refuse_it() -> None:
    assert text_of(("né à côté " * 9 + "HÃ©lÃ¨ne").encode())


@pytest.mark.parametrize("text", ["SÃO PAULO", "JOÃO Âgé", "Â", "prix : 5 €"])
def test_portuguese_is_not_taken_for_damage(text: str) -> None:
    assert text_of(text.encode()) == text


@pytest.mark.parametrize("format", ["application/pdf", "", "html"])
def test_a_format_nobody_reads_is_refused(format: str) -> None:
    with pytest.raises(DocumentRefused) as refusal:
        text_of(b"x", format=format)
    assert refusal.value.reason is Reason.UNSUPPORTED_FORMAT


def test_parameters_and_case_of_a_media_type_are_ignored() -> None:
    assert text_of(b"<p>a</p>", format="Text/HTML; charset=latin1") == "a"


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_registered_reads(format: str) -> None:
    assert text_of(b"<p>a</p>", format=format).strip("<p/>") == "a"
