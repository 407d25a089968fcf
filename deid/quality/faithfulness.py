"""Is each surrogate a replacement, and is the time line kept? Compares every surrogate with what it stands for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from deid.domain.document import Surrogate
from deid.domain.labels import NAMES, Label
from deid.quality.calendar_reader import Reading, read
from deid.quality.folding import WORD, alnum, fold
from deid.quality.lexicon import PARTICLES

# Drawn by a mechanism that may, by design, return the value itself: forbidding it would reveal what it is not.
DRAWN = frozenset({Label.DATE, Label.RELDATE, Label.AGE, Label.ZIP, Label.CITY, Label.LOC})
_DRAWN_LEAST = 4  # distinct values from which "all of them kept" is no longer chance but a pass-through

_CIVILITIES = frozenset(
    "m mr mme mlle me dr pr monsieur madame mademoiselle docteur professeur veuve vve epouse dit dite alias".split()
)
_LABELS = "|".join(label.value for label in Label)
_MASK = re.compile(rf"[\[<{{(]\s*[^\]>}})]*\s*[\]>}})]|(?:{_LABELS})(?:[-_ ]?\d+)?|[*█•_.…xX/\- ]+")

# A keyed digest has no vowel and no 0 or 1 (`hash` in docs/privacy.md): it is no date, and pretends to be none.
_DIGEST = re.compile(r"(?=[2-9]*[a-z])[b-df-hjkmnp-tv-xz2-9]{8,32}")


class Pair(NamedTuple):
    """A mention's original text beside its surrogate."""

    original: str
    surrogate: Surrogate

    @property
    def label(self) -> Label:
        """What the mention was found to be."""
        return self.surrogate.mention.label


def is_mask(text: str) -> bool:
    """Whether `text` hides rather than imitates: a tag, a label with or without number, a row of stars."""
    return _MASK.fullmatch(text.strip()) is not None or not any(char.isalnum() for char in text)


def faithfulness(pairs: Sequence[Pair], source_date: date | None, moved_date: date | None) -> dict[str, float]:
    """Counts of surrogates that equal their original, and of dates that are impossible, unread or out of order.

    `source_date` and `moved_date` are the document's own date before and after: they settle two-digit years.
    """
    drawn = {(alnum(pair.original), alnum(pair.surrogate.text)) for pair in pairs if pair.label in DRAWN}
    kept_drawn = sum(original == surrogate for original, surrogate in drawn)
    unmasked = sum(not pair.surrogate.parsed and not is_mask(pair.surrogate.text) for pair in pairs)
    return {
        "original_kept": float(sum(_is_kept(pair) for pair in pairs if pair.label not in DRAWN)),
        "drawn_kept": float(kept_drawn),
        "drawn_all_kept": float(len(drawn) >= _DRAWN_LEAST and kept_drawn == len(drawn)),
        "unparsed_unmasked": float(unmasked),
        **_dates([pair for pair in pairs if pair.label is Label.DATE], source_date, moved_date),
    }


def _is_kept(pair: Pair) -> bool:
    """Whether the surrogate says its original: the same signs, or for a name one of its telling words."""
    original, surrogate = alnum(pair.original), alnum(pair.surrogate.text)
    if original == surrogate:
        return original != "" or pair.original.strip() == pair.surrogate.text.strip()
    return pair.label in NAMES and bool(_telling(pair.original) & _telling(pair.surrogate.text))


def _telling(name: str) -> set[str]:
    bare = {fold(word) for word in WORD.findall(name)}
    return {word for word in bare if len(word) > 2 and word not in PARTICLES and word not in _CIVILITIES}


def _dates(pairs: Sequence[Pair], source_date: date | None, moved_date: date | None) -> dict[str, float]:
    impossible = unread = 0
    ordered: list[tuple[Reading, Reading]] = []
    for pair in pairs:
        after = read(pair.surrogate.text, moved_date)
        if after is None:
            unread += not is_mask(pair.surrogate.text) and not _DIGEST.fullmatch(pair.surrogate.text.strip())
        elif not after.exists:
            impossible += 1
        else:
            before = read(pair.original, source_date)
            if before and before.exists:
                ordered.append((before, after))
    return {
        "dates_impossible": float(impossible),
        "dates_unread": float(unread),
        "dates_disordered": float(disorder(ordered)),
    }


def disorder(ordered: Sequence[tuple[Reading, Reading]]) -> int:
    """Number of dates whose surrogate is surely before that of a surely earlier date (source, surrogate pairs)."""
    spans = [
        (before.first, before.last, after.first, after.last)
        for before, after in ordered
        if before.first and before.last and after.first and after.last
    ]
    by_end = sorted(spans, key=lambda span: span[1])
    by_start = sorted(spans, key=lambda span: span[0])
    latest: date | None = None  # latest sure start among surrogates of the dates already over
    position = count = 0
    for first, _, _, moved_last in by_start:
        while position < len(by_end) and by_end[position][1] < first:
            latest = max(latest or date.min, by_end[position][2])
            position += 1
        count += latest is not None and moved_last < latest
    return count
