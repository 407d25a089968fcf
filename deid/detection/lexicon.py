"""What is known of single words: how often a first name, a surname, a common or a medical word."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from deid.detection.gazetteers import Births, Gazetteers, gazetteers
from deid.french.folding import fold, key
from deid.reference.packaged import packaged_rows

# Parts of speech that a name at the start of a sentence could be mistaken for least.
_GRAMMAR = frozenset({"ART", "PRE", "CON", "PRO", "ADJ:pos", "AUX"})


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Tables keyed by folded word. Births are counts in France; common is a frequency per million words."""

    first_names: Births
    surnames: Births
    common: dict[str, float]
    medical: frozenset[str]
    drugs: frozenset[str]
    eponyms: frozenset[str]
    double_eponyms: frozenset[str]  # of two or more people: "guillain barre"
    parts: dict[str, str]  # parts of speech that the word can be, as Lexique names them, joined by |

    def is_first_name(self, word: str) -> bool:
        """Whether `word` is much rather a first name than a word of the language."""
        births = self.first_names.get(word, 0)
        return births >= 60 and births > 150 * self.common.get(word, 0.0) and word not in self.drugs

    def is_surname(self, word: str) -> bool:
        """Whether `word` is borne as a surname and is not a usual word."""
        births = self.surnames.get(word, 0)
        return births >= 15 and births > 100 * self.common.get(word, 0.0) and word not in self.medical

    def is_word(self, word: str) -> bool:
        """Whether `word` belongs to the language, general or medical, or is a drug."""
        return word in self.common or word in self.medical or word in self.drugs

    def is_unknown(self, word: str) -> bool:
        """Whether no table knows `word`: in French prose that is a name, a brand or a misspelling."""
        return not (self.is_word(word) or word in self.first_names or word in self.surnames)


def _spellings(word: str) -> tuple[str, ...]:
    """A folded word, and how it is typed where œ and æ are missing."""
    return (word, word.replace("œ", "oe").replace("æ", "ae")) if "œ" in word or "æ" in word else (word,)


def lexicon() -> Lexicon:
    """Names of people of the lookup in use (`gazetteers.use`), words of the tables that ship."""
    return _lexicon(gazetteers())


@lru_cache(maxsize=2)
def _lexicon(names: Gazetteers) -> Lexicon:
    return Lexicon(names.first_names, names.surnames, **_language())


@cache
def _language() -> dict[str, Any]:
    """What does not change with the lookup: words of the language and of medicine, loaded once per process."""
    common: dict[str, float] = defaultdict(float)
    parts: dict[str, str] = {}
    for row in packaged_rows("words"):
        for spelling in _spellings(fold(row["word"])):
            common[spelling] += float(row["per_million"])
            parts.setdefault(spelling, row["parts"])
    return {
        "common": dict(common),
        "medical": frozenset(word for row in packaged_rows("medical_words") for word in _spellings(fold(row["word"]))),
        "drugs": frozenset(
            word for row in packaged_rows("drugs") if len(word := key(row["name"])) > 3 and " " not in word
        ),
        "eponyms": frozenset(
            part for row in packaged_rows("eponyms") for part in key(row["name"]).split() if len(part) > 2
        ),
        "double_eponyms": frozenset(name for row in packaged_rows("eponyms") if " " in (name := key(row["name"]))),
        "parts": parts,
    }
