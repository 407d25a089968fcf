"""Files of every text format with one identity planted in each place that can hold text."""

from __future__ import annotations

import base64
import html
import io
import quopri
import re
import zipfile
from collections.abc import Iterator

NAME, FIRST, STREET, IPP, DAY = "Zorglube", "Héloïse", "9 impasse Quetzal", "8012345679", "14/05/1961"
DIGITS, ISO = "19610514", "1961-05-14"
PLANTED = (NAME, FIRST, STREET, IPP, DAY, DIGITS, ISO)
TEXT = f"Madame {FIRST} {NAME}, née le {DAY}, IPP {IPP}, {STREET}. Hémoglobine 12,5 g/dL."
BASE64 = base64.b64encode(TEXT.encode()).decode()
PAGE = (
    f"<html><head><title>{NAME}</title><meta name=author content={NAME}><style>/* {NAME} */</style>"
    f"<script>var a='{NAME}'</script><link href='{NAME}.css'><base href='{NAME}'></head>"
    f"<body data-nom={NAME} id={NAME}>"
    f"<!--[if mso]>{NAME}<![endif]--><input type=hidden value='{NAME}'><input value='{NAME}'>"
    f"<template>{NAME}</template>"
    f"<textarea>{NAME}</textarea><select><option value={NAME}>{NAME}</select><noscript>{NAME}</noscript>"
    f"<svg><title>{NAME}</title><desc>{NAME}</desc><text>{NAME}</text></svg><iframe srcdoc='{NAME}'></iframe>"
    f"<object data='{NAME}.pdf'>{NAME}</object><a href='mailto:{NAME}@x.fr' onclick='{NAME}'>ici</a>"
    f"<img alt='{NAME}' src='{NAME}.png'><details><summary>{NAME}</summary></details><ins>{NAME}</ins><del>{NAME}</del>"
    f"<p hidden>{NAME}</p><p style='display:none'>{NAME}</p>"
    f"<p title='{NAME}'>{html.escape(TEXT)}</p><!-- {NAME} --></body></html>"
)
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + NAME.encode() * 20).decode()

TEXT_FILE = (TEXT + "\r\nFin.\r\n").encode("cp1252")
_RECORD = (
    f'{{"patient": {{"nom": "{NAME}", "ipp": {IPP}}}, "patient": {{"prenom": "{FIRST}"}}, "né le":'
    f' "{ISO}T10:00:00Z",\n'
    f'  "{FIRST} {NAME}": [true, null, 1.50, "{TEXT}", "\\u0048\\u00e9lo\\u00efse"], "lettre": "{BASE64 * 2}"}}\n'
)
JSON = _RECORD.replace(BASE64 * 2, base64.b64encode((TEXT * 2).encode()).decode()).encode()
JSONL = f'{{"a": "{TEXT}"}}\n\n{{"a": {IPP}, "b": "{DIGITS}"}}\n'.encode()
CSV = f'ipp;nom;ddn;texte\r\n{IPP};{NAME};{ISO};"Vue ""hier"";\n{TEXT}"\r\n{IPP};;;{STREET}\r\n'.encode("cp1252")
XML = f"""<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- {NAME} --><?note {NAME}?>
<dossier auteur="{FIRST} {NAME}"><!-- {NAME} --><patient><nom>{NAME}</nom><ddn>{DIGITS}</ddn></patient>
  <note date="{ISO}">{TEXT} <b>Zorg</b>lube<?x {NAME}?></note>
<blob>{base64.b64encode((TEXT * 2).encode()).decode()}</blob>
  <cdata><![CDATA[{TEXT} <b>]]></cdata></dossier>
<!-- {NAME} -->""".encode("latin-1")
CDA = f"""<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet href="{NAME}.xsl"?>
<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<id root="1.2.3" extension="{IPP}"/><title>Lettre de {NAME}</title><effectiveTime value="{DIGITS}1430"/>
<recordTarget><patientRole><id root="1.2.250.1.213.1.4.8" extension="261052100012345"/>
<id root="1.2.4" extension="{IPP}"/>
<addr><streetAddressLine>{STREET}</streetAddressLine><city>Dijon</city></addr><addr>{STREET}</addr>
<telecom value="mailto:{NAME}@chu.fr"/><patient><name><prefix>Mme</prefix><given>{FIRST}</given>
<family qualifier="BR">{NAME}</family></name><name>{FIRST} {NAME}</name><administrativeGenderCode code="F"/>
<birthTime value="{DIGITS}"/><guardian><guardianPerson><name><family>{NAME}</family></name></guardianPerson></guardian>
<birthplace><place><name>{STREET}</name></place></birthplace></patient></patientRole></recordTarget>
<author><time value="{DIGITS}"/><assignedAuthor><id root="1" extension="{IPP}"/><assignedPerson><name>
<given>{FIRST}</given>
<family>{NAME}</family></name></assignedPerson></assignedAuthor></author>
<legalAuthenticator><signatureText>{NAME}</signatureText></legalAuthenticator>
<component><structuredBody><component><section><title>{NAME}</title>
<text>{TEXT}<paragraph>Mme <content styleCode="Bold">Zorg</content>lube
</paragraph><table><tbody><tr><td>{NAME}</td><td>{FIRST}</td></tr></tbody></table>
<linkHtml href="http://x/{NAME}">voir</linkHtml>
<!-- {NAME} --></text><entry><observationMedia><value mediaType="image/png" representation="B64">{PNG}</value>
</observationMedia>
</entry><entry><observation><text>{NAME}</text><value xsi:type="ST">{TEXT}</value><effectiveTime>
<low value="{DIGITS}"/></effectiveTime>
</observation></entry><entry><observation><value xsi:type="TS" value="{DIGITS}"/>
<value xsi:type="PQ" value="12.5" unit="g/dL"/>
</observation></entry><entry><act><text mediaType="text/plain" representation="B64">{BASE64}</text></act>
</entry></section>
</component></structuredBody></component></ClinicalDocument>""".encode()
HL7 = (
    (
        f"MSH|^~\\&|APP|CHU|DPI|CHU|{DIGITS}1430||ORU^R01|M1|P|2.5|||||FRA|UNICODE UTF-8\r"
        f"EVN|R01|{DIGITS}||||{DIGITS}\rPID|1|{IPP}|{IPP}^^^CHU^PI||{NAME}&de&{NAME}^{FIRST}^{FIRST}^^Mme^"
        f"^D|{NAME}^{FIRST}|{DIGITS}|F|{NAME}||"
        f"{STREET}^^DIJON^^21000|{NAME}|^PRN^PH^{NAME}@x.fr^^^0380123456|||||{IPP}\rPV1|1|I|MED^{NAME}^1||"
        f"|{STREET}|{IPP}^{NAME}^{FIRST}||||||||||||{IPP}\r"
        f"NK1|1|{NAME}^{FIRST}|MTH|{STREET}\rORC|RE|{IPP}|{IPP}||||||{DIGITS}|{IPP}^{NAME}\rOBR|1|{IPP}||1"
        f"^Examen de {NAME}|||{DIGITS}|||||||||{IPP}^{NAME}\r"
        f"OBX|1|TX|1^CR||{TEXT}\\.br\\T\\T\\C de {NAME}~{FIRST} Zorg\\H\\lube\\N\\||||||F|||{DIGITS}|"
        f"|{IPP}^{NAME}\rOBX|2|NM|2^Hb||12.5|g/dL\r"
        f"OBX|3|ED|3^D||^TEXT^^Base64^{BASE64}\rOBX|4|ED|4^I||^IM^PNG^Base64^{PNG}\rOBX|5|DT|5^D|"
        f"|{DIGITS}\rOBX|6|XPN|6^N||{NAME}^{FIRST}\r"
        f"OBX|7|CWE|7||1^Vu par {NAME}^L\rNTE|1||{TEXT}\rZZZ|{NAME}|{FIRST}^{STREET}|{ISO}\rcontinuation"
        f" pour {NAME}\r"
    )
    .replace("|1^Examen de Zorglube|", "|1^Examen|")
    .encode()
)
HL7_OTHER_MARKS = (
    f"MSH$*!%@$A$B$C$D$20240302$$ADT*A08$1$P$2.4\nPID$1$$7***CHU*PI$${NAME}*{FIRST}%S%!{NAME}*X\n".encode()
)
DIV = (
    f'<div xmlns=\\"http://www.w3.org/1999/xhtml\\"><p>{TEXT} <b>Zorg</b>lube</p>'
    f'<!-- {NAME} --><img alt=\\"{NAME}\\" src=\\"x\\"/></div>'
)
PATIENT = (
    f'{{"resourceType":"Patient","id":"{IPP}","text":{{"status":"generated","div":"{DIV}"}},"identifier":[{{"system":'
    f'"urn:oid:1.2.3","value":"{IPP}"}}],"name":[{{"family":"{NAME}","given":["{FIRST}"],"text":"{FIRST} {NAME}"}}],'
    f'"gender":"female","birthDate":"{ISO}","address":[{{"line":["{STREET}"],"city":"Dijon"}}],"telecom"'
    f':[{{"system":"email",'
    f'"value":"{NAME}@x.fr"}}],"contact":[{{"name":{{"family":"{NAME}"}}}}],"photo":[{{"contentType"'
    f':"image/png","data":"{PNG}"}}],'
    f'"extension":[{{"url":"http://x","valueString":"{NAME}"}}]}}'
)
REPORT = (
    f'{{"resourceType":"DocumentReference","id":"r1","subject":{{"reference":"Patient/{IPP}","display"'
    f':"{FIRST} {NAME}"}},'
    f'"date":"{ISO}T10:00:00+01:00","description":"{TEXT}","author":[{{"display":"{NAME}"}}],"content"'
    f':[{{"attachment":'
    f'{{"contentType":"text/plain","data":"{BASE64}","size":3,"hash":"aa","title":"{NAME}"}}}}],"n":1.50}}'
)
FHIR = (
    f'{{"resourceType":"Bundle","type":"collection","entry":[{{"fullUrl":"urn:uuid:{IPP}","resource":{PATIENT}}},'
    f'{{"resource":{REPORT}}}]}}'
).encode()
FHIR_XML = f"""<?xml version="1.0" encoding="UTF-8"?><Patient xmlns="http://hl7.org/fhir">
<!-- {NAME} --><id value="{IPP}"/>
<text><status value="generated"/><div xmlns="http://www.w3.org/1999/xhtml">{TEXT}<img src="{NAME}"/></div></text>
<identifier><system value="urn:oid:1.2.3"/><value value="{IPP}"/></identifier><name><family value="{NAME}"/>
<given value="{FIRST}"/>
</name><birthDate value="{ISO}"/><address><line value="{STREET}"/></address><photo><contentType value="image/png"/>
<data value="{PNG}"/></photo></Patient>""".encode()
VCF = (
    f"##fileformat=VCFv4.2\n##fileDate={DIGITS}\n##reference=file"
    f":///{NAME}.fa\n##bcftools_viewCommand=view {NAME}.vcf\n"
    f'##SAMPLE=<ID={NAME},Description="{TEXT}">\n##PEDIGREE=<Child={NAME},Mother={FIRST}>\n##note={TEXT}\n'
    f"#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t{NAME}\t{FIRST}\n1\t42\trs1\tA\tC\t9\tPASS\tDP=1\tGT\t0/1\t0/0\n"
).encode()


def _quoted(text: str, charset: str) -> str:
    return quopri.encodestring(text.encode(charset)).decode("ascii")


EML = (
    f"Received: from {NAME}.chu.fr\r\nFrom: {FIRST.replace('é', 'e').replace('ï', 'i')} {NAME} "
    f'<{NAME}@chu.fr>\r\nTo: "{NAME}" <{NAME}@x.fr>, a@b.fr\r\n'
    f"Subject: =?utf-8?b?{base64.b64encode(f'Courrier pour {FIRST} {NAME}'.encode()).decode()}?=\r\nDate:"
    f" Sun, 14 May 1961 10:00:00 +0100\r\n"
    f"Message-ID: <{NAME}@chu.fr>\r\nX-Note: {NAME}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed;"
    f" boundary=b1\r\n\r\n{NAME} preamble\r\n"
    f"--b1\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding:"
    f" quoted-printable\r\n\r\n{_quoted(TEXT, 'latin-1')}\r\n"
    f"--b1\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding:"
    f" base64\r\nContent-Description: {NAME}\r\n\r\n"
    f"{base64.encodebytes(PAGE.encode()).decode()}\r\n"
    f'--b1\r\nContent-Type: application/octet-stream; name="{NAME}.json"\r\nContent-Disposition:'
    f' attachment; filename="{NAME}.json"\r\n'
    f"Content-Transfer-Encoding: base64\r\n\r\n{base64.encodebytes(JSON).decode()}\r\n"
    f'--b1\r\nContent-Type: image/png; name="{NAME}.png"\r\nContent-Transfer-Encoding: base64\r\n\r\n{PNG}\r\n'
    f"--b1\r\nContent-Type: message/rfc822\r\n\r\nFrom: {NAME}@x.fr\r\nSubject: {NAME}\r\nX-Y:"
    f" {NAME}\r\nContent-Type: text/plain\r\n\r\nMme {NAME}\r\n"
    f"--b1--\r\n{NAME} epilogue\r\n"
).encode()


def _archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.comment = NAME.encode()
        told = zipfile.ZipInfo(
            f"{NAME}/b.txt",
        )
        told.comment, told.extra = NAME.encode(), b"\xfe\xca" + len(NAME).to_bytes(2, "little") + NAME.encode()
        archive.writestr(told, TEXT_FILE)
        for name, content in (
            (f"{NAME}/{FIRST}.txt", TEXT_FILE),
            (f"{NAME}.hl7", HL7),
            ("a.json", JSON),
            ("p.png", b"\x89PNG\r\n\x1a\n"),
        ):
            archive.writestr(name, content)
    return file.getvalue()


ZIP = _archive()

SAMPLES: dict[str, tuple[str, bytes]] = {
    "text": ("a.txt", TEXT_FILE),
    "html": ("a.html", PAGE.encode()),
    "json": ("a.json", JSON),
    "jsonl": ("a.jsonl", JSONL),
    "csv": ("a.csv", CSV),
    "xml": ("a.xml", XML),
    "cda": ("a.xml", CDA),
    "hl7": ("a.hl7", HL7),
    "fhir": ("a.json", FHIR),
    "fhir_xml": ("a.xml", FHIR_XML),
    "vcf": ("a.vcf", VCF),
    "eml": ("a.eml", EML),
    "zip": ("a.zip", ZIP),
}

_ENCODED = re.compile(rb"[A-Za-z0-9+/\r\n]{40,}={0,2}")
_WORD = re.compile(rb"=\?utf-8\?([bq])\?([^?]*)\?=", re.IGNORECASE)


def expanded(raw: bytes, depth: int = 0) -> Iterator[str]:
    """Every text that bytes hold: as they stand, without escapes, in archives, in base64, in quoted-printable."""
    for encoding in ("utf-8", "cp1252"):
        text = raw.decode(encoding, "replace")
        yield text
        yield html.unescape(re.sub(r"<[^>]*>", "", text))
        yield re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)
    yield quopri.decodestring(raw).decode("latin-1")
    for kind, word in _WORD.findall(raw):
        decoded = base64.b64decode(word) if kind.lower() == b"b" else quopri.decodestring(word, header=True)
        yield decoded.decode()
    if depth > 4:
        return
    if raw.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            yield archive.comment.decode("latin-1")
            for entry in archive.infolist():
                yield from (entry.filename, entry.comment.decode("latin-1"), entry.extra.decode("latin-1"))
                yield from expanded(archive.read(entry), depth + 1)
    for found in _ENCODED.findall(raw):
        plain = b"".join(found.split())
        for start in range(1):
            try:
                inner = base64.b64decode(plain[start:], validate=True)
            except ValueError:
                continue
            yield from expanded(inner, depth + 1)
