"""Pools of names, towns, areas and drugs from the shipped tables, by the difficulty for a detector."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from deid.detection.lookup.known_names import FOREIGN_CITIES, GEOGRAPHY
from deid.detection.lookup.lexicon import lexicon
from deid.french.folding import comparable, fold_line, titled
from deid.french.organisations import COMPANIES
from deid.reference.packaged import packaged_rows

CALENDAR = tuple(
    "Janvier Février Mars Avril Mai Juin Juillet Août Septembre Lundi Mardi Jeudi Vendredi Samedi Dimanche Noël Pâques "
    "Toussaint Printemps Hiver".split()
)
_SYLLABLE = re.compile(r"[^aeiouy]*[aeiouy]+(?:[^aeiouy]+$|[^aeiouy](?=[^aeiouy]))?")
_USUAL_WORD = 1.0  # occurrences per million
_LARGE_TOWN = 10_000  # inhabitants
_ACRONYM = 4  # letters at most
# Probable accents of surnames, absent from the table: "Lefèvre", "Carrère", "Vallée", "Étienne".
_GRAVE = re.compile(r"(?<=[bcdfgjlmnprstvz])e(?=(?:[bcdgjlmnprstv]|vr|qu|ch|gu|br|dr)es?$)")
_GRAVE_I = re.compile(r"(?<=i)e(?=res?$)")
_ACUTE = re.compile(r"e(?=es?$)")
_EXAMPLE = re.compile(r"(?P<head>[^\W\d_]+)(?: [^\W\d_]+)? (?:de |d['’])$")


class Town(NamedTuple):
    """Commune, or town abroad without postal codes."""

    name: str
    zips: tuple[str, ...] = ()


class Surnames(NamedTuple):
    """All surnames, those that are also words, and first, inner and last `syllables`; capitalised."""

    real: Sequence[str]
    words: Sequence[str]
    syllables: tuple[Sequence[str], Sequence[str], Sequence[str]]


class Towns(NamedTuple):
    """Towns by difficulty, and all towns by comparable name."""

    all: Sequence[Town]
    large: Sequence[Town]
    ambiguous: Sequence[Town]
    former: Sequence[Town]
    foreign: Sequence[Town]
    known: Mapping[str, Town]


@cache
def surname_pool() -> Surnames:
    """Return the surnames of the table."""
    common = lexicon().common
    real = [titled(row["name"]) for row in packaged_rows("surnames")]
    firsts, inners, lasts = [], [], []
    for name in real[::3]:
        parts = _SYLLABLE.findall(fold_line(name))
        if name.isalpha() and len(parts) > 1 and "".join(parts) == fold_line(name):
            firsts.append(parts[0])
            inners += parts[1:-1]
            lasts.append(parts[-1])
    words = [name for name in real if common.get(fold_line(name), 0.0) > _USUAL_WORD]
    return Surnames(real, words, (firsts, inners, lasts))


@cache
def first_name_pool() -> Mapping[tuple[str, bool], Sequence[str]]:
    """Map (sex, compound) to first names."""
    pools: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for row in packaged_rows("first_names"):
        if len(row["name"]) > 1:
            pools[row["sex"], "-" in row["name"]].append(titled(row["name"]))
    return pools


@cache
def town_pool() -> Towns:
    """Return the present and former communes, and foreign towns."""
    words = lexicon()
    table = [
        (Town(row["name"].removesuffix(" Arrondissement"), tuple(row["zips"].split("|"))), int(row["population"]))
        for row in packaged_rows("communes")
    ]
    every = [town for town, _ in table]

    def ambiguous(name: str) -> bool:
        word = fold_line(name)
        return word.isalpha() and (
            words.common.get(word, 0.0) > 0.5
            or words.surnames.get(word, 0) > 500
            or words.first_names.get(word, 0) > 500
            or word in words.medical
        )

    return Towns(
        all=every,
        large=[town for town, inhabitants in table if inhabitants > _LARGE_TOWN],
        ambiguous=[town for town in every if ambiguous(town.name)],
        former=[Town(row["name"]) for row in packaged_rows("former_communes")],
        foreign=[Town(titled(name)) for name in FOREIGN_CITIES],
        known={comparable(town.name): town for town in every},
    )


@cache
def _accented_words() -> Mapping[str, str]:
    """Map the folded spelling of first names and words to the accented one."""
    spelt: dict[str, str] = {}
    for table, column in (("words", "word"), ("first_names", "name")):
        for row in packaged_rows(table):
            word = row[column]
            if not word.isascii() and word.isalpha() and len(word) == len(fold_line(word)):
                spelt.setdefault(fold_line(word), titled(word))
    return spelt


def accented(surname: str) -> str:
    """Return a surname of the table with its probable accents."""
    known = _accented_words().get(surname.lower())
    if known is not None:
        return known
    for pattern, accent in ((_GRAVE, "è"), (_GRAVE_I, "è"), (_ACUTE, "é")):
        if pattern.search(surname):
            return pattern.sub(accent, surname, count=1)
    return surname


def _grammar(name: str) -> tuple[str, bool]:
    """Return the ending of an area's first word and whether the word opens with a vowel; they determine the article."""
    word = re.split("[- ]", fold_line(name))[0]
    ending = word if word in ("la", "le", "les") else "s" if word.endswith("s") else "e" if word.endswith("e") else ""
    return ending, word[0] in "aeiouy" or (word.startswith("h") and not word.startswith("haut"))


AreaGroup = tuple[str, str, bool]


class Areas(NamedTuple):
    """Departments, regions, countries and lands, in groups that share an article."""

    group_of: Mapping[str, AreaGroup]
    groups: Mapping[AreaGroup, Sequence[str]]


@cache
def areas() -> Areas:
    """Return the territories of the table, and named lands (whose names have no accents)."""
    named = [(row["kind"], row["name"]) for row in packaged_rows("territories")]
    named += [("land", titled(name)) for name in GEOGRAPHY]
    group_of: dict[str, AreaGroup] = {}
    groups: dict[AreaGroup, list[str]] = defaultdict(list)
    for kind, name in named:
        group = (kind, *_grammar(name))
        group_of.setdefault(comparable(name), group)
        groups[group].append(name)
    return Areas(group_of, groups)


@cache
def eponym_pool() -> Mapping[str, Sequence[str]]:
    """Map the folded word before "de" ("score", "maladie"…) to eponyms, and "" to all eponyms."""
    pools: dict[str, list[str]] = defaultdict(list)
    for row in packaged_rows("eponyms"):
        at = row["example"].find(row["name"])
        lead = _EXAMPLE.search(row["example"][: max(at, 0)])
        if lead is not None and row["name"][:1].isupper() and " " not in row["name"]:
            pools[fold_line(lead["head"]).rstrip("s")].append(row["name"])
            pools[""].append(row["name"])
    return pools


@cache
def drug_pool() -> Sequence[str]:
    """Return drugs of one word, in capitals."""
    return [row["name"] for row in packaged_rows("drugs") if row["name"].isalpha() and len(row["name"]) > 4]


@cache
def companies() -> Sequence[str]:
    """Return companies without a head word; short words outside the language are acronyms, in capitals."""
    common = lexicon().common

    def written(name: str) -> str:
        acronym = len(name) <= _ACRONYM and common.get(name, 0.0) < _USUAL_WORD
        return name.upper() if acronym else titled(name)

    return [written(name) for name in COMPANIES]
