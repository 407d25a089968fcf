"""PARHAF's pseudonymisation annotations: fictitious French reports of the Health Data Hub (Tannier et al. 2026).

The dataset `PARHAF-pseudo-annotated` is two tables, Parquet or JSON Lines: `document_metadata*` with `report` and
`full_text`, `spans*` with `report`, `begin`, `end`, `span_text`, `attribute_Categorie` and `attribute_RolePER`. A
surname and a first name of one role with white space between are one name here, as in our guide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import Any

from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from deid.learning.exchange.documents import Span, Unchecked

_NAMES = frozenset({"LAST_NAME", "FIRST_NAME"})
# Social identity is profession, religion or origin: the label is the commonest of them. Every date has a label,
# identifying or not.
LABELS: Mapping[str, Label | None] = MappingProxyType(
    {
        "NAME Patient": Label.PATIENT,
        "NAME Carer": Label.DOCTOR,
        "NAME Other": Label.PERSON,
        "NAME": Label.PERSON,
        "IDENTIFYING_DATE": Label.DATE,
        "UNIDENTIFYING_DATE": Label.DATE,
        "PATIENT_BIRTHDATE": Label.DATE,
        "ADDRESS": Label.STREET,
        "CITY": Label.CITY,
        "COUNTRY": Label.LOC,
        "PHONE_NUMBER": Label.PHONE,
        "URL": Label.URL,
        "FAMILY_STATUS": Label.FAMILY,
        "PATIENT_NATIONALITY": Label.NATIONALITY,
        "PATIENT_SOCIAL_IDENTITY": Label.PROFESSION,
    }
)


def read_parhaf(path: Path, texts: Mapping[str, str]) -> Iterator[Unchecked]:
    """Yield the reports of a folder, of every split in it.

    Raises:
        InputRefused: a table is missing, lacks a column or cannot be read.
    """
    del texts  # the dataset holds the whole text
    spans: dict[str, list[Mapping[str, Any]]] = {}
    for row in _rows(path, "spans", ("report", "begin", "end", "span_text", "attribute_Categorie")):
        spans.setdefault(str(row["report"]), []).append(row)
    for row in _rows(path, "document_metadata", ("report", "full_text")):
        report, text = str(row["report"]), str(row["full_text"])
        yield Unchecked(report, text, tuple(_joined_names(text, _spans(text, spans.get(report, [])))), "PARHAF")


def _rows(path: Path, table: str, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    import pandas as pd

    files = sorted({*path.rglob(f"{table}*.parquet"), *path.rglob(f"{table}*.jsonl")})
    if not files:
        raise InputRefused(f"{path.name} holds no table {table}.", "Give the folder `data` of PARHAF-pseudo-annotated.")
    for file in files:
        try:
            frame = pd.read_parquet(file) if file.suffix == ".parquet" else pd.read_json(file, lines=True, dtype=False)
        except ImportError:
            raise InputRefused(f"{file.name}: Parquet needs the package pyarrow.", "Install it.") from None
        except (OSError, ValueError):
            raise InputRefused(f"{file.name} cannot be read.", "Download it again.") from None
        if missing := [column for column in columns if column not in frame]:
            raise InputRefused(f"{file.name} lacks {', '.join(missing)}.", "Use the dataset PARHAF-pseudo-annotated.")
        yield from ({str(name): value for name, value in row.items()} for row in frame.to_dict("records"))


def _spans(text: str, rows: list[Mapping[str, Any]]) -> list[Span]:
    """Return the spans of a report by offset; where they count UTF-16 units, as INCEpTION does, in characters."""
    found = [
        Span(int(row["begin"]), int(row["end"]), _category(row), f"span {number}", str(row["span_text"]))
        for number, row in enumerate(rows, start=1)
    ]
    if any(text[one.start : one.end] != one.surface for one in found):
        units = [0, *accumulate(1 + (character > "\uffff") for character in text)]
        place = {unit: at for at, unit in enumerate(units)}
        moved = [one._replace(start=place.get(one.start, -1), end=place.get(one.end, -1)) for one in found]
        if all(text[one.start : one.end] == one.surface for one in moved):
            found = moved
    return sorted(found)


def _category(row: Mapping[str, Any]) -> str:
    category, role = str(row["attribute_Categorie"]), row.get("attribute_RolePER")
    if category not in _NAMES:
        return category
    return f"NAME {role}" if isinstance(role, str) and role else "NAME"


def _joined_names(text: str, spans: list[Span]) -> Iterator[Span]:
    waiting: Span | None = None
    for span in spans:
        between = text[waiting.end : span.start] if waiting else ""
        if waiting and waiting.label == span.label and span.label.startswith("NAME") and re.fullmatch(r"\s+", between):
            waiting = waiting._replace(end=span.end, surface=f"{waiting.surface}{between}{span.surface}")
            continue
        if waiting:
            yield waiting
        waiting = span
    if waiting:
        yield waiting
