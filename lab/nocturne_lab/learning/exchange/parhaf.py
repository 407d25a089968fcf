"""PARHAF, fictitious French reports of the Health Data Hub (Tannier et al. 2026): annotations, and codes of stays.

The dataset `PARHAF-pseudo-annotated` is two tables, Parquet or JSON Lines: `document_metadata*` with `report` and
`full_text`, `spans*` with `report`, `begin`, `end`, `span_text`, `attribute_Categorie` and `attribute_RolePER`. A
surname and a first name of one role with white space between are one name here, as in our guide.

The dataset `PARHAF` has a row per fictitious patient, who has one stay: `id`, `documents` (`type`, `header`, `text`),
and `primary_diagnosis` (`code`, `description`) in `structured_abstract`, what the author wrote of the case, and in
`suggested_scenario`, what the author was given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.learning.exchange.documents import Span, Unchecked, joined_names

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


PSEUDO, WHOLE = "PARHAF-pseudo-annotated", "PARHAF"  # datasets
CodesOf = Literal["structured_abstract", "suggested_scenario"]


@dataclass(frozen=True, slots=True)
class CodedCase:
    """A fictitious stay: pairs of type and text in their order, and the codes of its diagnoses as written."""

    id: str
    documents: tuple[tuple[str, str], ...]
    codes: tuple[str, ...]


def read_parhaf(path: Path, texts: Mapping[str, str]) -> Iterator[Unchecked]:
    """Yield the reports of a folder, of every split in it.

    Raises:
        InputRefused: a table is missing, lacks a column or cannot be read.
    """
    del texts  # the dataset holds the whole text
    spans: dict[str, list[Mapping[str, Any]]] = {}
    for row in _rows(path, PSEUDO, "spans", ("report", "begin", "end", "span_text", "attribute_Categorie")):
        spans.setdefault(str(row["report"]), []).append(row)
    for row in _rows(path, PSEUDO, "document_metadata", ("report", "full_text")):
        report, text = str(row["report"]), str(row["full_text"])
        yield Unchecked(
            report, text, tuple(joined_names(text, _spans(text, spans.get(report, [])), _together)), "PARHAF"
        )


def read_coded_cases(path: Path, codes_of: CodesOf = "structured_abstract") -> Iterator[CodedCase]:
    """Yield the stays of a folder of `PARHAF`, with their codes from the column `codes_of`.

    Raises:
        InputRefused: no table, a column that is missing or of another form, or a file that cannot be read.
    """
    for row in _rows(path, WHOLE, "", ("id", "documents", codes_of)):
        try:
            documents = tuple(
                (str(one.get("type") or ""), "\n\n".join(filter(None, (one.get("header"), one["text"]))))
                for one in _structs(row["documents"])
            )
            diagnoses = _structs(row[codes_of]["primary_diagnosis"])
            codes = tuple(str(one["code"]).strip() for one in diagnoses if one["code"])
        except (KeyError, TypeError, AttributeError):
            raise InputRefused(
                f"a row of {path.name} has no documents with text, or no {codes_of}.primary_diagnosis with codes.",
                f"Use the dataset {WHOLE}, or the other column of codes.",
            ) from None
        yield CodedCase(str(row["id"]), documents, codes)


def _structs(value: Any) -> Sequence[Mapping[str, Any]]:
    """Return a sequence of structs, which Parquet holds as such or as a struct of sequences; None is none."""
    if value is None:
        return ()
    if isinstance(value, Mapping):
        columns = {name: [own] if isinstance(own, str) or own is None else list(own) for name, own in value.items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return list(value)


def _rows(path: Path, dataset: str, table: str, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    import pandas as pd

    files = sorted({*path.rglob(f"{table}*.parquet"), *path.rglob(f"{table}*.jsonl")})
    if not files:
        raise InputRefused(
            f"{path.name} holds no table {table}".rstrip() + ".", f"Give the folder `data` of {dataset}."
        )
    for file in files:
        try:
            frame = pd.read_parquet(file) if file.suffix == ".parquet" else pd.read_json(file, lines=True, dtype=False)
        except ImportError:
            raise InputRefused(f"{file.name}: Parquet needs the package pyarrow.", "Install it.") from None
        except (OSError, ValueError):
            raise InputRefused(f"{file.name} cannot be read.", "Download it again.") from None
        if missing := [column for column in columns if column not in frame]:
            raise InputRefused(f"{file.name} lacks {', '.join(missing)}.", f"Use the dataset {dataset}.")
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


def _together(first: Span, second: Span) -> bool:
    return first.label == second.label and first.label.startswith("NAME")
