"""Origin of a name, told from its letters: examples written for this product (`origins.toml`), and a model of them.

No public register counts origins; the model only serves to draw a surrogate among names that read alike. Its classes
are languages that names come from, never facts about a person.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from math import log, log10
from pathlib import Path
from typing import Literal

from deid.french.folding import words

FRENCH = "french"
Kind = Literal["surname", "first name"]
_SEXES: Mapping[str, str] = {"women": "F", "men": "M", "both": "B"}
# Sections of `origins.toml` whose names count as French, and those that teach what names of no other section read like.
_USUAL, _ELSEWHERE = "usual", ("germanic",)


def _read(lists: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    return {title: tuple(names.split()) for title, names in lists.items()}


EXAMPLES = Path(__file__).with_suffix(".toml")
_EXAMPLES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    origin: _read(lists) for origin, lists in tomllib.loads(EXAMPLES.read_text(encoding="utf-8")).items()
}
ORIGINS: tuple[str, ...] = (FRENCH, *(one for one in _EXAMPLES if one not in (_USUAL, *_ELSEWHERE)))
_TAUGHT = (*ORIGINS[1:], *_ELSEWHERE)
_LENGTHS = (3, 4)
_SMOOTHING = 0.5
_DRAWN = 400
_SCALE = 1000  # weights are whole numbers of thousandths of a nat: the same on every machine
_PRIOR, _SETTLED = 4_000, 3_000  # what a name has to tell beyond French: at least, and per tenfold births
# The same at least, for languages whose syllables French names have too.
_PRIORS: Mapping[str, int] = {"basque": 7_000, "turkish": 8_000, "asian": 10_000, "tamil": 11_000, "pacific": 12_000}
_SPACE = 30_000  # n-grams that a language may have


class OriginModel:
    """A naive Bayes model over runs of three and four letters, its counts drawn towards those of French names.

    Args:
        kind: what the names are.
        weights: n-gram of an example → its log-likelihood ratio against French for each class but French, in
            thousandths of a nat: the classes of `ORIGINS` in order, then those that count as French.
        unseen: the same for every other n-gram.
    """

    def __init__(self, kind: Kind, weights: Mapping[str, Sequence[int]], unseen: Sequence[int]) -> None:
        self.kind, self.weights, self.unseen = kind, weights, unseen
        self.origin_of = lru_cache(1 << 14)(self._origin_of)  # called for every word of every name

    @classmethod
    def trained(cls, kind: Kind, french: Iterable[str]) -> OriginModel:
        """Return the model of the examples and of these French names, by their keys."""
        known = _known(kind)
        counts = [Counter(_all_grams(sorted({key for key, _, _ in _examples(kind, one)}))) for one in _TAUGHT]
        usual = Counter(_all_grams(word for word in french if known.get(word, FRENCH) == FRENCH))
        whole = usual.total() + _SMOOTHING * _SPACE

        sized = [(found, found.total() + _DRAWN) for found in counts]

        def told(gram: str) -> list[int]:
            expected = (usual[gram] + _SMOOTHING) / whole
            return [round(_SCALE * log((found[gram] + _DRAWN * expected) / size / expected)) for found, size in sized]

        unseen = [round(_SCALE * log(_DRAWN / size)) for _, size in sized]
        return cls(kind, {gram: told(gram) for gram in sorted(set().union(*counts))}, unseen)

    def _origin_of(self, word: str, births: int = 0) -> str:
        """Return the likeliest origin of a key; French the sooner, the more births it has had in France."""
        known = _known(self.kind).get(word)
        if known is not None:
            return known
        told = zip(*(self.weights.get(gram, self.unseen) for gram in _grams(word)), strict=True)
        sums = [sum(weights) for weights in told] or [0]
        best = max(range(len(sums)), key=sums.__getitem__)
        origin = _TAUGHT[best]
        tells = sums[best] > _PRIORS.get(origin, _PRIOR) + _SETTLED * log10(1 + births / 10)
        return origin if tells and origin not in _ELSEWHERE else FRENCH


def written_names(kind: Kind, origin: str) -> Iterator[tuple[str, str]]:
    """Yield the names written for an origin, and the sex of first names ("F", "M", "B"; "" for surnames)."""
    return ((name, sex) for _, name, sex in _examples(kind, origin))


@cache
def sexes_written() -> Mapping[str, str | None]:
    """Return key → sex of the first names written for an origin; None for those of both sexes."""
    sexes: dict[str, str | None] = {}
    for origin in ORIGINS:
        for key, _, sex in _examples("first name", origin):
            told = sex if sex in ("F", "M") else None
            sexes[key] = told if sexes.get(key, told) == told else None
    return sexes


def _examples(kind: Kind, section: str) -> Iterator[tuple[str, str, str]]:
    """Yield key, name and sex of the examples of a section."""
    for title, names in _EXAMPLES.get(section, {}).items():
        if (title == "surnames") is (kind == "surname"):
            yield from (("".join(words(name)), name, _SEXES.get(title, "")) for name in names)


@cache
def _known(kind: Kind) -> Mapping[str, str]:
    """Key → origin of the examples, French ones first."""
    known: dict[str, str] = {}
    for section in (_USUAL, *_ELSEWHERE, *ORIGINS[1:]):
        origin = section if section in ORIGINS else FRENCH
        for key, _, _ in _examples(kind, section):
            known.setdefault(key, origin)
    return known


def _all_grams(words: Iterable[str]) -> Iterator[str]:
    """Yield the n-grams of words."""
    return (gram for word in words for gram in _grams(word))


def _grams(word: str) -> Iterator[str]:
    whole = f"^{word}$"
    return (whole[at : at + length] for length in _LENGTHS for at in range(len(whole) - length + 1))
