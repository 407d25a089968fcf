"""Places of a file in which `hostile_files` plants an identity, by family of formats, and ways to write it there.

A place is a function `(raw, told, random) -> bytes` that puts a text into a file; it raises where the file has no such
place. `FAMILIES` names the families, each with the place of plain words (`WORDS`) that every reader must read.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import quopri
import re
import zipfile
from collections.abc import Callable, Mapping
from random import Random
from typing import Any
from xml.sax.saxutils import escape

import openpyxl
import pydicom
import pypdf
from openpyxl.comments import Comment
from pydicom.dataset import Dataset
from pypdf.actions import JavaScript
from reportlab.pdfgen.canvas import Canvas

Place = Callable[[bytes, str, Random], bytes]
WORDS = "words"  # the place that a reader reads, in each family


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


# Ways to write a text by the letters of ASCII that most syntaxes take as they are
ENCODINGS: Mapping[str, Callable[[str], str]] = {
    "capitals": str.upper,
    "base64": _base64,
    "base64 of UTF-16": lambda text: base64.b64encode(text.encode("utf-16")).decode(),
    "base64 of base64": lambda text: _base64(_base64(text)),
    "hexadecimal": lambda text: text.encode().hex(),
    "quoted-printable": lambda text: quopri.encodestring(text.encode("cp1252"), quotetabs=True).decode(),
    "percent": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "references": lambda text: "".join(f"&#x{ord(one):x};" for one in text),
    "JSON": lambda text: "".join(f"\\u{ord(one):04x}" for one in text),
    "RTF": lambda text: "".join(f"\\'{byte:02x}" for byte in text.encode("cp1252")),
    "HL7": lambda text: f"\\X{text.encode().hex().upper()}\\",
    "broken escape": lambda text: f"\\X4\\ %Z {text} \\'g =?",
    "invisible": lambda text: "\u00ad".join(text),
    "UTF-8 read as cp1252": lambda text: text.encode().decode("cp1252", "replace"),
}


def text_of(raw: bytes) -> str:
    """Return bytes as UTF-8, or else as Windows-1252."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def _in_text(change: Callable[[str, str, Random], str]) -> Place:
    def place(raw: bytes, told: str, random: Random) -> bytes:
        try:
            return change(raw.decode(), told, random).encode()
        except UnicodeDecodeError:
            return change(raw.decode("cp1252", "replace"), told, random).encode("cp1252", "xmlcharrefreplace")

    return place


def _at(pattern: str, put: str) -> Place:
    """Return the place after a match of a pattern, drawn among all.

    `put` holds `{}` for the text, `{name}` for a name of an element made of it, `{64}` and `{16}` for its encodings.
    """

    def change(text: str, told: str, random: Random) -> str:
        at = random.choice([found.end() for found in re.finditer(pattern, text)])
        name = "".join(one if one.isalnum() else "-" for one in told)
        forms = {"{}": told, "{64}": _base64(told), "{16}": told.encode().hex(), "{name}": name}
        filled = re.sub(r"\{\w*\}", lambda found: forms.get(found[0], found[0]), put)
        return text[:at] + filled + text[at:]

    return _in_text(change)


def _after(raw: bytes, told: str, _random: Random) -> bytes:
    return raw + b"\n" + told.encode()


# ---- Texts, pages, trees

_TAGS = r"<[A-Za-z][\w:.-]*(?=[\s/>])"
_TEXT = {WORDS: _at(r"(?m)$(?=\r?\n|\Z)", "\n{}\n"), "within a line": _at(r"(?<=\w) ", "{} ")}
_MARKED = {
    "comment": _at(r">\s*(?=<[/\w])", "<!-- {} -->"),
    "attribute": _at(_TAGS, ' z="{}"'),
    "name of an attribute": _at(_TAGS, ' z-{name}=""'),
    "namespace": _at(_TAGS, ' xmlns:zz="urn:{name}"'),
    "after the end": _in_text(lambda text, told, _random: f"{text}<!-- {told} -->"),
}
_HTML = _MARKED | {
    WORDS: _at("<body[^>]*>", "<p>{}</p>"),
    "hidden": _at("<body[^>]*>", "<div hidden style='display:none'>{}</div>"),
    "script": _at("<body[^>]*>", "<script>var z='{}'</script>"),
    "style": _at("<body[^>]*>", "<style>/* {} */</style>"),
    "template": _at("<body[^>]*>", "<template><p>{}</p></template>"),
    "title": _at("<body[^>]*>", "<p title='{}' id='{}'>Vu.</p>"),
    "form value": _at("<body[^>]*>", "<input value='{}'><textarea>{}</textarea>"),
    "data of a URL": _in_text(
        lambda text, told, _random: text.replace(
            "</body>", f"<img src='data:text/plain;base64,{_base64(told)}'></body>"
        )
    ),
    "unclosed comment": _in_text(lambda text, told, _random: f"{text}<!-- {told}"),
}
_XML: dict[str, Place] = _MARKED | {
    WORDS: _at(r"(?=</[\w:.-]+>\s*(?:<!--.*?-->\s*)*$)", "<note>{}</note>"),
    "unknown element": _at(r"(?=</[\w:.-]+>)", "<inconnu><z>{}</z></inconnu>"),
    "name of an element": _at(r"(?=</[\w:.-]+>\s*$)", "<z>Vu.</z><z.{name}/>"),
    "instruction": _at(r">\s*(?=</[\w:.-]+>)", "<?z {}?>"),
    "CDATA": _at(r"(?=</[\w:.-]+>)", "<z><![CDATA[{} <b>]]></z>"),
    "words cut by tags": _in_text(
        lambda text, told, random: _XML["unknown element"](text.encode(), "<b/>".join(told), random).decode()
    ),
}
_FHIR_XML = _XML | {
    WORDS: _at(r"(?=</[\w:.-]+>\s*(?:<!--.*?-->\s*)*$)", '<note><text value="{}"/></note>'),
    "extension": _at(r"(?=</[\w:.-]+>)", '<extension url="urn:z"><valueString value="{}"/></extension>'),
}


# ---- JSON


def _in_json(change: Callable[[dict[str, Any], str], None], *, top: bool = False) -> Place:
    """Return the place in an object of the file, drawn among all; of JSON Lines in a line's."""

    def place(raw: bytes, told: str, random: Random) -> bytes:
        try:
            values = [json.loads(raw)]
        except json.JSONDecodeError:
            values = [json.loads(line) for line in raw.splitlines() if line.strip()]
        objects = [values[0]] if top else [one for value in values for one in _objects(value)]
        change(random.choice([one for one in objects if isinstance(one, dict)]), "\0")
        written = "\n".join(json.dumps(value, ensure_ascii=False) for value in values)
        escaped = re.fullmatch(r"(?:\\u[0-9a-f]{4})+", told)
        return written.replace("\\u0000", told if escaped else json.dumps(told, ensure_ascii=False)[1:-1]).encode()

    return place


def _objects(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [*([value] if isinstance(value, dict) else []), *(one for part in inner for one in _objects(part))]


_JSON = {
    WORDS: _in_json(lambda one, told: one.update(note=[*one.get("note", ()), {"text": told}]), top=True),
    "unknown key": _in_json(lambda one, told: one.update(zz=told)),
    "name of a key": _in_json(lambda one, told: one.update({told: "Vu."})),
    "nested lists": _in_json(lambda one, told: one.update(zz=[[[{"z": [told]}]]])),
    "extension": _in_json(lambda one, told: one.update(extension=[{"url": "urn:z", "valueString": told}])),
    "code": _in_json(lambda one, told: one.update(code={"coding": [{"system": told, "code": told, "display": told}]})),
    "attachment": _in_json(lambda one, told: one.update(attachment={"data": _base64(told), "url": f"urn:z:{told}"})),
    "after the end": _after,
}


# ---- Tables, messages, letters


def _in_rows(change: Callable[[list[list[str]], str, Random], object]) -> Place:
    def table(text: str, told: str, random: Random) -> str:
        mark = ";" if text.count(";") > text.count(",") else ","
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=mark))
        change(rows, told, random)
        file = io.StringIO(newline="")
        csv.writer(file, delimiter=mark).writerows(rows)
        return file.getvalue()

    return _in_text(table)


def _segment(name: str) -> Place:
    return _at(r"(?<=.)(?:\r\n|\r|\n)(?=[A-Z][A-Z0-9]{2}\W|\Z)", name + "\r")


_CSV = {
    WORDS: _in_rows(lambda rows, told, random: rows.insert(random.randrange(1, len(rows) + 1), ["1", told])),
    "cell": _in_rows(lambda rows, told, random: random.choice(rows[1:]).append(told)),
    "name of a column": _in_rows(lambda rows, told, _random: rows[0].append(told)),
    "title": _in_rows(lambda rows, told, _random: rows.insert(0, [told])),
    "formula": _in_rows(lambda rows, told, random: random.choice(rows[1:]).append(f'=HYPERLINK("{told}")')),
    "after the end": _after,
}
_HL7 = {
    WORDS: _segment("NTE|1||{}"),
    "unknown segment": _segment("ZQX|1|{}|A^{}&{}"),
    "unknown type": _segment("OBX|9|ZZ|1^X^L||{}||||||F"),
    "number": _segment("OBX|9|NM|1^X^L||{}|g/L|||||F"),
    "document in base64": _segment("OBX|9|ED|1^X^L||^TEXT^^Base64^{64}||||||F"),
    "document in hexadecimal": _segment("OBX|9|ED|1^X^L||^TEXT^^Hex^{16}||||||F"),
    "component": _at(r"(?<=[A-Za-z0-9])(?=\|)", "^{}"),
    "subcomponent": _at(r"(?<=[A-Za-z0-9])(?=\|)", "&{}"),
    "repetition": _at(r"(?<=[A-Za-z0-9])(?=\|)", "~{}"),
    "coded field": _segment("DG1|1||{}^{}^{}||20240302"),
    "after the end": _after,
}


def _rtf(pattern: str, put: str) -> Place:
    """Return the place before a match; letters beyond ASCII are escaped, as in every RTF."""
    place = _at(pattern, put)
    return lambda raw, told, random: place(
        raw,
        re.sub("[^\0-\x7f]", lambda one: "".join(f"\\'{code:02x}" for code in one[0].encode("cp1252")), told),
        random,
    )


_RTF = {
    WORDS: _rtf(r"(?=\}\s*\Z)", r"\par {}\par "),
    "properties": _rtf(r"\{\\rtf1", r"{\info{\author {}}}"),
    "unknown destination": _rtf(r"(?=\}\s*\Z)", r"{\*\zzdest {}}"),
    "hidden": _rtf(r"(?=\}\s*\Z)", r"{\v {}}"),
    "bookmark": _rtf(r"(?=\}\s*\Z)", r"{\*\bkmkstart {}}{\*\bkmkend {}}"),
    "note": _rtf(r"(?=\}\s*\Z)", r"{\*\annotation {}}{\footnote {}}"),
    "field": _rtf(r"(?=\}\s*\Z)", r'{\field{\*\fldinst HYPERLINK "{}"}{\fldrslt voir}}'),
    "picture": _rtf(r"(?=\}\s*\Z)", r"{\pict\pngblip {16}}"),
    "typeface": _rtf(r"\{\\fonttbl", r"{\f9 {};}"),
    "after the end": _after,
}
_VCF = {
    WORDS: _at(r"##fileformat=\S+\n", "##note={}\n"),
    "sample": _at(r"##fileformat=\S+\n", '##SAMPLE=<ID={},Description="{}">\n'),
    "information": _at(r"(?m)^(?!#)(?:[^\t\n]+\t){7}", "Z={};"),
    "identifier": _at(r"(?m)^(?!#)(?:[^\t\n]+\t){2}", "{};"),
    "after the end": _after,
}
_EML = {
    WORDS: _in_text(
        lambda text, told, _random: re.sub("(?m)^Subject:", f"Subject: =?utf-8?b?{_base64(told)}?= ", text, count=1)
    ),
    "header": _at(r"\A", "X-Z: {}\r\n"),
    "folded header": _at(r"\A", "X-Z: a\r\n {}\r\n"),
    "preamble": _at(r"\r?\n\r?\n", "{}\r\n"),
    "name of a part": _at(r"(?m)^Content-Type: text/\w+", '; name="{}"'),
    "header of a part": _at(r"(?m)^(?=Content-Type: text)", "Content-Description: {}\r\n"),
    "boundary": _in_text(lambda text, told, _random: text.replace("b1", re.sub("[^A-Za-z0-9]", "", told))),
    "after the end": _after,
}


# ---- Archives, office files, pages, images


def _in_zip(change: Callable[[dict[str, bytes], str, zipfile.ZipFile], object], *, comment: bool = False) -> Place:
    def place(raw: bytes, told: str, _random: Random) -> bytes:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            change(parts, told, archive)
            for name, content in parts.items():
                entry = zipfile.ZipInfo(name)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.comment = told.encode()[:200] if comment else b""
                entry.extra = (
                    (b"\xfe\xca" + len(told.encode()).to_bytes(2, "little") + told.encode()) if comment else b""
                )
                archive.writestr(entry, content)
        return file.getvalue()

    return place


def zipped(parts: Mapping[str, bytes]) -> bytes:
    """Return an archive of parts."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def _unlisted(raw: bytes, told: str, _random: Random) -> bytes:
    """Put an archive with a part before the file: its directory does not list it."""
    inner = zipped({"z.txt": told.encode()})
    return inner[: inner.rindex(b"PK\x01\x02")] + raw


def _main_part(put: str) -> Place:
    """Return the place after the first tag of the main part of an office file."""

    def change(parts: dict[str, bytes], told: str, _archive: zipfile.ZipFile) -> None:
        name = next(one for one in parts if re.fullmatch(r"word/document.*\.xml|xl/worksheets/sheet1\.xml", one))
        head, mark, rest = parts[name].partition(b"<w:body>" if name[0] == "w" else b"<sheetData")
        before, after = (put, "") if name[0] == "x" else ("", put)
        parts[name] = head + before.replace("{}", told).encode() + mark + after.replace("{}", told).encode() + rest

    return _in_zip(change)


_ZIP = {
    WORDS: _in_zip(lambda parts, told, _archive: parts.update({f"z{len(parts)}.txt": told.encode()})),
    "name of a part": _in_zip(lambda parts, told, _archive: parts.update({f"{told}.txt": b"Vu."})),
    "comment": _in_zip(lambda _parts, told, archive: setattr(archive, "comment", told.encode()), comment=True),
    "part of no format": _in_zip(
        lambda parts, told, _archive: parts.update({"z.bin": b"\0\1\2\3" * 9 + told.encode()})
    ),
    "archive in an archive": _in_zip(
        lambda parts, told, _archive: parts.update({"z.zip": zipped({"y.zip": zipped({"z.txt": told.encode()})})})
    ),
    "part that is not listed": _unlisted,
    "after the end": _after,
}
_OFFICE = {key: place for key, place in _ZIP.items() if key != WORDS} | {
    "properties": _in_zip(
        lambda parts, told, _archive: parts.update(
            {"docProps/app.xml": f"<Properties><Company>{escape(told)}</Company></Properties>".encode()}
        )
    ),
    "custom XML": _in_zip(
        lambda parts, told, _archive: parts.update({"customXml/item9.xml": f"<z>{told}</z>".encode()})
    ),
    "comment of XML": _main_part("<!-- {} -->"),
}
_DOCX = _OFFICE | {
    WORDS: _main_part("<w:p><w:r><w:t>{}</w:t></w:r></w:p>"),
    "hidden words": _main_part("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>{}</w:t></w:r></w:p>"),
    "deleted revision": _main_part(
        "<w:p><w:del w:id='1' w:author='{}'><w:r><w:delText>{}</w:delText></w:r></w:del></w:p>"
    ),
    "instruction of a field": _main_part("<w:p><w:r><w:instrText>{}</w:instrText></w:r></w:p>"),
    "attribute": _main_part('<w:p w:rsidR="{}"/>'),
    "unknown element": _main_part("<z:z xmlns:z='urn:z' a='{}'>{}</z:z>"),
}


def _in_book(change: Callable[[openpyxl.Workbook, str], object]) -> Place:
    def place(raw: bytes, told: str, _random: Random) -> bytes:
        book = openpyxl.load_workbook(io.BytesIO(raw))
        change(book, told)
        file = io.BytesIO()
        book.save(file)
        return file.getvalue()

    return place


_XLSX = _OFFICE | {
    WORDS: _in_book(lambda book, told: book.worksheets[0].append(["1", told])),
    "comment of a cell": _in_book(lambda book, told: setattr(book.worksheets[0]["A1"], "comment", Comment(told, told))),
    "hidden sheet": _in_book(lambda book, told: setattr(book.create_sheet("z"), "sheet_state", told and "veryHidden")),
    "head of a page": _in_book(lambda book, told: setattr(book.worksheets[0].oddHeader.center, "text", told)),
    "author": _in_book(lambda book, told: setattr(book.properties, "creator", told)),
    "formula": _in_book(lambda book, told: book.worksheets[0].append([f'=LEN("{told}")'])),
}


def _in_pdf(change: Callable[[pypdf.PdfWriter, str], object]) -> Place:
    def place(raw: bytes, told: str, _random: Random) -> bytes:
        writer = pypdf.PdfWriter(clone_from=io.BytesIO(raw))
        change(writer, told)
        file = io.BytesIO()
        writer.write(file)
        return file.getvalue()

    return place


def _add_page(writer: pypdf.PdfWriter, told: str) -> None:
    file = io.BytesIO()
    canvas = Canvas(file, invariant=1)
    canvas.setFont("Helvetica", 7)
    canvas.drawString(20, 700, told)
    canvas.save()
    writer.append(file)


_PDF = {
    WORDS: _in_pdf(_add_page),
    "properties": _in_pdf(lambda writer, told: writer.add_metadata({"/Author": told, "/Zz": told})),
    "attachment": _in_pdf(lambda writer, told: writer.add_attachment("z.txt", told.encode())),
    "bookmark": _in_pdf(lambda writer, told: writer.add_outline_item(title=told, page_number=0)),
    "script": _in_pdf(lambda writer, told: writer.add_open_action(JavaScript(f"app.alert('{told}')"))),
    "comment": lambda raw, told, _random: raw.replace(b"\n", b"\n% " + told.encode() + b"\n", 1),
    "after the end": _after,
}


def _in_dicom(change: Callable[[pydicom.FileDataset, str, Random], object]) -> Place:
    def place(raw: bytes, told: str, random: Random) -> bytes:
        file = pydicom.dcmread(io.BytesIO(raw), force=True)
        file.SpecificCharacterSet = "ISO_IR 192"
        change(file, told, random)
        target = io.BytesIO()
        pydicom.dcmwrite(target, file, enforce_file_format=bool(file.file_meta.get("TransferSyntaxUID")))
        return target.getvalue()

    return place


def _nested(told: str) -> Dataset:
    inner, outer = Dataset(), Dataset()
    inner.add_new(0x00104000, "LT", told)
    inner.add_new(0x00091101, "LO", told[:60])
    outer.add_new(0x00400555, "SQ", [inner])
    return outer


def _append(file: pydicom.FileDataset, told: str, random: Random) -> None:
    """Put a text into a text of the file, drawn among all."""
    one = random.choice([one for one in file.iterall() if one.VR in ("LO", "LT", "SH", "ST", "UT", "PN", "UC")])
    one.value = f"{told}"


_DICOM = {
    WORDS: _in_dicom(
        lambda file, told, _random: file.add_new(0x00204000, "LT", f"{file.get('ImageComments', '')}{told}")
    ),
    "text": _in_dicom(_append),
    "private attribute": _in_dicom(
        lambda file, told, _random: file.private_block(0x0099, "ZZ", create=True).add_new(1, "LT", told)
    ),
    "bytes": _in_dicom(
        lambda file, told, _random: file.add_new(0x00420011, "OB", told.encode() + b" " * (len(told.encode()) % 2))
    ),
    "unknown attribute": _in_dicom(lambda file, told, _random: file.add_new(0x00189999, "UN", told.encode())),
    "sequence": _in_dicom(lambda file, told, _random: file.add_new(0x00400555, "SQ", [_nested(told)])),
    "head of the file": _in_dicom(lambda file, told, _random: file.file_meta.add_new(0x00020102, "OB", told.encode())),
    "preamble": _in_dicom(lambda file, told, _random: setattr(file, "preamble", told.encode()[:128].ljust(128, b"\0"))),
    "after the end": _after,
}

# Format → its places
FAMILIES: Mapping[str, Mapping[str, Place]] = {
    "text": _TEXT | {"after the end": _after}, "html": _HTML, "xml": _XML, "cda": _XML, "fhir_xml": _FHIR_XML,
    "json": _JSON, "jsonl": _JSON, "fhir": _JSON, "csv": _CSV, "hl7": _HL7, "rtf": _RTF, "vcf": _VCF, "eml": _EML,
    "zip": _ZIP, "docx": _DOCX, "xlsx": _XLSX, "pdf": _PDF, "dicom": _DICOM,
}  # fmt: skip
