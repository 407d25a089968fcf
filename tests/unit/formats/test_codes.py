"""Coded fields: codes stay, and what is no code is read as text or as what its field holds."""

from __future__ import annotations

import io
import json
import re
from datetime import date
from pathlib import Path

import pydicom
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydicom.datadict import DicomDictionary

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.formats import FileRules, SegmentedSource, fields, read_file, with_told
from deid.formats.fields import FieldMap, Rule, TimesLeft, shipped_map, stays_as_code
from deid.french.calendar import MONTHS
from tests.unit.formats.test_dicom import dicom, item

NAME = "Zorglub"
SYSTEM = '<identifier><system value="{}"/><value value="1"/></identifier>'
FHIR_XML = '<Patient xmlns="http://hl7.org/fhir">{}</Patient>'
TERM = "Type d'examen : "
HEAD = "MSH|^~\\&|APP|CHU|DPI|CHU|20240302143000||ORU^R01|M1|P|2.5|||||FRA|UNICODE UTF-8\r"
INS = "261059912345678^^^ASIP-SANTE-INS-NIR&1.2.250.1.213.1.4.8&ISO^INS"
PID = f"PID|1||8012345679^^^CHU-X&390000123&N^PI~{INS}||ROUX^Anne"
CODE = Rule(kind="code", codes=("final", "Next-of-Kin"))


def read(raw: bytes | str, hint: str = "", rules: FileRules | None = None) -> SegmentedSource:
    content = raw.encode() if isinstance(raw, str) else raw
    return read_file(content, document_id="d", max_bytes=1_000_000, hint=hint, rules=rules or FileRules())


def without(raw: bytes | str, *secrets: str, hint: str = "") -> str:
    """Return a file whose own fields and `secrets` are replaced, as text."""
    source = read(raw, hint)
    spans = {(one.start, one.end): "X" for one in with_told((), source.mentions, source.text)}
    for secret in secrets:
        at = source.text.find(secret)
        while at >= 0:
            spans[at, at + len(secret)] = "Martin"
            at = source.text.find(secret, at + 1)
    return source.rewrite([(*span, new) for span, new in sorted(spans.items())]).decode("utf-8", "replace")


@pytest.mark.parametrize(
    "value",
    "18748-4 100986-5 E11.9 DEQP003 B01AF02 HbA1c 2.16.840.1.113883.6.1 urn:oid:1.2.250.1.213.2 10*9/L mmol/L µmol/L "
    "g/dL mm[Hg] /min % kg/m2 mL/min/1.73m2 ADT_A01 v2-0203 UTF-8 2.5 39013 PENI INSI H 12.5 >= 3400930085370 final "
    "Next-of-Kin 100-2000 3.10-12.5 8140/3 2.16.840.1.2003.10.12 NE0203 text/plain application/fhir+json "
    "comprimés".split(),
)
def test_a_code_is_known_by_its_form_or_its_table(value: str) -> None:
    assert stays_as_code(value, CODE)


@pytest.mark.parametrize(
    "value",
    [
        *"ZORGLUB Zorglub zorglub-anne Anne ZORGLUB1 ZORGLUB-1961 0612345678 03-84-51-77-20 14/05/1961".split(),
        *"1961-05-14 14/05/61 05/1961 19610514 8012345679 A26014477 a@b1 3400930085371 text/zorglub;x".split(),
        *"DDN17/02/81 NE17.02.81 DDN:170281 ddn_17-02-81 x17/02/1981 J2026-03-03 81-02-17x le03/03/26".split(),
        *("Mme A1", "CR Mme ROUX", "mg (Mme ROUX)", "1 A"),
    ],
)
def test_what_may_name_a_person_is_no_code(value: str) -> None:
    assert not stays_as_code(value, CODE)


@given(st.text(st.characters(categories=["Lu"]), min_size=5, max_size=20))
def test_a_word_in_capitals_is_no_code_without_its_table(word: str) -> None:
    assert not stays_as_code(word, CODE)


def test_a_label_leaves_codes_of_the_table_alone_and_numbers_may_be_long() -> None:
    place = Rule(kind="code", label=Label.ORG, codes=("ISO",))
    assert [stays_as_code(one, place) for one in ("ISO", "CHU", "CHU1")] == [True, False, False]
    number = Rule.model_validate({"kind": "code", "as": "number"})
    assert [stays_as_code(one, number) for one in ("763034006", "60019927", "Anne", "06 12")] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("value", "stays"),
    [
        *((one, True) for one in ("bcftools", "BCFtools 1.17", "bcftools_v2", "bcftools/1.17-3", "4.1.3.32128")),
        *((one, False) for one in (NAME, f"bcftools {NAME}", "bcftools Le Goff", "bcftools de Anne", "bcftools ROY")),
        *((one, False) for one in ("06 12 34 56 78", "06.12.34.56.78", "bcftools 14/05/1961", "14 05 61")),
        *((one, False) for one in ("bcftools 0612345678", "bcftools 1961-05-14", "anne@bcftools")),
    ],
)
def test_words_are_a_code_where_each_is_listed_or_holds_a_digit(value: str, stays: bool) -> None:
    rule = Rule.model_validate({"kind": "code", "as": "words", "codes": ["bcftools", "v"]})
    assert stays_as_code(value, rule) is stays


def test_a_title_makes_text_of_a_description_of_dicom() -> None:
    raw = dicom(StudyDescription="CT Dr Roy", SeriesDescription="CT SAG 2", PatientName="ZORGLUB^Anne^B")
    assert [line for line in read(raw).text.split("\n") if line.startswith(TERM)] == [f"{TERM}CT Dr Roy"]


def test_a_short_name_that_the_file_told_is_no_code() -> None:
    raw = f"{HEAD}{PID}\rOBR|1|||ROUX^ECG^L\r"
    assert f"{TERM}ROUX" in read(raw).text
    assert TERM not in read(raw.replace("ROUX^ECG", "ECHO^ECG")).text


@pytest.mark.parametrize("code", ["GOUG^DR", "M_GOUG-12^ECG", "GOUG1^ECG"])
def test_a_code_with_a_name_of_the_staff_that_the_file_told_is_no_code(code: str) -> None:
    visit = "PV1|1|I|||||10003456787^GOUG^Yves"
    raw = f"{HEAD}{PID}\r{visit}\rOBR|1|||{code}^L\r"
    told = code.partition("^")[0]
    assert f"{TERM}{told}" in read(raw).text
    assert TERM not in read(raw.replace("GOUG^Yves", "HARD^Yves").replace("^DR", "^ECG")).text


# ---- HL7


@pytest.mark.parametrize(
    "segment",
    [
        f"OBX|1|TX|CR^CR de {NAME}^L||texte",
        f"OBX|1|NM|1^{NAME}^L||4|{NAME}",
        f"OBR|1|||CR^Scanner {NAME}^L",
        f"TXA|1|{NAME}^CR {NAME}|TEXT^Texte {NAME}",
        f"TXA|1|CN|TEXT||||||||||||||||||{NAME}",
        f"PV2||||Chute de {NAME}",
        f"SPM|1|||{NAME}",
        f"OBX|1|CWE|1^a||1^{NAME}^L^{NAME}",
        f"OBX|1|NM|1^a||{NAME}",
        f"IAM|1|DA|A1^{NAME}|{NAME}|{NAME}",
        f"ARV|1|A|DEM|{NAME}^{NAME}",
        f"PRT||AD|{NAME}|RCT^{NAME}|^{NAME}",
        f"ZFA|{NAME}|",
        f"NK1|1|{NAME}||||||||||||{NAME}",
        f"RXE|1|60019927^{NAME}^CIS",
        f"ZBE|1|||{NAME}|N||{NAME}^^^^^{NAME}|{NAME}",
        f"PID|1|||||||{NAME}|{NAME}|{NAME}",
        f"OBX|1|ED|A1^B||Vu par {NAME}",
        f"OBX|1|ED|A1^B||{NAME}&{NAME}^{NAME}^{NAME}^{NAME}~Dr {NAME}",
        f"OBX|1|ED|A1^B||{NAME}&{NAME}^{NAME}^{NAME}^{NAME}^Vu par {NAME}^Vu par {NAME}^{NAME}",
        f"OBX|1|ED|A1^B||^TEXT^CR {NAME}^Base64^VnUgY2Ugam91ci4=^Vu par {NAME}",
    ],
)
def test_no_coded_field_of_hl7_hides_a_name(segment: str) -> None:
    assert NAME not in without(f"{HEAD}{PID}\r{segment}\r", NAME)


@pytest.mark.parametrize(
    "segment",
    [
        "OBR|1|||18748-4^CR imagerie^LN",
        "OBX|1|NM|718-7^Hémoglobine [Masse/Volume] Sang ; Numérique^LN||12.5|g/dL|12-16|N",
        "OBX|1|SN|PLAQ^Plaquettes^L||>^1250000|/mm3",
        "TXA|1|CN^Compte rendu^L|TEXT",
        "ZFP|1|45",
        "ZFM|8|7|1|",
        "ZFD|||Y|N|INSI",
        "IAM|1|DA|PENI^Pénicilline|SV|Urticaire|A",
        "ARV|1|A|DEM|BREAK^Bris de glace^L",
        "PRT||AD||RCT^Results Copies To",
        "RXE|1|60019927^SOLIAN 100 mg^CIS|1||CPR",
        "RXA|0|1|||3400930085370^ELIQUIS 5 mg^CIP|1|CPR",
        "PV1|1|I|MED|||||||CAR",
        "AL1|1|DA|PENI^Pénicilline^L|SV",
        "DG1|1||I48.9^Fibrillation auriculaire^CIM10",
        "ZFA|ACTIF||||||||INO||IC",
        "TQ1|1|1^dose|Q6H^toutes les 6 h||||||R^Routine|||S",
        "FT1|1|||||CG|ACTE^Consultation|||1",
        "DRG|05K||Y||D||||N",
        "SCH||||||CONTROL^Contrôle|ROUTINE|NORMAL|20|MIN^^UCUM|||||||||||||||Booked",
        "AIS|1|A|SCAN^Scanner^L",
        "GOL|AD||OBJ1",
        "PRB|AD||I48^Fibrillation auriculaire^CIM10",
        "PDA|I48||Y|||N",
        "ZFS|1|||||HO^Hospitalisation libre|1",
        "OBX|1|ED|1^D||^TEXT^TEXT^Base64^VnUgY2Ugam91ci4=",
        "OBX|1|ED|1^D||^application^pdf^Base64^",
        "OBX|1|ED|1^D||^TEXT^plain^A^Vu ce jour.",
    ],
)
def test_codes_and_labels_of_hl7_stay(segment: str) -> None:
    assert f"\r{segment}\r" in without(f"{HEAD}{PID}\r{segment}\r", NAME)


@pytest.mark.parametrize(
    "segment",
    [
        *(f"{place}{NAME}" for place in ("TQ1|1||||||||", "FT1|1|||||", "DRG|", "SCH||||||", "GOL|", "AIP|1|A||")),
        *(f"{place}X1^{NAME}" for place in ("FT1|1||||||", "AIL|1|A||", "PRB|AD||", "PDA|", "CON|1|")),
    ],
)
def test_no_coded_field_of_an_act_or_appointment_hides_a_name(segment: str) -> None:
    assert NAME not in without(f"{HEAD}{PID}\r{segment}\r", NAME)


@pytest.mark.parametrize("ending", [".doc", ".PDF", ""])
def test_the_name_of_a_file_keeps_its_ending(ending: str) -> None:
    source = read(f"{HEAD}{PID}\rTXA|1|CN|TEXT|||||||||||||CR-{NAME}{ending}\r".encode(), "a.hl7")
    (found,) = [one for one in source.mentions if NAME in source.text[one.start : one.end]]
    assert f"|Lettre{ending}\r".encode() in source.rewrite([(found.start, found.end, "Lettre")])
    source = read(f"{HEAD}{PID}\rTXA|1|CN|TEXT|||||||||||||CR.{NAME}\r".encode(), "a.hl7")
    assert f"CR.{NAME}" in {source.text[one.start : one.end] for one in source.mentions}


@pytest.mark.parametrize("profile", ["2.11^IHE_FRANCE-2.11-PAM", "2.1^CISIS_CDA_HL7_V2"])
def test_the_profile_of_a_message_stays(profile: str) -> None:
    message = f"{HEAD.strip()}|FR||{profile}\r{PID}\r"
    assert f"|FR||{profile}\r" in without(message, "ROUX", hint="a.hl7")
    assert profile.split("^")[1] not in read(message, "a.hl7").text


def test_the_unit_of_a_movement_stays_and_its_hospital_goes() -> None:
    unit = "Cardiologie A^^^^^CHU-X&390000123&N^UF^^^6268"
    written = without(f"{HEAD}{PID}\rZBE|44^CHU-X^390000123|20240302||INSERT|N||{unit}|{unit}|HMS\r")
    assert "|INSERT|N||Cardiologie A^^^^^X&X&N^UF^^^6268|Cardiologie A^^^^^X&X&N^UF^^^6268|HMS\r" in written
    assert "390000123" not in written
    assert "CHU-X" not in written
    assert "^^^ASIP-SANTE-INS-NIR&1.2.250.1.213.1.4.8&ISO^INS" in written


@pytest.mark.parametrize("unit", ["Unité Pr Jean Bernard", "MONOD", "Réa chir. Babinski", "Cardiologie A"])
@pytest.mark.parametrize("segment", ["PV1|1|I|{}^^^^^^^^Aile B", "ZBE|44|20240302||INSERT|N||{}^^^^^^UF^^^6268"])
def test_a_unit_that_bears_a_persons_name_is_an_organisation(segment: str, unit: str) -> None:
    source = read(f"{HEAD}{PID}\r{segment.format(unit)}\r")
    surname = unit.split()[-1]
    at = source.text.index(surname)
    found = [Mention(at, at + len(surname), Label.DOCTOR)] if len(surname) > 1 else []
    told = {source.text[one.start : one.end]: one for one in with_told(found, source.mentions, source.text)}
    assert (unit in told) is bool(found)
    assert not found or (told[unit].label, told[unit].subtype) == (Label.ORG, None)
    assert surname == unit or surname not in told


@pytest.mark.parametrize(
    ("times", "left"),
    [
        ("keep", "143000 1430 14 143000-0500 202403021430"),
        ("hour", "140000 1400 14 140000-0500 202403021400"),
        ("part_of_day", "120000 1200 12 120000-0500 202403021200"),
        ("drop", "    20240302"),
    ],
)
def test_times_of_results_follow_the_policy(times: TimesLeft, left: str) -> None:
    values = ["143012", "1430", "14", "143012.1234-0500"]
    raw = f"{HEAD}{PID}\r" + "".join(f"OBX|1|TM|1||{value}\r" for value in values) + "OBX|2|DTM|2||202403021430\r"
    source = read(raw, rules=FileRules(times=times))
    spans = [(one.start, one.end, "02/03/2024") for one in source.mentions if one.label is Label.DATE][-1:]
    lines = re.findall(r"OBX\|\d\|\w+\|\d\|\|(.*)", source.rewrite(spans).decode().replace("\r", "\n"))
    assert " ".join(lines) == left
    assert NAME in read(f"{HEAD}{PID}\rOBX|1|TM|1||14h {NAME}\r").text


@pytest.mark.parametrize(
    ("profile", "left"),
    [
        ("2.11^IHE_FRANCE-2.11-PAM", "2.11^IHE_FRANCE-2.11-PAM"),
        ("LAB-27^IHE^1.3.6.1.4.1.19376^ISO", "LAB-27^IHE^1.3.6.1.4.1.19376^ISO"),
        (f"PAM_{NAME}^CHU de {NAME}^1.2.250.1.71^ISO~2.1^{NAME}", "^^1.2.250.1.71^ISO~2.1^"),
    ],
)
def test_a_profile_of_a_message_stays_where_it_is_a_code(profile: str, left: str) -> None:
    source = read(f"{HEAD.strip()}|FR||{profile}\r{PID}\r")
    assert f"|FR||{left}\r" in source.rewrite([]).decode()
    assert NAME not in source.text


def test_the_insee_codes_and_the_lunar_birth_date_of_hl7_go() -> None:
    addresses = "|||||||1 rue A^^LYON^^69000^FRA^H^^69381~^^ARBOIS^^39600^FRA^BDL^^39013"
    written = without(f"{HEAD}PID|1||8^^^A^PI|{addresses}\rZFD|30^02^1961||Y\r")
    assert "39013" not in written
    assert "69381" not in written
    assert "^FRA^BDL^^" in written
    assert "1961" not in written


# ---- FHIR


def _fhir(**fields: object) -> str:
    return json.dumps({"resourceType": "Observation", **fields}, ensure_ascii=False)


@pytest.mark.parametrize(
    "fields",
    [
        {"code": {"text": NAME}},
        {"code": {"coding": [{"system": "urn:x", "code": NAME, "display": NAME}]}},
        {"status": NAME},
        {"type": {"text": NAME}},
        {"class": {"display": NAME}},
        {"meta": {"tag": [{"code": NAME, "display": NAME}]}},
        {"valueQuantity": {"value": 3, "unit": f"mg ({NAME})", "code": NAME}},
        {"item": [{"linkId": NAME}]},
        {"valueCode": NAME},
        {"language": NAME},
        {"identifier": [{"type": {"text": NAME}}]},
        {"active": NAME},
        {"valueCodeableConcept": {"text": NAME}},
        {"name": [{"prefix": [NAME]}]},
        {"address": [{"country": NAME}]},
    ],
)
def test_no_coded_field_of_fhir_hides_a_name(fields: dict[str, object]) -> None:
    assert NAME not in without(_fhir(**fields), NAME)


def test_codes_labels_and_units_of_fhir_stay() -> None:
    cis = {"system": "urn:oid:1.2.250.1.213.2.3.1", "code": "66057393", "display": "ELIQUIS 5 mg"}
    cip = {"system": "https://smt.esante.gouv.fr/terminologie-cip", "code": "3008537"}
    sct = {"system": "http://snomed.info/sct", "code": "763034006"}
    raw = _fhir(status="final", code={"coding": [cis, cip, sct]}, valueQuantity={"value": 1250000, "unit": "/mm3"})
    source = read(raw)
    assert source.text == f"{TERM}ELIQUIS 5 mg"
    assert read(raw.replace('"763034006"', '"0612345678"')).text == source.text
    assert (
        "0612345678"
        in read(raw.replace('"urn:oid:1.2.250.1.213.2.3.1"', '"urn:x"').replace("66057393", "0612345678")).text
    )


@pytest.mark.parametrize(
    "attribute", ["class", "id", "name", "data-name", "cite", "value", "summary", "title", "style"]
)
def test_no_attribute_of_a_narrative_hides_a_name(attribute: str) -> None:
    div = f'<div xmlns="http://www.w3.org/1999/xhtml"><p {attribute}="Mme {NAME}">Vue hier.</p></div>'
    for raw, hint in (
        (_fhir(text={"status": "generated", "div": div}), ""),
        (FHIR_XML.format(f"<text>{div}</text>"), ""),
    ):
        assert NAME not in without(raw, NAME, hint=hint)


def test_the_layout_of_a_narrative_stays() -> None:
    cell = '<td colspan="2" align="left" lang="fr">Vue hier.</td>'
    table = f'<table class="grid" border="1" width="50%"><tr>{cell}</tr></table>'
    line = f'<p class="a b" id="note-{NAME}">{NAME}</p>'
    raw = _fhir(text={"div": f'<div xmlns="http://www.w3.org/1999/xhtml">{table}{line}</div>'})
    written = json.loads(without(raw, NAME))["text"]["div"]
    assert table in written
    assert written.count("<p>") == 1, "an empty id is none"


BIRTHPLACE = {
    "city": "Arbois",
    "extension": [
        {
            "url": "u",
            "valueCoding": {"system": "https://hl7.fr/TRE-R13-CommuneOM", "code": "39013", "display": "Arbois"},
        }
    ],
}


@pytest.mark.parametrize(
    "patient",
    [{"extension": [{"url": "birthPlace", "valueAddress": BIRTHPLACE}]}, {"address": [BIRTHPLACE]}],
)
def test_the_insee_code_of_fhir_goes_with_its_name(patient: dict[str, object]) -> None:
    raw = json.dumps({"resourceType": "Patient", **patient})
    written = without(raw)
    assert "39013" not in written
    assert "Arbois" not in written
    assert json.loads(written) == json.loads(raw.replace(', "code": "39013"', "").replace("Arbois", "X"))


INSEE = "https://mos.esante.gouv.fr/NOS/TRE_R13-CommuneOM/FHIR/TRE-R13-CommuneOM"
TOLD = {"coding": [{"system": INSEE, "code": "39013", "display": "Arbois"}]}


@pytest.mark.parametrize(
    "extension",
    [
        {"url": "p", "valueAddress": {"city": "Arbois", "extension": [{"url": "u", "valueCode": "39013"}]}},
        {
            "url": "p",
            "valueAddress": {
                "extension": [
                    {"url": "u", "valueCodeableConcept": {"coding": [{"code": "39013", "display": "Arbois"}]}}
                ]
            },
        },
        {"url": "p", "valueCodeableConcept": TOLD},
        {"url": "p", "valueCoding": TOLD["coding"][0]},
        {"url": "https://x/commune", "valueCode": "39013"},
        {"url": "https://x/code-insee", "valueString": "39013"},
    ],
)
def test_a_commune_goes_where_a_system_an_extension_or_an_address_tells_it(extension: dict[str, object]) -> None:
    written = without(json.dumps({"resourceType": "Patient", "extension": [extension]}))
    assert "39013" not in written
    assert "Arbois" not in written


@pytest.mark.parametrize(
    ("result", "left"),
    [
        ("OBX|1|CWE|COM^Commune de naissance^L||39013^ARBOIS", "||^X"),
        ("OBX|1|CE|X^Lieu^L||39013^ARBOIS^INSEE", "||^X^"),
        ("OBX|1|ST|X^Code commune^L||39013", "L||"),
        ("OBX|1|CWE|X^Carotide commune^L||39013^^L", "||39013^^L"),
    ],
)
def test_a_commune_of_hl7_goes_where_a_system_or_a_result_tells_it(result: str, left: str) -> None:
    assert left in without(f"{HEAD}{result}||||||F\r").split("OBX")[1]
    assert ("39013" in left) is ("39013" in without(f"{HEAD}{result}||||||F\r"))


def test_the_code_of_a_commune_of_xml_goes() -> None:
    assert "39013" not in without("<d><commune code='39013'>Vu</commune></d>", hint="a.xml")


@pytest.mark.parametrize(
    ("day", "left"),
    [
        ("1981-00-00", '"2024"'),
        ("1981-02-00", '"2024-03"'),
        ("0000-00-00", ""),
        ("1981-00-00T00:00:00+01:00", '"2024"'),
    ],
)
def test_a_day_without_its_unknown_parts_is_valid(day: str, left: str) -> None:
    raw = json.dumps({"resourceType": "Patient", "id": "1", "birthDate": day, "deceasedDateTime": day})
    source = read(raw)
    new = {"1981": "2024", "02/1981": "03/2024"}
    spans = [(one.start, one.end, new.get(source.text[one.start : one.end], "1")) for one in source.mentions]
    told = json.loads(source.rewrite(spans))
    assert [json.dumps(told[name]) for name in ("birthDate", "deceasedDateTime") if name in told] == [left] * 2 * bool(
        left
    )
    assert read(raw).patient.get("birth_date") in (None, ["1981"], ["1981-02"])


def test_unknown_parts_of_a_day_of_hl7_are_left_out() -> None:
    written = without(f"{HEAD}PID|1||8^^^A^PI||B^C||19810000\r")
    assert "0000" not in written.split("PID")[1]


def test_hosts_of_systems_are_replaced_by_one_surrogate_unless_standards_registered_them() -> None:
    kept = ["http://loinc.org", "https://smt.esante.gouv.fr/terminologie-cip", "urn:oid:1.2.250.1.213.1.4.8", "phone"]
    own = ["https://CHU-Zorglub.fr/ipp", "https://chu-zorglub.fr/fhir/sid/nda|1.0", "urn:zorglub:ipp"]
    named = ["https://chu-zorglub.fr/zorglub/ipp", f"https://hop.fr/Dr-{NAME}/ipp", f"CHU {NAME}"]
    systems = kept + own + named
    raw = {"resourceType": "Patient", "identifier": [{"system": one, "value": "1"} for one in systems]}
    raw |= {"extension": [{"url": "https://chu-zorglub.fr/fhir/StructureDefinition/insee", "valueCode": "A"}]}
    for text, hint in ((json.dumps(raw), ""), (FHIR_XML.format("".join(map(SYSTEM.format, systems))), "")):
        source = read(text, hint)
        assert source.text.count("zorglub.fr") == 1
        again = without(text, f"Dr-{NAME}", f"CHU {NAME}")
        assert NAME not in again
        for one in (*kept, "https://X/ipp", "https://X/fhir/sid/nda|1.0", "urn:X:ipp", "https://X//ipp", "Martin"):
            assert f'"{one}"' in again


def test_what_fhir_empties_goes_with_what_is_empty_without_it() -> None:
    raw = '{"resourceType": "Location", "position": {"longitude": 5.8,\n "latitude": 46}, "name": "\\"x, \\", y"}'
    assert json.loads(read(raw).rewrite([])) == {"resourceType": "Location", "name": '"x, ", y'}
    first = (
        '{"position": {"latitude": 46, "z": 1}, "resourceType": "Location", "a": [{"position": {"altitude": 1}}, 2]}'
    )
    assert json.loads(read(first, "application/fhir+json").rewrite([])) == {
        "position": {"z": 1},
        "resourceType": "Location",
        "a": [2],
    }
    xml = (
        '<Location xmlns="http://hl7.org/fhir"><name value="x"/><position><longitude value="5"/>'
        '<latitude value="4"/></position></Location>'
    )
    assert b"position" not in read(xml).rewrite([])


# ---- Records of any shape


@pytest.mark.parametrize("name", ["insee", "code_commune_naissance", "codeInseeCommune", "CODE IRIS", "depcom"])
def test_the_insee_codes_of_records_go(name: str) -> None:
    key = name.replace(" ", "_")
    for raw, hint in (
        (f"ipp;{name};texte\n8012345679;39013;Vue hier.\n8012345680;69381;Va bien.\n", "a.csv"),
        (json.dumps([{"ipp": "8012345679", name: "39013", "texte": "Vue hier, 69381."}, {name: 69381}]), "a.json"),
        (f"<d><p {key}='39013'>Vue hier.</p><{key}>69381</{key}></d>", "a.xml"),
    ):
        written = without(raw, ", 69381", hint=hint)
        assert "39013" not in written
        assert "69381" not in written
        assert "Vue hier" in written


@pytest.mark.parametrize("where", ["schemaLocation", "noNamespaceSchemaLocation"])
def test_the_place_of_a_schema_hides_no_name(where: str) -> None:
    instance = "http://www.w3.org/2001/XMLSchema-instance"
    raw = f"<d xmlns:i='{instance}' i:{where}='file:///home/{NAME}/d.xsd'><n>Vue hier.</n></d>"
    assert NAME not in read(raw).rewrite([]).decode()


# ---- CDA and DICOM

CDA = (
    '<ClinicalDocument xmlns="urn:hl7-org:v3" classCode="DOCCLIN" moodCode="EVN"><typeId root="2.16.840.1.113883.1.3" '
    'extension="POCD_HD000040"/><templateId root="1.2.250.1.213.1.1.1.1" extension="2021-09-01"/><code code="34105-7" '
    'codeSystem="2.16.840.1.113883.6.1" displayName="CR{0}"/><recordTarget><patientRole><addr><county>39013</county>'
    "</addr></patientRole></recordTarget><component><observation><code><originalText>Scanner{0}</originalText></code>"
    '<value value="1250000" unit="/mm3"/><statusCode code="completed{0}"/></observation><code code="66057393" '
    'codeSystem="1.2.250.1.213.2.3.1"><translation code="3400930085370" codeSystem="1.2.250.1.213.2.3.2"/></code>'
    "</component></ClinicalDocument>"
)


def test_no_id_or_version_of_cda_hides_a_name() -> None:
    raw = (
        f'<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" '
        f'i:schemaLocation="urn:hl7-org:v3 file:///home/{NAME}/CDA.xsd">'
        f'<templateId root="1.2.3" extension="2021-09-01"/><templateId root="{NAME}" extension="{NAME}"/>'
        f'<component><text><content ID="{NAME}1">Vue </content>'
        f'<content ID="x1">hier.</content></text><entry><text><reference value="#{NAME}1"/></text><text>'
        f'<reference value="#x1"/></text></entry></component></ClinicalDocument>'
    )
    source = read(raw)
    written = source.rewrite([]).decode()
    assert NAME not in written
    assert re.findall("<templateId[^>]*>", written) == [
        '<templateId root="1.2.3" extension="2021-09-01"/>',
        "<templateId/>",
    ]
    assert "schemaLocation" not in written
    assert re.findall('ID="([^"]*)"', written) == re.findall('value="#([^"]*)"', written) == ["x2", "x1"]
    assert source.text.strip() == "Vue hier."


@pytest.mark.parametrize("name", ["LEVY", "LEVY1", "Li", "paul2"])
def test_an_id_of_cda_that_is_a_short_name_goes_wherever_it_is_referred_to(name: str) -> None:
    raw = (
        f'<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:l="http://www.w3.org/1999/xlink"><component><text>'
        f'<linkHtml href="#{name}">Vue</linkHtml><linkHtml name="{name}" l:href="#{name}"/><td l:ID="{name}"/>'
        f'<table><tr><th ID="{name}">Tension</th><th ID="a1">Pouls</th></tr><tr>'
        f'<td headers="{name} a1">12/7</td></tr></table>'
        f'</text><entry><text><reference value="#{name}"/></text><telecom value="#31#0612345678"/>'
        f'<text><reference value="# {NAME}"/></text></entry></component></ClinicalDocument>'
    )
    source = read(raw)
    assert (f"# {NAME}" in source.text, name in source.text, "#x1" in source.text) == (True, False, False)
    assert "0612345678" in source.text
    written = source.rewrite([]).decode()
    assert f'"{name}' not in written
    assert re.findall('(?:href|ID|name|headers|value)="([^"]*)"', written) == [
        *("#x1", "x1", "#x1", "x1", "x1", "a1", "x1 a1", "#x1", "#31#0612345678", f"# {NAME}"),
    ]


def test_a_hash_of_what_is_elsewhere_goes() -> None:
    away = {"url": "http://a.fr/1", "hash": "2jmj7l5rSw0yVb/vlWAYkK/YBwk="}
    here = {"contentType": "text/plain", "data": "VnVlIGhpZXIu", "hash": "ugZx0hwQqMJvPG3oTj2bDrhjfz0=", "size": 9}
    raw = _fhir(content=[{"attachment": away}, {"attachment": here}])
    told = [one["attachment"] for one in json.loads(without(raw, "hier"))["content"]]
    assert "hash" not in told[0]
    assert told[1]["hash"] not in (here["hash"], "")
    assert [one["attachment"] for one in json.loads(read(raw).rewrite([]))["content"]][1] == here


def test_labels_of_cda_are_searched_and_its_codes_stay() -> None:
    plain = CDA.replace("<county>39013</county>", "<county/>")
    assert without(CDA.format(""), NAME).partition("\n")[2] == plain.format("")
    assert NAME not in without(CDA.format(f" {NAME}"), NAME)


def test_descriptions_of_dicom_stay_in_its_own_words_unless_somebody_bears_them() -> None:
    raw = dicom(
        StudyDescription="MRI BRAIN WITH CONTRAST",
        ProtocolName="Head 0612345678",
        SeriesDescription=f"T1 SAG {NAME}",
        AcquisitionProtocolName="HEAD",
        CurrentPatientLocation=f"Chambre 214 {NAME}",
        PatientName="HEAD^Anne",
        InstitutionCodeSequence=[item(CodeValue="1", CodeMeaning=NAME)],
        ConceptNameCodeSequence=[item(CodeValue="1", CodingSchemeDesignator="X", CodeMeaning=f"Examen de {NAME}")],
        ContentSequence=[item(ConceptNameCodeSequence=[item(CodeValue="121070", CodeMeaning="Findings")])],
    )
    source = read(raw)
    shown = [line.removeprefix(TERM) for line in source.text.split("\n") if line.startswith(TERM)]
    assert sorted(shown) == sorted(["Head 0612345678", f"T1 SAG {NAME}", "HEAD", f"Examen de {NAME}"])
    written = pydicom.dcmread(io.BytesIO(source.rewrite([])))
    assert "CurrentPatientLocation" not in written
    assert "InstitutionCodeSequence" not in written


# ---- Maps that ship

MAPS = {path.stem: shipped_map(path.stem) for path in Path(fields.__file__).with_name("maps").glob("*.yaml")}
CODED = list({rule for one in MAPS.values() for rule in (one.default, *one.fields.values()) if rule.kind == "code"})
SIGNED = ("%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y", "%Y/%m/%d", "%Y-%m-%d", "%Y-%m", "%m/%Y", "%d/%m/%y", "%d-%m-%y")


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.sampled_from(SIGNED), st.sampled_from(CODED), st.data())
def test_no_code_of_a_map_is_a_date(day: date, way: str, rule: Rule, data: st.DataObject) -> None:
    written = day.strftime(way)
    before = data.draw(st.sampled_from(["", "J", "DDN", "x_", "vu le ", *(f"{code} " for code in rule.codes[:3])]))
    assert stays_as_code(f"{before}{written}", rule) is (
        rule.value == "version" and not before and re.fullmatch(r"20\d\d(-\d\d)+", written) is not None
    )
    assert not stays_as_code(f"{day.day} {MONTHS[day.month - 1]} {day.year}", rule)
    assert stays_as_code(day.strftime("%Y%m%d"), rule) is (rule.value == "number" and rule.label is None)


def test_maps_keep_what_other_parts_of_a_file_name_and_bytes() -> None:
    kept = {name: {path for path, rule in one.fields.items() if rule.kind == "keep"} for name, one in MAPS.items()}
    types = {keyword.casefold(): vr for vr, _, _, _, keyword in DicomDictionary.values()}
    texts = {one for one in kept.pop("dicom") if types[one] not in ("UI", "CS") and types[one][0] != "O"}
    assert texts == {"deidentificationmethod", "deidentificationmethodcodesequence"}  # written anew
    assert {name: paths for name, paths in kept.items() if paths} == {
        "cda": {
            *("@id", "@idref", "@referencedobject", "@headers", "reference[#]/@value"),
            *("linkhtml[#]/@href", "a[#]/@href", "a/@name", "linkhtml/@name"),
        },
        "fhir": {"resourcetype", "xmlns", "element/@id"},
        "vcf": {"contig/id", "contig/md5", "info/id", "format/id", "filter/id", "alt/id"},
        "xml": {"@space"},
    }


# ---- Maps of a source


def test_a_map_lists_codes_of_its_own_and_the_rule_that_names_more_of_a_path_wins() -> None:
    own = FieldMap.model_validate(
        {"codes": ["ZORG"], "code": ["x/type"], "fields": {"x/lieu": {"kind": "code", "label": "ORG"}}}
    )
    rules = FileRules(formats={"json": own})
    source = read(json.dumps({"x": {"type": NAME, "lieu": "ZORG"}}), "a.json", rules)
    assert source.text == f"{TERM}{NAME}"
    assert rules.find("json", "a/type", "x/type").kind == "code"
    assert rules.digest == FileRules(formats={"json": own}).digest
