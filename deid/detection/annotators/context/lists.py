"""Enumerations of people: beside a sure name, what looks like a name is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deid.detection.known_names import NOT_NAMES
from deid.detection.lexicon import gazetteers
from deid.detection.names import is_capital, is_upper, namelike, read_name
from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES

_SEPARATORS = frozenset({",", "/", "+", "et", ";", "&", "→"})
_ENDS = frozenset({",", ";", ")", ".", "/", "+", "(", "\n", "", "et", ":", "&", "]", "→"})
_SOURCE = 0.6


def extend(reading: Reading, names: Sequence[Mention]) -> Iterator[Mention]:
    """Names to the right of known ones in lists such as "(Rakoto, Cherqui-Blum, Samama)"."""
    starts = {mention.start for mention in names}
    for mention in names:
        if mention.label not in NAMES or mention.score < _SOURCE:
            continue
        last = reading.token_at(mention.end - 1)
        score = min(mention.score, 0.85) - 0.1
        for _ in range(8):
            at = last + 2
            if reading.word(last + 1) not in _SEPARATORS or reading.word(at) == "" or reading.starts[at] in starts:
                break
            end = _item(reading, at)
            if end is None:
                break
            starts.add(reading.starts[at])
            yield Mention(reading.starts[at], reading.ends[end], mention.label, score)
            last = end


def _item(reading: Reading, at: int) -> int | None:
    """Last token of the name that is exactly one item of a list from token `at`; None if it is no name."""
    word = reading.words[at]
    if not is_capital(reading, at) or word in NOT_NAMES or not (namelike(reading, at) or len(word) == 1):
        return None
    if word in reading.lexicon.drugs or word in reading.lexicon.eponyms or (is_upper(reading, at) and len(word) < 5):
        return None
    end = read_name(reading, at, strict=True)
    if end is None or reading.word(end + 1) not in _ENDS:
        return None
    name = " ".join(part for part in reading.words[at : end + 1] if part.isalpha())
    return None if name in gazetteers().names else end
