"""The last signs of a mention that a cut left out: the dot of an initial, a bracket, the rest of a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import IDENTIFIERS, NAMES, Label

_BEFORE_PHONE = re.compile(r"(?:\([+0]\d{0,3}\)|[(+*#])+\Z")
_BEFORE_NUMBER = re.compile(r"(?:[A-Za-z0-9]{1,12}[-/_])*[A-Za-z0-9]{0,12}\Z")
_AFTER_NUMBER = re.compile(r"[A-Za-z0-9]{0,12}(?:[-/_][A-Za-z0-9]{1,12})*")
_LAST_INITIAL = re.compile(r"(?:^|[\s.\-^])[A-ZÀ-Ý]$")
# Letters and digits that touch a name: a scanner's 0 for O, an entity of HTML for an accent.
_BEFORE_NAME = re.compile(r"(?:&[A-Za-z]{2,6};|\w)+\Z")
_AFTER_NAME = re.compile(r"(?:&[A-Za-z]{2,6};|[^\W_])+")
_ABBREVIATED = re.compile(r"\.(?=[,;:)|])")
_KEY = re.compile(r"[ ,–-]{0,3}\(?(?:cl[eé]f?|key)[ :]{0,2}", re.IGNORECASE)
_REACH = 40  # signs looked at on each side


def complete_wholes(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Sorted mentions, each grown over the signs beside it that belong to it; never over another mention."""
    mentions = _keyed(reading.text, mentions)
    grown: list[Mention] = []
    for index, mention in enumerate(mentions):
        low = grown[-1].end if grown else 0
        high = mentions[index + 1].start if index + 1 < len(mentions) else len(reading.text)
        start, end = _grown(reading.text, mention, low, high)
        grown.append(replace(mention, start=start, end=end))
    return grown


def _keyed(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Social security numbers with their keys as one mention."""
    joined: list[Mention] = []
    for mention in mentions:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.label is mention.label is Label.NIR
            and _KEY.fullmatch(text, last.end, mention.start)
        ):
            votes = tuple(sorted({*last.votes, *mention.votes}))
            joined[-1] = replace(last, end=mention.end, score=max(last.score, mention.score), votes=votes)
        else:
            joined.append(mention)
    return joined


def _grown(text: str, mention: Mention, low: int, high: int) -> tuple[int, int]:
    start, end = mention.start, mention.end
    if mention.label in NAMES:
        start, end = _whole_words(text, start, end, low, high)
        initial = end < high and text[end] == "." and _LAST_INITIAL.search(text[max(start, end - 2) : end])
        if initial or (end < high and _ABBREVIATED.match(text, end)):
            end += 1
        elif end < high and text[end] == "-" and text[end + 1 : end + 2] in ("", "\n"):
            end += 1  # the rest of the name is on the next line
    elif mention.label is Label.PHONE:
        start -= len(_matched(_BEFORE_PHONE, text[max(low, start - 6) : start]))
    elif mention.label in IDENTIFIERS and text[start:end].strip():
        if text[start].isalnum():
            start -= len(_matched(_BEFORE_NUMBER, text[max(low, start - _REACH) : start]))
        if text[end - 1].isalnum():
            found = _AFTER_NUMBER.match(text, end, min(high, end + _REACH))
            end = found.end() if found else end
    if ")" in text[start:end] and "(" not in text[start:end] and start > low and text[start - 1] == "(":
        start -= 1
    if "(" in text[start:end] and ")" not in text[start:end] and end < high and text[end] == ")":
        end += 1
    return start, end


def _whole_words(text: str, start: int, end: int, low: int, high: int) -> tuple[int, int]:
    """A name grown over what a scanner's digit or an entity of HTML cut off; a glued title stays outside."""
    before = _matched(_BEFORE_NAME, text[max(low, start - 12) : start]) if text[start].isalnum() else ""
    if text[start].isdigit() or any(sign.isdigit() or sign == "&" for sign in before):
        start -= len(before)
    after = _AFTER_NAME.match(text, end, min(high, end + 12)) if text[end - 1].isalnum() else None
    if after and any(sign.isdigit() or sign == "&" for sign in after.group()):
        end = after.end()
    return start, end


def _matched(pattern: re.Pattern[str], before: str) -> str:
    found = pattern.search(before)
    return found.group() if found else ""
