"""DOCX: what is read, what the written file holds, and that Word's parts which may name somebody are gone."""

from __future__ import annotations

import io
import re
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from deid.domain.errors import DocumentRefused, Reason
from deid.formats.fields import FileRules
from deid.formats.files import read_file
from deid.formats.recognition import recognise
from deid.formats.segments import SegmentedSource
from tests.unit.formats.offices import WRITER

NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
BODY = (
    "<w:p><w:pPr><w:pStyle w:val='Titre1'/></w:pPr><w:r><w:t>Compte rendu</w:t></w:r></w:p>"
    "<w:p><w:r><w:t xml:space='preserve'>Vu M. </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>Du</w:t></w:r>"
    "<w:r><w:t>pont</w:t><w:tab/><w:t>12/8</w:t></w:r></w:p>"
    "<w:tbl><w:tblPr><w:tblW w:w='5000' w:type='dxa'/></w:tblPr>"
    "<w:tblGrid><w:gridCol w:w='2500'/><w:gridCol w:w='2500'/></w:tblGrid><w:tr>"
    "<w:tc><w:tcPr><w:tcW w:w='2500' w:type='dxa'/></w:tcPr><w:p><w:r><w:t>Nom</w:t></w:r></w:p></w:tc>"
    "<w:tc><w:tcPr><w:tcW w:w='2500' w:type='dxa'/></w:tcPr><w:p><w:r><w:t>Dupont</w:t></w:r></w:p></w:tc>"
    "</w:tr></w:tbl><w:p/>"
)
LINES = ["Compte rendu", "Vu M. Dupont\t12/8", "Nom\tDupont"]
STYLES = "<w:style w:type='paragraph' w:styleId='Titre1'><w:name w:val='heading 1'/></w:style>"


def part(name: str, content: str) -> bytes:
    return f"<?xml version='1.0' encoding='UTF-8'?><w:{name} {NAMESPACES}>{content}</w:{name}>".encode()


def relations(targets: dict[str, tuple[str, str]]) -> bytes:
    lines = "".join(
        f"<Relationship Id='{number}' Type='{OFFICE}/{kind}' Target='{target}'/>"
        for number, (kind, target) in targets.items()
    )
    return f"<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>{lines}</Relationships>".encode()


def docx(body: str = "", *, styles: str = "", more: dict[str, tuple[str, bytes]] | None = None) -> bytes:
    """Return a document; `more` gives other parts by path, with the type of their relation."""
    parts = {"word/styles.xml": ("styles", part("styles", STYLES + styles)), **(more or {})}
    targets = {f"rId{at}": (kind, path.removeprefix("word/")) for at, (path, (kind, _)) in enumerate(parts.items(), 1)}
    files = {
        "[Content_Types].xml": b"<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>",
        "_rels/.rels": relations({"rId1": ("officeDocument", "word/document.xml")}),
        "word/document.xml": part("document", f"<w:body>{BODY}{body}</w:body>"),
        "word/_rels/document.xml.rels": relations(targets),
        **{path: content for path, (_, content) in parts.items()},
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return file.getvalue()


def read(raw: bytes, rules: FileRules | None = None) -> SegmentedSource:
    return read_file(raw, document_id="d", max_bytes=10**7, hint="lettre.docx", rules=rules or FileRules())


def replace_all(source: SegmentedSource, name: str, surrogate: str) -> bytes:
    return source.rewrite([(found.start(), found.end(), surrogate) for found in re.finditer(name, source.text)])


def expanded(raw: bytes) -> bytes:
    """Return all that an archive holds, with its names."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return b"\n".join(name.encode() + b"\n" + archive.read(name) for name in archive.namelist())


def test_words_are_read_as_a_person_reads_them() -> None:
    assert read(docx()).text.splitlines() == LINES


def test_what_is_written_reads_the_same_but_for_the_surrogate() -> None:
    source = read(docx())
    written = replace_all(source, "Dupont", "Éloïse <O'Neil> & fils")
    assert read(written).text == source.text.replace("Dupont", "Éloïse <O'Neil> & fils")
    assert read(source.rewrite([])).text == source.text
    assert b"pont" not in expanded(written)
    assert b'<w:style w:type="paragraph" w:styleId="S1"><w:name w:val="heading 1"/>' in expanded(written)
    assert b'<w:pStyle w:val="S1"/>' in expanded(written)


def picture() -> bytes:
    file = io.BytesIO()
    told = PngImagePlugin.PngInfo()
    told.add_text("Author", "Zorglub")
    Image.new("RGB", (2, 2)).save(file, "PNG", pnginfo=told)
    return file.getvalue()


DRAWING = (
    "<w:p><w:r><w:drawing><wp:inline><wp:docPr id='1' name='Zorglub' descr='Zorglub' title='Zorglub'/>"
    "<a:graphic><a:blip r:embed='rId2'/></a:graphic></wp:inline></w:drawing></w:r></w:p>"
)
FIELD = (
    "<w:p><w:r><w:fldChar w:fldCharType='begin'>{data}</w:fldChar></w:r><w:r><w:instrText>{told}</w:instrText></w:r>"
    "<w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>1</w:t></w:r>"
    "<w:r><w:fldChar w:fldCharType='end'/></w:r></w:p>"
)
HIDDEN = {
    "properties": docx(more={"docProps/core.xml": ("core-properties", b"<x>Zorglub</x>")}),
    "comment": docx(
        "<w:p><w:commentRangeStart w:id='0'/><w:r><w:commentReference w:id='0'/></w:r></w:p>",
        more={"word/comments.xml": ("comments", part("comments", "<w:comment w:author='Zorglub'>Zorglub</w:comment>"))},
    ),
    "deleted revision": docx("<w:p><w:del w:author='Zorglub'><w:r><w:delText>Zorglub</w:delText></w:r></w:del></w:p>"),
    "moved": docx("<w:p><w:moveFrom w:author='x'><w:r><w:t>Zorglub</w:t></w:r></w:moveFrom></w:p>"),
    "former format": docx("<w:p><w:pPr><w:pPrChange w:author='Zorglub'/></w:pPr></w:p>"),
    "bookmark": docx("<w:p><w:bookmarkStart w:id='1' w:name='Zorglub'/><w:bookmarkEnd w:id='1'/></w:p>"),
    "link": docx("<w:p><w:hyperlink r:id='rId9' w:tooltip='Zorglub' w:anchor='Zorglub'/></w:p>"),
    "link's target": docx(more={"mailto:Zorglub@x.fr": ("hyperlink", b"")}),
    "content control": docx(
        "<w:sdt><w:sdtPr><w:alias w:val='Zorglub'/><w:tag w:val='Zorglub'/></w:sdtPr><w:sdtContent/></w:sdt>"
    ),
    "form value": docx(FIELD.format(data="<w:ffData><w:name w:val='Zorglub'/></w:ffData>", told="FORMTEXT")),
    "field": docx(FIELD.format(data="", told='INCLUDETEXT "C:\\Zorglub.docx"')),
    "simple field": docx("<w:p><w:fldSimple w:instr='AUTHOR Zorglub'><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p>"),
    "custom XML": docx(more={"customXml/item1.xml": ("customXml", b"<x>Zorglub</x>")}),
    "macro": docx(more={"word/vbaProject.bin": ("vbaProject", b"Zorglub")}),
    "embedded file": docx(more={"word/embeddings/Zorglub.xlsx": ("package", b"PK Zorglub")}),
    "unrelated part": docx(more={"word/Zorglub.bin": ("unknown", b"Zorglub")}),
    "settings": docx(more={"word/settings.xml": ("settings", part("settings", "<w:docVar w:val='Zorglub'/>"))}),
    "style": docx(styles="<w:style w:styleId='Zorglub'><w:name w:val='Courrier Zorglub'/></w:style>"),
    "font": docx("<w:p><w:r><w:rPr><w:rFonts w:ascii='Zorglub'/></w:rPr><w:t>1</w:t></w:r></w:p>"),
    "table's description": docx("<w:tbl><w:tblPr><w:tblDescription w:val='Zorglub'/></w:tblPr></w:tbl>"),
    "editing session": docx("<w:p w:rsidR='Zorglub'/>"),
    "word art": docx("<w:p><w:r><w:pict><v:textpath alt='Zorglub' string='Zorglub'/></w:pict></w:r></w:p>"),
    "picture": docx(DRAWING, more={"word/media/Zorglub.png": ("image", picture())}),
    "text between elements": docx("Zorglub<w:p>Zorglub</w:p>"),
    "values of formats": docx(
        "<w:p><w:pPr><w:tabs><w:tab w:val='Zorglub'/></w:tabs><w:jc w:val='Zorglub1961'/></w:pPr>"
        "<w:r><w:rPr><w:lang w:val='Zorglub'/><w:color w:val='a.Zorglub'/></w:rPr><w:sym w:font='Zorglub'/></w:r></w:p>"
    ),
    "comment of XML": docx("<!-- Zorglub --><?x Zorglub?>"),
    "list": docx(
        more={
            "word/numbering.xml": (
                "numbering",
                part("numbering", "<w:abstractNum><w:lvl><w:lvlText w:val='Zorglub %1'/></w:lvl></w:abstractNum>"),
            )
        }
    ),
}  # fmt: skip


@pytest.mark.parametrize("raw", HIDDEN.values(), ids=HIDDEN)
def test_what_is_not_shown_is_removed(raw: bytes) -> None:
    source = read(raw)
    assert "Zorglub" not in source.text
    assert b"Zorglub" not in expanded(source.rewrite([]))
    assert [line for line in read(source.rewrite([])).text.splitlines() if line != "1"] == LINES


LINE = "<w:p><w:r><w:t>Zorglub</w:t></w:r></w:p>"
BOX = f"<w:txbxContent>{LINE}</w:txbxContent>"
SHOWN = {
    "text box": docx(
        f"<w:p><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:txbx>{BOX}</wps:txbx></w:drawing>"
        f"</mc:Choice><mc:Fallback><w:pict><v:textbox>{BOX}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    ),
    "old text box": docx(f"<w:p><w:r><w:pict><v:textbox>{BOX}</v:textbox></w:pict></w:r></w:p>"),
    "header": docx(more={"word/header1.xml": ("header", part("hdr", LINE))}),
    "note": docx(
        more={"word/footnotes.xml": ("footnotes", part("footnotes", f"<w:footnote>{LINE}</w:footnote>"))}
    ),
    "added revision": docx("<w:p><w:ins w:author='x'><w:r><w:t>Zorglub</w:t></w:r></w:ins></w:p>"),
    "content control": docx("<w:sdt><w:sdtContent><w:p><w:r><w:t>Zorglub</w:t></w:r></w:p></w:sdtContent></w:sdt>"),
    "link": docx("<w:p><w:hyperlink><w:r><w:t>Zor</w:t></w:r></w:hyperlink><w:r><w:t>glub</w:t></w:r></w:p>"),
    "tag": docx("<w:p><w:smartTag w:element='PersonName'><w:r><w:t>Zorglub</w:t></w:r></w:smartTag></w:p>"),
    "formula": docx("<w:p><m:oMath><m:r><m:t>Zorglub</m:t></m:r></m:oMath></w:p>"),
    "hidden": docx("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>Zorglub</w:t></w:r></w:p>"),
    "field": docx(FIELD.format(data="", told="DOCVARIABLE x").replace("<w:t>1", "<w:t>Zorglub")),
    "table in a cell": docx(
        f"<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc>{LINE}</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>"
    ),
}  # fmt: skip


@pytest.mark.parametrize("raw", SHOWN.values(), ids=SHOWN)
def test_what_is_shown_is_read_and_replaced(raw: bytes) -> None:
    source = read(raw)
    assert source.text.count("Zorglub") == 1
    written = replace_all(source, "Zorglub", "Martin")
    assert read(written).text == source.text.replace("Zorglub", "Martin")
    assert b"Zor" not in expanded(written)
    assert b"glub" not in expanded(written)


def test_values_of_formats_that_the_standard_lists_stay_and_no_others() -> None:
    values = {
        "color": "FF0000 auto accent1",
        "lang": "fr-FR x-none zh-Hans-CN fr",
        "shd": "BF 04A0 clear pct10",
        "jc": "both -720 50% 12.5pt",
    }
    others = "19610514 196105 14/05/1961 1961.0514 0612345678 Anne anne annE3 eve rosa".split()
    raw = docx(
        "".join(
            f"<w:p><w:r><w:rPr><w:{name} w:val='{one}'/></w:rPr></w:r></w:p>"
            for name, told in values.items()
            for one in (*told.split(), *(other for other in others if (name, len(other)) != ("color", 6)))
        )
    )
    written = expanded(read(raw).rewrite([])).decode()
    for name, told in values.items():
        assert re.findall(rf'<w:{name} w:val="([^"]*)"', written) == told.split()


@pytest.mark.parametrize(
    "body",
    [
        "<w:style w:styleId='zorglub' w:type='zorglub' w:zorglub='zorglub'><w:name w:val='zorglub'/></w:style>",
        "<w:p><w:pPr><w:pStyle w:val='zorglub' w:zorglub='zorglub'/></w:pPr></w:p>",
        "<w:p><w:fldSimple w:instr='PAGE' w:zorglub='zorglub'/></w:p>",
        "<w:p><w:pPr><w:jc w:val='zorglub' zorglub='zorglub' xml:space='zorglub' xml:zorglub='zorglub'/></w:pPr></w:p>",
        "<w:t>zorglub</w:t><w:tr><w:t>zorglub</w:t><w:p><w:r><w:t>zorglub</w:t></w:r></w:p><w:tc/></w:tr>",
        f"<z:p xmlns:z='urn:zorglub'/><zorglub:p xmlns:zorglub='{MAIN}'/>",
        "<w:p><w:r><w:rPr><w:rFonts w:ascii='zorglub' w:asciiTheme='zorglub'/></w:rPr></w:r></w:p>",
        "<w:abstractNum><w:name w:val='zorglub'/><w:styleLink w:val='zorglub'/></w:abstractNum>",
    ],
)
@pytest.mark.parametrize("kind", ["document", "styles", "numbering", "header"])
def test_words_in_small_letters_are_no_values_of_formats(body: str, kind: str) -> None:
    told = part("zorglub", f"zorglub{body}zorglub")
    raw = docx(body) if kind == "document" else docx(more={"word/x.xml": (kind, told)})
    source = read(raw)
    assert "zorglub" not in source.text
    assert b"zorglub" not in expanded(source.rewrite([]))
    assert read(source.rewrite([])).text == source.text


def numbered(abstract: str, number: str) -> dict[str, tuple[str, bytes]]:
    """Return a part of lists: an abstract one, a list of it, and a list of none."""
    level = "<w:lvl w:ilvl='0'><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl>"
    lists = (
        f"<w:abstractNum w:abstractNumId='{abstract}'>{level}</w:abstractNum>"
        f"<w:num w:numId='{number}'><w:abstractNumId w:val='{abstract}'/></w:num>"
        "<w:num w:numId='77'><w:abstractNumId w:val='99'/></w:num>"
    )
    return {"word/numbering.xml": ("numbering", part("numbering", lists))}


@pytest.mark.parametrize(("abstract", "number"), [("0", "1"), ("19610514", "384517720"), ("zorglub", "Zorglub")])
def test_lists_are_numbered_anew_and_hold_together(abstract: str, number: str) -> None:
    body = "".join(
        f"<w:p><w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId{value}/></w:numPr></w:pPr><w:r><w:t>Vu</w:t></w:r></w:p>"
        for value in (f" w:val='{number}'", " w:val='0'", "", " w:val='8812345'")
    )
    written = expanded(read(docx(body, more=numbered(abstract, number))).rewrite([])).decode()
    assert re.findall(r"<w:numId ?[^>]*>", written) == ['<w:numId w:val="1"/>', '<w:numId w:val="0"/>']
    assert '<w:abstractNum w:abstractNumId="1">' in written
    assert '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>' in written
    assert not re.search("19610514|384517720|orglub|8812345|<w:numId/>|99", written.split("<w:body>")[-1])


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("<w:pBdr><w:top w:sz='4'/></w:pBdr>", "<w:pBdr/>"),
        ("<w:pBdr><w:top w:val='apples' w:sz='4'/></w:pBdr>", "<w:pBdr/>"),
        ("<w:pBdr><w:top w:val='single' w:sz='4'/></w:pBdr>", "<w:pBdr><w:top w:val='single' w:sz='4'/></w:pBdr>"),
        ("<w:jc w:val='Zorglub'/>", ""),
        ("<w:jc w:val='both'/>", "<w:jc w:val='both'/>"),
        ("<w:tblCellMar><w:top w:w='0' w:type='dxa'/></w:tblCellMar>",) * 2,
        ("<w:keepNext/>",) * 2,
    ],
)
def test_what_lost_its_value_goes_with_it(given: str, left: str) -> None:
    body = f"<w:p><w:pPr>{given}</w:pPr><w:r><w:t>Vu</w:t></w:r></w:p>"
    written = expanded(read(docx(body)).rewrite([])).decode().replace('"', "'")
    kept = f"<w:pPr>{left}</w:pPr>" if left else "<w:pPr/>"
    assert f"<w:p>{kept}<w:r><w:t>Vu</w:t></w:r></w:p>" in written


def test_page_numbers_stay() -> None:
    written = read(docx(FIELD.format(data="", told=" PAGE \\* MERGEFORMAT "))).rewrite([])
    assert b"PAGE" in expanded(written)


def test_a_picture_that_stays_tells_its_pixels_only() -> None:
    told = DRAWING.replace(
        "<a:g", "<wp:extent cx='19610514' cy='914400'/><zorglub a='Zorglub'>Zorglub</zorglub><a:g", 1
    )
    raw = docx(told, more={"word/media/Zorglub.png": ("image", picture())})
    written = read(raw, FileRules(images="keep")).rewrite([])
    assert not re.search(b"(?i)zorglub|19610514", expanded(written))
    assert b'cy="914400"' in expanded(written)
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        assert Image.open(io.BytesIO(archive.read("word/media/image1.png"))).size == (2, 2)
    with pytest.raises(DocumentRefused) as refused:
        read(HIDDEN["picture"], FileRules(images="refuse"))
    assert refused.value.reason is Reason.PICTURES


def outcome(raw: bytes) -> str:
    """Return what reading and writing a file gives: "read", or the reason of its refusal."""
    try:
        return "read" if isinstance(read(raw).rewrite([]), bytes) else ""
    except DocumentRefused as refused:
        return str(refused.reason)


def test_bad_input_has_a_reason() -> None:
    laughs = (
        '<!DOCTYPE x [<!ENTITY a "ha">]>'
        + part("document", "<w:body><w:p><w:r><w:t>&a;</w:t></w:r></w:p></w:body>").decode()[38:]
    )
    assert outcome(docx()[:600]) == "malformed"
    assert outcome(docx(more={"word/document.xml": ("unknown", laughs.encode())})) == "malformed"
    assert outcome(docx("<w:p>" * 50 + "</w:p>" * 50)) == "read"
    assert outcome(docx("<w:p>" * 1000 + "</w:p>" * 1000)) == "malformed"
    assert outcome(docx(more={"word/big.bin": ("unknown", bytes(2 * 10**8))})) == "expands_too_much"


@settings(max_examples=50)
@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject) -> None:
    raw = docx()
    start = data.draw(st.integers(0, len(raw)))
    assert outcome(raw[:start] + data.draw(st.binary(max_size=4)) + raw[start + data.draw(st.integers(0, 4)) :])


@WRITER
@pytest.mark.slow
def test_libreoffice_reads_what_is_written(tmp_path: Path) -> None:
    (tmp_path / "lettre.docx").write_bytes(replace_all(read(SHOWN["note"]), "Dupont", "Éloïse"))
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", "txt:Text (encoded):UTF8", "--outdir", str(tmp_path)]
    subprocess.run([*command, str(tmp_path / "lettre.docx")], check=True, capture_output=True, timeout=120)
    assert "Vu M. Éloïse\t12/8" in (tmp_path / "lettre.txt").read_text("utf-8")


def renamed(raw: bytes, changes: Mapping[str, str]) -> bytes:
    """Return a package with other words in its parts and their names."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as given, zipfile.ZipFile(file, "w") as archive:
        for name in given.namelist():
            content = given.read(name)
            for old, new in changes.items():
                name, content = name.replace(old, new), content.replace(old.encode(), new.encode())
            archive.writestr(name, content)
    return file.getvalue()


MAIN = (
    b"<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'><Override PartName='/w/brief.xml' "
    b"ContentType='application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'/></Types>"
)
TYPES = "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>"
STRICT = {f"http://schemas.openxmlformats.org/{one}/2006/": f"http://purl.oclc.org/ooxml/{one}/" for one in (
    "wordprocessingml", "officeDocument", "drawingml"
)}  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [
        {"document.xml": "document2.xml"},
        {"word/document.xml": "word/Document.XML", "word/_rels/document": "word/_rels/Document"},
        {"word/": "w/", "document.xml": "brief.xml", TYPES: MAIN.decode()},
        STRICT,
    ],
)
def test_parts_are_found_by_what_the_package_declares(changes: Mapping[str, str]) -> None:
    raw = renamed(docx(), changes)
    assert recognise(raw, "lettre.docx") == recognise(raw) == "docx"
    source = read(raw)
    assert source.text == read(docx()).text
    written = source.rewrite([])
    assert b"purl.oclc.org" not in expanded(written)
    assert read(written).text == source.text


def test_the_case_of_names_does_not_count() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx())) as given, zipfile.ZipFile(file, "w") as archive:
        for name in given.namelist():
            archive.writestr(name.replace("word/document", "Word/DOCUMENT"), given.read(name))
    assert read(file.getvalue()).text == read(docx()).text
