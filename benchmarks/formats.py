"""Reading and rewriting of files of each format beside the bare library on the same bytes.

    python benchmarks/formats.py [--only cda,json] [--write]

Every file holds the same letters of French prose, generated in the format. The bare library parses the
bytes and gives their texts; rewriting by it writes what it parsed. Ours gives the text with its places, fields and
damage checked; rewriting parses again, as the night does, and replaces a name wherever it stands. Processor time, the
best of some rounds. python-docx, striprtf and hl7apy are compared where they are installed (`pip install`).
"""

from __future__ import annotations

import argparse
import base64
import csv
import email
import email.policy
import gc
import io
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import openpyxl
import pydicom
import pypdfium2
import xlrd
from lxml import etree
from lxml import html as lxml_html
from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
from pydicom.uid import UID, ExplicitVRLittleEndian
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from deid.formats import read_file
from deid.formats.archives import write_zip

NAME = "Kergoat"
REPORT = Path("benchmarks/formats.md")
_LETTERS = [Path(f"corpus/train/w1-0{number}.txt") for number in (1, 2, 3)]
_MARK = re.compile(r"\[\[[A-Z_]+\|([^\]]*)\]\]")
_MOST_BYTES = 1 << 26
_SECONDS = 0.6  # of each measure, at least two rounds
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@dataclass(frozen=True)
class Case:
    """A file of a format, and what the bare library named does with it; None where no library is compared."""

    hint: str
    raw: bytes
    library: str
    read: Callable[[bytes], object]
    rewrite: Callable[[bytes], object] | None = None


# ---- Files


def letter() -> list[str]:
    """Return the lines of three letters with a name in some of them."""
    text = "\n".join(_MARK.sub(r"\1", path.read_text("utf-8")) for path in _LETTERS)
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return [line if at % 9 else f"Madame {NAME} : {line}" for at, line in enumerate(lines)]


def docx(lines: list[str]) -> bytes:
    """Return a document of paragraphs with a word in bold type each."""
    paragraphs = "".join(
        f"<w:p><w:r><w:t xml:space='preserve'>{escape(line[:20])}</w:t></w:r><w:r><w:rPr><w:b/></w:rPr>"
        f"<w:t xml:space='preserve'>{escape(line[20:])}</w:t></w:r></w:p>"
        for line in lines
    )
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    parts = {
        "[Content_Types].xml": f"<Types xmlns='{package}/content-types'><Default Extension='rels' "
        "ContentType='application/vnd.openxmlformats-package.relationships+xml'/>"
        f"<Override PartName='/word/document.xml' ContentType='{kind}'/></Types>",
        "_rels/.rels": f"<Relationships xmlns='{package}/relationships'><Relationship Id='rId1' "
        f"Type='{office}/officeDocument' Target='word/document.xml'/></Relationships>",
        "word/document.xml": f"<w:document xmlns:w='{_W}'><w:body>{paragraphs}</w:body></w:document>",
    }
    return write_zip({name: part.encode() for name, part in parts.items()})


def rtf(lines: list[str]) -> bytes:
    """Return a document of paragraphs in two typefaces."""
    shown = (re.sub("[^\0-\x7f]", lambda found: f"\\u{ord(found[0])}?", line) for line in lines)
    body = "".join(f"\\pard\\f0\\fs22 {line[:20]}{{\\b {line[20:]}}}\\par\n" for line in shown)
    fonts = r"{\fonttbl{\f0\froman\fcharset0 Times New Roman;}}"
    return f"{{\\rtf1\\ansi\\ansicpg1252\\deff0{fonts}\n{body}}}".encode("ascii")


def pdf(lines: list[str]) -> bytes:
    """Return pages of fifty lines."""
    file = io.BytesIO()
    canvas = Canvas(file, A4, invariant=1)
    for at, line in enumerate(lines):
        canvas.setFont("Helvetica", 9)
        canvas.drawString(50, 800 - at % 50 * 15, line[:110])
        if at % 50 == 49:
            canvas.showPage()
    canvas.save()
    return file.getvalue()


def xlsx(rows: list[list[str]]) -> bytes:
    """Return a workbook of one sheet."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def table(lines: list[str], count: int) -> list[list[str]]:
    """Return rows of one patient with a text each."""
    rows = [
        ["8012345679", NAME, "1961-05-14", f"{at % 28 + 1:02}/03/2024", lines[at % len(lines)]] for at in range(count)
    ]
    return [["ipp", "nom", "ddn", "date", "texte"], *rows]


def cda(lines: list[str]) -> bytes:
    """Return a document of level 3: sections with paragraphs, a table, and an observation for each of its rows."""
    sections = []
    for number in range(8):
        paragraphs = "".join(f"<paragraph>{escape(line)}</paragraph>" for line in lines[number * 8 : number * 8 + 12])
        rows = "".join(
            f"<tr><td ID='o{number}-{at}'>Hémoglobine</td><td>{at + 10},5</td><td>g/dL</td></tr>" for at in range(15)
        )
        entries = "".join(
            "<entry><observation classCode='OBS' moodCode='EVN'><templateId root='1.3.6.1.4.1.19376.1.5.3.1.4.13'/>"
            f"<id root='1.2.250.1.213.9' extension='{number}{at}'/>"
            "<code code='718-7' codeSystem='2.16.840.1.113883.6.1' displayName='Hémoglobine'/>"
            f"<text><reference value='#o{number}-{at}'/></text>"
            "<statusCode code='completed'/>"
            f"<effectiveTime value='20240302'/><value xsi:type='PQ' value='{at + 10}.5' unit='g/dL'/>"
            f"<author><time value='20240302'/><assignedAuthor><id root='1.2.250.1.71.4.2.1' extension='10003847216'/>"
            f"<assignedPerson><name><given>Anne</given><family>{NAME}</family></name></assignedPerson></assignedAuthor>"
            "</author></observation></entry>"
            for at in range(15)
        )
        sections.append(
            f"<component><section><code code='30954-2' codeSystem='2.16.840.1.113883.6.1'/><title>Résultats</title>"
            f"<text>{paragraphs}<table><tbody>{rows}</tbody></table></text>{entries}</section></component>"
        )
    return (
        "<?xml version='1.0' encoding='UTF-8'?><ClinicalDocument xmlns='urn:hl7-org:v3' "
        "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'><title>Compte rendu</title>"
        "<recordTarget><patientRole><id root='1.2.250.1.213.1.4.8' extension='261052100012345'/><patient><name>"
        f"<given>Anne</given><family qualifier='BR'>{NAME}</family></name><birthTime value='19610514'/></patient>"
        f"</patientRole></recordTarget><component><structuredBody>{''.join(sections)}</structuredBody></component></ClinicalDocument>"
    ).encode()


def fhir(lines: list[str]) -> dict[str, Any]:
    """Return a bundle of a patient, a letter in base64, and observations with notes."""
    data = base64.b64encode("\n".join(lines).encode()).decode()
    resources: list[dict[str, Any]] = [
        {"resourceType": "Patient", "id": "8012345679", "name": [{"family": NAME, "given": ["Anne"]}]},
        {"resourceType": "DocumentReference", "content": [{"attachment": {"contentType": "text/plain", "data": data}}]},
    ]
    resources += [
        {
            "resourceType": "Observation",
            "id": f"o{at}",
            "status": "final",
            "code": {"coding": [{"system": "http://loinc.org", "code": "718-7", "display": "Hémoglobine"}]},
            "subject": {"reference": "Patient/8012345679", "display": f"Anne {NAME}"},
            "effectiveDateTime": "2024-03-02T10:00:00+01:00",
            "valueQuantity": {"value": 12.5, "unit": "g/dL", "system": "http://unitsofmeasure.org", "code": "g/dL"},
            "note": [{"text": lines[at % len(lines)]}],
        }
        for at in range(200)
    ]
    return {"resourceType": "Bundle", "type": "collection", "entry": [{"resource": one} for one in resources]}


def fhir_xml(value: Any, name: str) -> str:
    """Return a value of FHIR's JSON as its XML."""
    if isinstance(value, list):
        return "".join(fhir_xml(one, name) for one in value)
    if not isinstance(value, dict):
        return f'<{name} value="{escape(str(value), {chr(34): "&quot;"})}"/>'
    kind = value.get("resourceType")
    inner = "".join(fhir_xml(part, key) for key, part in value.items() if key != "resourceType")
    if kind is None:
        return f"<{name}>{inner}</{name}>"
    whole = f'<{kind} xmlns="http://hl7.org/fhir">{inner}</{kind}>'
    return f"<{name}>{whole}</{name}>" if name else whole


def hl7(lines: list[str]) -> bytes:
    """Return a batch of results: a message with a patient, then sixty numbers and texts."""
    head = f"PID|1||8012345679^^^CHU^PI||{NAME}^Anne||19610514|F|||3 rue des Abers^^BREST^^29200\r"
    told = [re.sub(r"[|^~\\&]", " ", line) for line in lines]
    results = "".join(
        f"OBX|{2 * at}|NM|718-7^Hémoglobine^LN||{at}.5|g/dL|12-16||||F|||20240302\r"
        f"OBX|{2 * at + 1}|TX|11502-2^Compte rendu^LN||{told[at % len(told)]}||||||F|||20240302\r"
        for at in range(30)
    )
    message = (
        f"MSH|^~\\&|LABO|CHU|DPI|CHU|20240302||ORU^R01|M1|P|2.5|||||FRA|UNICODE UTF-8\r{head}OBR|1|||NFS\r{results}"
    )
    return (message * 5).encode()


def vcf() -> bytes:
    """Return four thousand variants of three samples."""
    rows = "".join(
        f"1\t{1000 + at}\trs{at}\tA\tC\t{at % 99}\tPASS\tDP={at % 90};AF=0.5\tGT:DP\t0/1:30\t0/0:28\t1/1:31\n"
        for at in range(4000)
    )
    columns = "\t".join(("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", NAME, "S2", "S3"))
    return f"##fileformat=VCFv4.2\n##fileDate=20240302\n{columns}\n{rows}".encode()


def dicom(lines: list[str]) -> bytes:
    """Return a structured report of a text for each line."""
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID = UID("1.2.840.10008.5.1.4.1.1.88.11")
    meta.MediaStorageSOPInstanceUID = UID("1.2.826.0.1.3680043.9.4242.7")
    file = FileDataset("", {}, file_meta=meta, preamble=bytes(128))
    file.SpecificCharacterSet, file.Modality = "ISO_IR 192", "SR"
    file.SOPClassUID, file.SOPInstanceUID = meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID
    file.PatientName, file.PatientID, file.StudyDate = f"{NAME}^Anne", "8012345679", "20240302"
    file.ContentSequence = [_content(line) for line in lines]
    target = io.BytesIO()
    pydicom.dcmwrite(target, file, enforce_file_format=True)
    return target.getvalue()


def _content(line: str) -> Dataset:
    one = Dataset()
    one.RelationshipType, one.ValueType, one.TextValue = "CONTAINS", "TEXT", line
    return one


def eml(lines: list[str]) -> bytes:
    """Return a message with its text, the same as a page, and a PDF."""
    message = EmailMessage(policy=email.policy.SMTP)
    message["From"], message["To"], message["Subject"] = f"Anne {NAME} <a@chu.fr>", "b@chu.fr", "Courrier"
    message.set_content("\n".join(lines))
    message.add_alternative(page(lines).decode(), subtype="html")
    message.add_attachment(pdf(lines), maintype="application", subtype="pdf", filename="lettre.pdf")
    return message.as_bytes()


def page(lines: list[str]) -> bytes:
    """Return a page of HTML."""
    return f"<html><body>{''.join(f'<p>{escape(line)}</p>' for line in lines)}</body></html>".encode()


def office(raw: bytes, ending: str, source: str) -> bytes:
    """Return a file converted by LibreOffice; no byte where it is not installed."""
    if shutil.which("soffice") is None:
        return b""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a.{source}")
        path.write_bytes(raw)
        command = ["soffice", f"-env:UserInstallation=file://{folder}/p", "--headless", "--convert-to", ending]
        subprocess.run([*command, "--outdir", folder, str(path)], check=True, capture_output=True, timeout=120)
        return Path(folder, f"a.{ending}").read_bytes()


# ---- Bare libraries


def _xml_texts(raw: bytes) -> object:
    root = etree.fromstring(raw)
    return [*root.itertext(), *(value for one in root.iter() for value in one.attrib.values())]


def _xml_again(raw: bytes) -> object:
    return etree.tostring(etree.fromstring(raw), encoding="UTF-8")


def _page_texts(raw: bytes) -> object:
    return lxml_html.fromstring(raw).text_content()


def _pdf_texts(raw: bytes) -> object:
    document = pypdfium2.PdfDocument(raw)
    return [one.get_textpage().get_text_range() for one in document]


def _pdf_again(raw: bytes) -> object:
    file = io.BytesIO()
    pypdfium2.PdfDocument(raw).save(file)
    return file.getvalue()


def _book_values(raw: bytes) -> object:
    book = openpyxl.load_workbook(io.BytesIO(raw), data_only=True)
    return [row for sheet in book.worksheets for row in sheet.iter_rows(values_only=True)]


def _book_again(raw: bytes) -> object:
    file = io.BytesIO()
    openpyxl.load_workbook(io.BytesIO(raw), data_only=True).save(file)
    return file.getvalue()


def _old_book_values(raw: bytes) -> object:
    return [list(sheet.get_rows()) for sheet in xlrd.open_workbook(file_contents=raw).sheets()]


def _dicom_values(raw: bytes) -> object:
    return [str(element.value) for element in pydicom.dcmread(io.BytesIO(raw)).iterall()]


def _dicom_again(raw: bytes) -> object:
    file = io.BytesIO()
    pydicom.dcmwrite(file, pydicom.dcmread(io.BytesIO(raw)))
    return file.getvalue()


def _message_texts(raw: bytes) -> object:
    return [part.get_payload(decode=True) for part in email.message_from_bytes(raw).walk()]


def _archive_parts(raw: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _docx_texts(raw: bytes) -> object:
    return [one.text for one in import_module("docx").Document(io.BytesIO(raw)).paragraphs]


def _docx_again(raw: bytes) -> object:
    file = io.BytesIO()
    import_module("docx").Document(io.BytesIO(raw)).save(file)
    return file.getvalue()


def _rtf_text(raw: bytes) -> object:
    return import_module("striprtf.striprtf").rtf_to_text(raw.decode("ascii"))


def _hl7_texts(raw: bytes) -> object:
    parse = import_module("hl7apy.parser").parse_message
    messages = re.split(r"(?=MSH\|)", raw.decode())[1:]
    return [parse(one, find_groups=False).to_er7() for one in messages]


def _rows(raw: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(raw.decode(), newline=""), delimiter=";"))


def _rows_again(raw: bytes) -> object:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=";").writerows(_rows(raw))
    return file.getvalue().encode()


def cases() -> Iterator[tuple[str, Case]]:
    """Yield the formats, each with a file and its bare library."""
    one = letter()
    lines = one * 4
    text = "\n".join(lines).encode()
    bundle = fhir(one)
    records = [{"id": at, "texte": line, "valeur": at / 2, "codes": ["718-7", "g/dL"]} for at, line in enumerate(lines)]
    rows = table(one, 1000)
    parsed = _xml_texts, _xml_again
    yield (
        "text",
        Case("a.txt", text, "bytes.decode", lambda raw: raw.decode().split("\n"), lambda raw: raw.decode().encode()),
    )
    yield (
        "html",
        Case(
            "a.html", page(lines), "lxml.html", _page_texts, lambda raw: lxml_html.tostring(lxml_html.fromstring(raw))
        ),
    )
    yield "rtf", Case("a.rtf", rtf(lines), "striprtf", _rtf_text)
    yield "docx", Case("a.docx", docx(lines), "python-docx", _docx_texts, _docx_again)
    yield "pdf", Case("a.pdf", pdf(lines), "pypdfium2", _pdf_texts, _pdf_again)
    yield "xlsx", Case("a.xlsx", xlsx(rows), "openpyxl", _book_values, _book_again)
    yield "xls", Case("a.xls", office(xlsx(rows), "xls", "xlsx"), "xlrd", _old_book_values)
    for ending in ("doc", "odt"):
        converted = office(docx(lines), ending, "docx")
        yield ending, Case(f"a.{ending}", converted, "soffice", partial(office, ending="docx", source=ending))
    notes = "".join(f"<note date='2024-03-02'>{escape(line)}</note>" for line in lines)
    yield "xml", Case("a.xml", f"<dossier>{notes}</dossier>".encode(), "lxml", *parsed)
    yield "cda", Case("a.xml", cda(one), "lxml", *parsed)
    yield (
        "json",
        Case(
            "a.json",
            json.dumps(records, ensure_ascii=False).encode(),
            "json",
            json.loads,
            lambda raw: json.dumps(json.loads(raw)),
        ),
    )
    jsonl = "\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode()
    yield (
        "jsonl",
        Case(
            "a.jsonl",
            jsonl,
            "json",
            lambda raw: [json.loads(line) for line in raw.splitlines()],
            lambda raw: [json.dumps(json.loads(line)) for line in raw.splitlines()],
        ),
    )
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=";").writerows(rows)
    yield "csv", Case("a.csv", file.getvalue().encode(), "csv", _rows, _rows_again)
    yield "hl7", Case("a.hl7", hl7(one), "hl7apy", _hl7_texts)
    yield (
        "fhir",
        Case(
            "a.json",
            json.dumps(bundle, ensure_ascii=False).encode(),
            "json",
            json.loads,
            lambda raw: json.dumps(json.loads(raw)),
        ),
    )
    yield "fhir_xml", Case("a.xml", fhir_xml(bundle, "").encode(), "lxml", *parsed)
    yield "dicom", Case("a.dcm", dicom(lines), "pydicom", _dicom_values, _dicom_again)
    yield "vcf", Case("a.vcf", vcf(), "str.split", lambda raw: [line.split("\t") for line in raw.decode().split("\n")])
    yield "eml", Case("a.eml", eml(one), "email", _message_texts, lambda raw: email.message_from_bytes(raw).as_bytes())
    archive = write_zip({f"{at}.txt": "\n".join(one).encode() for at in range(10)})
    yield "zip", Case("a.zip", archive, "zipfile", _archive_parts, lambda raw: write_zip(_archive_parts(raw)))


# ---- Measures


def _now() -> float:
    """Return the processor time of this process and of those that it waited for, in seconds."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _seconds(call: Callable[[], object]) -> float:
    """Return the processor time of a call: the best of some rounds."""
    gc.collect()
    gc.freeze()  # what the benchmark holds is not searched for garbage again and again
    best, spent, rounds = float("inf"), 0.0, 0
    while spent < _SECONDS or rounds < 2:
        start = _now()
        call()
        taken = _now() - start
        best, spent, rounds = min(best, taken), spent + taken, rounds + 1
    return best


def _read(case: Case) -> str:
    return read_file(case.raw, document_id="x", max_bytes=_MOST_BYTES, hint=case.hint).text


def _rewrite(case: Case) -> bytes:
    source = read_file(case.raw, document_id="x", max_bytes=_MOST_BYTES, hint=case.hint)
    return source.rewrite([(found.start(), found.end(), "Lefèvre") for found in re.finditer(NAME, source.text)])


def _row(name: str, case: Case) -> str:
    """Return the line of a format in the table."""
    if not case.raw:
        return f"| {name} | | LibreOffice is not installed | | | | | | |"
    size = len(case.raw) / 1e6
    library, figures = case.library, []
    for ours, bare in ((partial(_read, case), case.read), (partial(_rewrite, case), case.rewrite)):
        own = _seconds(ours)
        try:
            theirs = None if bare is None else _seconds(partial(bare, case.raw))
        except ModuleNotFoundError:
            library, theirs = f"{case.library} (not installed)", None
        figures += [f"{size / own:.1f}", "" if theirs is None else f"{size / theirs:.1f}"]
        figures.append("" if theirs is None else f"{own / theirs:.1f}")
    return f"| {name} | {len(case.raw) / 1000:.0f} | {library} | {' | '.join(figures)} |"


_HEAD = """| format | kB | library | read MB/s | library | times | with rewriting MB/s | library | times |
|---|---:|---|---:|---:|---:|---:|---:|---:|"""


def main() -> None:
    """Print the table, or write it into the report between its marks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="names of formats, with commas between them")
    parser.add_argument("--write", action="store_true", help=f"write {REPORT}")
    given = parser.parse_args()
    only = set(given.only.split(",")) - {""}
    lines = [_HEAD]
    for name, case in cases():
        if not only or name in only:
            lines.append(_row(name, case))
            print(lines[-1], file=sys.stderr)
    body = "\n".join(lines)
    if given.write:
        before, _, after = REPORT.read_text("utf-8").partition("<!-- table -->\n")
        REPORT.write_text(
            f"{before}<!-- table -->\n{body}\n<!-- end -->\n{after.partition('<!-- end -->' + chr(10))[2]}", "utf-8"
        )
    else:
        print(body)


if __name__ == "__main__":
    main()
