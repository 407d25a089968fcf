"""A value that a written file may not hold is found in any place and form; what is there by chance is not."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import io
import quopri
import re
import struct
import urllib.parse
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.domain.document import Document, Mention, Patient, Substitution, Surrogate
from deid.domain.errors import DocumentRefused
from deid.domain.labels import DIRECT, NAMES, Label
from deid.formats import read_file
from deid.formats.archives import write_zip
from deid.formats.rewriting import write_file
from deid.formats.segments import SegmentedSource
from tests.unit.formats import test_dicom, test_docx
from tests.unit.formats.samples import FIRST, IPP, NAME, SAMPLES, STREET, TEXT
from tests.unit.formats.test_round_trips import _pdf as pdf

PATIENT = Patient(
    last_name=NAME, first_names=(FIRST,), ipp=IPP, phones=("06 12 34 56 78",), emails=("h.zorglube@exemple.fr",),
    addresses=(STREET,), nir="2 61 05 21 000 123 45",
)  # fmt: skip
VALUES = (NAME, NAME.upper(), f"{FIRST} {NAME}", IPP, "0612345678", "+33 6 12 34 56 78", *PATIENT.emails, STREET)
NEW = {Label.DATE: "09/03/2024", Label.PATIENT: "Kwyx", Label.DOCTOR: "Vhuq", Label.PERSON: "Jopz"}
COMMON = frozenset({"petit", "bras", "impasse"})


def substituted(source: SegmentedSource, patient: Patient = PATIENT) -> tuple[Document, Substitution]:
    """Return a document and its substitution, where what its fields tell and the planted names are replaced."""
    spans = [(one.start, one.end, one.label) for one in source.mentions]
    for value, label in ((NAME, Label.PATIENT), (FIRST, Label.PATIENT), (STREET, Label.STREET), (IPP, Label.IPP)):
        for found in re.finditer(f"(?i){re.escape(value)}", source.text):
            if not any(start < found.end() and found.start() < end for start, end, _ in spans):
                spans.append((*found.span(), label))
    drawn = tuple(Surrogate(Mention(*span), NEW.get(span[2], "Wyxz 771"), "test") for span in sorted(spans))
    pieces: list[str] = []
    at = 0
    for one in drawn:
        pieces += source.text[at : one.mention.start], one.text
        at = one.mention.end
    return Document("d", source.text, patient), Substitution("".join((*pieces, source.text[at:])), drawn, ())


def write(raw: bytes, hint: str = "", patient: Patient = PATIENT) -> bytes:
    source = read_file(raw, document_id="d", max_bytes=10**7, hint=hint)
    return write_file(*substituted(source, patient), source, COMMON).content


class Blind:
    """A file whose reader sees one line, and writes what it was made with."""

    segments = ()

    def __init__(self, content: bytes) -> None:
        self.content = content

    def write(self, _changes: object) -> bytes:
        return self.content


def held(
    content: bytes, text: str = "Vu hier.", kept: str = "Vu hier.", mentions: str = "", label: Label = Label.DOCTOR
) -> str:
    """Return where a written file holds what it may not; "" where it is not refused."""
    source = SegmentedSource(text, (), b"", Blind)
    source = replace(source, parse=lambda _raw: Blind(content))
    drawn = tuple(
        Surrogate(Mention(*found.span(), label), "Vhuq", "test") for found in re.finditer(mentions or "$^", text)
    )
    spans = Substitution(kept, drawn, ())
    try:
        write_file(Document("d", text, PATIENT), spans, source, COMMON)
    except DocumentRefused as refused:
        return f"{refused.reason}: {refused.detail}"
    return ""


# ---- Ways in which bytes hold a text


def zipped(raw: bytes) -> bytes:
    return write_zip({"a/b.bin": raw})


def unlisted(raw: bytes) -> bytes:
    """A part that the directory of its archive does not list."""
    inner = zipped(raw)
    return inner[: inner.rindex(b"PK\x01\x02")] + zipped(b"x")


def in_references(raw: bytes) -> bytes:
    return "".join(f"&#{ord(one)};" for one in raw.decode("latin-1")).encode()


def in_json(raw: bytes) -> bytes:
    return "".join(f"\\u{ord(one):04x}" for one in raw.decode("latin-1")).encode()


def in_rtf(raw: bytes) -> bytes:
    return b"{\\rtf1 {\\*\\x " + "".join(f"\\'{one:02x}" for one in raw).encode() + b"}}"


def in_rtf_codes(raw: bytes) -> bytes:
    return b"{\\rtf1 " + "".join(f"\\u{ord(one)}?" for one in raw.decode("latin-1")).encode() + b"}"


def in_hl7(raw: bytes) -> bytes:
    return b"ZZZ|1|\\X" + raw.hex().upper().encode() + b"\\|"


WAYS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": bytes,
    "UTF-16": lambda raw: raw.decode("latin-1").encode("utf-16"),
    "UTF-16, big": lambda raw: raw.decode("latin-1").encode("utf-16-be"),
    "base64": base64.b64encode,
    "base64 of URLs, glued": lambda raw: b"data_" + base64.urlsafe_b64encode(raw).rstrip(b"="),
    "base64 in lines": base64.encodebytes,
    "encoded word": lambda raw: b"=?iso-8859-1?B?" + base64.b64encode(raw) + b"?=",
    "hexadecimal": lambda raw: raw.hex().encode(),
    "zip": zipped,
    "zip in zip": lambda raw: zipped(zipped(raw)),
    "zip, stored": lambda raw: write_zip({"mimetype": zipped(raw)}),
    "zip, not listed": unlisted,
    "gzip": gzip.compress,
    "stream": lambda raw: b"<< /Filter /FlateDecode >> stream\n" + zlib.compress(raw) + b"\nendstream",
    "ASCII85": lambda raw: b"stream\n" + base64.a85encode(zlib.compress(raw)) + b"~>endstream",
    "references": in_references,
    "JSON": in_json,
    "PDF": lambda raw: b"(" + b"".join(b"\\%03o" % one for one in raw) + b")",
    "RTF": in_rtf,
    "RTF, codes": in_rtf_codes,
    "RTF, binary": lambda raw: b"{\\rtf1 \\bin%d " % len(raw) + raw + b"}",
    "HL7": in_hl7,
    "quoted-printable": lambda raw: quopri.encodestring(raw).replace(b"r", b"=72"),
    "URL": lambda raw: urllib.parse.quote_from_bytes(raw).replace("r", "%72").encode(),
    "RTF, without its head": lambda raw: b'{"note": "' + in_rtf(raw)[13:-2] + b'"}',
    "RTF, between tags": lambda raw: b"<i>" + b"<b/>".join(re.findall(rb".{1,2}", in_rtf(raw)[13:-2])) + b"</i>",
    "invisible letters between tags": lambda raw: "<b/>\u00ad<b/>".join(raw.decode("latin-1")).encode(),
    "base64 of UTF-16": lambda raw: base64.b64encode(raw.decode("latin-1").encode("utf-16")),
    "letter by letter": lambda raw: b"<a z-" + b"-".join(raw[at : at + 1] for at in range(len(raw))) + b"='1'/>",
    "within tags": lambda raw: raw[:3] + b"<b>" + raw[3:] + b"</b>",
    "comment": lambda raw: b"<!-- " + raw + b" -->",
}
# Those that may hold the bytes of another
OUTER = (
    "as it is",
    "base64",
    "base64 in lines",
    "hexadecimal",
    "zip",
    "zip in zip",
    "gzip",
    "stream",
    "HL7",
    "comment",
)
LINE = f"{FIRST} {NAME}, {IPP}".encode("latin-1")


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_hold_a_text_is_searched(way: str) -> None:
    told = held(WAYS[way](LINE))
    assert told.startswith("substitution_failed: the written file holds a replaced value (")
    assert not re.search(f"(?i){NAME}|{FIRST}|{IPP}", told)
    assert held(b"Vu hier. " * 50 + WAYS[way](LINE) + bytes(range(256)))
    assert held(WAYS[way](b"Madame Dupuis, 7012345679, vue hier.")) == ""


@pytest.mark.parametrize("value", VALUES)
def test_every_value_is_found_letter_by_letter(value: str) -> None:
    assert held(WAYS["letter by letter"](f"Note sur {value} ; à revoir".encode("latin-1")))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(VALUES), st.sampled_from(sorted(WAYS)), st.sampled_from(OUTER), st.randoms())
def test_what_is_planted_in_a_written_file_holds_it_back(value: str, way: str, outer: str, chance: Random) -> None:
    kind = chance.choice([one for one in SAMPLES if one != "zip"])
    written = WRITTEN[kind]
    planted = WAYS[outer](WAYS[way](f"Note sur {value} ; à revoir".encode("latin-1")))
    at = chance.randrange(len(written) + 1)
    assert held(written[:at] + b"\n" + planted + b"\n" + written[at:]), (kind, way, outer)


WRITTEN = {kind: write(bytes(raw), name) for kind, (name, raw) in SAMPLES.items()}


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_good_file_is_written(kind: str) -> None:
    assert held(WRITTEN[kind]) == ""


def zorglubed(line: str) -> bytes:
    file = io.BytesIO()
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf([line])))
    writer.add_metadata({"/Author": f"{FIRST} {NAME}"})
    writer.add_attachment("a.txt", TEXT.encode())
    writer.write(file)
    return file.getvalue()


def with_unread_part(raw: bytes) -> bytes:
    file = io.BytesIO(raw)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("customXml/item9.xml", f"<x>{html.escape(TEXT)}</x>")
        archive.comment = NAME.encode()
    return file.getvalue()


# Places that readers skip, with what is planted there: by name, hint and bytes
UNREAD = {
    "PDF, metadata": ("a.pdf", zorglubed("Vue hier.")),
    "DOCX, part": ("a.docx", with_unread_part(test_docx.docx("<w:p><w:r><w:t>Vue hier</w:t></w:r></w:p>"))),
    "RTF, binary": ("a.rtf", b"{\\rtf1\\ansi Vue hier.{\\*\\objdata \\bin%d %b}\\par}" % (len(LINE), LINE)),
    "RTF, behind": ("a.rtf", b"{\\rtf1\\ansi Vue hier.\\par}" + LINE),
    "XML, instruction": ("a.xml", f"<?xml version='1.0'?><?x {NAME} {IPP}?><d>Vue hier.<!-- {NAME} --></d>".encode()),
    "XML, base64": ("a.xml", b"<d><t>Vue hier.</t><b>" + base64.b64encode(LINE * 9) + b"</b></d>"),
    "HL7, Z": ("a.hl7", f"MSH|^~\\&|A|B|C|D|2024||ORU^R01|1|P|2.5\rOBX|1|TX|1||Vue hier.\rZPI|{NAME}\r".encode()),
    "HL7, kept": ("a.hl7", f"MSH|^~\\&|{NAME}|B|C|D|2024||ORU^R01|1|P|2.5\rOBX|1|TX|1||Vue hier.\r".encode()),
    "DICOM, padding": ("a.dcm", test_dicom.dicom() + struct.pack("<L2sHL", 0xFFFCFFFC, b"OB", 0, len(LINE)) + LINE),
}  # fmt: skip


@pytest.mark.parametrize("place", UNREAD)
def test_what_a_reader_skips_is_gone_or_holds_the_file_back(place: str) -> None:
    name, raw = UNREAD[place]
    source = read_file(raw, document_id="d", max_bytes=10**7, hint=name)
    document, substitution = substituted(source)
    spans = [(one.mention.start, one.mention.end, one.text) for one in substitution.surrogates]
    if re.search(f"(?i){NAME}|{IPP}".encode(), source.rewrite(spans)):
        with pytest.raises(DocumentRefused, match="substitution_failed"):
            write_file(document, substitution, source, COMMON)
    else:
        write_file(document, substitution, source, COMMON)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"docteur Vhuq, docteur Faure", True),  # short, yet a name
        (b"docteur Petit", False),  # a word of the language
        (b"petit bras", False),  # of two persons
        (b"Bernard, le Dr Petit", True),  # beside the first name
        (b"Bernard" + b" x" * 60 + b" petit", False),
        (b"Faurel, Lefaure", False),  # within words
    ],
)
def test_words_of_the_language_count_beside_another_value(written: bytes, expected: bool) -> None:
    text = "Vus : Faure ; Bras ; Lo Petit"
    assert bool(held(written, text, "Vus : Vhuq", "Faure|Bras|Lo Petit")) is (expected and b"Bernard" not in written)
    assert bool(held(written, "Vus : Bernard Petit", "Vus : Vhuq", "Bernard Petit")) is (b"Bernard" in written)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"<sheets><sheet name='x'/></sheets><c t='a'>3 mm</c>", False),
        (b'{"sheet": {"id": 3}}', False),
        (b'<Override ContentType="application/vnd.spreadsheetml.sheet.main+xml"/>', False),
        (b"\0\1\0\0\0\x0dname \\o The typeface sheet of Bitstream", False),
        (b"<nom>Sheet</nom>", True),
        (b"<nom sheet='1'>Lou Sheet</nom>", True),  # beside the first name
    ],
)
def test_words_that_a_format_writes_count_beside_another_value(written: bytes, expected: bool) -> None:
    assert bool(held(written, "Vu : Lou Sheet", "Vu : Vhuq", "Lou Sheet")) is expected


@pytest.mark.parametrize(
    "written",
    [
        b"<Zorglube id='1'/>",
        b"<nom zorglube='1'/>",
        b"<nom xmlns:z='urn:Zorglube'/>",
        b'{"Zorglube": 3}',
    ],
)
def test_a_name_among_names_of_elements_is_no_word_of_the_format(written: bytes) -> None:
    assert held(written)


@pytest.mark.parametrize("value", VALUES[3:])
@pytest.mark.parametrize("way", ["base64", "base64 of UTF-16", "UTF-16", "RTF, without its head", "within tags"])
def test_a_number_alone_is_found(value: str, way: str) -> None:
    assert held(WAYS[way](value.encode("latin-1")))


@pytest.mark.parametrize(
    ("values", "expected"),
    [(b"ORIGINAL\\ZOR\\GLUBE", True), (b"Hel\\oise \\Zor\\glube", True), (b"ORIGINAL\\PRIMARY\\ZOR", False)],
)
def test_a_name_cut_over_values_of_dicom_is_found(values: bytes, expected: bool) -> None:
    element = b"\x08\0\x08\0CS" + len(values).to_bytes(2, "little") + values + b"\0"
    assert bool(held(bytes(128) + b"DICM" + element)) is expected


def test_what_the_words_of_a_page_encode_is_searched() -> None:
    """The bytes of a PDF hold numbers of letters, which spell nothing."""
    told = base64.b64encode(f"{FIRST} {NAME}".encode()).decode()
    source = read_file(pdf([f"Vue hier. {told}"]), document_id="d", max_bytes=10**7, hint="a.pdf")
    drawn = Surrogate(Mention(0, 3, Label.DATE), "Vus", "test")
    with pytest.raises(DocumentRefused, match="base64"):
        write_file(
            Document("d", source.text, PATIENT), Substitution(f"Vus{source.text[3:]}", (drawn,), ()), source, COMMON
        )


def test_a_name_of_two_words_of_the_language_is_found() -> None:
    assert held(b"Vu : BRAS Petit", "Vu : Petit Bras", "Vu : Vhuq", "Petit Bras")
    assert held(b"<a/><b>PETIT^BRAS</b>", "Vu : Petit Bras", "Vu : Vhuq", "Petit Bras")


OWN_FORM = {**dict.fromkeys(NAMES, "Quelvezec"), Label.PHONE: "03 81 66 81 66", Label.EMAIL: "q.vezec@exemple.fr"}
OWN_FORM[Label.STREET] = "14 sentier des Fougerolles"


@pytest.mark.parametrize("label", sorted(DIRECT - {Label.URL, Label.ID}))  # a host, and a device's number, may stay
def test_each_direct_identifier_that_was_replaced_is_sought(label: Label) -> None:
    value = OWN_FORM.get(label, "K 4471 8826 03")
    assert held(f"reste {value}".encode(), f"Vue : {value}.", "Vue : Vhuq.", re.escape(value), label)
    assert not held(b"reste", f"Vue : {value}.", "Vue : Vhuq.", re.escape(value), label)


def test_the_oid_of_a_hospitals_identifiers_may_stay_elsewhere() -> None:
    oid = "1.2.250.1.71.4.2.2.390000222"
    told = (f"<id root='{oid}' extension='4471'/>".encode(), f"FINESS : {oid}.", "FINESS : 9.9.", re.escape(oid))
    assert not held(*told, Label.RPPS)
    assert held(b"reste 390000222", "FINESS : 390000222.", "FINESS : 9.", "390000222", Label.RPPS)


def test_what_the_new_text_holds_is_not_sought() -> None:
    content = f"le docteur {NAME} et le {IPP}".encode()
    assert held(content)
    assert held(content, kept=f"Le docteur {NAME}, numéro {IPP}") == ""  # drawn for others


def test_days_and_communes_are_not_sought() -> None:
    patient = replace(PATIENT, birth_date=None, city="Quimperlé", zip="29300", identifiers=("19610514",))
    raw = b"MSH|^~\\&|A|B|C|D|2024||ORU^R01|1|P|2.5\rOBX|1|TX|1||Vue hier.\rOBX|2|NM|2||19610514\rOBX|3|ID|2||29300\r"
    assert b"19610514" in write(raw, "a.hl7", patient)
    assert b"29300" in write(raw, "a.hl7", patient)


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=3000))
def test_any_bytes_are_searched(raw: bytes) -> None:
    held(raw)


def told(content: bytes, patient: Patient) -> bool:
    """Return whether a file of a patient is held back for what it holds."""
    source = replace(SegmentedSource("Vu hier.", (), b"", Blind), parse=lambda _raw: Blind(content))
    try:
        write_file(Document("d", "Vu hier.", patient), Substitution("Vu hier.", (), ()), source, COMMON)
    except DocumentRefused:
        return True
    return False


@pytest.mark.parametrize("name", ["Lebœuf", "Wałęsowa", "Nguyễnova", "Maréchaudat"])
@pytest.mark.parametrize("way", ["utf-16-le", "utf-16-be", "broken"])
def test_letters_beyond_latin_1_are_read(name: str, way: str) -> None:
    line = f" vue Mme {name} hier "
    raw = b"\xff\xfe\x80" + line.encode() if way == "broken" else b"\x07\x00" + line.encode(way) + b"\x01\x02"
    assert told(raw, Patient(last_name=name))
    assert not told(raw, Patient(last_name="Tissotier"))


def test_a_ligature_of_windows_1252_is_read() -> None:
    assert told(" vue Mme Lebœuf hier ".encode("cp1252"), Patient(last_name="Lebœuf"))


NUMBERED = Patient(
    last_name="Tissotier", nir="281023901301224", ipp="0048213377", phones=("03 84 51 77 20",)
)  # fmt: skip


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2 81 02 39 013 012 24", True),
        ("2 81 02 39 013 012", True),
        ("2810239013012", True),
        ("0048 213 377", True),
        ("48213377", True),
        ("0384.51.77.20", True),
        ("038 451 7720", True),
        ("+33 (0)3 84 51 77 20", True),
        ("0033 3 84 51 77 20", True),
        ("384517720", True),
        ("1,0384.51.77.20", True),
        ("10384.51.77.20", False),  # of a longer number
        ("0384.51.77.201", False),
        ("0;04;8;2;13;3;7;7", False),  # as many measures
        ("48 21 33 77", False),
    ],
)
def test_a_number_is_found_however_it_is_grouped(written: str, expected: bool) -> None:
    assert told(f"vu : {written}, bien".encode(), NUMBERED) is expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"ClotildeTissotier.txt", True),
        (b"TISSOTIERClotilde", True),
        (b"JeanClotildeTissotier", True),
        (b"TISSOTIER19810217", True),
        (b"12Roux3", False),  # short: code or name
        (b"12Roux3, Clotilde", True),
        (b"xTissotier, Clotildex", False),
        (b"Tissotiers", False),
        (b"54 49 53 53 4f 54 49 45 52 20 43", True),
        (b"0x54,0x49,0x53,0x53,0x4F,0x54,0x49,0x45,0x52", True),
    ],
)
def test_values_glued_to_another_and_pairs_of_hexadecimal_are_found(written: bytes, expected: bool) -> None:
    patient = Patient(last_name="Roux" if b"Roux" in written else "Tissotier", first_names=("Jean", "Clotilde"))
    assert told(b"a " + written + b" b", patient) is expected


NOISE = b"".join(hashlib.sha256(str(at).encode()).digest() for at in range(1 << 15))


def test_noise_holds_nothing() -> None:
    assert held(NOISE) == ""


def test_a_bomb_holds_the_file_back() -> None:
    inner = zlib.compress(bytes(1 << 27), 9)
    source = replace(SegmentedSource("Vu hier.", (), b"", Blind), parse=lambda _raw: Blind(inner))
    with pytest.raises(DocumentRefused, match="expands"):
        write_file(Document("d", "Vu hier.", PATIENT), Substitution("Vu hier.", (), ()), source)
