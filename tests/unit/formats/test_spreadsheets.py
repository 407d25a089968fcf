"""Workbooks: what is read, what is written, and what of them is gone."""

from __future__ import annotations

import io
import re
import subprocess
import time
import zipfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from PIL import Image, PngImagePlugin

from deid.domain.errors import DocumentRefused
from deid.domain.labels import Label
from deid.formats.files import read_file
from deid.formats.segments import SegmentedSource
from tests.unit.formats.offices import CALC


def saved(book: Any) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def workbook() -> Any:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Suivi"
    sheet.append(["Patient", "Zorglub Jean", None, 12.5])
    sheet.append(["Vu le", datetime(2024, 3, 2), "TA 12/8", 271.0])
    sheet.append(["Né le", date(1961, 5, 14), True, "=1+1"])
    return book


RAW = saved(workbook())


def read(raw: bytes) -> SegmentedSource:
    return read_file(raw, document_id="d", max_bytes=10**7, hint="suivi.xlsx")


def replaced(source: SegmentedSource, changes: dict[str, str]) -> Any:
    places = [
        (found.start(), found.end(), new) for old, new in changes.items() for found in re.finditer(old, source.text)
    ]
    return openpyxl.load_workbook(io.BytesIO(source.rewrite(sorted(places))))


def test_rows_are_lines() -> None:
    assert read(saved(workbook())).text.splitlines() == [
        "Suivi",
        "Patient\tZorglub Jean\t\t12,5",
        "Vu le\t02/03/2024\tTA 12/8\t271",
        "Né le\t14/05/1961\tVRAI",
    ]


def test_days_and_numbers_stay_days_and_numbers() -> None:
    changes = {"Zorglub": "Martin", "02/03/2024": "09/03/2024", "271": "306", "Suivi": "Su/ivi"}
    sheet = replaced(read(saved(workbook())), changes).active
    assert sheet.title == "Su ivi"
    assert [cell.value for cell in sheet[1]] == ["Patient", "Martin Jean", None, 12.5]
    assert [cell.value for cell in sheet[2]] == ["Vu le", datetime(2024, 3, 9), "TA 12/8", 306]
    assert sheet["B3"].value == datetime(1961, 5, 14)


@pytest.mark.parametrize(
    ("shown", "kept"),
    [
        ("14:35", datetime(2024, 3, 9, 14, 35)),
        ("14h", datetime(2024, 3, 9, 14)),
        ("après-midi", datetime(2024, 3, 9)),
        ("[TIME]", datetime(2024, 3, 9)),
    ],
)
def test_a_cell_has_the_time_that_is_left_of_it(shown: str, kept: datetime) -> None:
    book = workbook()
    book.active["B2"] = datetime(2024, 3, 2, 14, 35, 20)
    changes = {"02/03/2024": "09/03/2024", "14:35": shown}
    assert replaced(read(saved(book)), changes).active["B2"].value == kept


def test_a_day_that_is_masked_becomes_words() -> None:
    assert replaced(read(saved(workbook())), {"02/03/2024": "mars 2024"}).active["B2"].value == "mars 2024"


def test_columns_with_known_names_are_fields() -> None:
    book = openpyxl.Workbook()
    book.active.append(["ipp", "nom", "ddn", "texte"])
    book.active.append([8012345679, "Zorglub", date(1961, 5, 14), "Vu hier."])
    source = read(saved(book))
    assert {mention.label for mention in source.mentions} >= {Label.IPP}
    assert source.patient["ipp"] == ["8012345679"]


@pytest.mark.parametrize("above", [[], ["Liste des patients"]])
@pytest.mark.parametrize("value", ["0048213377", 8012345679])
def test_one_column_of_numbers_of_patients_names_the_columns(above: list[str], value: str | int) -> None:
    book = openpyxl.Workbook()
    for row in ([above] if above else []) + [["Mesure", "ipp_patient"], ["5,4", value]]:
        book.active.append(row)
    source = read(saved(book))
    assert [(source.text[one.start : one.end], one.label) for one in source.mentions] == [(str(value), Label.IPP)]


PARTS = (
    "docProps/custom.xml",
    "docProps/thumbnail.jpeg",
    "customXml/item1.xml",
    "xl/vbaProject.bin",
    "xl/persons/person.xml",
    "xl/externalLinks/externalLink1.xml",
    "xl/pivotCache/pivotCacheRecords1.xml",
    "xl/revisions/userNames.xml",
    "xl/threadedComments/threadedComment1.xml",
    "xl/embeddings/Zorg-lub.docx",
    "xl/printerSettings/printerSettings1.bin",
)


def picture() -> io.BytesIO:
    file = io.BytesIO()
    told = PngImagePlugin.PngInfo()
    told.add_text("Author", "Zorg-lub")
    Image.new("RGB", (2, 2)).save(file, "PNG", pnginfo=told)
    return file


def hidden() -> dict[str, bytes]:
    made = {}
    for name in ("comment", "name", "validation", "header", "properties", "link", "format", "formula", "picture"):
        book = workbook()
        sheet = book.active
        if name == "comment":
            sheet["A1"].comment = Comment("Zorg-lub", "Zorg-lub")
        elif name == "name":
            book.defined_names["Zorg_lub"] = DefinedName("Zorg_lub", attr_text='"Zorg-lub"')
        elif name == "validation":
            sheet.add_data_validation(DataValidation(type="list", formula1='"Zorg-lub,x"'))
        elif name == "header":
            sheet.oddHeader.center.text = "Zorg-lub"
        elif name == "properties":
            book.properties.creator = book.properties.title = "Zorg-lub"
        elif name == "link":
            sheet["A1"].hyperlink = "mailto:Zorg-lub@x.fr"
        elif name == "format":
            sheet["D1"].number_format = '0 "Zorg-lub"'
        elif name == "formula":
            sheet["D3"] = '="Zorg-lub"&B1'
        elif name == "picture":
            sheet.add_image(openpyxl.drawing.image.Image(picture()))
        made[name] = saved(book)
    for part in PARTS:
        file = io.BytesIO(saved(workbook()))
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr(part, b"<x>Zorg-lub</x>")
        made[part] = file.getvalue()
    return made


@pytest.mark.parametrize(("name", "raw"), hidden().items())
def test_what_is_no_value_is_removed(name: str, raw: bytes) -> None:
    written = read(raw).rewrite([])
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        assert not any(b"Zorg-lub" in archive.read(part) for part in archive.namelist()), name
    assert read(written).text == read(saved(workbook())).text


def test_the_written_workbook_does_not_tell_when_it_was_written() -> None:
    with zipfile.ZipFile(io.BytesIO(read(RAW).rewrite([]))) as archive:
        assert {one.date_time for one in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        core = archive.read("docProps/core.xml").decode()
    assert set(re.findall(r">(\d{4})-\d\d-", core)) == {"1980"}


def test_hidden_sheets_and_rows_are_read() -> None:
    book = workbook()
    book.create_sheet("Caché").append(["Zorglub"])
    book["Caché"].sheet_state = "hidden"
    book.active.row_dimensions[1].hidden = True
    assert read(saved(book)).text.count("Zorglub") == 2


def test_a_sheet_of_few_cells_far_apart_is_read_at_once() -> None:
    book = workbook()
    book.active.cell(1000, 900).value = "Zorglub"
    start = time.process_time()
    source = read(saved(book))
    assert time.process_time() - start < 2
    assert source.text.endswith("\n" + "\t" * 899 + "Zorglub")
    assert replaced(source, {"Zorglub": "Martin"}).active.cell(1000, 900).value == "Martin"


def outcome(raw: bytes) -> str:
    """Return what reading and writing a file gives: "read", or the reason of its refusal."""
    try:
        return "read" if isinstance(read(raw).rewrite([]), bytes) else ""
    except DocumentRefused as refused:
        return str(refused.reason)


def test_bad_input_has_a_reason() -> None:
    book = workbook()
    book.active.cell(1_000_000, 100).value = "x"
    assert outcome(saved(book)) == "expands_too_much"
    assert outcome(saved(workbook())[:900]) == "malformed"
    assert outcome(saved(openpyxl.Workbook())) == "read"
    assert outcome(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "Workbook\0\0".encode("utf-16-le") + bytes(600)) == "malformed"


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject) -> None:
    raw = RAW
    start = data.draw(st.integers(0, len(raw)))
    assert outcome(raw[:start] + data.draw(st.binary(max_size=4)) + raw[start + data.draw(st.integers(0, 4)) :])


@settings(max_examples=30, deadline=None)
@given(st.text("abcÉ=€<>&'\"é -+", min_size=1).filter(str.strip))
def test_any_surrogate_is_read_back(surrogate: str) -> None:
    assert replaced(read(saved(workbook())), {"Zorglub Jean": surrogate}).active["B1"].value == surrogate


OLD = Path(__file__).with_name("suivi.xls").read_bytes()  # of xlwt 1.3: an author, headers, a hidden sheet, a control


def test_what_an_old_workbook_holds_is_read_or_removed() -> None:
    assert OLD.count(b"Zor-glub") >= 3
    source = read(OLD)
    assert source.text.splitlines()[:3] == [
        "Suivi Zorglub",
        "Patient\tZorglub Jean\t\t12,5",
        "Vu le\t02/03/2024\tVRAI\t",
    ]
    assert source.text.count("Zorglub") == 3
    book = replaced(source, {"Zorglub": "Martin"})
    assert book.active["B1"].value == "Martin Jean"
    assert book.active["B2"].value == datetime(2024, 3, 2)
    written = source.rewrite([])
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        assert not any(b"Zor-glub" in archive.read(part) for part in archive.namelist())
    assert [line.rstrip() for line in read(written).text.splitlines()] == [
        line.rstrip() for line in source.text.splitlines()
    ]


def test_a_day_that_the_calendar_lacks_becomes_words() -> None:
    assert replaced(read(RAW), {"02/03/2024": "31/02/2024"}).active["B2"].value == "31/02/2024"


@CALC
@pytest.mark.slow
def test_old_workbooks_are_read_as_new_ones(tmp_path: Path) -> None:
    (tmp_path / "suivi.xlsx").write_bytes(saved(workbook()))
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", "xls", "--outdir", str(tmp_path)]
    subprocess.run([*command, str(tmp_path / "suivi.xlsx")], check=True, capture_output=True, timeout=120)
    source = read((tmp_path / "suivi.xls").read_bytes())
    assert source.suffix == ".xlsx"
    assert source.text.splitlines()[:3] == read(saved(workbook())).text.splitlines()[:3]
    assert replaced(source, {"Zorglub": "Martin"}).active["B1"].value == "Martin Jean"


def test_a_strict_workbook_is_read_as_the_others() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(RAW)) as given, zipfile.ZipFile(file, "w") as archive:
        for name in given.namelist():
            strict = re.sub(rb"http://schemas.openxmlformats.org/(spreadsheetml|officeDocument|drawingml)/2006/",
                            rb"http://purl.oclc.org/ooxml/\1/", given.read(name))  # fmt: skip
            archive.writestr(name, strict)
    assert b"purl.oclc.org" in zipfile.ZipFile(file).read("xl/workbook.xml")
    assert read(file.getvalue()).text == read(RAW).text


@pytest.mark.parametrize("words", ["=cmd|' /C calc'!A0", "+SUM(A1)", "-3,5", "@x", "+ +"])
def test_words_that_look_like_a_formula_are_no_formula(words: str) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Vu le Zorglub", "x"])
    book.active["B1"].value, book.active["B1"].data_type = words, "s"
    for written in (replaced(read(saved(book)), {"Zorglub": words}), replaced(read(saved(book)), {})):
        assert written.active["B1"].value == words
        assert {cell.data_type for cell in written.active[1]} == {"s"}
