"""Is the candidate the source with its mentions exchanged and nothing else? Spans, what lies between, lines, markup."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from deid.domain.document import Document, Mention, Substitution
from deid.domain.labels import NAMES
from deid.quality.folding import alnum
from deid.quality.identity import NAME_GAP, OTHER_GAP

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\"[^\"]*\"|'[^']*'|[^>\"'])*)>")
_ALLOWED_ATTRIBUTES = re.compile(r"(?:\s+(?:colspan|rowspan)\s*=\s*[\"']?\d{1,4}[\"']?)*\s*/?")
_NOT_TEXT = re.compile(r"<!--.*?-->|<(script|style|head|title|template)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_UNSAFE = re.compile(r"<!--|<\s*(?:script|style|iframe|object|embed|link|meta|base|form|svg|img)\b", re.IGNORECASE)
_INLINE = frozenset("b i u em strong span font small big sub sup a abbr mark tt code s strike ins del q cite".split())


def spans_are_sound(substitution: Substitution, mentions: Sequence[Mention], source: str) -> bool:
    """Whether spans, surrogates and mentions match one to one, in order, in bounds, without overlap."""
    if not len(substitution.spans) == len(substitution.surrogates) == len(mentions):
        return False
    end = source_end = 0
    for (start, stop), surrogate, mention in zip(substitution.spans, substitution.surrogates, mentions, strict=True):
        if start < end or stop < start or stop > len(substitution.text):
            return False
        if mention.start < source_end or mention.end > len(source):
            return False
        if substitution.text[start:stop] != surrogate.text:
            return False
        if (mention.start, mention.end) != (surrogate.mention.start, surrogate.mention.end):
            return False
        end, source_end = stop, mention.end
    return True


def outside(substitution: Substitution) -> str:
    """The candidate text with one gap sign in each surrogate's place; spans that are not sound hide nothing."""
    pieces: list[str] = []
    position = 0
    for (start, stop), surrogate in zip(substitution.spans, substitution.surrogates, strict=False):
        if start < position or stop > len(substitution.text):
            return substitution.text
        gap = NAME_GAP if surrogate.mention.label in NAMES else OTHER_GAP
        pieces += [substitution.text[position:start], gap]
        position = stop
    return "".join((*pieces, substitution.text[position:]))


def integrity(document: Document, mentions: Sequence[Mention], candidate: Substitution) -> dict[str, float]:
    """Counts and ratios that tell whether anything but the mentions changed."""
    sound = spans_are_sound(candidate, mentions, document.text)
    visible = len(document.text.strip())
    return {
        "output_empty": float(not candidate.text.strip()),
        "text_unchanged": float(candidate.text == document.text),
        "spans_broken": float(not sound),
        "mentions_lost": float(abs(len(mentions) - len(candidate.surrogates))),
        "context_altered": float(_altered(document.text, mentions, candidate) if sound else 1),
        "lines_changed": float(abs(candidate.text.count("\n") - document.text.count("\n"))),
        "length_ratio": len(candidate.text.strip()) / visible if visible else 1.0,
        "words_cut": float(sum(_cuts_a_word(document.text, mention) for mention in mentions)),
        "mentions_none": float(not mentions and visible >= 200),
    }


def _altered(source: str, mentions: Sequence[Mention], candidate: Substitution) -> int:
    """Stretches between mentions that are not, to the letter, those between surrogates."""
    count = position = source_position = 0
    for (start, stop), mention in zip(candidate.spans, mentions, strict=True):
        count += source[source_position : mention.start] != candidate.text[position:start]
        position, source_position = stop, mention.end
    return count + (source[source_position:] != candidate.text[position:])


def _cuts_a_word(source: str, mention: Mention) -> bool:
    """Whether a mention starts or ends within a word: the rest of a name may be left behind."""
    before = source[max(0, mention.start - 1) : mention.start + 1]
    after = source[max(0, mention.end - 1) : mention.end + 1]
    return any(len(pair) == 2 and pair.isalpha() and (pair[1].islower() or pair.isupper()) for pair in (before, after))


def visible_text(markup: str) -> str:
    """What a browser would show of `markup`, near enough to compare letters and digits."""

    def gap(tag: re.Match[str]) -> str:
        return "" if tag.group(2).lower() in _INLINE else "\n"

    return html.unescape(_TAG.sub(gap, _NOT_TEXT.sub("\n", markup)))


def markup_counts(markup: str | None, text: str) -> dict[str, float]:
    """Whether the rewritten page shows the candidate text and holds nothing that a reader cannot see."""
    if markup is None or markup == text:
        return {"markup_differs": 0.0, "markup_unsafe": 0.0}
    hidden = sum(_ALLOWED_ATTRIBUTES.fullmatch(tag.group(3)) is None for tag in _TAG.finditer(markup))
    return {
        "markup_differs": float(alnum(visible_text(markup)) != alnum(text)),
        "markup_unsafe": float(hidden + len(_UNSAFE.findall(markup))),
    }
