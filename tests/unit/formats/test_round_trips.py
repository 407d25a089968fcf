"""Files with nothing to replace come back as they were, or with the same content, whatever words they hold."""

from __future__ import annotations

import base64
import csv
import email
import email.policy
import html
import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from email.message import EmailMessage

import openpyxl
import pydicom
import pypdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from lxml import html as lxml_html
from reportlab.pdfgen.canvas import Canvas

from deid.formats.archives import write_zip
from deid.formats.files import READERS, read_file
from deid.formats.formulas import guarded
from deid.formats.segments import SegmentedSource
from tests.unit.formats import test_dicom, test_docx

SURROGATE = "Zoé <O'Neil> & fils"
_words = st.lists(st.text("abzÉèç09.,'()+-&<", min_size=1, max_size=8), min_size=1, max_size=4).map(" ".join)
lines = st.lists(_words, max_size=4).map(lambda drawn: ["Vue hier", *drawn])


def _rtf(text: Sequence[str]) -> bytes:
    body = "\\par\n".join(re.sub("[^\0-\x7f]", lambda found: f"\\u{ord(found[0])}?", line) for line in text)
    return f"{{\\rtf1\\ansi\\deff0{{\\fonttbl{{\\f0 Arial;}}}}\n{body}\\par}}".encode("ascii")


def _docx(text: Sequence[str]) -> bytes:
    return test_docx.docx("".join(f"<w:p><w:r><w:t>{html.escape(line)}</w:t></w:r></w:p>" for line in text))


def _xlsx(text: Sequence[str]) -> bytes:
    book = openpyxl.Workbook()
    for at, line in enumerate(text):
        book.active.append([line, at / 2, at % 2 == 0])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _pdf(text: Sequence[str]) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, invariant=1)
    for at, line in enumerate(text):
        canvas.drawString(70, 700 - 20 * at, line)
    canvas.save()
    return file.getvalue()


def _eml(text: Sequence[str]) -> bytes:
    message = EmailMessage(policy=email.policy.SMTP)
    message["Subject"] = text[0]
    message.set_content("\n".join(text))
    message.add_attachment("\n".join(text), filename="a.txt")
    return message.as_bytes()


def _csv(text: Sequence[str]) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=";").writerows(
        [["ipp", "texte"], *([str(at), guarded(line)] for at, line in enumerate(text))]
    )
    return file.getvalue().encode()


def _hl7(text: Sequence[str]) -> bytes:
    told = (re.sub(r"[|^~\\&]", " ", line) for line in text)
    results = "".join(f"OBX|{at}|TX|1^CR||{line}\r" for at, line in enumerate(told))
    return f"MSH|^~\\&|A|B|C|D|20240302||ORU^R01|1|P|2.5|||||FRA|UNICODE UTF-8\r{results}".encode()


def _fhir(text: Sequence[str]) -> bytes:
    data = base64.b64encode("\n".join(text).encode()).decode()
    attachment = {"contentType": "text/plain", "data": data, "size": 5}
    note = {
        "resourceType": "DocumentReference",
        "description": text[0],
        "content": [{"attachment": attachment}],
        "n": 1.5,
    }
    return json.dumps(note).encode()


def _tagged(text: Sequence[str], before: str, name: str, after: str) -> bytes:
    body = "".join(f"<{name}>{html.escape(line, quote=False)}</{name}>\n" for line in text)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{before}{body}{after}\n'.encode()


def _cda(text: Sequence[str]) -> bytes:
    before = '<ClinicalDocument xmlns="urn:hl7-org:v3"><id root="1.2"/><component><section><text>'
    return _tagged(text, before, "paragraph", "</text></section></component></ClinicalDocument>")


def _fhir_xml(text: Sequence[str]) -> bytes:
    before = '<Observation xmlns="http://hl7.org/fhir"><text><div xmlns="http://www.w3.org/1999/xhtml">'
    return _tagged(text, before, "p", '</div></text><valueQuantity><value value="1.50"/></valueQuantity></Observation>')


def _vcf(text: Sequence[str]) -> bytes:
    told = "".join(f"##note={line}\n" for line in text)
    return f"##fileformat=VCFv4.2\n{told}#CHROM\tPOS\tID\n1\t42\trs1\n".encode()


# Formats whose bytes come back
EXACT: dict[str, tuple[str, Callable[[Sequence[str]], bytes]]] = {
    "text": ("a.txt", lambda text: "\r\n".join(text).encode("cp1252")),
    "rtf": ("a.rtf", _rtf),
    "xml": ("a.xml", lambda text: _tagged(text, '<dossier date="2024-03-02">', "note", "</dossier>")),
    "cda": ("a.xml", _cda),
    "json": ("a.json", lambda text: json.dumps({"notes": text, "n": [1.0, None]}, ensure_ascii=False).encode()),
    "jsonl": ("a.jsonl", lambda text: "".join(json.dumps({"note": line}) + "\n" for line in text).encode()),
    "csv": ("a.csv", _csv),
    "hl7": ("a.hl7", _hl7),
    "fhir": ("a.json", _fhir),
    "fhir_xml": ("a.xml", _fhir_xml),
    "narrative": ("narrative", lambda text: _tagged(text, '<div xmlns="http://www.w3.org/1999/xhtml">', "p", "</div>")),
    "vcf": ("a.vcf", _vcf),
}


def _pdf_words(raw: bytes) -> object:
    return [page.extract_text().split() for page in pypdf.PdfReader(io.BytesIO(raw)).pages]


def _docx_words(raw: bytes) -> object:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return "".join(etree.fromstring(archive.read("word/document.xml")).itertext())


def _xlsx_values(raw: bytes) -> object:
    return list(openpyxl.load_workbook(io.BytesIO(raw)).active.iter_rows(values_only=True))


def _eml_parts(raw: bytes) -> object:
    message = email.message_from_bytes(raw)
    parts = [(part.get_content_type(), part.get_payload(decode=True)) for part in message.walk()]
    return str(email.header.make_header(email.header.decode_header(message["Subject"]))), parts


def _archive_parts(raw: bytes) -> object:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return [archive.read(name) for name in archive.namelist()]


def _page_words(raw: bytes) -> object:
    return lxml_html.fromstring(raw.decode()).text_content().split()


def _dicom_words(raw: bytes) -> object:
    return [item.TextValue for item in pydicom.dcmread(io.BytesIO(raw)).ContentSequence]


# Formats that are written anew, with what another library reads of them
EQUAL: dict[str, tuple[str, Callable[[Sequence[str]], bytes], Callable[[bytes], object]]] = {
    "html": ("a.html", lambda text: _tagged(text, "<html><body>", "p", "</body></html>")[39:], _page_words),
    "docx": ("a.docx", _docx, _docx_words),
    "xlsx": ("a.xlsx", _xlsx, _xlsx_values),
    "pdf": ("a.pdf", _pdf, _pdf_words),
    "eml": ("a.eml", _eml, _eml_parts),
    "zip": ("a.zip", lambda text: write_zip({"a.txt": "\n".join(text).encode(), "b.hl7": _hl7(text)}), _archive_parts),
    "dicom": (
        "a.dcm",
        lambda text: test_dicom.dicom(
            SpecificCharacterSet="ISO_IR 192", ContentSequence=[test_dicom.item(TextValue=line) for line in text]
        ),
        _dicom_words,
    ),
}
# LibreOffice reads these (below, `test_libreoffice`, `test_spreadsheets`), tesseract that one (`test_scans`).
ELSEWHERE = {"doc", "odt", "xls", "image"}


def read(raw: bytes, hint: str) -> SegmentedSource:
    return read_file(raw, document_id="d", max_bytes=10**7, hint=hint)


def _replaced(source: SegmentedSource) -> None:
    """Check that a surrogate reads where its mention stood, and nothing else changed."""
    places = [found.span() for found in re.finditer("Vue", source.text)]
    assert places
    written = source.rewrite([(start, end, SURROGATE) for start, end in places])
    assert source.read_again(written) == source.text.replace("Vue", SURROGATE)


def test_every_format_has_a_round_trip() -> None:
    assert {*EXACT, *EQUAL} | ELSEWHERE == set(READERS), "write one from lines in EXACT, or in EQUAL"
    assert len(EXACT) + len(EQUAL) + len(ELSEWHERE) == len(READERS)


@pytest.mark.parametrize("format", EXACT)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
@given(text=lines)
def test_bytes_come_back(format: str, text: list[str]) -> None:
    hint, make = EXACT[format]
    raw = make(text)
    source = read(raw, hint)
    assert source.format == format
    assert source.rewrite([]) == raw
    _replaced(source)


@pytest.mark.parametrize("format", EQUAL)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
@given(text=lines)
def test_content_comes_back(format: str, text: list[str]) -> None:
    hint, make, told = EQUAL[format]
    raw = make(text)
    source = read(raw, hint)
    assert source.format == format
    written = source.rewrite([])
    assert told(written) == told(raw)
    assert source.read_again(written) == source.text
    _replaced(source)
