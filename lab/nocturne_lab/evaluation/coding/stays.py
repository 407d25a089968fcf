"""Stays as one text each with its codes, and the figures that describe a set of them (Couchot 2023, slide 34)."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from deid.domain.document import Document
from deid.domain.errors import InputRefused
from nocturne_lab.evaluation.coding.icd10 import Level, at_level, checked

Part = Literal["all", "main", "associated"]  # diagnoses of a stay
PARTS: tuple[Part, ...] = get_args(Part)
_log = logging.getLogger(__name__)
FEW, MANY = 10, 100  # stays of a rare code, and of a frequent one


@dataclass(frozen=True, slots=True)
class CodedStay:
    """Texts of a stay in the order in which they were written, and its codes, the main one first."""

    stay: str
    patient: str
    texts: tuple[str, ...]
    codes: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole stay; each document begins with the marker of its type."""
        return "\n\n".join(self.texts)

    def at_level(self, level: Level, part: Part = "all") -> frozenset[str]:
        """Return the classes at a level of the codes, of the main one or of the associated ones."""
        chosen = {"all": self.codes, "main": self.codes[:1], "associated": self.codes[1:]}[part]
        return frozenset(at_level(code, level) for code in chosen)


def sound(codes: Iterable[str]) -> tuple[tuple[str, ...], int]:
    """Return codes as ICD-10 writes them, each once and in their order, and the number of those that are none."""
    found: dict[str, None] = {}
    wrong = 0
    for code in codes:
        try:
            found[checked(code)] = None
        except InputRefused:
            wrong += 1
    return tuple(found), wrong


def gather(
    documents: Iterable[tuple[str, Document]],
    codes: Mapping[str, Sequence[str]],
    text_of: Callable[[Document], str] = lambda document: document.text,
) -> list[CodedStay]:
    """Return the stays that have both documents and codes of the ICD-10, in the order of their ids.

    Codes that are none are left out, and stays without codes or documents; the log says how many.

    Args:
        documents: pairs of stay and document, in any order.
        codes: codes by stay, the main one first.
        text_of: what is read of a document: its own text, or its published one.
    """
    own: defaultdict[str, list[Document]] = defaultdict(list)
    for stay, document in documents:
        own[stay].append(document)
    found = []
    wrong = 0
    for stay in sorted(own.keys() & codes.keys()):
        kept, others = sound(codes[stay])
        wrong += others
        if not kept:
            continue
        ordered = sorted(own[stay], key=lambda one: (str(one.reference_date or ""), one.id))
        texts = tuple(f"<{one.type or 'document'}> {text_of(one)}" for one in ordered)
        patient = next((one.patient.key for one in ordered if one.patient and one.patient.key), stay)
        found.append(CodedStay(stay, patient, texts, kept))
    uncoded = len(own.keys() | codes.keys()) - len(found)
    if uncoded or wrong:
        _log.warning("%d stays without codes or documents and %d codes outside ICD-10 are left out", uncoded, wrong)
    return found


def folds(stays: Sequence[CodedStay], number: int) -> NDArray[np.int64]:
    """Return the fold of each stay, shape (stays,); the stays of a patient are in one.

    Raises:
        InputRefused: fewer patients than folds.
    """
    return dealt([one.patient for one in stays], number)


def dealt(owners: Sequence[str], number: int) -> NDArray[np.int64]:
    """Return the fold of each stay or document from its patient, shape (stays,); those of a patient are in one.

    Patients are dealt in the order of their hashes, so that neither their ids nor the order of stays matter.

    Raises:
        InputRefused: fewer patients than folds.
    """
    patients = sorted(set(owners), key=lambda name: sha256(name.encode()).digest())
    if len(patients) < number:
        raise InputRefused(
            f"{len(patients)} patients cannot be dealt to {number} folds.", "Give more stays, or ask for fewer folds."
        )
    of_patient = {patient: index % number for index, patient in enumerate(patients)}
    return np.asarray([of_patient[owner] for owner in owners], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Statistics:
    """Figures of a set of stays at one level; lengths are in words that white space parts."""

    stays: int
    documents: int
    words: int
    longest: int
    assigned: int
    classes: int
    rare: int
    frequent: int

    @property
    def length(self) -> float:
        """Words of a stay, on average."""
        return self.words / max(1, self.stays)

    @property
    def per_stay(self) -> float:
        """Classes of a stay, on average."""
        return self.assigned / max(1, self.stays)

    @property
    def density(self) -> float:
        """Share of the pairs of stay and class that are assigned, in 0..1; sparse labels have a low one."""
        return self.per_stay / max(1, self.classes)


def statistics(stays: Sequence[CodedStay], level: Level = "code", part: Part = "all") -> Statistics:
    """Count stays, words and classes; a class is rare in fewer than 10 stays and frequent in 100 or more.

    The main diagnosis, the associated ones or all are counted.
    """
    lengths = [len(one.text.split()) for one in stays]
    counted = Counter(name for one in stays for name in one.at_level(level, part))
    return Statistics(
        stays=len(stays),
        documents=sum(len(one.texts) for one in stays),
        words=sum(lengths),
        longest=max(lengths, default=0),
        assigned=counted.total(),
        classes=len(counted),
        rare=sum(times < FEW for times in counted.values()),
        frequent=sum(times >= MANY for times in counted.values()),
    )
