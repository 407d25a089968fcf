"""Which bare words are also ordinary French, and which names are known eponyms: doubt about a name is settled here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from deid.quality.folding import fold, letters
from deid.reference.packaged import packaged_rows

ORDINARY_PER_MILLION = 10.0  # at this frequency a lower-case word reads as the word, not as a name
GRAMMATICAL_PER_MILLION = 1000.0  # "le", "de", "an": a name only beside a civility or another name

# What stands inside names without identifying.
PARTICLES = frozenset(
    "de du des d la le les l el al da di do dos das von van der den ter ben bin ibn abd ep nee".split()
)


@cache
def frequencies() -> Mapping[str, float]:
    """Bare French word → occurrences per million (Lexique 3.83)."""
    table: dict[str, float] = {}
    for row in packaged_rows("words"):
        bare = fold(row["word"])
        table[bare] = table.get(bare, 0.0) + float(row["per_million"])
    return table


@cache
def eponyms() -> frozenset[str]:
    """Bare words of the names that diseases, signs and scores bear."""
    return frozenset(
        letters(part) for row in packaged_rows("eponyms") for part in re.split(r"[\s\-]+", row["name"]) if part
    )


def is_ordinary(bare: str) -> bool:
    """Whether `bare` is a frequent French word."""
    return frequencies().get(bare, 0.0) >= ORDINARY_PER_MILLION


def is_grammatical(bare: str) -> bool:
    """Whether `bare` is one of the few words that hold sentences together."""
    return frequencies().get(bare, 0.0) >= GRAMMATICAL_PER_MILLION


@cache
def _terms() -> frozenset[str]:
    """Bare words of medicine that general French lacks, drugs and eponyms included."""
    medical = (fold(row["word"]) for row in packaged_rows("medical_words"))
    drugs = (letters(part) for row in packaged_rows("drugs") for part in re.split(r"[\s\-]+", row["name"]))
    return eponyms().union(medical, drugs)


def is_word(bare: str) -> bool:
    """Whether `bare` is a word of French or a term of medicine."""
    return bare in frequencies() or bare in _terms()
