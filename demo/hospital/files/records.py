"""Letters as records of exchange: CDA R2 with the header of the CI-SIS, FHIR R4, an application's JSON."""

from __future__ import annotations

import html
import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any

from demo.hospital.files import office, pages
from demo.hospital.files.letter import Letter, Made
from demo.hospital.model import Patient, Professional
from demo.hospital.prose.grammar import plain
from demo.hospital.rendering import Block, Cell, Role

_INS, _RPPS, _FINESS = "1.2.250.1.213.1.4.8", "1.2.250.1.71.4.2.1", "1.2.250.1.71.4.2.2"
_FILES: Mapping[str, Callable[[Letter], Made]] = {"application/pdf": pages.pdf, "text/rtf": office.rtf}


def _x(text: str) -> str:
    return html.escape(text)


def _b64(raw: bytes) -> str:
    return b64encode(raw).decode("ascii")


# ---- CDA


def cda_embedded(letter: Letter) -> Made:
    """CDA of level 1: the header, and the letter in PDF or RTF."""
    media = letter.stream("body").choice(tuple(_FILES))
    made = _FILES[media](letter)
    body = f'<nonXMLBody><text mediaType="{media}" representation="B64">{_b64(made.content)}</text></nonXMLBody>'
    return Made(_cda(letter, body), made.body)


def cda_structured(letter: Letter) -> Made:
    """CDA of level 3: sections of narrative, and an entry for each numeric result."""
    cells: list[Cell] = []
    sections = []
    for heading, blocks in letter.sections():
        cells.append(heading)
        text = "".join(_narrative(block, cells) for block in blocks)
        title = f"<title>{_x(plain(heading))}</title>" if heading else ""
        sections.append(f"<component><section>{title}<text>{text}</text></section></component>")
    entries = "".join(
        f'<entry><observation classCode="OBS" moodCode="EVN"><code nullFlavor="UNK">'
        f"<originalText>{_x(one.name)}</originalText>"
        f'</code><effectiveTime value="{letter.written_on:%Y%m%d}"/>'
        f'<value xsi:type="PQ" value="{one.number}" unit="{_x(one.unit) or "1"}"/></observation></entry>'
        for one in letter.results()
        if one.number
    )
    if entries:
        sections.append(f"<component><section><text/>{entries}</section></component>")
    return Made(_cda(letter, f"<structuredBody>{''.join(sections)}</structuredBody>"), cells)


def _narrative(block: Block, cells: list[Cell]) -> str:
    """A block of narrative; its cells are added to `cells`."""
    cells += [cell for row in block.rows for cell in row]
    rows = [[_x(plain(cell)).replace("\n", "<br/>") for cell in row] for row in block.rows]
    if block.role is Role.GAP:
        return ""
    if block.role is Role.ITEM:
        return f"<list>{''.join(f'<item>{row[0]}</item>' for row in rows)}</list>"
    if any(len(row) > 1 for row in rows):
        lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        return f"<table><tbody>{lines}</tbody></table>"
    return "".join(f"<paragraph>{row[0]}</paragraph>" for row in rows)


def _cda(letter: Letter, body: str) -> bytes:
    patient, stay, author = letter.patient, letter.stay, letter.author
    given = "".join(f"<given>{_x(name)}</given>" for name in patient.first_names)
    organisation = (
        f'<id root="{_FINESS}" extension="{letter.setting.finess}"/><name>{_x(letter.setting.name)}</name>'
        f"<addr><streetAddressLine>{_x(letter.setting.street)}</streetAddressLine>"
        f"<city>{_x(letter.setting.country.town.name)}</city></addr>"
    )
    relative = "".join(
        f'<informant><relatedEntity classCode="NOK"><telecom value="tel:{one.phone}"/><relatedPerson><name>'
        f"<family>{_x(one.last_name)}</family><given>{_x(one.first_name)}</given></name></relatedPerson></relatedEntity></informant>"
        for one in patient.relatives[:1]
    )
    document = f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- Patient : {_x(letter.patient_name).replace("--", "- -")} -->
<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<realmCode code="FR"/><typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>
<templateId root="1.2.250.1.213.1.1.1.1"/><id root="1.2.250.1.999.3" extension="{letter.code}"/>
<code code="{letter.loinc}" codeSystem="2.16.840.1.113883.6.1"/><title>{_x(letter.title)}</title>
<effectiveTime value="{letter.moment:%Y%m%d%H%M%S%z}"/>
<confidentialityCode code="N" codeSystem="2.16.840.1.113883.5.25"/>
<languageCode code="fr-FR"/><recordTarget><patientRole><id root="{_INS}" extension="{patient.nir}"/>
<id root="1.2.250.1.999.1" extension="{patient.ipp}"/>
<addr use="H"><streetAddressLine>{_x(patient.address)}</streetAddressLine><postalCode>{patient.place.zip}</postalCode>
<city>{_x(patient.place.name)}</city><country>FRA</country></addr><telecom value="tel:{patient.mobile}" use="MC"/>
<telecom value="mailto:{patient.email}"/><patient><name><family qualifier="BR">{_x(patient.birth_name)}</family>
<family qualifier="SP">{_x(patient.last_name)}</family>{given}</name>
<administrativeGenderCode code="{patient.sex}" codeSystem="2.16.840.1.113883.5.1"/>
<birthTime value="{patient.birth_date:%Y%m%d}"/>
<birthplace><place><name>{_x(patient.birth_place)}</name></place></birthplace></patient></patientRole></recordTarget>
<author><time value="{letter.moment:%Y%m%d%H%M%S%z}"/><assignedAuthor>{_cda_person(author)}
<representedOrganization>{organisation}</representedOrganization></assignedAuthor></author>{relative}<custodian><assignedCustodian>
<representedCustodianOrganization>{organisation}</representedCustodianOrganization></assignedCustodian></custodian>
<informationRecipient><intendedRecipient>{_cda_person(patient.physician, "informationRecipient")}</intendedRecipient>
</informationRecipient><legalAuthenticator><time value="{letter.written_on:%Y%m%d}"/><signatureCode code="S"/>
<assignedEntity>{_cda_person(author)}</assignedEntity></legalAuthenticator>
<componentOf><encompassingEncounter><id root="1.2.250.1.999.2" extension="{stay.nda}"/>
<effectiveTime><low value="{stay.admitted_on:%Y%m%d}"/><high value="{stay.discharged_on:%Y%m%d}"/></effectiveTime>
<location><healthCareFacility><location><name>{_x(letter.setting.sites[0])}</name></location></healthCareFacility>
</location>
</encompassingEncounter></componentOf><component>{body}</component></ClinicalDocument>
"""
    return document.encode()


def _cda_person(one: Professional, kind: str = "assignedPerson") -> str:
    return (
        f'<id root="{_RPPS}" extension="{one.rpps}"/><telecom value="mailto:{one.email}"/><{kind}>'
        f"<name><prefix>DR</prefix><given>{_x(one.first_name)}</given><family>{_x(one.last_name)}</family></name></{kind}>"
    )


# ---- FHIR

_CORE = "https://hl7.fr/ig/fhir/core/StructureDefinition"


def fhir(letter: Letter) -> Made:
    """A bundle: patient, stay, author, the letter as an attachment; results as observations where there are any."""
    results = [(one, one.number) for one in letter.results()]
    media = letter.stream("body").choice(("text/html", *_FILES))
    if media == "text/html":
        markup, lines = letter.page()
        made = Made(markup.encode(), lines)
    else:
        made = _FILES[media](letter)
    subject = {"reference": f"Patient/{letter.patient.ipp}", "display": letter.patient_name}
    author = f"Dr {letter.author.first_name} {letter.author.last_name}"
    attachment = {"contentType": media, "data": _b64(made.content), "title": letter.title, "size": len(made.content)}
    code = {"coding": [{"system": "http://loinc.org", "code": letter.loinc}], "text": letter.title}
    about = {"subject": subject, "encounter": {"reference": f"Encounter/{letter.stay.nda}"}}
    observations: list[dict[str, Any]] = [
        {
            "resourceType": "Observation", "id": f"{letter.code}-{at}", "status": "final", "code": {"text": one.name},
            "effectiveDateTime": f"{letter.written_on:%Y-%m-%d}", **about,
            "valueQuantity": {"value": float(number), "unit": one.unit},
        }
        for at, (one, number) in enumerate(results) if number
    ]  # fmt: skip
    if results:
        main = {
            "resourceType": "DiagnosticReport", "id": letter.code, "status": "final", "code": code, **about,
            "issued": letter.moment.isoformat(), "performer": [{"display": author}],
            "result": [{"reference": f"Observation/{one['id']}"} for one in observations],
            "presentedForm": [attachment],
        }  # fmt: skip
    else:
        main = {
            "resourceType": "DocumentReference", "id": letter.code, "status": "current", "type": code,
            "subject": subject, "date": letter.moment.isoformat(), "author": [{"display": author}],
            "description": f"{letter.title} de {letter.patient_name}", "content": [{"attachment": attachment}],
            "context": {"encounter": [about["encounter"]]},
        }  # fmt: skip
    resources = [_fhir_patient(letter.patient), _fhir_stay(letter), _fhir_author(letter.author), main, *observations]
    whole = {
        "resourceType": "Bundle", "type": "collection", "timestamp": letter.moment.isoformat(),
        "entry": [{"fullUrl": f"urn:uuid:{letter.code}-e{at}", "resource": one} for at, one in enumerate(resources)],
    }  # fmt: skip
    return Made(json.dumps(whole, ensure_ascii=False, indent=1).encode(), made.body)


def _fhir_patient(one: Patient) -> dict[str, Any]:
    return {
        "resourceType": "Patient", "id": one.ipp, "meta": {"profile": [f"{_CORE}/fr-core-patient"]},
        "text": {"status": "generated", "div": f'<div xmlns="http://www.w3.org/1999/xhtml">{_x(one.first_names[0])} '
                                               f"{_x(one.last_name)}, {one.birth_date:%d/%m/%Y}</div>"},
        "identifier": [{"system": f"urn:oid:{_INS}", "value": one.nir},
                       {"system": "urn:oid:1.2.250.1.999.1", "value": one.ipp}],
        "name": [{"use": "official", "family": one.birth_name, "given": list(one.first_names)},
                 {"use": "usual", "family": one.last_name, "given": [one.first_names[0]]}],
        "gender": "male" if one.sex == "M" else "female", "birthDate": f"{one.birth_date}",
        "telecom": [{"system": "phone", "value": one.mobile}, {"system": "email", "value": one.email}],
        "address": [{"line": [one.address], "postalCode": one.place.zip, "city": one.place.name}],
        "contact": [{"relationship": [{"text": kin.role}], "name": {"family": kin.last_name, "given": [kin.first_name]},
                     "telecom": [{"system": "phone", "value": kin.phone}]} for kin in one.relatives[:1]],
    }  # fmt: skip


def _fhir_stay(letter: Letter) -> dict[str, Any]:
    stay = letter.stay
    return {
        "resourceType": "Encounter", "id": stay.nda, "status": "finished", "identifier": [{"value": stay.nda}],
        "class": {"system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "IMP"},
        "subject": {"reference": f"Patient/{letter.patient.ipp}"}, "serviceProvider": {"display": letter.setting.name},
        "period": {"start": f"{stay.admitted_on}", "end": f"{stay.discharged_on}"},
    }  # fmt: skip


def _fhir_author(one: Professional) -> dict[str, Any]:
    return {
        "resourceType": "Practitioner", "id": one.rpps,
        "identifier": [{"system": f"urn:oid:{_RPPS}", "value": one.rpps}],
        "name": [{"family": one.last_name, "given": [one.first_name]}],
        "telecom": [{"system": "email", "value": one.email}],
    }  # fmt: skip


# ---- An application's own


def application(letter: Letter) -> Made:
    """JSON as an application of the hospital exports it: patient, stay, and the text by sections."""
    patient, stay, author = letter.patient, letter.stay, letter.author
    sections = []
    body: list[Cell] = []
    for heading, blocks in letter.sections():
        lines = letter.lines(blocks=blocks) if blocks else []
        body += [heading, *lines]
        sections.append({"titre": plain(heading), "texte": "\n".join(map(plain, lines))})
    whole = {
        "patient": {
            "ipp": patient.ipp, "nir": patient.nir, "nom": patient.last_name, "nom_naissance": patient.birth_name,
            "prenoms": " ".join(patient.first_names), "date_naissance": f"{patient.birth_date}", "sexe": patient.sex,
            "telephone": patient.mobile, "courriel": patient.email, "code_postal": patient.place.zip,
        },
        "sejour": {"nda": stay.nda, "entree": f"{stay.admitted_on}", "sortie": f"{stay.discharged_on}",
                   "service": stay.service_name},
        "auteur": {"nom": f"Dr {author.first_name} {author.last_name}", "rpps": author.rpps},
        "saisi_par": f"{letter.secretary.first_name} {letter.secretary.last_name}", "date": letter.moment.isoformat(),
        "titre": letter.title, "sections": sections,
    }  # fmt: skip
    return Made(json.dumps(whole, ensure_ascii=False, indent=2).encode(), body)
