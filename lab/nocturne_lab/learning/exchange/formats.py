"""Formats by name: their reader, their writer, and the map of their labels where it is not ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.learning.exchange import parhaf, templates
from nocturne_lab.learning.exchange.brat import read_brat, write_brat
from nocturne_lab.learning.exchange.conll import read_conll, write_conll
from nocturne_lab.learning.exchange.documents import Reader, Writer
from nocturne_lab.learning.exchange.jsonl import read_doccano, read_prodigy, write_doccano, write_prodigy
from nocturne_lab.learning.exchange.webanno import read_webanno, write_webanno


@dataclass(frozen=True, slots=True)
class Format:
    """Format of annotated documents; without a writer it is only read. `labels` None: the labels are ours.

    `suffix` ends the name of a file; a format of one file per document has none, and is a folder.
    """

    read: Reader
    write: Writer | None = None
    suffix: str = ""
    labels: Mapping[str, Label | None] | None = None


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "prodigy": Format(read_prodigy, write_prodigy, ".jsonl"),
        "prodigy-lines": Format(read_prodigy, partial(write_prodigy, by_line=True), ".jsonl"),
        "doccano": Format(read_doccano, write_doccano, ".jsonl"),
        "brat": Format(read_brat, write_brat),
        "conll": Format(read_conll, write_conll, ".conll"),
        "webanno": Format(read_webanno, write_webanno),
        "parhaf": Format(parhaf.read_parhaf, labels=parhaf.LABELS),
        "eds-pseudo": Format(templates.read_templates, labels=templates.LABELS),
    }
)


def label_map(table: Mapping[str, str | None], name: str) -> dict[str, Label | None]:
    """Return the labels of a tool, and our own, by ours; None for a kind that is left unmarked.

    Args:
        table: label of the tool → ours or None.
        name: what messages call the table.

    Raises:
        InputRefused: it is no table of labels.
    """
    try:
        mapped = {str(label): None if own is None else Label(str(own)) for label, own in table.items()}
    except (ValueError, AttributeError):
        raise InputRefused(f"{name} is no table of labels.", f"The labels are {', '.join(Label)}.") from None
    return {str(label): label for label in Label} | mapped
