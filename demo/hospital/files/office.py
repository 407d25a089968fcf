"""Letters as word processors write them, with what they keep beside the text: RTF, DOCX, ODT."""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from demo.hospital.files.letter import Letter, Made, stretches
from demo.hospital.rendering import Cell, Role

Write = Callable[[str, bool], str]
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def _made(letter: Letter, content: bytes) -> Made:
    """A file whose text is the letter's by paragraphs and cells."""
    return Made(content, [cell for block in letter.blocks for row in block.rows for cell in row])


def archive(parts: Mapping[str, str | bytes], moment: datetime, comment: str = "") -> bytes:
    """A ZIP archive of parts, all of one time; `mimetype` is stored as it is."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as target:
        target.comment = comment.encode()
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, moment.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            target.writestr(entry, content)
    return file.getvalue()


def _laid_out(letter: Letter, paragraph: Callable[[Role, str], str], table: Callable[[list[list[str]]], str],
              write: Write) -> Iterator[str]:  # fmt: skip
    """Yield the blocks of a letter as paragraphs, and tables where they have columns."""

    def cell_text(cell: Cell) -> str:
        return "".join(write(text, bold) for text, bold in stretches(letter, cell))

    for block in letter.blocks:
        if block.role is Role.GAP:
            yield paragraph(block.role, "")
        elif any(len(row) > 1 for row in block.rows):
            yield table([[cell_text(cell) for cell in row] for row in block.rows])
        else:
            for row in block.rows:
                yield paragraph(block.role, cell_text(row[0]))


# ---- RTF


def rtf(letter: Letter) -> Made:
    """Rich text: properties, a header on each page, a comment and a deletion that name the patient."""
    author, moment, typist = letter.author, letter.moment, letter.secretary
    name = _rtf(f"{letter.patient.last_name} {letter.patient.first_names[0]}")
    when = f"\\yr{moment:%Y}\\mo{moment.month}\\dy{moment.day}\\hr{moment.hour}\\min{moment.minute}"
    info = (
        f"{{\\info{{\\title {_rtf(letter.title)} {name}}}{{\\subject IPP {letter.patient.ipp}}}"
        f"{{\\author {_rtf(f'{author.first_name} {author.last_name}')}}}"
        f"{{\\operator {_rtf(f'{typist.first_name} {typist.last_name}')}}}"
        f"{{\\*\\company {_rtf(letter.setting.name)}}}{{\\doccomm S\\'e9jour {letter.stay.nda}}}"
        f"{{\\creatim{when}}}{{\\revtim{when}}}\\version3}}"
    )
    fonts = r"{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\froman\fcharset0 Times New Roman;}}"
    header = f"{{\\header\\pard\\qr\\fs16 {name} \\endash  IPP {letter.patient.ipp}\\par}}"
    note = (
        f"{{\\*\\atnid {_rtf(typist.first_name[0] + typist.last_name[0])}}}{{\\*\\atnauthor {_rtf(typist.last_name)}}}"
        f"\\chatn{{\\*\\annotation\\pard V\\'e9rifier l\\'e2ge de {_rtf(letter.patient_name)}\\par}}"
    )
    deleted = f"{{\\deleted\\revauthdel1 {_rtf(letter.patient_name)} }}"
    shapes = {Role.TITLE: r"\qc\b\fs28 ", Role.HEADING: r"\b\ul ", Role.ADDRESSEE: r"\li5000 ", Role.ITEM: r"\li360 "}

    def paragraph(role: Role, text: str) -> str:
        return f"{{\\pard\\plain\\f0\\fs20{shapes.get(role, ' ')}{text}\\par}}\n"

    def table(rows: list[list[str]]) -> str:
        return "".join(
            "{\\trowd\\trgaph70" + "".join(f"\\cellx{9000 * (at + 1) // len(row)}" for at in range(len(row)))
            + "".join(f"\\pard\\intbl\\f0\\fs20 {cell}\\cell" for cell in row) + "\\row}\n" for row in rows
        )  # fmt: skip

    text = "".join(_laid_out(letter, paragraph, table, lambda text, bold: f"{{\\b {_rtf(text)}}}" if bold
                             else f"{{\\rtlch {_rtf(text)}}}" if len(text) < 4 else _rtf(text)))  # fmt: skip
    revisions = f"{{\\*\\revtbl{{Unknown;}}{{{_rtf(typist.last_name)};}}}}"
    file = f"{{\\rtf1\\ansi\\ansicpg1252\\deff0{fonts}{revisions}{info}{header}\n{deleted}{note}{text}}}\n"
    return _made(letter, file.encode("ascii"))


def _rtf(text: str) -> str:
    return "".join(map(_rtf_character, text))


def _rtf_character(character: str) -> str:
    if character in "\\{}":
        return f"\\{character}"
    if character in "\n\t":
        return "\\line " if character == "\n" else "\\tab "
    if character.isascii():
        return character
    try:
        return f"\\'{character.encode('cp1252').hex()}"
    except UnicodeEncodeError:
        units = character.encode("utf-16-le")
        codes = (int.from_bytes(units[at : at + 2], "little", signed=True) for at in range(0, len(units), 2))
        return "".join(f"\\u{code}?" for code in codes)


# ---- Office Open XML

_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = {
    "word/document.xml": "wordprocessingml.document.main", "word/styles.xml": "wordprocessingml.styles",
    "word/comments.xml": "wordprocessingml.comments", "word/header1.xml": "wordprocessingml.header",
    "docProps/app.xml": "extended-properties", "docProps/custom.xml": "custom-properties",
}  # fmt: skip
_STYLES = {Role.TITLE: "Titre", Role.HEADING: "Titre1", Role.ITEM: "Paragraphedeliste"}


def docx(letter: Letter) -> Made:
    """A document of Word: properties, a comment, a header, a deletion by the secretary, names in two runs."""
    typist = _esc(f"{letter.secretary.first_name} {letter.secretary.last_name}")
    name, stamp = _esc(letter.patient_name), f"{letter.moment:%Y-%m-%dT%H:%M:00Z}"
    whom = f"{name}, IPP {letter.patient.ipp}"
    text = "".join(_laid_out(letter, _word_paragraph, _word_table, _word_run))
    by = f'w:author="{typist}" w:date="{stamp}"'
    deleted = f'<w:p><w:del w:id="7" {by}><w:r><w:delText>{name}</w:delText></w:r></w:del></w:p>'
    marked = '<w:commentRangeStart w:id="0"/><w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r>'
    section = '<w:sectPr><w:headerReference w:type="default" r:id="rId3"/></w:sectPr>'
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{style}"><w:name w:val="{style}"/></w:style>'
        for style in _STYLES.values()
    )
    parts = {
        "word/document.xml": f'<w:document {_WORD} xmlns:r="{_OFFICE}/relationships"><w:body>{deleted}{text}'
        f"<w:p>{marked}</w:p>{section}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {_WORD}>{styles}</w:styles>",
        "word/comments.xml": f'<w:comments {_WORD}><w:comment w:id="0" w:initials="{typist[0]}" {by}>'
        f"<w:p><w:r><w:t>Relire avec {whom}</w:t></w:r></w:p></w:comment></w:comments>",
        "word/header1.xml": f"<w:hdr {_WORD}><w:p><w:r><w:t>{whom}</w:t></w:r></w:p></w:hdr>",
        **_properties(letter, typist, stamp),
    }
    types = "".join(
        f'<Override PartName="/{part}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>'
        for part, kind in _TYPES.items()
    )
    core = "application/vnd.openxmlformats-package.core-properties+xml"
    types += f'<Override PartName="/docProps/core.xml" ContentType="{core}"/>'
    default = (
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
    )
    within = {"rId1": ("styles", "styles.xml"), "rId2": ("comments", "comments.xml"), "rId3": ("header", "header1.xml")}
    around = {
        "rId1": ("officeDocument", "word/document.xml"), "rId2": ("metadata/core-properties", "docProps/core.xml"),
        "rId3": ("extended-properties", "docProps/app.xml"), "rId4": ("custom-properties", "docProps/custom.xml"),
    }  # fmt: skip
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">{default}{types}</Types>',
        "_rels/.rels": _relations(around),
        "word/_rels/document.xml.rels": _relations(within),
        **parts,
    }
    return _made(letter, archive({part: _XML + content for part, content in parts.items()}, letter.moment))


def _properties(letter: Letter, typist: str, stamp: str) -> dict[str, str]:
    author = _esc(f"Dr {letter.author.first_name} {letter.author.last_name}")
    core = (
        f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{_esc(letter.title)}</dc:title><dc:subject>{_esc(letter.patient_name)}</dc:subject>"
        f"<dc:creator>{author}</dc:creator><cp:keywords>{letter.patient.ipp} {letter.stay.nda}</cp:keywords>"
        f"<cp:lastModifiedBy>{typist}</cp:lastModifiedBy><cp:revision>4</cp:revision>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{stamp}</dcterms:created></cp:coreProperties>'
    )
    app = (
        f'<Properties xmlns="{_OFFICE}/extended-properties"><Template>Courrier.dotm</Template>'
        f"<Company>{_esc(letter.setting.name)}</Company><Manager>{author}</Manager></Properties>"
    )
    custom = "".join(
        f'<property fmtid="{{D5CDD505-2E9C-101B-9397-08002B2CF9AE}}" pid="{number}" name="{field}">'
        f"<vt:lpwstr>{_esc(value)}</vt:lpwstr></property>"
        for number, (field, value) in enumerate(
            (("Patient", letter.patient_name), ("IPP", letter.patient.ipp), ("NIR", letter.patient.nir)), start=2
        )
    )
    return {
        "docProps/core.xml": core,
        "docProps/app.xml": app,
        "docProps/custom.xml": f'<Properties xmlns="{_OFFICE}/custom-properties" '
        f'xmlns:vt="{_OFFICE}/docPropsVTypes">{custom}</Properties>',
    }


def _relations(targets: Mapping[str, tuple[str, str]]) -> str:
    items = "".join(
        f'<Relationship Id="{key}" Target="{target}" '
        f'Type="{_PACKAGE if "/" in kind else _OFFICE}/relationships/{kind}"/>'
        for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{items}</Relationships>'


def _word_run(text: str, bold: bool) -> str:
    lines = '</w:t><w:br/><w:t xml:space="preserve">'.join(_esc(text).split("\n"))
    marks = "<w:rPr><w:b/></w:rPr>" if bold else ""
    return f'<w:r>{marks}<w:t xml:space="preserve">{lines}</w:t></w:r>'


def _word_paragraph(role: Role, text: str) -> str:
    style = f'<w:pPr><w:pStyle w:val="{_STYLES[role]}"/></w:pPr>' if role in _STYLES else ""
    return f"<w:p>{style}{text}</w:p>"


def _word_table(rows: list[list[str]]) -> str:
    written = "".join(f"<w:tr>{''.join(f'<w:tc><w:p>{cell}</w:p></w:tc>' for cell in row)}</w:tr>" for row in rows)
    return f'<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr>{written}</w:tbl>'


def _esc(text: str) -> str:
    return html.escape(text)


# ---- OpenDocument

_ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table", "meta")
)


def odt(letter: Letter) -> Made:
    """A text of OpenDocument, with its properties."""
    media = "application/vnd.oasis.opendocument.text"
    rows = "".join(_laid_out(letter, _odt_paragraph, _odt_table, lambda text, _bold: _odt_run(text)))
    meta = (
        f'<office:document-meta {_ODF} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta>'
        f"<meta:initial-creator>{_esc(letter.author.last_name)}</meta:initial-creator>"
        f"<dc:subject>{_esc(letter.patient_name)}</dc:subject>"
        f'<meta:user-defined meta:name="IPP">{letter.patient.ipp}</meta:user-defined></office:meta>'
        "</office:document-meta>"
    )
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{kind}"/>'
        for path, kind in (("/", media), ("content.xml", "text/xml"), ("meta.xml", "text/xml"))
    )
    namespace = 'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
    manifest = f"<manifest:manifest {namespace}>{entries}</manifest:manifest>"
    content = f"<office:body><office:text>{rows}</office:text></office:body>"
    content = f"<office:document-content {_ODF}>{content}</office:document-content>"
    xml = {"content.xml": content, "meta.xml": meta, "META-INF/manifest.xml": manifest}
    parts = {"mimetype": media} | {name: _XML + part for name, part in xml.items()}
    return _made(letter, archive(parts, letter.moment))


def _odt_run(text: str) -> str:
    return "<text:line-break/>".join(f"<text:span>{_esc(line)}</text:span>" for line in text.split("\n"))


def _odt_paragraph(role: Role, text: str) -> str:
    tag = "h" if role in (Role.TITLE, Role.HEADING) else "p"
    return f"<text:{tag}>{text}</text:{tag}>"


def _odt_table(rows: list[list[str]]) -> str:
    columns = max(map(len, rows))
    written = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in row)
        + "</table:table-row>"
        for row in rows
    )
    return f'<table:table><table:table-column table:number-columns-repeated="{columns}"/>{written}</table:table>'
