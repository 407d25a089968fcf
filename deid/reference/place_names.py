"""Normalised keys of place names: the written forms of one commune have the same key."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

_LIGATURES = str.maketrans({"œ": "oe", "æ": "ae"})
_ACCENTS = re.compile("[\u0300-\u036f]+")
_SEPARATORS = re.compile(r"[^a-z0-9]+")
_SUR = re.compile(r"\bs ?/|(?<=[a-z])/(?=[a-z])")
_CEDEX = re.compile(r"\bcedex\b(?: \d{1,2})?")
# "Paris 15e", "LYON 03", "Marseille 1er arrondissement", "Paris XVe": the part after the city.
_DISTRICT = re.compile(
    r"^(paris|lyon|marseille) (?:(?:\d{1,2}|[ivx]{1,5}) ?(?:e|er|eme|ere|ieme)?)(?: arr(?:t|dt|ondissements?)?)?$"
)
_ABBREVIATIONS = {"st": "saint", "ste": "sainte", "sts": "saints", "stes": "saintes", "fd": "ferrand"}
_ARTICLES = {"l", "le", "la", "les"}
JOINS = frozenset("sur sous en les lez le la l de du des d aux et lès".split())
_BARE = frozenset({"l", "le", "la", "les", "saint", "sainte"})
_LEAST_OPENING = 4
# Contractions of a preposition and an article: "au Havre", "aux Lilas", "du Mans".
_CONTRACTIONS = {"au": "le", "du": "le", "aux": "les", "des": "les"}


@lru_cache(1 << 14)
def place_key(name: str) -> str:
    """Return the key of a name: lower case, no accents, one space between words.

    "St" is "saint", "s/" and "/" are "sur"; CEDEX and the arrondissement are dropped.

    >>> place_key("ST-ÉTIENNE-s/-Suran CEDEX 9")
    'saint etienne sur suran'
    >>> place_key("Paris 15e arrondissement")
    'paris'
    """
    plain = name.casefold().translate(_LIGATURES)
    if not plain.isascii():
        plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", plain))
    words = _SEPARATORS.sub(" ", _SUR.sub(" sur ", plain))
    words = _CEDEX.sub(" ", words)
    words = " ".join(_ABBREVIATIONS.get(word, word) for word in words.split())
    district = _DISTRICT.match(words)
    return district.group(1) if district else words


def without_article(place: str) -> str:
    """Return a key without its leading article: La Poste writes "ABERGEMENT CLEMENCIAT"."""
    first, _, rest = place.partition(" ")
    return rest if rest and first in _ARTICLES else place


def with_article(place: str) -> str:
    """Return a key with a leading contraction resolved: "au havre" is "le havre"."""
    first, _, rest = place.partition(" ")
    return f"{_CONTRACTIONS[first]} {rest}" if rest and first in _CONTRACTIONS else place


def key_openings(place: str) -> Iterator[str]:
    """Yield the proper prefixes of a key, in whole words, that are distinctive: "brive" of "brive la gaillarde"."""
    words = place.split()
    for end in range(1, len(words)):
        opening = " ".join(words[:end])
        if len(opening) >= _LEAST_OPENING and not is_bare_key(words[:end]) and words[end - 1] not in JOINS:
            yield opening


def is_bare_key(words: Sequence[str]) -> bool:
    """Return whether the words of a key are articles and saints only."""
    return all(word in _BARE for word in words)


def department_of_zip(zip_code: str) -> str | None:
    """Return the department of the first digits of a postal code ("20167": "2A"); None if it is no code.

    A few communes are served from the next department.
    """
    digits = zip_code.strip()
    if not re.fullmatch(r"\d{5}", digits):
        return None
    if digits.startswith("20"):
        return "2A" if digits < "20200" else "2B"
    return digits[:3] if digits.startswith(("97", "98")) else digits[:2]
