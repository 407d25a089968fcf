"""Files of text formats: recognised, read, rewritten without what was planted in them, refused with a reason."""

from __future__ import annotations

import base64
import csv
import email
import email.policy
import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from deid.cli.files import file
from deid.domain.document import Patient
from deid.domain.errors import DocumentRefused, PolicyError, Reason
from deid.domain.labels import Label
from deid.domain.outcomes import RewrittenFile
from deid.formats import FileRules, SegmentedSource, read_file, with_told
from deid.formats.fields import load_rules
from deid.formats.files import READERS
from deid.formats.formulas import guarded
from deid.formats.recognition import described, recognise
from deid.formats.segments import complete
from demo.hospital.files import FORMS
from tests import ROOT
from tests.unit.formats.samples import (
    BASE64,
    CDA,
    CSV,
    DAY,
    DIGITS,
    EML,
    FHIR,
    HL7,
    HL7_OTHER_MARKS,
    IPP,
    JSON,
    JSONL,
    NAME,
    PATIENT,
    PLANTED,
    REPORT,
    SAMPLES,
    TEXT,
    TEXT_FILE,
    VCF,
    XML,
    expanded,
)

# Formats that a program or library writes have tests of their own, beside this one; the narrative is a part of FHIR.
_ELSEWHERE = {"rtf", "docx", "xlsx", "xls", "pdf", "image", "doc", "dicom", "odt", "narrative"}
# Formats without fields, or whose fields the map of another holds.
_WITHOUT_MAP = {"text", "html", "rtf", "docx", "xlsx", "xls", "pdf", "image", "doc", "odt", "narrative", "eml", "zip"}
_WITHOUT_MAP |= {"jsonl", "fhir_xml"}
_PLANTED = re.compile("|".join(map(re.escape, PLANTED)))


def read(raw: bytes, hint: str = "", **options: object) -> SegmentedSource:
    given: dict = {"document_id": "d", "max_bytes": 1_000_000, "hint": hint, **options}
    return read_file(raw, **given)


def reason(raw: bytes, hint: str = "", **options: object) -> Reason:
    with pytest.raises(DocumentRefused) as refusal:
        read(raw, hint, **options).rewrite([])
    assert NAME not in str(refusal.value)
    return refusal.value.reason


def hidden(source: SegmentedSource) -> list[tuple[int, int, str]]:
    """Return what a perfect detection and the file's own fields replace."""
    spans = {(one.start, one.end): "02/04/1970" if one.label == "DATE" else "Martin" for one in source.mentions}
    for found in _PLANTED.finditer(source.text):
        if not any(start < found.end() and found.start() < end for start, end in spans):
            spans[found.span()] = "02/04/1970" if found.group()[0] == "1" else "Martin"
    return [(*span, text) for span, text in sorted(spans.items())]


@pytest.mark.parametrize("format", SAMPLES)
def test_what_is_planted_in_every_place_is_gone(format: str) -> None:
    hint, raw = SAMPLES[format]
    assert any(NAME in text for text in expanded(raw))
    source = read(raw, hint)
    assert source.format == format
    written = source.rewrite(hidden(source))
    for text in expanded(written):
        assert not _PLANTED.search(text), _PLANTED.search(text)
    again = read(written, hint)
    assert again.format == format
    assert not _PLANTED.search(again.text)


@pytest.mark.parametrize(
    ("hint", "raw"),
    [("a.txt", TEXT_FILE), ("a.json", JSON), ("a.jsonl", JSONL), ("a.csv", CSV), ("a.hl7", HL7_OTHER_MARKS)],
)
def test_a_file_with_nothing_to_replace_comes_back_as_it_was(hint: str, raw: bytes) -> None:
    assert read(raw, hint).rewrite([]) == raw


_MARKS = "its marks in deid/formats/recognition.py; without any, `declared_text` there, and the exception here"


@pytest.mark.parametrize("format", SAMPLES)
def test_content_decides_whatever_the_name_and_the_type_say(format: str) -> None:
    hint, raw = SAMPLES[format]
    assert recognise(raw, hint) == format, _MARKS
    if format not in ("csv", "text", "jsonl"):  # text without a mark of its own
        for wrong in ("", "x.docx", "application/pdf", "a.csv"):
            assert recognise(raw, wrong) == format, _MARKS


def test_the_tables_of_formats_agree() -> None:
    assert not {*SAMPLES} & _ELSEWHERE
    assert {*SAMPLES} | _ELSEWHERE == set(READERS), "add it to SAMPLES of tests/unit/formats/samples.py"
    maps = {path.stem for path in (ROOT / "deid/formats/maps").glob("*.yaml")}
    assert set(READERS) - maps == _WITHOUT_MAP, "write its field map in deid/formats/maps, or name it here"


# What a place calls a format, if not by its own name; narratives are parts of FHIR.
_CALLED = {"text": "texte?", "image": "pictures", "jsonl": "json lines|jsonl", "eml": "eml|e-mails"}
_CALLED |= {"fhir_xml": r"json, xml|fhir_xml", "narrative": "fhir"}
_PLACES = {
    "page": "\n".join(re.findall(r"^\|([^|]*)\|", (ROOT / "docs/formats.md").read_text(encoding="utf-8"), re.M)),
    "help": file.__doc__ or "",
    "benchmark": (ROOT / "benchmarks/formats.py").read_text(encoding="utf-8"),
    "synthetic hospital": " ".join([*FORMS, "html", "text"]),
}
_WHERE = {
    "page": "the table of docs/formats.md",
    "help": "the docstring of `file` in deid/cli/files.py, then run `make messages`",
    "benchmark": "benchmarks/formats.py, with its largest case",
    "synthetic hospital": "FORMS of demo/hospital/files/__init__.py",
}
# Formats that a place leaves out on purpose.
_LEFT_OUT = {
    "page": set(),
    "help": {"xls", "image", "doc", "odt", "jsonl", "fhir_xml"},
    "benchmark": {"image"},
    "synthetic hospital": {"xls", "image", "doc", "xml", "jsonl", "fhir_xml"},
}


@pytest.mark.parametrize("place", _PLACES)
def test_a_place_that_names_formats_names_each(place: str) -> None:
    text = _PLACES[place].lower()
    unnamed = {name for name in READERS if not re.search(rf"(?<![a-z])(?:{_CALLED.get(name, name)})(?![a-z])", text)}
    assert unnamed == _LEFT_OUT[place], f"name it in {_WHERE[place]}, or in _LEFT_OUT"


# ---- What is kept, and what the fields tell


def test_hl7_keeps_numbers_codes_and_the_rest_of_the_message() -> None:
    source = read(HL7)
    written = source.rewrite(hidden(source)).decode()
    assert "OBX|2|NM|2^Hb||12.5|g/dL\r" in written
    assert written.count("\r") == HL7.count(b"\r")
    assert written.startswith(
        "MSH|^~\\&|APP|Martin|DPI|Martin|197004021430||ORU^R01|Martin|P|2.5|||||FRA|UNICODE UTF-8\r"
    )
    assert "|19700402|F|" in written
    assert "Hémoglobine 12,5 g/dL." in written
    assert "\\.br\\T\\T\\C" in written
    patient = complete(Patient(), source.patient)
    assert (patient.last_name, patient.ipp, patient.birth_date and patient.birth_date.isoformat()) == (
        NAME,
        IPP,
        "1961-05-14",
    )


def test_a_second_hospital_id_makes_no_other_patient() -> None:
    message = "MSH|^~\\&|A|B|C|D|20240302||ADT^A08|1|P|2.5\rPID|1||{}||MARTIN^Anne||19610514|F\r"
    one, two = (
        complete(Patient(), read(message.format(ids).encode(), "a.hl7").patient)
        for ids in ("8001234567^^^DPI^PI", "8001234567^^^DPI^PI~A-55102^^^RADIO^PI")
    )
    assert one.ipp == two.ipp == "8001234567"
    assert one.key == two.key
    assert (one.identifiers, two.identifiers) == ((), ("A-55102",))


@pytest.mark.parametrize(
    ("names", "last", "birth"),
    [
        ("|^Anne~ROUX^Lise", "ROUX", None),
        ("|ROUX^Anne~TISSOTIER^Lise", "ROUX", "TISSOTIER"),
        ("|ROUX^Anne~TISSOTIER^Lise^^^^^L~PETIT^Anne", "ROUX", "TISSOTIER PETIT"),
        ("|ROUX^Anne||||TISSOTIER^Lise", "ROUX", "TISSOTIER"),
    ],
)
def test_every_name_of_every_repetition_is_the_patients(names: str, last: str, birth: str | None) -> None:
    message = f"MSH|^~\\&|A|B|C|D|20240302||ADT^A08|1|P|2.5\rPID|1||{IPP}^^^DPI^PI|{names}\r".encode()
    told = read(message, "a.hl7").patient
    known = complete(Patient(), told)
    assert (known.last_name, known.birth_name, known.first_names) == (last, birth, ("Anne", "Lise"))
    renamed = complete(Patient(last_name="TISSOTIER", first_names=("Anne",)), told)
    assert (renamed.last_name, "ROUX" in (renamed.birth_name or "")) == ("TISSOTIER", True)


ADT = "MSH|^~\\&|A|B|C|D|2024||ADT^A01|1|P|2.5\rPID|1||{}||MORVAN^Lise||19610514|F\r"
HEADER = (
    "<ClinicalDocument xmlns='urn:hl7-org:v3'><recordTarget><patientRole>{}<patient><name><family>MORVAN</family>"
    "<given>Lise</given></name><birthTime value='19610514'/></patient></patientRole></recordTarget></ClinicalDocument>"
)
PI, INS = "8012345679^^^CHU&390000222&M^PI", "261052100012345^^^ASIP-SANTE-INS-NIR&1.2.250.1.213.1.4.8&ISO^INS"
ROOT_PI, ROOT_INS = (
    "<id root='1.2.250.1.71.4.2.2.390000222' extension='8012345679'/>",
    "<id root='1.2.250.1.213.1.4.8' extension='261052100012345'/>",
)


@pytest.mark.parametrize(
    ("message", "header", "key"),
    [
        (f"{PI}~{INS}", ROOT_INS + ROOT_PI, "8012345679"),
        (f"{INS}~{PI}", ROOT_PI, "8012345679"),
        (INS, ROOT_INS, "2610521000123"),
        (INS.replace("12345^", "123^"), ROOT_INS, "2610521000123"),
        ("", "", "morvan lise 1961-05-14"),
    ],
)
def test_files_with_the_same_strongest_identifier_are_one_patients(message: str, header: str, key: str) -> None:
    told = (read(ADT.format(message).encode()).patient, read(HEADER.format(header).encode()).patient)
    assert [complete(Patient(), one).key for one in told] == [key, key]


def test_files_that_share_a_weaker_identifier_alone_are_read_as_of_two_patients() -> None:
    told = (read(ADT.format(f"{PI}~{INS}").encode()).patient, read(HEADER.format(ROOT_INS).encode()).patient)
    assert [complete(Patient(), one).key for one in told] == ["8012345679", "2610521000123"]


def test_hl7_escapes_what_a_surrogate_holds() -> None:
    source = read(HL7_OTHER_MARKS)
    at = source.text.index(NAME)
    written = source.rewrite([(at, at + len(NAME), "A$B*C!D%E@F")]).decode()
    assert "$A%F%B%S%C%R%D%E%E%T%F*" in written
    assert "A$B*C!D%E@F" in read(written.encode()).text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (
            f"TA 12\\8 ce jour, vue avec {NAME} à 03 84\\.br\\Suivi.",
            f"TA 12\\8 ce jour, vue avec {NAME} à 03 84\nSuivi.",
        ),
        (f"Image dans D:\\exams, {NAME} revue\\.br\\RAS", f"Image dans D:\\exams, {NAME} revue\nRAS"),
        (f"Texte \\Zvu par {NAME}\\ fin", f"Texte \\Zvu par {NAME}\\ fin"),
        (f"Score 3\\5, {NAME}\\.sp+2\\à \\H\\revoir\\N\\ \\T\\ 2", f"Score 3\\5, {NAME}\nà revoir & 2"),
        (f"{NAME} et Rapha\\XC3\\\\XAB\\l, B\\XC3A9\\atrice, Mar\\XE9\\chal", f"{NAME} et Raphaël, Béatrice, Maréchal"),
        (f"{NAME}\\\\\\ 2\\", f"{NAME}\\\\\\ 2\\"),
    ],
)
def test_hl7_shows_all_that_stands_between_marks_that_are_no_escape(written: str, shown: str) -> None:
    message = f"MSH|^~\\&|A|B|C|D|20240302||ORU^R01|1|P|2.5|||||FRA|UNICODE UTF-8\rOBX|1|TX|1^CR||{written}||||||F\r"
    source = read(message.encode())
    assert shown in source.text
    changed = source.rewrite(hidden(source))
    assert NAME not in changed.decode()
    assert shown.replace(NAME, "Martin") in read(changed).text


@pytest.mark.parametrize(
    "above", ["sep=;\n", '"sep=;"\r\n', "Export du 03/05/2024;;\n\n", "Extraction DPI\nservice;;\n"]
)
def test_columns_are_named_below_a_title(above: str) -> None:
    table = f"{above}ipp;nom_patient;{NAME}\n{IPP};{NAME};Vue ce jour\n0048213377;{NAME};Vue\n"
    source = read(table.encode(), "a.csv")
    told = {source.text[one.start : one.end]: one.label for one in source.mentions}
    assert told.get("0048213377") == told.get(IPP) == Label.IPP
    written = source.rewrite(hidden(source)).decode()
    assert NAME not in written
    assert written.startswith(above)
    assert "ipp;nom_patient;" in written
    assert source.patient["ipp"] == [IPP, "0048213377"]


@pytest.mark.parametrize("name", ["IPP", "ipp_patient", "Patient NIP", "ippPatient"])
@pytest.mark.parametrize("above", ["", "Liste des patients\n\n", "Export ;;\nMme Gougeat;;\n"])
def test_one_column_of_numbers_of_patients_names_the_columns(above: str, name: str) -> None:
    source = read(f"{above}num;{name};Mesure\n1;0048213377;vue ce jour\n2;0071120002;5,4\n".encode(), "a.csv")
    told = [(source.text[one.start : one.end], one.label) for one in source.mentions]
    assert told == [("0048213377", Label.IPP), ("0071120002", Label.IPP)]
    assert f"num;{name};Mesure\n" in source.rewrite(hidden(source)).decode()


@pytest.mark.parametrize(
    "table",
    [
        "Fiche;\nIPP;0048213377\nNDA;26014477\nNom;Zorg\n",
        "Fiche;\nnom_naissance;Zorg\nprenom_patient;Marie\n",
        "num;traitement_ipp;texte\n1;oui;Vue\n2;40 mg;Vue\n",
        "num;date_ipp;texte\n1;20260309;Vue\n2;09/03/2026;Vue\n",
    ],
)
def test_a_column_is_of_numbers_of_patients_by_its_values_too(table: str) -> None:
    assert {one.label for one in read(table.encode(), "a.csv").mentions} <= {Label.DATE}


def test_typed_fields_are_empty_where_nothing_can_be_drawn() -> None:
    message = f'MSH|^~\\&|A|B|C|D|20240302||ADT^A08|1|P|2.5\rPID|1||{IPP}||{NAME}||19810000|F|""|||||""\r'.encode()
    source = read(message)
    at = source.text.index(": 1981") + 2
    assert b"||F|" in source.rewrite([(at, at + 4, "[DATE]")])
    assert '""' not in source.text
    assert source.rewrite(hidden(source)).count(b'""') == 2


def test_cda_keeps_codes_and_values_and_tells_the_patient() -> None:
    source = read(CDA)
    root = etree.fromstring(source.rewrite(hidden(source)))
    values = root.findall(".//{*}value")
    assert [value.get("value") for value in values[-2:]] == ["19700402", "12.5"]
    assert root.find(".//{*}birthTime").get("value") == "19700402"
    assert [one.text for one in root.findall(".//{*}patient/{*}name/{*}given")] == ["Martin"]
    assert source.patient["nir"] == ["261052100012345"]
    assert source.patient["sex"] == ["F"]
    assert source.removed["image"] == 1


@pytest.mark.parametrize("around", [
    f'<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:variable name="{NAME}"/>'
    '<xsl:template match="/"><html/></xsl:template>%s<note>%s</note></xsl:stylesheet>',
    f'<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:KeyName>{NAME}</ds:KeyName><ds:Object>%s'
    "</ds:Object>%s</ds:Signature>",
])  # fmt: skip
def test_a_cda_that_shows_itself_or_is_signed_is_read_without_what_is_around_it(around: str) -> None:
    declaration, _, document = CDA.decode().split("?>", 2)
    source = read(f"{declaration}?>{around % (document, NAME)}".encode())
    alone = read(document.encode())
    assert (source.format, source.text) == ("cda", alone.text)
    assert source.patient == alone.patient
    written = source.rewrite(hidden(source))
    assert etree.fromstring(written).tag == "{urn:hl7-org:v3}ClinicalDocument"
    assert written.split(b"?>")[-1] == alone.rewrite(hidden(alone)).split(b"?>")[-1]
    assert NAME not in written.decode()


def test_a_word_cut_by_markup_is_one_word() -> None:
    source = read(CDA)
    assert f"Mme {NAME}" in source.text
    written = source.rewrite(hidden(source)).decode()
    assert '<content styleCode="Bold">Martin</content>' in written


def test_json_keeps_numbers_as_written_and_both_values_of_a_key() -> None:
    source = read(JSON)
    written = source.rewrite(hidden(source)).decode()
    assert "[true, null, 1.50, " in written
    assert written.count('"patient":') == 2
    json.loads(written)
    number = read(b'{"ipp": 8012345679}')
    assert number.rewrite([(*_span(number, "8012345679"), "42")]) == b'{"ipp": 42}'
    assert number.rewrite([(*_span(number, "8012345679"), "X")]) == b'{"ipp": "X"}'


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("2026-03-03", "03/03/2026"),
        *((one, one) for one in ("09/03/2026", "mesure_20260303", "0677129355", "Dr_Zorglub", "a.zorglub@chu.fr")),
        *((one, "") for one in ("718-7", "18748-4", "I48.9", "hba1c", "@type", "2.16.840.1.113883.6.1", "docteur")),
    ],
)
def test_a_key_is_text_unless_it_is_a_plain_name_or_a_code(key: str, shown: str) -> None:
    raw = json.dumps({"a": {key: "Vu"}}).encode()
    assert [line for line in read(raw, "a.json").text.split("\n") if "Vu" not in line] == [shown] * bool(shown)
    bundle = json.dumps({"resourceType": "Observation", "status": "final", key: {"text": "Vu"}}).encode()
    source = read(bundle, "a.json")
    written = source.rewrite([(*_span(source, shown), "[DATE]")] if shown else [])
    assert isinstance(json.loads(written), dict)
    assert (key in written.decode()) is not bool(shown)


def test_fhir_attachments_tell_their_new_size_and_hash() -> None:
    source = read(FHIR)
    bundle = json.loads(source.rewrite(hidden(source)))
    attachment = bundle["entry"][1]["resource"]["content"][0]["attachment"]
    assert attachment["size"] == len(__import__("base64").b64decode(attachment["data"]))
    assert attachment["hash"] != "aa"
    assert bundle["entry"][0]["resource"]["photo"] == [{"contentType": "image/png"}]
    assert bundle["entry"][0]["resource"]["text"]["div"].startswith('<div xmlns="http://www.w3.org/1999/xhtml">')
    assert bundle["entry"][0]["resource"]["id"] == bundle["entry"][1]["resource"]["subject"]["reference"][8:]


def test_a_table_keeps_its_cells_quotes_and_line_ends() -> None:
    source = read(CSV, "a.csv")
    written = source.rewrite(hidden(source)).decode("cp1252")
    rows = list(csv.reader(io.StringIO(written, newline=""), delimiter=";"))
    assert [len(row) for row in rows] == [4, 4, 4]
    assert rows[1][2] == "1970-04-02"
    assert rows[1][3].startswith('Vue "hier";\nMadame Martin')
    assert "texte : " in source.text


def test_a_table_without_names_of_columns_shows_its_first_row() -> None:
    source = read(f"{NAME};Marie\nDurand;Paul\n".encode(), "a.csv")
    assert source.text.split("\n") == [NAME, "Marie", "Durand", "Paul"]


def test_vcf_keeps_variants() -> None:
    source = read(VCF)
    written = source.rewrite(hidden(source)).decode()
    assert written.endswith("\tFORMAT\tMartin\tMartin\n1\t42\trs1\tA\tC\t9\tPASS\tDP=1\tGT\t0/1\t0/0\n")


def test_ids_and_annotations_of_variants_are_text_where_they_say_what_none_does() -> None:
    header = f"##fileformat=VCFv4.2\n##contig=<ID=HLA-A*01:01,md5={NAME} 14/05/1961>\n##INFO=<ID=Dr_{NAME},Type=Flag>\n"
    columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
    kept = "1\t1020304050\trs1;COSV57571\tA\tC\t9\tPASS\tAC=1.2e-05;CSQ=T|missense_variant|BRCA1:c.68_69del;CLNDN=x1\n"
    told = f"1\t42\tDr_{NAME}\tA\tC\t9\tPASS\tDP=1;NOTE=vue_le_14/05/1961_tel_0380123456;X=a@{NAME}.fr\n"
    source = read((header + columns + kept + told).encode(), "a.vcf")
    for word in ("14/05/1961", "0380123456", f"Dr_{NAME}", f"a@{NAME}.fr"):
        assert word in source.text
    assert "CSQ" not in source.text
    written = source.rewrite([(*_span(source, "vue_le_14/05/1961"), "vu; 02/04/1970")]).decode()
    assert "\tDP=1;NOTE=vu_02/04/1970_tel_0380123456;X=" in written


def test_a_message_keeps_its_parts() -> None:
    source = read(EML)
    message = email.message_from_bytes(source.rewrite(hidden(source)))
    assert [part.get_content_type() for part in message.walk()][1:4] == [
        "text/plain",
        "text/html",
        "application/octet-stream",
    ]
    assert "Hémoglobine 12,5" in message.get_payload(0).get_payload(decode=True).decode("latin-1")
    assert message["Date"] == "Thu, 02 Apr 1970 10:00:00 +0100"
    assert source.removed["image"] == 1


@pytest.mark.parametrize("charset", ["cp1252", "utf-8", "mac-roman"])
def test_a_message_with_bare_letters_in_its_headers_is_read(charset: str) -> None:
    text = f"From: Hélène {NAME} <a@b.fr>\nTo: c@d.fr\nSubject: Opéré à Besançon : {NAME}\n\nVu.\n"
    source = read(text.encode(charset))
    assert f"De : Hélène {NAME}\n" in source.text
    assert f"Objet : Opéré à Besançon : {NAME}\n" in source.text
    written = email.message_from_bytes(source.rewrite(hidden(source)), policy=email.policy.default)
    assert written["Subject"] == "Opéré à Besançon : Martin"


def test_headers_of_a_message_say_what_standards_list() -> None:
    raw = (
        f"From: a@b.fr\nSubject: Vue\nMIME-Version: 1.0 ({NAME})\nContent-Type: multipart/x-{NAME}; boundary={NAME}_1;"
        f" x-name={NAME}\n\n--{NAME}_1\nContent-Type: text/x-{NAME}; charset=utf-8; format=flowed; x={NAME}\n"
        f"Content-ID: <{NAME}@chu.fr>\nContent-Transfer-Encoding: 8bit\nContent-Disposition: attachment; x={NAME};"
        f' filename="{NAME}.txt"; creation-date="Sun, 14 May 1961 10:00:00 +0100"\n\nVue ce jour, =_0_.\n'
        f"--{NAME}_1\nContent-Type: text/plain; charset={NAME}\nContent-Transfer-Encoding: {NAME}\n\nFin.\n"
        f"--{NAME}_1--\n"
    )
    source = read(raw.encode(), "a.eml")
    written = source.rewrite([])
    assert NAME.lower() not in written.decode().lower()
    assert b"1961" not in written
    assert read(written, "a.eml").text == source.text
    first = email.message_from_bytes(written).get_payload(0)
    assert first["Content-Type"] == 'text/plain; format="flowed"; charset="utf-8"'
    assert first["Content-Disposition"] == 'attachment; filename="piece.txt"'


def test_reports_and_invitations_of_a_message_keep_their_types() -> None:
    raw = (
        "From: a@b.fr\nSubject: Vue\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=feedback-report;"
        " boundary=b\n\n--b\nContent-Type: text/calendar; method=REQUEST\n\nVue ce jour.\n--b\n"
        "Content-Type: message/feedback-report\n\nFeedback-Type: abuse\n\n--b--\n"
    )
    written = email.message_from_bytes(read(raw.encode(), "a.eml").rewrite([]))
    assert written.get_param("report-type") == "feedback-report"
    kinds = [(part.get_content_type(), part.get_param("method")) for part in written.get_payload()]
    assert kinds[0] == ("text/calendar", "REQUEST")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_message_of_a_mailbox_is_a_message_and_several_are_refused_by_name(end: str) -> None:
    line = f"From {NAME.lower()}@chu.fr Mon Mar  2 10:00:00 2026\n"
    one = f"{line}From: Paul <a@b.fr>\nTo: c@d.fr\nSubject: Contrôle\n\nFrom time to time. {NAME} tousse.\n"
    source = read(one.replace("\n", end).encode())
    assert (source.format, source.removed["header"]) == ("eml", 1)
    assert "2026" not in source.text
    written = source.rewrite(hidden(source))
    assert written.startswith(b"Subject:")
    assert NAME.lower().encode() not in written.lower()
    with pytest.raises(DocumentRefused) as refused:
        read(f"{one}\n{one}".replace("\n", end).encode())
    assert refused.value.reason is Reason.UNSUPPORTED_FORMAT


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("nomExercice", Label.DOCTOR),
        ("Prénom d'exercice", Label.DOCTOR),
        ("NOM-MEDECIN", Label.DOCTOR),
        ("nomFamille", Label.PERSON),
        ("lastName", Label.PERSON),
        ("Given name", Label.PERSON),
        ("dateNaissance", Label.DATE),
        ("nomCommercial", None),
        ("nomUniteFonctionnelle", None),
        ("lastNameOfNobody", None),
    ],
)
def test_a_key_is_known_by_its_words_however_it_is_written(key: str, label: Label | None) -> None:
    value = "17/02/1981" if label is Label.DATE else "Tissotier"
    tree = read(json.dumps([{"id": "7"}, {"details": {key: value}}], ensure_ascii=False).encode())
    for found in (tree, read(f"ipp;{key}\n{IPP};{value}\n".encode(), "csv")):
        told = {found.text[one.start : one.end]: one.label for one in found.mentions}
        assert told.get(value) is label


def test_an_array_of_resources_is_fhir() -> None:
    source = read(b"[" + PATIENT.encode() + b",\n" + REPORT.encode() + b"]")
    assert source.format == "fhir"
    assert source.patient["last_name"] == [NAME]
    written = source.rewrite(hidden(source))
    assert not any(_PLANTED.search(text) for text in expanded(written))
    assert [one["resourceType"] for one in json.loads(written)] == ["Patient", "DocumentReference"]
    assert read(b'[{"resourceType": "Patient"}, {"a": "x"}]').format == "json"


@pytest.mark.parametrize(
    "raw",
    [
        '{"resourceType": "Patient", "birthDate": "1961-05-14", "_birthDate": {"extension": [{"url": '
        '"http://hl7.org/fhir/StructureDefinition/patient-birthTime", "valueDateTime": "1961-05-14T04:12:00Z"}]}}',
        '<Patient xmlns="http://hl7.org/fhir"><birthDate value="1961-05-14"><extension url="http://hl7.org/fhir/'
        'StructureDefinition/patient-birthTime"><valueDateTime value="1961-05-14T04:12:00Z"/></extension></birthDate>'
        "</Patient>",
    ],
)
def test_the_time_of_birth_goes(raw: str) -> None:
    source = read(raw.encode())
    written = source.rewrite([(found.start(), found.end(), "15/06/1961") for found in re.finditer(DAY, source.text)])
    assert written.count(b'"1961-06-15"') == 2
    assert b"04:12" not in written


@pytest.mark.parametrize("hint", ["a.ndjson", "application/fhir+ndjson", "a.json", "a.txt", ""])
@pytest.mark.parametrize("between", ["\n", "\r\n\r\n", "\n  "])
def test_resources_one_a_line_are_fhir(hint: str, between: str) -> None:
    raw = f"{PATIENT}{between}{REPORT}\n".encode()
    source = read(raw, hint)
    assert source.format == "fhir"
    assert source.patient["last_name"] == [NAME]
    written = source.rewrite(hidden(source))
    assert not any(_PLANTED.search(text) for text in expanded(written))
    first, second = written.decode().removesuffix("\n").split(f"}}{between}{{", 1)
    assert json.loads(f"{first}}}")["resourceType"] == "Patient"
    assert json.loads(f"{{{second}")["resourceType"] == "DocumentReference"
    assert described(RewrittenFile(written, source.format, source.suffix)) == ("application/jsonl", ".ndjson")


def test_one_line_that_is_a_resource_makes_a_file_fhir() -> None:
    assert read(f'{{"a": "x"}}\n{PATIENT}\n'.encode(), "a.ndjson").format == "fhir"
    assert read(f'{{"a": "x"}}\n{{"b": {PATIENT}}}\n'.encode(), "a.ndjson").format == "jsonl"
    assert read(PATIENT.encode() + b"\n", "a.ndjson").format == "fhir"
    assert reason(PATIENT.encode() + b"\n" + REPORT[:-1].encode(), "a.ndjson") is Reason.MALFORMED


def test_an_archive_loses_its_names_and_what_nobody_reads() -> None:
    source = read(SAMPLES["zip"][1])
    with zipfile.ZipFile(io.BytesIO(source.rewrite([]))) as archive:
        assert archive.namelist() == [
            f"document-{number:03}.{ending}" for number, ending in enumerate(("txt", "txt", "hl7", "json"), 1)
        ]


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        (TEXT.encode("cp1252"), "cp1252"),
        (TEXT.encode("utf-8"), "utf-8"),
        (TEXT.encode("utf-16"), "utf-16"),
        (TEXT.encode("utf-16-le"), "utf-16-le"),
        (TEXT.encode("cp850"), "cp850"),
        (TEXT.encode("mac-roman"), "mac-roman"),
    ],
)
def test_the_encoding_of_a_text_is_found_and_kept(raw: bytes, encoding: str) -> None:
    source = read(raw, "a.txt")
    assert source.text == TEXT
    assert source.rewrite([(*_span(source, NAME), "Jérôme")]).decode(encoding) == TEXT.replace(NAME, "Jérôme")


def test_a_numeric_result_is_shown_and_its_fields_stay() -> None:
    raw = b"MSH|^~\\&|A|B\rOBX|1|NM|^Potassium^L||4.1|mmol/L^mmol|3.5-5.1\rOBX|2|SN|2^Hb||<^5|g/dL\rOBX|3|NM|4^X\r"
    source = read(raw, "a.hl7")
    assert [line for line in source.text.split("\n") if ":" in line and "Type d'examen" not in line][-2:] == [
        "Potassium : 4.1 mmol/L (3.5-5.1)",
        "Hb : <5 g/dL",
    ]
    start = source.text.index("4.1")
    assert source.rewrite([(start, start + 3, "X")]) == raw


@pytest.mark.parametrize("form", [bytes.hex, lambda raw: raw.hex(" ").upper()])
def test_a_document_in_hexadecimal_is_read_and_written(form: Callable[[bytes], str]) -> None:
    message = f"MSH|^~\\&|A|B\rOBX|1|ED|1^D||^TEXT^^Hex^{form(TEXT.encode())}\r".encode()
    source = read(message, "a.hl7")
    assert TEXT in source.text
    written = source.rewrite([(*_span(source, NAME), "Jérôme")])
    assert TEXT.replace(NAME, "Jérôme") in read(written, "a.hl7").text
    assert bytes.fromhex(written.decode().strip().rpartition("^")[2]).decode() == TEXT.replace(NAME, "Jérôme")
    cut = read(message.replace(b"Hex^", b"Hex^4"), "a.hl7")
    assert cut.text.strip()
    assert NAME not in cut.text
    assert NAME.encode().hex().encode() not in cut.rewrite(()).lower()


@pytest.mark.parametrize("form", [str.lower, str.upper])
def test_a_long_field_of_hexadecimal_is_read_and_written_as_such(form: Callable[[str], str]) -> None:
    told = {"note": form((TEXT * 2).encode().hex()), "empreinte": form("9f3c0a" * 10)}
    source = read(json.dumps(told).encode())
    assert source.text.count(TEXT) == 2
    written = json.loads(source.rewrite(hidden(source)))
    assert not _PLANTED.search(bytes.fromhex(written["note"]).decode())
    assert written["empreinte"] == told["empreinte"]


def test_calendars_and_cards_are_read_without_their_folds() -> None:
    raw = f"BEGIN:VCALENDAR\r\nSUMMARY:Vue avec {NAME[:4]}\r\n {NAME[4:]}\r\n\t, revue\r\nEND:VCALENDAR\r\n".encode()
    source = read(raw, "rdv.ics")
    assert f"Vue avec {NAME}, revue\n" in source.text
    assert source.rewrite([]) == raw
    assert b"Vue avec Martin, revue\r\n" in source.rewrite(hidden(source))
    prose = b"Vue ce jour :\r\n  - suite\r\n"
    assert read(prose).text == "Vue ce jour :\n  - suite\n"


@pytest.mark.parametrize(("name", "left"), [("note.marie", "piece"), ("m.lebon", "piece"), ("Lebon.TXT", "piece.txt")])
def test_an_ending_that_says_no_format_is_a_word_of_a_files_name(name: str, left: str) -> None:
    part = f'--b\r\nContent-Type: text/plain; name="{name}"\r\n\r\nVue ce jour.\r\n'
    head = 'From: a@b.fr\r\nTo: c@d.fr\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'
    assert f'name="{left}"'.encode() in read(f"{head}{part}--b--\r\n".encode(), "a.eml").rewrite([])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, "Vue ce jour.")
    with zipfile.ZipFile(io.BytesIO(read(file.getvalue(), "a.zip").rewrite([]))) as archive:
        assert archive.namelist() == [left.replace("piece", "document-001")]


@pytest.mark.parametrize(("number", "left"), [("19610514", "19700402"), ("19610515", "19610515")])
def test_a_number_that_is_the_patients_day_of_birth_is_one(number: str, left: str) -> None:
    told = f'"valueInteger": {number}'
    patient = '{"resourceType": "Patient", "birthDate": "1961-05-14"}'
    source = read(f'[{patient}, {{"resourceType": "Observation", {told}}}]'.encode())
    assert told.replace(number, left) in source.rewrite(hidden(source)).decode()


def test_usual_values_of_a_table_are_no_reference_of_a_file() -> None:
    assert "Valeurs usuelles : 45-104" in read(b"ipp;resultat;reference\n1;77;45-104\n", "a.csv").text


def test_signs_of_a_laboratory_read_as_no_letters_of_another_encoding() -> None:
    table = "analyse;resultat\r\nDIMERES – DOSAGE;3 µG/L – 37 °C\r\n"
    assert "3 µG/L – 37 °C" in read(table.encode("cp1252"), "a.csv").text


def test_mentions_that_fields_tell_win_and_leave_the_rest_of_what_was_found() -> None:
    source = read(HL7)
    start, end = _span(source, IPP)
    found = source.mentions[0]
    merged = with_told([type(found)(start - 6, end + 8, found.label)], source.mentions, source.text)
    assert all(before.end <= after.start for before, after in pairwise(merged))
    assert any((one.start, one.end) == (start, end) for one in merged)


def test_a_source_has_rules_of_its_own(tmp_path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(
        "images: keep\nformats:\n  json:\n    fields:\n"
        "      code: keep\n      secret: drop\n      nom: {label: PATIENT}\n"
    )
    source = read(b'{"code": "A", "secret": "B", "nom": "C", "texte": "D"}', rules=load_rules(file))
    assert source.text == "nom : C\ntexte : D"
    assert [str(one.label) for one in source.mentions] == ["PATIENT"]
    assert source.rewrite([]) == b'{"code": "A", "secret": "", "nom": "C", "texte": "D"}'


@pytest.mark.parametrize("text", ["images: show", "formats: {hl7: {fields: {PID-5: {label: NOBODY}}}}", "[", "x: 1"])
def test_a_wrong_rule_is_told(tmp_path, text: str) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(text)
    with pytest.raises(PolicyError, match=r"rules\.yaml"):
        load_rules(file)


# ---- Refusals


_LAUGHS = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><x>&b;</x>'
_XXE = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'


def _zip(parts: Sequence[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts:
            archive.writestr(name, content)
    return file.getvalue()


def _nested(depth: int) -> bytes:
    raw = TEXT_FILE
    for _ in range(depth):
        raw = _zip([("a.zip", raw)])
    return raw


def _encrypted() -> bytes:
    raw = bytearray(_zip([("a.txt", TEXT_FILE)]))
    raw[6] |= 1
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    return bytes(raw)


def _body(encoding: str, data: str) -> bytes:
    return f"From: a@b.fr\nTo: c@d.fr\nContent-Transfer-Encoding: {encoding}\n\n{data}A\n".encode()


@pytest.mark.parametrize(
    ("raw", "hint", "expected"),
    [
        (b"", "", Reason.EMPTY),
        (b" \r\n", "", Reason.EMPTY),
        (b"x" * 1_000_001, "", Reason.TOO_LARGE),
        (_LAUGHS.encode(), "", Reason.MALFORMED),
        (_LAUGHS.encode("utf-16"), "", Reason.MALFORMED),
        (_XXE.encode(), "", Reason.MALFORMED),
        (b"<?xml version='1.0'?><dossier>&inconnue;</dossier>", "", Reason.MALFORMED),
        (XML[:200], "", Reason.MALFORMED),
        (CDA[:-40], "", Reason.MALFORMED),
        (FHIR[:-1], "application/fhir+json", Reason.MALFORMED),
        (b"[" * 100_000, "a.json", Reason.MALFORMED),
        (b"<dossier>" * 50_000, "a.xml", Reason.MALFORMED),
        (b"MSH|^~\\&|\0|", "", Reason.UNDECODABLE),
        (b"MSH|||||A\rPID|1", "", Reason.MALFORMED),
        (b"##fileformat=VCFv4.2\n1\t2\n", "", Reason.MALFORMED),
        (_body("base64", "*!!*"), "", Reason.MALFORMED),
        (b'{"resourceType": "Binary", "contentType": "text/plain", "data": "*!!*"}', "", Reason.MALFORMED),
        (_zip([("a.zip", _zip([("a.txt", TEXT_FILE)])[:60])]), "", Reason.MALFORMED),
        (_zip([("a.txt", b"a" * 50_000_000)]), "", Reason.EXPANDS),
        (_nested(8), "", Reason.EXPANDS),
        (_encrypted(), "", Reason.ENCRYPTED),
        (SAMPLES["zip"][1][:-30], "", Reason.MALFORMED),
        (_zip([("a.txt", TEXT_FILE)]).replace(b"a.txt", b"a.txt", 1)[:40] + b"\0" * 80, "", Reason.MALFORMED),
        (b"\x89PNG\r\n\x1a\n" + bytes(40), "a.txt", Reason.SCANNED),
        (b"\xff\xd8\xff\xe0" + bytes(40), "", Reason.SCANNED),
        (b"\x1f\x8b\x08" + bytes(40), "", Reason.UNSUPPORTED_FORMAT),
        (bytes(range(256)) * 4, "a.txt", Reason.UNSUPPORTED_FORMAT),
        (b"From: a@b.fr\nTo: c@d.fr\nContent-Type: multipart/encrypted; boundary=x\n\n--x--\n", "", Reason.ENCRYPTED),
        (TEXT.encode().decode("cp1252").encode() * 3, "a.txt", Reason.DOUBLE_ENCODED),
    ],
)
def test_bad_input_has_its_reason(raw: bytes, hint: str, expected: Reason) -> None:
    assert reason(raw, hint) is expected


_MAIL = (
    "From: a@b.fr\nTo: c@d.fr\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/xml\n"
    f"Content-Transfer-Encoding: base64\n\n{base64.b64encode(f'<a>{NAME}</a><'.encode()).decode()}\n--x\n"
    "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nQUJDR\n--x--\n"
)


@pytest.mark.parametrize(
    ("encoding", "data", "damaged"),
    [
        ("Base64", "*!!*", 1),
        ("Base64", BASE64.rstrip("=")[:-3], 1),
        ("Hex", TEXT.encode().hex()[:-1], 1),
        ("Hex", TEXT.encode().hex(), 0),
        ("Base64", base64.b64encode(f"<?xml version='1.0'?><a>{NAME}</a><b>".encode()).decode(), 1),
        ("Base64", base64.b64encode(SAMPLES["zip"][1][:-30]).decode(), 1),
        ("Base64", base64.b64encode(_MAIL.encode()).decode(), 2),
    ],
)
def test_a_damaged_document_in_a_message_goes_alone(encoding: str, data: str, damaged: int) -> None:
    source = read(HL7.replace(f"Base64^{BASE64}".encode(), f"{encoding}^{data}".encode()))
    assert source.removed["damaged"] == source.text.count("[document joint illisible, retiré]") == damaged
    written = source.rewrite(hidden(source))
    assert b"OBX|2|NM|2^Hb||12.5|g/dL\r" in written
    assert not any(_PLANTED.search(text) for text in expanded(written))
    assert data.encode() not in written


def test_pictures_hold_a_file_back_where_the_rules_say_so() -> None:
    assert reason(CDA, rules=FileRules(images="refuse")) is Reason.PICTURES
    kept = read(CDA, rules=FileRules(images="keep"))
    assert b'mediaType="image/png"' in kept.rewrite([])
    assert not kept.removed["image"]


@pytest.mark.parametrize("format", SAMPLES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(format: str, data: st.DataObject) -> None:
    hint, sample = SAMPLES[format]
    raw = bytearray(sample)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        match data.draw(st.sampled_from(["cut", "flip", "insert", "drop"])):
            case "cut":
                raw = raw[: at + 1]
            case "flip":
                raw[at] = data.draw(st.integers(0, 255))
            case "insert":
                raw[at:at] = data.draw(st.sampled_from([b"\0", b"<", b'"', b"\\", b"|", b"&#0;", b"\xff", b"{", b"\r"]))
            case "drop":
                del raw[at : at + 7]
        if not raw:
            raw = bytearray(b" ")
    try:
        source = read(bytes(raw), hint)
        source.rewrite([(0, 1, "X")])
    except DocumentRefused:
        pass  # any other exception fails


# ---- Round trips

_words = st.text(st.sampled_from("abcÉé œ'\"\\;,|^&~\t<>19/"), max_size=12)
_values = st.recursive(
    _words | st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(value=_values, indent=st.sampled_from([None, 2]))
def test_json_round_trips(value: object, indent: int | None) -> None:
    _comes_back(json.dumps({"a": value, "texte": "Vue"}, indent=indent, ensure_ascii=False).encode(), "a.json")


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.lists(_words, min_size=2, max_size=4), min_size=1, max_size=4))
def test_tables_round_trip(rows: list[list[str]]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=";").writerows(
        [["ipp", "texte"], ["1", "Vue"], *([guarded(cell) for cell in row] for row in rows)]
    )
    _comes_back(file.getvalue().encode(), "a.csv")


@settings(max_examples=60, deadline=None)
@given(fields=st.lists(_words, min_size=1, max_size=6))
def test_messages_round_trip(fields: list[str]) -> None:
    line = "|".join(re.sub(r"[|\r\n]", "", field) for field in fields)
    _comes_back(f"MSH|^~\\&|A|B|C|D|20240302||ADT^A08|1|P|2.5\rZZZ|Vue|{line}\r".encode(), "a.hl7")


def _comes_back(raw: bytes, hint: str) -> None:
    """Check that a file stays as it is, and that a surrogate reads where its mention stood."""
    try:
        source = read(raw, hint)
    except DocumentRefused as refused:
        if refused.reason in (Reason.UNDECODABLE, Reason.NOT_TEXT):
            return
        raise
    assert source.rewrite([]) == raw
    start, end = _span(source, "Vue")
    again = read(source.rewrite([(start, end, 'Zoé | ; " \\ ^ é')]), hint)
    assert again.text == source.text[:start] + 'Zoé | ; " \\ ^ é' + source.text[end:]


def _span(source: SegmentedSource, word: str) -> tuple[int, int]:
    start = source.text.index(word)
    return start, start + len(word)


def test_dates_of_digits_keep_their_form() -> None:
    source = read(f"MSH|^~\\&|A|B|C|D|{DIGITS}143012.1234+0100||ADT^A08|1|P|2.5\r".encode())
    span = _span(source, "14/05/1961")
    for surrogate, written in {
        "02/04/1970": "19700402143000+0100",
        "avril 1970": "197004",
        "1970": "1970",
        "[DATE]": "",
    }.items():
        assert source.rewrite([(*span, surrogate)]).decode().split("|")[6] == written


def test_the_authority_of_an_identifier_tells_its_kind() -> None:
    identifier = '{"resourceType":"Patient","identifier":[{"system":"%s","value":"1610521000123"}]}'
    for system, label in {
        "urn:oid:1.2.250.1.213.1.4.8": "NIR",
        "http://interopsante.org/fhir/NamingSystem/identifier/ins-c": "NIR",
        "urn:oid:1.2.3": "IPP",
    }.items():
        (mention,) = read((identifier % system).encode()).mentions
        assert mention.label == label


@pytest.mark.parametrize(
    ("kind", "suffix", "expected"),
    [
        ("cda", "", ("application/hl7-cda+xml", ".xml")),
        ("fhir", "", ("application/fhir+json", ".json")),
        ("hl7", "", ("x-application/hl7-v2+er7", ".hl7")),
        ("dicom", "", ("application/dicom", ".dcm")),
        ("pdf", ".html", ("text/html", ".html")),
        ("xls", ".xlsx", ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx")),
        ("odt", ".docx", ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx")),
    ],
)
def test_a_written_file_has_the_type_and_ending_that_it_is_opened_by(
    kind: str, suffix: str, expected: tuple[str, str]
) -> None:
    assert described(RewrittenFile(b"", kind, suffix)) == expected


@pytest.mark.parametrize("kind", sorted(set(READERS) - {"image", "narrative"}))
def test_every_format_has_a_type_and_an_ending(kind: str) -> None:
    media, ending = described(RewrittenFile(b"", kind))
    assert "/" in media
    assert media != "application/octet-stream", "name its media types and endings in deid/formats/recognition.toml"
    assert re.fullmatch(r"\.[a-z0-9]{2,5}", ending)


FORMULAS = (
    "=cmd|' /C calc'!A0",
    "+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1)",
    "\t=1+1",
    "=1",
    "-SOMME(A1)",
    " =1+1",
    "\u00a0=1+1",
    "\uff1dcmd|'/C calc'!A0",
    "\uff0bcmd|'/C calc'!A0",
    "\uff20SUM(1)",
    "-A1+A2",
    "+A1",
    "-(A1+A2)",
)
WORDS = (
    "-3,5",
    "+ +",
    "- HTA (2012)",
    "+/-",
    "-",
    "+33 1 23 45 67 89",
    "--",
    "-3,5 à -2 °C",
    "12 = 3 x 4",
    "+++",
    "-2.5",
    "+1,5 kg",
    "- B12",
    "-HTA, diabète",
    "-HTA",
    "-oui",
    "+Paracétamol",
    "-2/j",
    "suivi, - item",
    "-HTA et diabète",
)


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_cell_that_a_spreadsheet_computes_becomes_words(quote: str) -> None:
    cells = [*FORMULAS, *WORDS]
    raw = "".join(["ipp;texte\r\n", *(f"{at};{quote}{cell}{quote}\r\n" for at, cell in enumerate(cells))]).encode()
    source = read(raw, "a.csv")
    rows = list(csv.reader(io.StringIO(source.rewrite([]).decode(), newline=""), delimiter=";"))[1:]
    assert [row[1] for row in rows] == [*(f"'{cell}" for cell in FORMULAS), *WORDS]
    start, end = _span(source, "-3,5 à")
    written = source.rewrite([(start, end, "=1+1")]).decode()
    assert f"{quote}'=1+1 -2 °C{quote}" in written


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ('"=1+cmd|A0"x', "'=1+cmd|A0x"),
        ("\"=cmd|'/C calc'!A0\" ", "'=cmd|'/C calc'!A0 "),
        ('"\n=1+1"', "'\n=1+1"),
        ("Revue;=cmd|'/C calc'!A0", "Revue;'=cmd|'/C calc'!A0"),
        ("Revue\t+SOMME(A1)", "Revue\t'+SOMME(A1)"),
        ('"Revue, suivie;@SUM(1)"', "Revue, suivie;'@SUM(1)"),
        ("Revue ; => avis ; - HTA ; -2,5", None),
        ('"Vue" hier', None),
    ],
)
def test_a_formula_is_seen_where_a_spreadsheet_reads_or_splits_it(cell: str, words: str | None) -> None:
    raw = f"ipp,texte,note\r\n1,{cell.replace('-2,5', '-2.5')},vue\r\n2,vu,vue\r\n"
    written = read(raw.encode(), "a.csv").rewrite([]).decode()
    if words is None:
        assert written == raw
    else:
        assert list(csv.reader(io.StringIO(written, newline="")))[1] == ["1", words, "vue"]


MAP = {"formats": {"json": {"drop": ["age"]}, "fhir": {"drop": ["latitude", "longitude", "note"]}}}


def test_a_number_that_is_dropped_leaves_sound_json() -> None:
    rules = FileRules.model_validate(MAP)
    written = read(b'{"age": 42, "notes": ["Vue hier", {"age": "42"}]}', rules=rules).rewrite([])
    assert json.loads(written) == {"age": None, "notes": ["Vue hier", {"age": ""}]}


def test_fhir_has_no_empty_values() -> None:
    place = '{"url": "g", "extension": [{"url": "a", "latitude" : 46.9 }, {"latitude":1,"longitude": -5.77e0}]}'
    raw = (
        f'{{"resourceType": "Observation", "status":"final", "extension": [ {place} ],\n'
        f'  "note": [{{"note":"x"}}, "y"],'
        f' "valueQuantity": {{"value": 1.50, "x": "", "y": null, "longitude": 2}}, "text": "Vue \\"hier\\" {{,}}" }}\n'
    ).encode()
    written = read(raw, "a.json", rules=FileRules.model_validate(MAP)).rewrite([])
    assert json.loads(written) == {
        "resourceType": "Observation", "status": "final", "extension": [{"url": "g", "extension": [{"url": "a"}]}],
        "valueQuantity": {"value": 1.5, "x": "", "y": None}, "text": 'Vue "hier" {,}',
    }  # fmt: skip
    assert b'"value": 1.50' in written
    assert written.endswith(b"}\n")


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text("ab ", max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "note"]), inner, max_size=3)
        ),
        max_leaves=12,
    )
)
def test_what_is_left_of_fhir_is_what_was_not_dropped(value: object) -> None:
    raw = json.dumps({"resourceType": "Basic", "description": "Vue hier", "x": value}).encode()
    written = json.loads(read(raw, "a.json", rules=FileRules.model_validate(MAP)).rewrite([]))
    assert written == _without(json.loads(raw))


def _without(value: object, under: str = "") -> object:
    """Return JSON without filled values under the key `note`, and without what held nothing else."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else ((under, one) for one in value)
        left = [(key, _without(one, key)) for key, one in items]
        kept = [(key, one) for key, one in left if one is not DROPPED]
        if left and not kept:
            return DROPPED
        return dict(kept) if isinstance(value, dict) else [one for _, one in kept]
    filled = value if isinstance(value, str) else "" if value is None or isinstance(value, bool) else str(value)
    return DROPPED if under == "note" and filled.strip() else value


DROPPED = object()
