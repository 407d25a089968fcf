"""Blind coding by people: folders of stays in both arms, the key that joins them, and the sheets that come back.

Tchouka et al. 2022, section 5: two specialists coded 64 documents before and after de-identification.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from deid.domain.errors import InputRefused
from nocturne_lab.evaluation.coding.stays import CodedStay, sound

Arm = Literal["original", "published"]
ARMS: tuple[Arm, ...] = get_args(Arm)
Fault = Literal["unknown_item", "duplicate", "not_a_code", "missing"]
SHEET = "feuille.csv"
NO_CODE = "aucun"
FEWEST = 2  # stays: of one, both arms would follow each other
# No vowel, 0 or 1: an item spells no word, and no spreadsheet reads a number in it.
_LETTERS, _SIGNS = list("BCDFGHJKLMNPQRSTVWXZ"), list("BCDFGHJKLMNPQRSTVWXZ23456789")
_PARTS = re.compile(r"[\s,;/|]+")
_RULE = f"\n\n{'-' * 72}\n\n"
_INSTRUCTIONS = """\
Codage de séjours en CIM-10

1. Lire les fichiers .txt dans l'ordre de leurs numéros, sans revenir sur un séjour déjà codé.
2. Pour chacun, écrire dans {sheet}, colonne « codes », les codes CIM-10 que le texte permet de poser :
   le diagnostic principal d'abord, puis les diagnostics associés, séparés par une espace (exemple : I501 I10 E119).
   Le point est permis (I50.1).
3. Si le texte ne permet aucun code, écrire « {none} ». Une case vide compte comme un séjour qui n'a pas été codé.
4. Ne rien changer à la colonne « item ». Enregistrer en CSV.
5. Coder seul, sans comparer avec un autre codeur. Des textes se ressemblent : coder chacun comme s'il était seul.

Les textes sont ceux de patients : le dossier ne doit pas quitter l'hôpital.
"""


@dataclass(frozen=True, slots=True)
class Item:
    """A stay in one arm as one coder reads it, `place` counts from 1; `codes` are the stay's own."""

    item: str
    coder: str
    place: int
    stay: str
    arm: Arm
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """An item of a sheet that cannot be counted; `line` is None where it has none."""

    item: str
    line: int | None
    fault: Fault


@dataclass(frozen=True, slots=True)
class Sheet:
    """Codes of a coder by stay and arm, the main one first; empty where the text allows none."""

    coder: str
    codes: Mapping[tuple[str, Arm], tuple[str, ...]]
    problems: tuple[Problem, ...]


def deal(stays: Sequence[CodedStay], coders: Sequence[str], seed: int) -> list[Item]:
    """Return the items of every coder, in the order of reading.

    Each coder reads every stay twice, once in each arm. The first pass over the stays holds as many originals as
    published texts (one more at most); the second holds the other arms. Stays are parted in two halves at random, each
    in an order of its own in each pass: between both readings of a stay lie at least half of the stays. The next
    coder reads first the arm that this one reads second. Items of two coders have nothing in common.

    Raises:
        InputRefused: fewer than two stays, no coder, or two of one name.
    """
    if len(stays) < FEWEST:
        raise InputRefused(f"{len(stays)} stays cannot be read blind.", "Give two or more.")
    if not coders or len(set(coders)) < len(coders):
        raise InputRefused("coders need names of their own.", "Name each coder once.")
    source = np.random.default_rng(seed)
    first = source.permutation(len(stays)) % 2
    names = _names(source, 2 * len(stays) * len(coders))
    found = []
    for number, coder in enumerate(coders):
        halves = np.array_split(source.permutation(len(stays)), 2)
        read = [(index, turn) for turn in (0, 1) for half in halves for index in source.permutation(half)]
        for place, (index, turn) in enumerate(read, start=1):
            arm = ARMS[(first[index] + number + turn) % 2]
            found.append(Item(next(names), coder, place, stays[index].stay, arm, stays[index].codes))
    return found


def _names(source: np.random.Generator, number: int) -> Iterator[str]:
    found: dict[str, None] = {}
    while len(found) < number:
        found["".join((source.choice(_LETTERS), *source.choice(_SIGNS, 6)))] = None
    return iter(found)


def write_folders(items: Sequence[Item], arms: Mapping[Arm, Sequence[CodedStay]], out: Path) -> None:
    """Write a folder for each coder: a text file for each item, the sheet to fill in, and instructions in French.

    Raises:
        InputRefused: the folder exists and is not empty, or cannot be written.
    """
    stays = {(one.stay, arm): one for arm, own in arms.items() for one in own}
    try:
        if out.exists() and any(out.iterdir()):
            raise InputRefused(f"{out.name} is not empty.", "Give a new folder: old items would mix with new ones.")
        for coder in dict.fromkeys(one.coder for one in items):
            folder = out / coder
            folder.mkdir(parents=True)
            mine = [one for one in items if one.coder == coder]
            width = len(str(len(mine)))
            for one in mine:
                text = _RULE.join(stays[one.stay, one.arm].texts)
                (folder / f"{one.place:0{width}}_{one.item}.txt").write_text(text + "\n", encoding="utf-8")
            sheet = "".join(f"{one.item};\r\n" for one in mine)
            (folder / SHEET).write_text(f"item;codes\r\n{sheet}", encoding="utf-8", newline="")
            instructions = _INSTRUCTIONS.format(sheet=SHEET, none=NO_CODE)
            (folder / "LISEZ-MOI.txt").write_text(instructions, encoding="utf-8")
    except OSError as error:
        raise InputRefused(f"{out.name}: {error.strerror}.", "Give a folder that can be written.") from None


def write_key(items: Sequence[Item], path: Path) -> None:
    """Write a line of JSON for each item: its coder, place, stay, arm and codes."""
    try:
        path.write_text("".join(json.dumps(asdict(one)) + "\n" for one in items), encoding="utf-8")
    except OSError as error:
        raise InputRefused(f"{path.name}: {error.strerror}.", "Give a file that can be written.") from None


def read_key(path: Path) -> dict[str, Item]:
    """Return the items of a key by their names.

    Raises:
        InputRefused: the file is no key.
    """
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        items = [Item(**line | {"codes": tuple(line["codes"])}) for line in lines]
    except (OSError, ValueError, TypeError, KeyError):
        raise InputRefused(
            f"{path.name} is no key of a blind coding.", "Give the file that the export wrote."
        ) from None
    if not items or any(one.arm not in ARMS for one in items) or len({one.item for one in items}) < len(items):
        raise InputRefused(f"{path.name} is no whole key.", "Give the file that the export wrote.")
    return {one.item: one for one in items}


def read_sheet(path: Path, key: Mapping[str, Item]) -> Sheet:
    """Return what a coder filled in; an item with a fault is left out and named.

    Raises:
        InputRefused: the file is no sheet, holds no filled item of the key, or items of two coders.
    """
    lines: dict[str, list[tuple[int, str]]] = {}
    for number, name, cell in _rows(path):
        lines.setdefault(name, []).append((number, cell))
    filled = {name for name, own in lines.items() if name in key and any(cell for _, cell in own)}
    coders = Counter(key[name].coder for name in lines if name in key)
    if not filled:
        raise InputRefused(f"{path.name} holds no coded item of this key.", "Give a filled sheet of this export.")
    if len(coders) > 1:
        raise InputRefused(f"{path.name} holds items of several coders.", "Give one sheet for each coder.")
    problems = [Problem(name, own[0][0], "unknown_item") for name, own in lines.items() if name not in key]
    codes: dict[tuple[str, Arm], tuple[str, ...]] = {}
    (coder,) = coders
    for one in key.values():
        if one.coder != coder:
            continue
        own = lines.get(one.item, [])
        fault, found = _judge([cell for _, cell in own])
        if fault:
            problems.append(Problem(one.item, own[-1][0] if own else None, fault))
        else:
            codes[one.stay, one.arm] = found
    return Sheet(coder, codes, tuple(problems))


def _judge(cells: Sequence[str]) -> tuple[Fault | None, tuple[str, ...]]:
    """Return the codes of an item's cells, or the fault of these."""
    if not any(cells):
        return "missing", ()
    if len(cells) > 1:
        return "duplicate", ()
    if cells[0].casefold() == NO_CODE:
        return None, ()
    found, wrong = sound(part for part in _PARTS.split(cells[0]) if part)
    return ("not_a_code", ()) if wrong or not found else (None, found)


def _rows(path: Path) -> list[tuple[int, str, str]]:
    """Return line, item and codes of a sheet that a spreadsheet saved with semicolons, commas or tabs."""
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", errors="replace")
        head = text.partition("\n")[0].strip().strip('"').lower()
        separator = next((sign for sign in ";,\t" if sign in head), ";")
        rows = csv.reader(StringIO(text, newline=""), delimiter=separator)
        names = [cell.strip().lower() for cell in next(rows, [])]
        if names[:2] != ["item", "codes"]:
            raise ValueError
        # Codes in cells of their own are codes too.
        lines = [(rows.line_num, row[0].strip().upper(), " ".join(row[1:]).strip()) for row in rows if any(row)]
    except (OSError, ValueError, csv.Error):
        raise InputRefused(
            f"{path.name} is no sheet of a blind coding.", "Save it as CSV, its first line being item;codes."
        ) from None
    return lines
