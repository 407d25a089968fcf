"""Is a text French? Told by the little words that hold sentences together, which no specialty changes."""

from __future__ import annotations

from collections.abc import Iterable

_FRENCH = frozenset(
    "le la les un une des du de et est au aux en dans sur par pour avec sans ce cette son sa ses qui que ne pas plus a "
    "il elle nous vous je on se y ete sous lors depuis d l n s qu".split()
)
_OTHERS = (
    frozenset(
        "the of and to in is was with for on that this his her he she by from at are were has had not be an".split()
    ),
    frozenset("der die das und ist mit von zu den dem ein eine nicht im auf fur wurde bei sich er sie des".split()),
    frozenset("el los las y del con por para una que se no su al lo como mas fue ha es".split()),
    frozenset("il di che e della del con per una non si al alla nel le gli sono stato i".split()),
)
_LEAST_WORDS = 30  # fewer words than this say too little about a language
_FRENCH_ENOUGH = 0.12  # share of little words above which a text is French, whatever else it holds


def is_foreign(words: Iterable[str]) -> bool:
    """Whether a text of these bare words is in another language; short or list-like texts get the benefit of doubt."""
    tokens = list(words)
    if len(tokens) < _LEAST_WORDS:
        return False
    french = sum(token in _FRENCH for token in tokens) / len(tokens)
    other = max(sum(token in little for token in tokens) for little in _OTHERS) / len(tokens)
    return other > 0.1 and other > french and french < _FRENCH_ENOUGH
