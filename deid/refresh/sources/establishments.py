"""Health establishments: the files of FINESS, before and since it changed in 2026, and the compact table.

Since May 2026 the producer (Agence du numérique en santé) updates JSON files, one of structures and one of activities;
that of structures has names, communes and categories, by the schema of https://github.com/ansforge/finess.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

from deid.domain.errors import ReferenceRefused
from deid.refresh.sources.source import INSEE, LineCounts, Row, read_records

FINESS_PATTERN = r"(?:\d{2}|2[AB])\d{7}"
_FINESS = re.compile(FINESS_PATTERN)
# FINESS numbers the overseas departments 9A to 9F.
_OVERSEAS = {"9A": "971", "9B": "972", "9C": "973", "9D": "974", "9F": "976"}
# Categories of FINESS (TRE-R397) whose establishments are hospitals and clinics: short stays, psychiatry,
# rehabilitation, long stays; their labels where a file has no codes.
_HOSPITALS = frozenset("101 106 109 114 115 122 128 129 131 135 161 292 355 362 365 430 695 697 698".split())
_HOSPITAL = re.compile(r"hôpital|hopital|hospitalier|clinique|lutte contre le cancer|soins de suite", re.IGNORECASE)
# Positions of the lines "structureet;…" of the stock file, which has no header (data.gouv.fr, etalab-cs1100502).
_STOCK = itemgetter(1, 4, 3, 13, 12, 18, 19)
_STOCK_FIELDS = 31  # at least: newer editions add one
# Headers by which tables with a header name what is read, in lower case: the compact table, the geocoded extract, and
# others that are exported from FINESS. The first that a table has counts.
_HEADERS: Mapping[str, Sequence[str]] = {
    "number": ("finess", "nofinesset", "numfinessege", "num_finess_et", "numero_finess_et", "finess_et"),
    "long name": ("rslongue", "nomegelong", "raison_sociale_longue", "name", "rs", "raison_sociale"),
    "name": ("rs", "nomegecourt", "raison_sociale", "name", "rslongue"),
    "commune": ("insee", "cog", "cogcommune", "code_insee", "code_commune_insee", "code_commune"),
    "category": ("categetab", "categorieentitegeographiqueexercice", "code_categorie", "kind", "libcategetab"),
    "label": ("libcategetab", "categorie", "libelle_categorie", "kind", "categetab"),
}
# What is read of an establishment in the JSON of structures, by its name there.
_STRUCTURES = {
    "number": "numFinessEge",
    "name": "nomEgeLong or nomEgeCourt",
    "commune": "cogCommune",
    "category": "categorieEntiteGeographiqueExercice",
}
_MOST_CHARACTERS = 16 << 20  # of one legal entity with its establishments


def parse_establishments(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield (FINESS number, name, INSEE code of the commune, "hospital" or the category).

    Raises:
        ReferenceRefused: it is none of the files of FINESS that are read, nor the compact table.
    """
    first = next(lines, "")
    if first.startswith("finess;etalab;"):
        read = _read_stock(lines, tally)
    elif first.lstrip("\ufeff \r\n\t").startswith("{"):
        read = _read_structures(chain([first], lines), tally)
    else:
        read = _read_table(first, lines, tally)
    for number, finess, long_name, short_name, insee, category, label in read:
        name = (long_name.strip() or short_name.strip())[:300]
        if _FINESS.fullmatch(finess) and INSEE.fullmatch(insee) and name:
            is_hospital = category in _HOSPITALS or "hospital" in (category, label) or _HOSPITAL.search(label)
            yield finess, name, insee, "hospital" if is_hospital else label or category
        else:
            tally.refuse_line(number)


_Read = tuple[int, str, str, str, str, str, str]


def _read_stock(lines: Iterator[str], tally: LineCounts) -> Iterator[_Read]:
    for number, fields in enumerate(csv.reader(lines, delimiter=";", quoting=csv.QUOTE_NONE), start=2):
        tally.read += 1
        if fields[:1] != ["structureet"]:
            tally.skipped += 1
        elif len(fields) < _STOCK_FIELDS:
            tally.refuse_line(number)
        else:
            finess, long_name, name, department, commune, category, label = _STOCK(fields)
            yield number, finess, long_name, name, _insee(department + commune.zfill(3)), category, label


def _read_table(header: str, lines: Iterator[str], tally: LineCounts) -> Iterator[_Read]:
    delimiter = max(";,\t", key=header.count)
    names = [name.strip().strip('"').casefold() for name in header.rstrip("\r\n").lstrip("\ufeff").split(delimiter)]
    required = tuple(
        next((name for name in known if name in names), f"{what} ({known[0]}, {known[1]}…)")
        for what, known in _HEADERS.items()
    )
    table = chain([delimiter.join(names) + "\n"], lines)
    for number, values in read_records(table, tally, required, delimiter=delimiter):
        finess, long_name, name, insee, category, label = values
        yield number, finess, long_name, name, _insee(insee), category, label


def _read_structures(pieces: Iterator[str], tally: LineCounts) -> Iterator[_Read]:
    """Yield the establishments (`ege`) of the legal entities (`pmej`) that are open.

    The files write `categorieentiteGeographiqueExercice` as a text, the schema `categorieEntiteGeographiqueExercice` as
    a coding: names are compared without case, and a coding counts as its code.

    Raises:
        ReferenceRefused: no establishment has a number, a name, a commune or a category; names what all of them lack.
    """
    lacking = dict(_STRUCTURES)
    for entity in _read_objects(pieces, "pmej"):
        for one in _folded(entity).get("ege") or ():
            tally.read += 1
            place = _folded(one)
            about = place | _folded(place.get("informationsgeneralesege"))
            if _text(place.get("etatobjet")) == "I" or about.get("datefermeture"):
                tally.skipped += 1
                continue
            addresses = map(_folded, place.get("adresse") or ())
            communes = (_insee(_text(address.get("cogcommune"))) for address in addresses)
            read = {
                "number": _text(about.get("numfinessege")),
                "name": _text(about.get("nomegelong")) or _text(about.get("nomegecourt")),
                "commune": next(filter(INSEE.fullmatch, communes), ""),
                "category": _text(place.get("categorieentitegeographiqueexercice")),
            }
            for what in [what for what in lacking if read[what]]:
                del lacking[what]
            yield tally.read, read["number"], read["name"], "", read["commune"], read["category"], ""
    if lacking and tally.read > tally.skipped:
        raise ReferenceRefused(
            f"no establishment of the file has what is read of it: {', '.join(lacking.values())}.",
            "Compare it with the schema of structures of FINESS, and report what its producer changed.",
        )


def _folded(value: Any) -> dict[str, Any]:
    """Return a JSON object with its names in lower case; an empty one for what is none."""
    return {name.casefold(): held for name, held in value.items()} if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    """Return a JSON text, or the code of a coding."""
    return str((value.get("code") if isinstance(value, dict) else value) or "").strip()


def _read_objects(pieces: Iterator[str], key: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of the array `key` of a JSON object, one of them in memory.

    Raises:
        ReferenceRefused: there is no such array, or it is cut short.
    """
    opening, decoder = re.compile(rf'"{key}"\s*:\s*\['), json.JSONDecoder()
    text, found = "", None
    for piece in pieces:
        text += piece
        if found := opening.search(text):
            break
        text = text[-100:]
    if found is None:
        raise ReferenceRefused(f"the file has no list “{key}”.", "Give the file of structures of FINESS.")
    text = text[found.end() :]
    while True:
        at = 0
        while (at := len(text) - len(text[at:].lstrip(", \r\n\t"))) < len(text) and text[at] == "{":
            try:
                one, at = decoder.raw_decode(text, at)
            except ValueError:  # it goes on in the next piece
                break
            yield one
        if text[at : at + 1] == "]":
            return
        more = next(pieces, "")
        if not more or len(text) - at > _MOST_CHARACTERS:
            raise ReferenceRefused("the file is damaged or cut short.", "Download it again.")
        text = text[at:] + more


def _insee(code: str) -> str:
    """Return the INSEE code of a commune; FINESS numbers overseas communes by letters (9A101 is 97101)."""
    overseas = _OVERSEAS.get(code[:2])
    return f"{overseas}{code[-2:]}" if overseas else code
