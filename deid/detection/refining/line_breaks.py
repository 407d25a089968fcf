"""Names and addresses that a line break cuts: "Rous-/selot", "Isabelle de/Vaugirard", "4 avenue du/Maréchal Foch"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deid.detection.names import LOWER_PARTICLES
from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label

_CUT = NAMES | {Label.STREET, Label.CITY}


def join_lines(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Sorted `mentions` of which those at the end of a line go on in the next one; each line keeps its own mention."""
    result: list[Mention] = []
    for position, mention in enumerate(mentions):
        if result and result[-1].end > mention.start:
            mention = replace(mention, start=result[-1].end)
        following = mentions[position + 1] if position + 1 < len(mentions) else None
        last = reading.token_at(mention.end - 1)
        if mention.label not in _CUT or last >= len(reading.words):
            result.append(mention)
            continue
        if reading.words[last] == "-" and reading.word(last + 1) == "\n":
            result.append(mention)
            result += _second_half(reading, mention, last + 2, following)
            continue
        result.append(_over_particles(reading, mention, last, following))
    return sorted(one for one in result if one.end > one.start)


def _second_half(reading: Reading, mention: Mention, at: int, following: Mention | None) -> list[Mention]:
    """The rest of a hyphenated word, where no mention holds it."""
    if not reading.word(at).isalpha() or (following is not None and following.start <= reading.starts[at]):
        return []
    return [replace(mention, start=reading.starts[at], end=reading.ends[at])]


def _over_particles(reading: Reading, mention: Mention, last: int, following: Mention | None) -> Mention:
    """The mention with the particles between it and the line break, if the next line goes on with one of its kind."""
    at = last + 1
    while reading.word(at) in LOWER_PARTICLES:
        at += 1
    goes_on = (
        at > last + 1
        and reading.word(at) == "\n"
        and following is not None
        and following.start == reading.starts[at + 1]
        and (
            mention.label is Label.STREET
            or following.label is mention.label
            or {following.label, mention.label} <= NAMES
        )
    )
    return replace(mention, end=reading.ends[at - 1]) if goes_on else mention
