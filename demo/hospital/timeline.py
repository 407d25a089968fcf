"""Events of planned documents (arrival, correction, withdrawal), and documents with planned faults."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from deid.domain.errors import Reason
from demo.hospital import writer
from demo.hospital.calendar import Calendar
from demo.hospital.files import forms
from demo.hospital.journeys import Plan
from demo.hospital.kinds import KINDS
from demo.hospital.model import HospitalDocument, Patient, Professional, Version
from demo.hospital.prose.library import pathologies
from demo.hospital.prose.scene import DocumentScene, Setting, is_doctor
from demo.hospital.streams import Stream

CORRECTED_SHARE = 0.03
WITHDRAWN_SHARE = 0.012
CORRECTIONS = (
    "[Ce document annule et remplace|Annule et remplace] celui du {D:doc}.",
    "[Rectificatif|Addendum] du {D:doc+1..3} par {moi} : [lire « côté {cote} »|la "
    "posologie a été corrigée|le résultat de "
    "biologie est désormais complet|adresse de {pt} mise à jour : {adresse}].",
)


class DocumentTimeline:
    """Writes planned documents and gives each its events."""

    def __init__(self, seed: int, setting: Setting, calendar: Calendar) -> None:
        self._seed = seed
        self._setting = setting
        self._calendar = calendar
        self.said: dict[str, set[str]] = {}  # ICD-10 codes of what the documents of a stay say

    def documents(
        self, planned: Sequence[Plan], files: float, progress: Callable[[], object]
    ) -> list[HospitalDocument]:
        """Every planned document, numbered by arrival; a share `files` of them are files of other formats."""
        rng = Stream(f"{self._seed}:arrivals")
        timed = [(self._calendar.moment(rng, self._calendar.arrival(rng, plan.written_on)), plan) for plan in planned]
        timed.sort(key=lambda pair: pair[0])
        corrected = self._chosen(rng, timed, CORRECTED_SHARE)
        withdrawn = self._chosen(rng, timed, WITHDRAWN_SHARE) - corrected
        chosen = sorted(Stream(f"{self._seed}:files").sample(range(len(timed)), round(files * len(timed))))
        form = dict(zip(chosen, forms([timed[index][1].kind for index in chosen]), strict=True))
        found = []
        for index, (moment, plan) in enumerate(timed):
            fate = "correct" if index in corrected else "withdraw" if index in withdrawn else "insert"
            found.append(self._document(f"D{index + 1:07d}", plan, moment, fate, form.get(index)))
            progress()
        return found

    def _chosen(self, rng: random.Random, timed: Sequence[tuple[datetime, Plan]], share: float) -> set[int]:
        """Documents to change later: at least one when a later night exists."""
        able = [index for index, (moment, _) in enumerate(timed) if moment.date() < self._calendar.last]
        if not able:
            return set()
        return set(rng.sample(able, min(len(able), max(2, round(share * len(timed))))))

    def _document(
        self, document_id: str, plan: Plan, moment: datetime, fate: str, form: str | None
    ) -> HospitalDocument:
        rng = Stream(f"{self._seed}:{document_id}:life")
        kind = KINDS[plan.kind]
        service = kind.author_service or plan.stay.service_code
        author = self._author(rng, kind.author_role, service)
        written_on = min(plan.written_on, moment.date())
        seed = f"{self._seed}:{document_id}"
        scene = self._scene(plan, author, written_on)
        written = writer.write(scene, plan.kind, seed, plan.told, form)
        self.said.setdefault(plan.stay.stay_id, set()).update(scene.codes)
        versions = [Version(document_id, moment.date(), "insert", moment, written.content, written.gold)]
        if fate != "insert":
            later = self._calendar.any_day(rng, moment.date() + timedelta(days=1))
            then = self._calendar.moment(rng, later)
            if fate == "correct":
                added = (*CORRECTIONS, *plan.told)
                again = writer.write(self._scene(plan, author, written_on), plan.kind, seed, added, form)
                versions.append(Version(document_id, later, "correct", then, again.content, again.gold))
            else:
                versions.append(replace(versions[0], night=later, action="withdraw", happened_at=then))
        return HospitalDocument(
            document_id,
            plan.patient.patient_id,
            plan.stay.stay_id,
            kind.code,
            kind.loinc,
            written.title,
            written.format,
            written.charset,
            author.staff_id,
            written_on,
            tuple(versions),
            form=form,
        )

    def _author(self, rng: random.Random, role: str, service: str) -> Professional:
        team = self._setting.staff[service]
        able = [one for one in team if (is_doctor(one) if role == "médecin" else one.role == role)]
        return rng.choice(able or list(team))

    def _scene(self, plan: Plan, author: Professional, written_on: date) -> DocumentScene:
        return DocumentScene(
            Stream(""),
            self._setting,
            plan.patient,
            plan.stay,
            pathologies()[plan.stay.pathology],
            author,
            written_on,
        )

    def faulty(self, patients: Sequence[Patient], first_number: int, author: Professional) -> list[HospitalDocument]:
        """One document of each fault, spread over the nights."""
        rng = Stream(f"{self._seed}:faults")
        found = []
        for index, fault in enumerate(FAULTS):
            document_id = f"D{first_number + index:07d}"
            day = self._calendar.days[index % self._calendar.nights]
            moment = self._calendar.moment(rng, day)
            patient = rng.choice(patients)
            content, media = faulty_content(rng, fault, patient)
            owner = None if fault == "no_patient" else patient.patient_id
            version = Version(document_id, day, "insert", moment, content, ())
            found.append(
                HospitalDocument(
                    document_id, owner, None, "CS", KINDS["CS"].loinc, "Document importé", media, "utf-8",
                    author.staff_id, day, (version,), fault,
                )
            )  # fmt: skip
        return found


# Faults
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


def faulty_content(rng: random.Random, fault: str, patient: Patient) -> tuple[bytes, str]:
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
        "unsupported": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", "application/gzip"),
    }
    return made[fault]
