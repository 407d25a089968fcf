"""Reads the templates, which are data: `*.txt` files beside this module.

A file holds entries, an entry sections, a section lines:

    # name | field | field …     opens an entry
    section:                     opens a section
    - text                       always there
    ? text                       there about every other time
    * text                       one of a pool of which some are drawn
    * (20-62) text               the same, only for patients of these ages (completed years)
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
OPTIONAL_SHARE = 0.6
_AGES = re.compile(r"\((\d+)-(\d+)\) ")


@dataclass(frozen=True, slots=True)
class Section:
    """Lines of templates, each with its mark."""

    lines: tuple[tuple[str, str], ...]

    def suited(self, age: int) -> Section:
        """The lines that fit a patient of `age`, without their condition."""
        kept = []
        for mark, text in self.lines:
            condition = _AGES.match(text)
            if condition is None:
                kept.append((mark, text))
            elif int(condition[1]) <= age <= int(condition[2]):
                kept.append((mark, text[condition.end() :]))
        return Section(tuple(kept))

    def draw(self, rng: random.Random, *, pool: tuple[int, int] = (2, 4)) -> list[str]:
        """Templates for one text, in their order: sure ones, some optional ones, `pool` of the pooled ones."""
        pooled = [index for index, (mark, _) in enumerate(self.lines) if mark == "*"]
        chosen = set(rng.sample(pooled, min(len(pooled), rng.randint(*pool))))
        kept = []
        for index, (mark, text) in enumerate(self.lines):
            optional = mark == "?" and rng.random() < OPTIONAL_SHARE
            if mark == "-" or optional or index in chosen:
                kept.append(text)
        return kept

    def pick(self, rng: random.Random) -> str:
        """Draw one line, whatever its mark."""
        return rng.choice(self.lines)[1]


@dataclass(frozen=True, slots=True)
class Entry:
    """A named set of sections."""

    name: str
    fields: tuple[str, ...]
    sections: dict[str, Section]

    def section(self, name: str) -> Section:
        """The section, empty when the entry has none of that name."""
        return self.sections.get(name, Section(()))


@dataclass(frozen=True, slots=True)
class Pathology:
    """Disease with its phrases, its service (code), and the ages and sexes concerned."""

    name: str
    service: str
    ages: tuple[float, float]
    sexes: str
    forms: tuple[tuple[str, int], ...]  # form of stay, weight
    entry: Entry

    def section(self, name: str) -> Section:
        """The pathology's phrases for a section."""
        return self.entry.section(name)


@cache
def read(name: str) -> dict[str, Entry]:
    """Entries of `name`.txt by name.

    Raises:
        ValueError: a line belongs nowhere.
    """
    fields: dict[str, tuple[str, ...]] = {}
    lines: dict[str, dict[str, list[tuple[str, str]]]] = {}
    title, section = "", ""
    for number, raw in enumerate((FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines(), 1):
        line = raw.strip()
        if line.startswith("# "):
            title, *rest = (part.strip() for part in line[2:].split("|"))
            fields[title], lines[title], section = tuple(rest), {}, ""
        elif line[:2] in ("- ", "? ", "* ") and section:
            lines[title][section].append((line[0], line[2:]))
        elif line.endswith(":") and " " not in line and title:
            section = line[:-1]
            lines[title].setdefault(section, [])
        elif line:
            raise ValueError(f"{name}.txt, line {number}: neither an entry, a section nor a template")
    return {
        title: Entry(title, fields[title], {name: Section(tuple(found)) for name, found in sections.items()})
        for title, sections in lines.items()
    }


@cache
def pathologies() -> dict[str, Pathology]:
    """Every pathology by name."""
    found = {}
    for file in sorted((FOLDER / "pathologies").glob("*.txt")):
        for entry in read(f"pathologies/{file.stem}").values():
            service, ages, sexes, forms = entry.fields
            low, high = ages.split("-")
            weighted = tuple((form.split("*")[0], int(form.split("*")[1])) for form in forms.split())
            found[entry.name] = Pathology(entry.name, service, (float(low), float(high)), sexes, weighted, entry)
    return found


def phrases(section: str) -> Section:
    """A section of the phrases that every speciality shares."""
    return read("common")["commun"].section(section)
