"""Titles that may be published as they are: nothing in them identifies anybody.

A title is metadata, mostly one of a few dozen, and sometimes holds a name. A title is published whole or left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from deid.detection.detector import Detector
from deid.domain.document import Document, Patient

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d{5}")
LEAST_LETTERS = 3  # shorter parts of a name ("de", "le") are words of any title
LEAST_GLUED = 5


def clean_titles(detector: Detector, documents: Iterable[tuple[str, str | None, Patient]]) -> frozenset[str]:
    """Return the ids of documents (id, title, patient) without a title or with one that identifies nobody.

    Each distinct title is searched once by the detector, then compared with the identity of each document's patient.
    """
    known = list(documents)
    titles = sorted({title for _, title, _ in known if title})
    found = detector.detect([Document(f"title {number}", title) for number, title in enumerate(titles)])
    harmless = {
        title for title, mentions in zip(titles, found, strict=True) if not mentions and not _NUMBER.search(title)
    }
    return frozenset(
        document_id
        for document_id, title, patient in known
        if not title or (title in harmless and not _names(title, patient))
    )


def _names(title: str, patient: Patient) -> bool:
    """Return whether the title contains a part of the patient's identity, as a word or joined to other words."""
    words = set(_words(title))
    glued = "".join(_words(title))
    identity = (*patient.names, patient.city, patient.zip, patient.ipp, patient.nda, patient.nir)
    several = (*patient.addresses, *patient.phones, *patient.emails, *patient.identifiers)
    for value in filter(None, (*identity, *several)):
        parts = _words(value)
        if len("".join(parts)) >= LEAST_GLUED and "".join(parts) in glued:
            return True
        if value in identity and any(len(part) >= LEAST_LETTERS and part in words for part in parts):
            return True
    return False


def _words(text: str) -> list[str]:
    bare = "".join(mark for mark in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(mark))
    return _WORD.findall(bare)
