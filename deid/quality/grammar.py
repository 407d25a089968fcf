"""Count the elisions and articles that do not fit the surrogate that they stand ahead of.

Rules of its own, on the published text: nothing is shared with the code that writes the words ahead.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from deid.domain.document import Substitution
from deid.domain.labels import NAMES, Label

PLACED = frozenset({Label.CITY, Label.LOC, Label.ORG})
_LABELS = PLACED | NAMES
_REACH = 12
_VOWELS = "aeiouàâäéèêëîïôöùûüœæ"
_GAP = "[ \n\u00a0\u202f]"
# Ahead of a consonant ("d'Saint-Laurent"), of a vowel ("de Aubord"), of an article that contracts ("au Les Cèdres",
# "de Le Mans") and two articles in a row ("à la Les Tilleuls"). Names with h, y and of letters alone go either way.
_ERRORS = re.compile(
    rf"(?<![\w'’-])(?:"
    rf"[dl]['’](?=[bcdfgjklmnpqrstvwxz][\w'’-]*[{_VOWELS}])"
    rf"|de{_GAP}+(?=[{_VOWELS}](?<!y)[\w'’-]*[bcdfgjklmnpqrstvwxz{_VOWELS}])(?!onz|oui|uhl)"
    rf"|(?:de|à|au|aux|du|des|en|la|le|les){_GAP}+(?=les?{_GAP})"
    rf"|(?:au|aux|du|des|le|les|de{_GAP}+la|à{_GAP}+la){_GAP}+(?=la{_GAP}|l['’])"
    rf"|en{_GAP}+(?=(?:la|le|les){_GAP}|l['’])"
    rf")",
    re.IGNORECASE,
)
# Of people, whose names begin with articles that do not contract ("de La Fontaine", "à Le Goff"), elisions alone.
_PEOPLE = re.compile(
    rf"(?<![\w'’-])(?:"
    rf"(?:[dl]|qu)['’](?=[bcdfgjklmnpqrstvwxz][\w'’-]*[{_VOWELS}])"
    rf"|(?:de|que){_GAP}+(?=[{_VOWELS}][\w'’-]*[bcdfgjklmnpqrstvwxz])(?!onz|oui|uhl)"
    rf")",
    re.IGNORECASE,
)
_ELIDABLE = re.compile(rf"(?<![\w'’-])(?:(?:[dl]|qu)['’]|(?:de|que){_GAP}+)(?=\w)", re.IGNORECASE)
_LETTERS = re.compile(r"[A-Z]{2,5}(?![a-zà-ÿ])")


def count_errors(substitution: Substitution, labels: Collection[Label] = _LABELS) -> int:
    """Count the surrogates of these labels with a wrong elision, contraction or article ahead of a name."""
    return sum(1 for _ in _errors(substitution, labels))


def count_names(substitution: Substitution, labels: Collection[Label] = _LABELS) -> int:
    """Count the surrogates of places and organisations, and those of people behind a word that may be elided."""
    return sum(_is_counted(substitution, at, labels) for at in range(len(substitution.spans)))


def _is_counted(substitution: Substitution, at: int, labels: Collection[Label]) -> bool:
    (start, end), label = substitution.spans[at], substitution.surrogates[at].mention.label
    if label not in labels or label not in NAMES:
        return label in labels
    return _ELIDABLE.search(substitution.text, max(0, start - _REACH), end) is not None


def _errors(substitution: Substitution, labels: Collection[Label]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the surrogates with an error inside or at the beginning."""
    text = substitution.text
    for (start, end), surrogate in zip(substitution.spans, substitution.surrogates, strict=False):
        if surrogate.mention.label not in labels:
            continue
        begin = max(0, start - _REACH)
        for found in (_PEOPLE if surrogate.mention.label in NAMES else _ERRORS).finditer(text, begin, end):
            if found.end() >= start and not (
                surrogate.mention.label is Label.ORG and _LETTERS.match(text, found.end())
            ):
                yield start, end
                break
