"""Hostile texts: invented texts that hide or disguise what identifies, each with its expected outcome.

A folder holds one `FAMILY.jsonl` per family and `patients.json`, the identities that some texts are given with. A line
has `id`, `format`, `text`, `identifies` (the values that must not stay readable), `expected`, and perhaps `patient` (a
name in `patients.json`) and `known` (the reason why the expectation does not hold today).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any

from deid.detection import Detector
from deid.domain.document import Document, Patient
from deid.domain.errors import InputRefused, Reason
from deid.domain.outcomes import Deidentified, Incoming, Refused
from deid.formats import open_document
from deid.pipeline import deidentify
from deid.quality.integrity import may_return, outside
from deid.substitution import Substitutor
from nocturne_lab.evaluation.readable_forms import GAP, is_readable

_LIMIT = 1_000_000  # bytes of a text
_DATED = date(2024, 6, 20)  # the own date of every text


class Expected(StrEnum):
    """The outcome that a text must have."""

    REMOVED = "removed"
    HELD_OR_REMOVED = "quarantined or removed"
    UNCHANGED = "unchanged"


class HostileOutcome(StrEnum):
    """The outcome that a text has: `altered` is a text that identifies nobody and does not stay as it is."""

    REMOVED = "removed"
    QUARANTINED = "quarantined"
    LEAKED = "leaked"
    UNCHANGED = "unchanged"
    ALTERED = "altered"


_MEETS = {
    Expected.REMOVED: {HostileOutcome.REMOVED},
    Expected.HELD_OR_REMOVED: {HostileOutcome.REMOVED, HostileOutcome.QUARANTINED},
    Expected.UNCHANGED: {HostileOutcome.UNCHANGED},
}
# A letter around a text, in which nobody is named: taggers judge a sentence otherwise than a document.
_AROUND = (
    "COMPTE RENDU D'HOSPITALISATION\n\nMotif d'entrée : altération de l'état général, fièvre et toux productive. Les "
    "antécédents comportent une hypertension artérielle traitée et une arthrose des deux genoux. L'examen retrouve "
    "des crépitants de la base droite, une saturation à 93 % en air ambiant et une tension artérielle à 132/78.\n",
    "\nLa radiographie montre un foyer de la base droite. Sous amoxicilline, l'évolution est favorable : l'apyrexie "
    "est obtenue, la marche est reprise avec une canne, et le syndrome inflammatoire régresse. La sortie est décidée "
    "avec une ordonnance de kinésithérapie respiratoire et un contrôle radiologique par le médecin traitant.\n",
)
# From best to worst: a text that is given in two ways has the worse outcome.
_ORDER = tuple(HostileOutcome)


@dataclass(frozen=True, slots=True)
class HostileText:
    """A text with its expected outcome; `known` is the reason why it does not have it today, empty if it has."""

    id: str
    family: str
    format: str
    text: str
    patient: Patient
    identifies: tuple[str, ...]
    expected: Expected
    known: str = ""

    def meets(self, found: HostileOutcome) -> bool:
        """Return whether an outcome is the expected one."""
        return found in _MEETS[self.expected]


def load_hostile_texts(folder: Path) -> list[HostileText]:
    """Return the texts of every family of a folder, sorted by family.

    Raises:
        InputRefused: no family, or a line that is not such a text; the message names file and line.
    """
    paths = sorted(folder.glob("*.jsonl"))
    if not paths:
        raise InputRefused(f"{folder} holds no .jsonl file.", "Give a folder of hostile texts.")
    patients = json.loads((folder / "patients.json").read_text(encoding="utf-8"))
    return [text for path in paths for text in _read_family(path, patients)]


def _read_family(path: Path, patients: Mapping[str, Mapping[str, Any]]) -> Iterator[HostileText]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            record = json.loads(line)
            known = Patient.from_json(patients[record["patient"]]) if "patient" in record else Patient()
            text = HostileText(
                record["id"],
                path.stem,
                record["format"],
                record["text"],
                known,
                tuple(record["identifies"]),
                Expected(record["expected"]),
                record.get("known", ""),
            )
        except (ValueError, KeyError, TypeError):
            raise InputRefused(f"{path.name}, line {number}: not a hostile text.") from None
        if bool(text.identifies) == (text.expected is Expected.UNCHANGED):
            raise InputRefused(f"{path.name}, line {number}: what identifies does not fit what is expected.")
        yield text


def run_hostile_texts(
    texts: Sequence[HostileText], detector: Detector, substitutor: Substitutor
) -> dict[str, HostileOutcome]:
    """Return the outcome of each text by id, through `deid.pipeline.deidentify`.

    Each text is given alone and within a letter; a plain text that reading would alter also raw, as the command line
    does for lines without `format`. The worst outcome counts.
    """
    given = [(text, incoming) for text in texts for incoming in _incoming(text)]
    outcomes = deidentify([incoming for _, incoming in given], detector, substitutor, max_bytes=_LIMIT)
    found: dict[str, HostileOutcome] = {}
    for (text, _), outcome in zip(given, outcomes, strict=True):
        found[text.id] = max(found.get(text.id, HostileOutcome.REMOVED), _judged(text, outcome), key=_ORDER.index)
    return found


def _incoming(text: HostileText) -> Iterator[Incoming]:
    yield (read := _given(text, "alone", text.text))
    if not text.text.startswith("<html"):
        before, after = (part if text.format == "text/plain" else f"<p>{part}</p>" for part in _AROUND)
        yield _given(text, "letter", f"{before}\n{text.text}\n{after}")
    opened = open_document(read, max_bytes=_LIMIT)
    if text.format == "text/plain" and (isinstance(opened, Refused) or opened.document.text != text.text):
        yield replace(_given(text, "raw", text.text), format=None)


def _given(text: HostileText, way: str, content: str) -> Incoming:
    """Return a text given in one way, with a patient of its own: documents of a patient share the names found."""
    name = f"{text.id}-{way}"
    return Incoming(Document(name, content, replace(text.patient, key=name), _DATED), text.format)


def _judged(text: HostileText, outcome: Deidentified | Refused) -> HostileOutcome:
    if text.expected is Expected.UNCHANGED:
        # Where nothing was found beside a sign of a person, a person reads the text, which is the source's.
        if isinstance(outcome, Refused):
            unchanged = outcome.reasons == (Reason.UNCHANGED,)
        else:
            unchanged = not outcome.candidate.mentions
        return HostileOutcome.UNCHANGED if unchanged else HostileOutcome.ALTERED
    if isinstance(outcome, Refused):
        return HostileOutcome.QUARANTINED
    shown = list(_shown(outcome))
    leaked = any(is_readable(value, part) for value in text.identifies for part in shown)
    return HostileOutcome.LEAKED if leaked else HostileOutcome.REMOVED


def _shown(outcome: Deidentified) -> Iterator[str]:
    """Yield the parts of what is published: text between surrogates, surrogates that may not be originals, page."""
    candidate = outcome.candidate
    between = outside(candidate.substitution)
    yield "".join(GAP if one == "\ue000" else one for one in between)
    for surrogate in candidate.substitution.surrogates:
        if not may_return(surrogate):
            yield surrogate.text
    if candidate.markup is not None:
        yield candidate.markup
