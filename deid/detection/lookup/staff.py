"""Staff of the hospital, indexed for detection."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ahocorasick_rs import AhoCorasick

from deid.domain.document import Professional
from deid.domain.errors import InputRefused
from deid.french.folding import key

_RPPS = re.compile(r"\d{9,11}")


class Staff:
    """Professionals by name, initials and number; each index is built on first use.

    Args:
        people: in any order; repeated people and people without a surname are dropped.
    """

    def __init__(self, people: Iterable[Professional] = ()) -> None:
        self.people = tuple(one for one in dict.fromkeys(people) if key(one.last_name))

    def __bool__(self) -> bool:
        return bool(self.people)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Staff) and self.people == other.people

    def __hash__(self) -> int:
        return hash(self.people)

    def __reduce__(self) -> tuple[type[Staff], tuple[tuple[Professional, ...]]]:
        # The automaton cannot be pickled: another process builds its own.
        return Staff, (self.people,)

    @cached_property
    def by_surname(self) -> Mapping[str, tuple[Professional, ...]]:
        """Professionals by folded surname, its words joined by one blank and by none."""
        table: dict[str, list[Professional]] = {}
        for one in self.people:
            name = key(one.last_name)
            for form in {name, name.replace(" ", "")}:
                if len(form) > 1:
                    table.setdefault(form, []).append(one)
        return {name: tuple(bearers) for name, bearers in table.items()}

    @cached_property
    def initials(self) -> frozenset[str]:
        """Initials of two to four folded letters: "so" and "os" for S. Ouali, "jmr" for Jean-Marc Roux."""
        return frozenset(
            form
            for one in self.people
            for first in _first_letters(one)
            for last in {key(one.last_name)[0], _letters(one.last_name)}
            for form in (first + last, last + first)
            if 2 <= len(form) <= 4
        )

    @cached_property
    def logins(self) -> frozenset[str]:
        """Initials and surname as one word of six letters or more, in both orders: "souali"."""
        return frozenset(
            form
            for one in self.people
            for first in _first_letters(one)
            for last in (key(one.last_name).replace(" ", ""),)
            for form in (first + last, last + first)
            if len(form) > 5
        )

    @cached_property
    def numbers(self) -> frozenset[str]:
        """RPPS and other numbers of nine to eleven digits."""
        digits = (re.sub(r"\D", "", one.rpps or "") for one in self.people)
        return frozenset(number for number in digits if _RPPS.fullmatch(number))

    @cached_property
    def _automaton(self) -> AhoCorasick:
        # The blanks make an automaton of strings find whole words only; overlaps share a blank.
        return AhoCorasick([f" {name} " for name in self.by_surname])

    def scan(self, spaced: str) -> list[tuple[int, int, str]]:
        """Return `(start, end, surname)` of every surname in a text from `folding.spaced`, longest first at a start."""
        if not self.people:
            return []
        found = self._automaton.find_matches_as_indexes(f" {spaced} ", overlapping=True)
        return [(start, end - 2, spaced[start : end - 2]) for _, start, end in sorted(found, key=_by_start)]

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]]) -> Staff:
        """Return the staff of objects with `last_name`, and `first_names` (list) or `first_name`, `rpps`, `role`.

        Raises:
            ValueError: a `last_name` is missing or a field has the wrong type; the message names the field.
        """
        return cls(_professional(record) for record in records)


NO_STAFF = Staff()


def read_staff(path: Path) -> Staff:
    """Return the staff of a JSON Lines file: `{"last_name", "first_names", "role", "rpps"}`, the last three optional.

    Raises:
        InputRefused: the file cannot be read; the message names file and line, never a person.
    """
    records = []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise InputRefused(f"{path.name}: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise InputRefused(f"{path.name}: not UTF-8 at byte {error.start}.") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            records.append(_professional(json.loads(line)))
        except ValueError:
            raise InputRefused(
                f'{path.name}, line {number}: not a JSON object with a "last_name".',
                'Optional: "first_names" (a list), "role", "rpps".',
            ) from None
    return Staff(records)


def _professional(record: Any) -> Professional:
    if not isinstance(record, Mapping):
        raise ValueError("a professional is not an object")
    last_name = record.get("last_name")
    if not isinstance(last_name, str):
        raise ValueError("last_name is missing")
    first_names = record.get("first_names") or record.get("first_name") or ()
    if isinstance(first_names, str):
        first_names = (first_names,)
    if not isinstance(first_names, Sequence) or not all(isinstance(name, str) for name in first_names):
        raise ValueError("first_names is not a list of texts")
    rpps, role = record.get("rpps"), record.get("role")
    return Professional(last_name, tuple(first_names), None if rpps is None else str(rpps), role)


def _by_start(match: tuple[int, int, int]) -> tuple[int, int]:
    return match[1], -match[2]


def _letters(name: str) -> str:
    return "".join(word[0] for word in key(name).split())


def _first_letters(one: Professional) -> set[str]:
    """Return the initial of the usual first name, and the initials of its parts: "j" and "jm"."""
    usual = next(filter(None, map(_letters, one.first_names)), "")
    return {usual[:1], usual} - {""}
