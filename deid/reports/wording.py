"""The words of reports, labels and codes, in French and in English; a code itself is shown beside its words."""

from __future__ import annotations

from collections.abc import Mapping

from deid.domain.wording import read_wording
from deid.refresh.sources import SOURCES

# Language → key → words
WORDING: Mapping[str, Mapping[str, str]] = read_wording("report")
# Language → label → its name, in the order of the annotation guide
LABEL_WORDS: Mapping[str, Mapping[str, str]] = read_wording("labels")
# Language → code → words: settings, parts of their keys, values of theirs, mechanisms of ε, usual codes of types
SETTINGS, PARTS, VALUES, MECHANISMS, DOCUMENT_TYPES = map(
    read_wording, ("settings", "setting_parts", "setting_values", "mechanisms", "document_types")
)


def setting_words(key: str, lang: str) -> str:
    """Return the words for a setting of the policy, given as "detection.recall.CITY"; "" where there are none."""
    parent = key
    while parent and parent not in SETTINGS[lang]:
        parent = parent.rpartition(".")[0]
    if not parent:
        return ""
    known = {**PARTS[lang], **LABEL_WORDS[lang]}
    if lang == "fr":
        known |= {name: source.title for name, source in SOURCES.items()}
    rest = [part for part in key.removeprefix(parent).split(".") if part]
    said = ", ".join(known.get(part, part) for part in rest)
    return str(SETTINGS[lang][parent]) + (f" ({said})" if said else "")


def value_words(key: str, value: str, lang: str) -> str:
    """Return the words for the value of a setting; "" where the value speaks for itself (a number, a list)."""
    tables = (key, key.rpartition(".")[2], "")
    return next((words for table in tables if (words := VALUES[lang].get(f"{table}={value}"))), "")


def mechanism_words(name: str, lang: str) -> str:
    """Return the words for a mechanism of the ledger; its name if it is not one of the product's."""
    stem, _, number = name.rpartition(" ")
    if number.isdigit() and stem in MECHANISMS[lang]:
        return f"{MECHANISMS[lang][stem]} {number}"
    return str(MECHANISMS[lang].get(name, name))


def document_type_words(code: str | None, lang: str) -> str:
    """Return the words for a usual code of a document type; "" for any other."""
    return str(DOCUMENT_TYPES[lang].get(code or "", ""))
