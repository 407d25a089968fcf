"""Texts with their mentions in line, as `Née [Martin](NOM) [Jeanne](PRENOM)`, a blank line between two texts.

So are the templates from which AP-HP's eds-pseudo draws its synthetic documents (`data/templates.txt` of the
repository aphp/eds-pseudo). A surname and a first name with white space between are one name here, as in our guide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from deid.domain.labels import Label
from nocturne_lab.learning.exchange.documents import Span, Unchecked, joined_names, read_text

_BLANK = re.compile(r"\n\s*\n")
_MENTION = re.compile(r"\[(?P<surface>[^\[\]]+)\]\((?P<label>[A-Z_]+)\)")
_NAMES = frozenset({"NOM", "PRENOM"})
LABELS: Mapping[str, Label | None] = MappingProxyType(
    {
        "NOM": Label.PERSON,
        "PRENOM": Label.PERSON,
        "DATE": Label.DATE,
        "DATE_NAISSANCE": Label.DATE,
        "ADRESSE": Label.STREET,
        "ADDRESSE": Label.STREET,  # written so once
        "ZIP": Label.ZIP,
        "VILLE": Label.CITY,
        "HOPITAL": Label.ORG,
        "TEL": Label.PHONE,
        "MAIL": Label.EMAIL,
        "SECU": Label.NIR,
        "IPP": Label.IPP,
        "NDA": Label.NDA,
    }
)


def read_templates(path: Path, texts: Mapping[str, str]) -> Iterator[Unchecked]:
    """Yield the texts of a file; the id is the file's stem and the number of the text from 1.

    Raises:
        InputRefused: the file cannot be read.
    """
    del texts  # the file holds the whole text
    written = [one for one in _BLANK.split(read_text(path)) if one.strip()]
    for number, one in enumerate(written, start=1):
        text, spans = _read(one.strip())
        yield Unchecked(f"{path.stem}-{number}", text, tuple(joined_names(text, spans, _together)), "eds-pseudo")


def _read(written: str) -> tuple[str, list[Span]]:
    text, spans, end = "", list[Span](), 0
    for number, found in enumerate(_MENTION.finditer(written), start=1):
        text += written[end : found.start()]
        surface = found["surface"]
        spans.append(Span(len(text), len(text) + len(surface), found["label"], f"mention {number}", surface))
        text, end = text + surface, found.end()
    return text + written[end:], spans


def _together(first: Span, second: Span) -> bool:
    return first.label in _NAMES and second.label in _NAMES
