"""Documents that nobody could publish: one of each fault, as data."""

from __future__ import annotations

import random

from deid.domain.errors import Reason
from demo.hospital.model import Patient

# Fault → the reason for which the document must end in quarantine.
FAULTS: dict[str, Reason] = {
    "empty": Reason.EMPTY,
    "blank": Reason.EMPTY,
    "undecodable": Reason.UNDECODABLE,
    "truncated": Reason.MALFORMED,
    "huge": Reason.TOO_LARGE,
    "english": Reason.NOT_FRENCH,
    "no_patient": Reason.NO_PATIENT,
    "unsupported": Reason.UNSUPPORTED_FORMAT,
}
HUGE_BYTES = 5_000_000

_ENGLISH = """DISCHARGE SUMMARY

Patient: {first} {last}          Date of birth: {born:%d %B %Y}
Admitted on 12 September and discharged on 16 September 2026.

Dear Doctor,

Thank you for referring this pleasant {job}, who was admitted with shortness of breath and swelling of both
ankles while visiting relatives. There was no chest pain and no fever. On examination the blood pressure was
142/86 mmHg, the heart rate 94 beats per minute, and there were crackles at both lung bases. The chest X-ray
showed an enlarged heart. We gave intravenous furosemide with a good response and the patient lost four
kilograms in three days. The echocardiogram showed a moderately reduced ejection fraction.

We would be grateful if you could check the renal function within one week and arrange follow-up with the
local heart failure clinic. The patient has been advised to limit salt and to weigh daily.

With kind regards,

Dr Oliver Pennington, Specialist Registrar
"""
_FRENCH = (
    "Compte rendu de consultation\n\nPatient : {last} {first}\n\nL'état général s'est "
    "amélioré depuis la dernière visite, "
    "la température est normale, les œdèmes ont régressé et la prise de sang ne montre plus d'anémie.\n"
)


def content(rng: random.Random, fault: str, patient: Patient) -> tuple[bytes, str]:
    """The bytes of a document with `fault`, and its declared format."""
    words = {
        "first": patient.first_names[0],
        "last": patient.last_name,
        "born": patient.birth_date,
        "job": patient.occupation,
    }
    french = _FRENCH.format(**words)
    if fault == "huge":
        line = (
            f"{rng.randrange(10**6):06d};SpO2;97;FC;72;TA;128/74;mesure automatique du moniteur de chevet;non validée\n"
        )
        return (french + line * (HUGE_BYTES // len(line.encode()) + 1)).encode(), "text/plain"
    made: dict[str, tuple[bytes, str]] = {
        "empty": (b"", "text/html"),
        "blank": (b" \n\t \r\n   \n", "text/plain"),
        "undecodable": (french.encode("latin-1", "replace"), "text/plain"),
        "truncated": (
            f'<html><body><p>{french}</p><table><tr><td>Hémoglobine</td><td style="text-al'.encode(),
            "text/html",
        ),
        "english": (_ENGLISH.format(**words).encode(), "text/plain"),
        "no_patient": (french.encode(), "text/plain"),
        "unsupported": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj << /Type /Catalog >> endobj\n", "application/pdf"),
    }
    return made[fault]
