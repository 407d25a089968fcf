"""Stretches of text read as one date or age: a mention, each bound of a range in it, or two mentions.

"12-15 mars" is two dates in one mention; "12 mars" at the end of a line and "2020" on the next one are one date in two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.folding import comparable, fold_line
from deid.french.numerals import NUMBER_WORDS
from deid.substitution.context import DocumentContext

Reads = Callable[[str], bool]
Join = Callable[[Mention, Sequence[str]], str]

# What joins the bounds of a range or the items of a list.
_JOINT = re.compile(
    r" ?(?:->|=>|[-–—/,;&+]) ?| (?:au|et|ou|a|puis|jusqu'au|jusqu'en) (?:le )?|"
    r"(?<=\d) (?=(?:(?:lun|mar|jeu|ven|sam)(?:\.|di)?|(?:mercre|vendre|same)di|mer\.?|dim(?:\.|anche)?) \d)"
)
_MOST = 4  # dates in one mention
_LONGEST = 60  # characters of a mention that may hold several
_BREAK = re.compile(r"[ \t]*\n[ \t]*")


# A word, or a number in words whole: how many words a number has depends on its value.
_WORD = re.compile(rf"(?:\b(?:{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})\b[ -]?)+|\w+")
_NAMED = re.compile(r"[^\W\d_]{3,}")
_LONG = re.compile(r"\d{4}|.*\d[/.]\d.*")
_LISTED = re.compile(r"\d ?, ?\d")  # "12, 13" is a list, and no date
_YEARS = re.compile(r"(?:1[89]|20)\d\d[-–/]\d\d")  # "1939-45"
# "12-15.03.2021": the first day of a range that its last one dates.
_FIRST_DAY, _DATED = re.compile(r"\d{1,2}\.?"), re.compile(r"\d{1,2}([/.])\d{1,2}\1(?:\d{4}|\d\d)")


@dataclass(frozen=True, slots=True)
class Half:
    """One of two mentions that are one date: the first (`side` 0) or the second of `whole`, and the text between."""

    whole: Mention
    side: int
    between: str


@dataclass(frozen=True, slots=True)
class Segments:
    """Spans to read, in order; `parts` maps a mention to the spans within it, `halves` half a date to its whole.

    A mention in neither is a span itself.
    """

    spans: tuple[Mention, ...]
    parts: Mapping[Mention, tuple[Mention, ...]]
    halves: Mapping[Mention, Half]

    def holds(self, span: Mention) -> bool:
        """Return whether a span is one of several dates in a mention."""
        return any(span in parts for parts in self.parts.values())

    def compose(
        self, context: DocumentContext, mention: Mention, texts: Mapping[Mention, str], join: Join | None, returns: bool
    ) -> str | None:
        """Return the text of a mention from those of its spans; None if one has none, or cannot be parted in two.

        Dates in one mention keep the text between them, or are made one by `join`. `returns`: a draw may give its
        original, and so may half of one.
        """
        if mention in self.halves:
            half = self.halves[mention]
            original, text = context.text(half.whole), texts.get(half.whole)
            if half.whole.label is Label.RELDATE and (text or "").split() == original.split():
                return context.text(mention)  # kept, and public: "la semaine", "dernière"
            pair = _parted(original, text, half.between, returns)
            return pair[half.side] if pair else None
        if mention not in self.parts:
            return texts.get(mention)
        parts = self.parts[mention]
        if any(part not in texts for part in parts):
            return None
        if join is not None:
            return join(mention, [texts[part] for part in parts])
        pieces: list[str] = []
        position = mention.start
        for part in parts:
            pieces += (context.document.text[position : part.start], texts[part])
            position = part.end
        return "".join((*pieces, context.document.text[position : mention.end]))


def may_go_on(context: DocumentContext, mentions: Sequence[Mention]) -> bool:
    """Return whether a mention may be half a date: only spaces part it from the next one, of the same kind."""
    text = context.document.text
    return any(text[one.end : other.start].isspace() for one, other in pairwise(mentions) if one.label is other.label)


def cut_segments(context: DocumentContext, mentions: Iterable[Mention], reads: Reads, joins: Reads) -> Segments:
    """Return the segments of mentions of one kind.

    `reads` says whether a text can be read by itself; `joins` whether two lines are one date for sure.
    """
    spans: list[Mention] = []
    parts: dict[Mention, tuple[Mention, ...]] = {}
    halves: dict[Mention, Half] = {}
    queue = list(mentions)
    for index, mention in enumerate(queue):
        if mention in halves:
            continue
        whole = _with_next(context, queue, index, joins)
        if whole is not None:
            second = queue[index + 1]
            between = context.document.text[mention.end : second.start]
            halves |= {mention: Half(whole, 0, between), second: Half(whole, 1, between)}
            spans.append(whole)
            continue
        within = () if reads(context.text(mention)) else _within(context, mention, reads)
        if within:
            parts[mention] = within
        spans += within or (mention,)
    return Segments(tuple(spans), parts, halves)


def _with_next(context: DocumentContext, queue: list[Mention], index: int, joins: Reads) -> Mention | None:
    """Return a mention and the next one as one, if only a line break parts them and both are one date."""
    if index + 1 == len(queue) or queue[index].label is not queue[index + 1].label:
        return None
    first, second = queue[index], queue[index + 1]
    if _BREAK.fullmatch(context.document.text[first.end : second.start]) is None:
        return None
    whole = Mention(first.start, second.end, first.label)
    return whole if joins(context.text(whole)) else None


def _within(context: DocumentContext, mention: Mention, reads: Reads) -> tuple[Mention, ...]:
    """Return the dates of a mention that holds several, or none."""
    text = context.text(mention)
    if len(text) > _LONGEST:
        return ()
    joints = [joint.span() for joint in _JOINT.finditer(fold_line(text)) if joint.start() and joint.end() < len(text)]
    # In as few dates as can be: "12/03 au 15/03" is two, not four.
    for number in range(1, min(len(joints), _MOST - 1) + 1):
        for chosen in combinations(joints, number):
            starts = [0, *(end for _, end in chosen)]
            ends = [*(start for start, _ in chosen), len(text)]
            pieces = list(zip(starts, ends, strict=True))
            if _may_be_range(text, chosen, pieces) and all(reads(text[start:end]) for start, end in pieces):
                return tuple(
                    Mention(mention.start + start, mention.start + end, mention.label) for start, end in pieces
                )
    return ()


def _parted(original: str, text: str | None, between: str, returns: bool) -> tuple[str, str] | None:
    """Return the surrogate `text` in two: at the break that it kept, else at a space, hyphen or separator.

    Where a draw may return its original (`returns`), the place depends on the written forms alone: a mask where half of
    a draw is the original's would tell that it is. Else neither half reads as the original's; None if no place allows
    that.
    """
    if text is None:
        return None
    originals = original.split(between, 1)
    kept = text.find(between)
    one_line = text.replace(between, "" if text[:kept].endswith(("/", ".", "-")) else " ", 1) if kept >= 0 else text
    places = [match.span() for match in re.finditer(r" |(?<=[-/.])", one_line)]
    pairs = [(text[:kept], text[kept + len(between) :])] if kept >= 0 else []
    pairs += [(one_line[:start], one_line[end:]) for start, end in places]
    if returns:
        written = [len(_WORD.findall(fold_line(half))) for half in originals]
        pairs.sort(key=lambda pair: [len(_WORD.findall(fold_line(half))) for half in pair] != written)
        return next((pair for pair in pairs if all(map(comparable, pair))), None)
    for pair in pairs:
        if all(
            comparable(one) and comparable(one) != comparable(other) for one, other in zip(pair, originals, strict=True)
        ):
            return pair
    return None


def _may_be_range(text: str, joints: Sequence[tuple[int, int]], pieces: Sequence[tuple[int, int]]) -> bool:
    """Return whether the joints may part a range or list: not in "45/13/99", nor in "vingt-treize mars".

    Between figures alone, a dash joins years or whole dates.
    """
    if any(start >= end or _LISTED.search(text[start:end]) for start, end in pieces):
        return False
    tight = {text[start:end].strip() for start, end in joints} & {"/", "-", "–", "—"}
    if _NAMED.search(text):
        spoken = (word in NUMBER_WORDS for start, end in pieces for word in _NAMED.findall(fold_line(text[start:end])))
        return not (tight and any(spoken))
    if _YEARS.fullmatch(text):
        return True
    if "/" in tight:
        return False
    firsts, last = [text[start:end] for start, end in pieces[:-1]], text[slice(*pieces[-1])]
    if tight and _DATED.fullmatch(last) and all(map(_FIRST_DAY.fullmatch, firsts)):
        return True
    return all(_LONG.fullmatch(text[start:end]) for start, end in (pieces if tight else pieces[-1:]))
