"""Letters as systems send them: HL7 v2 messages, e-mail, archives."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from email.policy import SMTP

from demo.hospital.files import office, pages
from demo.hospital.files.letter import Letter, Made, is_results
from demo.hospital.model import Professional
from demo.hospital.prose.grammar import Piece, plain
from demo.hospital.rendering import Role

_CODES = str.maketrans({"\\": "\\E\\", "|": "\\F\\", "^": "\\S\\", "~": "\\R\\", "&": "\\T\\", "\n": "\\.br\\"})
LATIN_SHARE = 0.4


def _segment(name: str, fields: Mapping[int, str]) -> str:
    return "|".join([name, *(fields.get(place, "") for place in range(1, max(fields) + 1))])


def _hl7(text: str) -> str:
    return text.translate(_CODES)


def _person(one: Professional) -> str:
    return (
        f"{one.rpps}^{_hl7(one.last_name)}^{_hl7(one.first_name)}^^^Dr^^^ASIP-SANTE-PS&1.2.250.1.71.4.2.1&ISO^L^^^RPPS"
    )


def _head(letter: Letter, kind: str, charset: str) -> list[str]:
    patient, stay, place = letter.patient, letter.stay, _hl7(letter.setting.name)
    others = _hl7(" ".join(patient.first_names[1:]))
    first = _hl7(patient.first_names[0])
    stamp = f"{letter.moment:%Y%m%d%H%M%S}"
    return [
        f"MSH|^~\\&|{kind[:3]}_APP|{place}|DPI|{place}|{stamp}||{kind}|{letter.code}|P|2.5|||||FRA|{charset}",
        _segment("PID", {
            1: "1", 3: f"{patient.ipp}^^^{place}^PI~{patient.nir}^^^ASIP-SANTE-INS-NIR&1.2.250.1.213.1.4.8&ISO^INS",
            5: f"{_hl7(patient.birth_name)}^{first}^{others}^^^^L~{_hl7(patient.last_name)}^{first}^^^^^D",
            7: f"{patient.birth_date:%Y%m%d}", 8: patient.sex,
            11: f"{_hl7(patient.address)}^^{_hl7(patient.place.name)}^^{patient.place.zip}^FRA^H",
            13: f"{patient.phone}^PRN^PH~{patient.mobile}^PRN^CP~^NET^Internet^{patient.email}",
            18: f"{stay.nda}^^^{place}^AN",
        }),
        _segment("PV1", {
            1: "1", 2: "I" if stay.form == "hospitalisation" else "O", 3: f"{stay.service_code}^^^{place}",
            7: _person(letter.author), 8: _person(patient.physician), 19: f"{stay.nda}^^^{place}^VN",
            44: f"{stay.admitted_on:%Y%m%d}", 45: f"{stay.discharged_on:%Y%m%d}",
        }),
    ]  # fmt: skip


def _message(letter: Letter, kind: str, segments: list[str]) -> tuple[bytes, str]:
    """A message in UTF-8, or in Latin-1 where it can be and an old system sends it."""
    old = letter.stream("encoding").random() < LATIN_SHARE
    for charset, name in ((("8859/1", "iso-8859-1"),) if old else ()) + (("UNICODE UTF-8", "utf-8"),):
        head = _head(letter, kind, charset)
        if kind.startswith("ADT"):
            head.insert(1, _segment("EVN", {1: "A08", 2: f"{letter.moment:%Y%m%d%H%M}", 5: _person(letter.author)}))
        try:
            return ("\r".join([*head, *segments]) + "\r").encode(name), "windows-1252" if old else "utf-8"
        except UnicodeEncodeError:
            old = False
    raise AssertionError("UTF-8 encodes every message")


def oru(letter: Letter) -> Made:
    """Results: numbers as such, the rest of the report as lines of text."""
    text = letter.lines(blocks=[block for block in letter.blocks if not is_results(block)])
    found = [
        _segment("ORC", {1: "RE", 2: letter.code, 12: _person(letter.patient.physician)}),
        _segment("OBR", {
            1: "1", 2: letter.code, 4: f"{letter.loinc}^{_hl7(letter.title)}^LN", 7: f"{letter.written_on:%Y%m%d}",
            16: _person(letter.patient.physician), 22: f"{letter.moment:%Y%m%d%H%M}", 25: "F",
        }),
    ]  # fmt: skip
    values = [(one, one.number) for one in letter.results()]
    for one, number in values:
        place = len(found) - 1
        found.append(_segment("OBX", {
            1: str(place), 2: "NM" if number else "ST", 3: f"^{_hl7(one.name)}^L", 5: number or _hl7(one.value),
            6: _hl7(one.unit), 7: _hl7(one.reference), 11: "F",
        }))  # fmt: skip
    written = [[Piece(one.value)] for one, number in values if not number]
    lines = [line for line in text if plain(line).strip()]
    for line in lines:
        found.append(_segment("OBX", {1: str(len(found) - 1), 2: "TX", 3: "^Texte^L", 5: _hl7(plain(line)), 11: "F"}))
    content, charset = _message(letter, "ORU^R01^ORU_R01", found)
    return Made(content, [*written, *lines], charset)


def mdm(letter: Letter) -> Made:
    """A document as a notification: its header, and the letter itself in RTF or PDF, or as text."""
    header = _segment("TXA", {
        1: "1", 2: letter.loinc, 3: "TX", 4: f"{letter.moment:%Y%m%d%H%M}", 5: _person(letter.author),
        6: f"{letter.written_on:%Y%m%d}", 9: _person(letter.author), 11: "", 12: letter.code, 17: "AU",
    })  # fmt: skip
    form = letter.stream("body").choice(("rtf", "pdf", "text"))
    if form == "text":
        lines = letter.lines()
        value = {2: "FT", 5: "\\.br\\".join(_hl7(plain(line)) for line in lines)}
    else:
        made = _FORMS[form](letter)
        lines = list(made.body)
        value = {2: "ED", 5: f"^application^{form}^Base64^{b64encode(made.content).decode('ascii')}"}
    content, charset = _message(
        letter, "MDM^T02^MDM_T02", [header, _segment("OBX", {1: "1", 3: f"{letter.loinc}^^LN", 11: "F"} | value)]
    )
    return Made(content, lines, charset)


def adt(letter: Letter) -> Made:
    """A movement: the family, and the reason of the stay with the first lines of the letter."""
    found = []
    for number, one in enumerate(letter.patient.relatives, start=1):
        found.append(_segment("NK1", {
            1: str(number), 2: f"{_hl7(one.last_name)}^{_hl7(one.first_name)}", 3: f"OTH^{_hl7(one.role)}^L",
            4: f"^^{_hl7(one.city.name)}^^{one.city.zip}", 5: one.phone,
        }))  # fmt: skip
    lines = [
        line
        for line in letter.lines(blocks=[block for block in letter.blocks if block.role is Role.PARAGRAPH])
        if plain(line).strip()
    ]
    found += [_segment("NTE", {1: str(at), 2: "L", 3: _hl7(plain(line))}) for at, line in enumerate(lines, start=1)]
    content, charset = _message(letter, "ADT^A08^ADT_A01", found)
    return Made(content, lines, charset)


def eml(letter: Letter) -> Made:
    """An e-mail to the physician, with the letter attached as DOCX, RTF or PDF."""
    sender, to = letter.secretary, letter.patient.physician
    mail = EmailMessage(policy=SMTP)
    mail["Received"] = f"from poste-{sender.last_name.encode('ascii', 'ignore').decode()}.{letter.setting.domain}"
    mail["From"] = f'"{sender.first_name} {sender.last_name}" <{sender.email}>'
    mail["To"] = f'"Dr {to.first_name} {to.last_name}" <{to.email}>'
    mail["Subject"] = f"{letter.title} de {letter.patient_name}"
    mail["Date"] = letter.moment
    mail["Message-ID"] = f"<{letter.code}@{letter.setting.domain}>"
    mail.set_content(
        f"Bonjour,\n\nVeuillez trouver ci-joint un courrier concernant {letter.patient_name} "
        f"(IPP {letter.patient.ipp}).\n\nBien cordialement,\n{sender.first_name} {sender.last_name}\n"
    )
    kind, made = _attached(letter)
    name = f"{letter.patient.last_name}_{letter.written_on:%Y%m%d}.{kind}"
    mail.add_attachment(made.content, maintype="application", subtype=_SUBTYPES[kind], filename=name)
    mail.set_boundary(f"=_{letter.code}")
    return Made(mail.as_bytes(), made.body)


_FORMS: Mapping[str, Callable[[Letter], Made]] = {"docx": office.docx, "rtf": office.rtf, "pdf": pages.pdf}
_SUBTYPES = {"docx": "vnd.openxmlformats-officedocument.wordprocessingml.document", "rtf": "rtf", "pdf": "pdf"}


def _attached(letter: Letter) -> tuple[str, Made]:
    kind = letter.stream("attached").choice(tuple(_SUBTYPES))
    return kind, _FORMS[kind](letter)


def bundle(letter: Letter) -> Made:
    """An archive as a hospital's platform of exchange gives it: the letter, and a note of whom it is about."""
    kind, made = _attached(letter)
    about = f"{letter.patient.last_name}_{letter.patient.first_names[0]}"
    note = f"Dossier de {letter.patient_name}, IPP {letter.patient.ipp}, séjour {letter.stay.nda}.\r\n".encode(
        "cp1252", "replace"
    )
    parts = {f"{about}/{letter.title}.{kind}": made.content, f"{about}/LISEZMOI.txt": note}
    return Made(office.archive(parts, letter.moment, f"Export {about}"), made.body)
