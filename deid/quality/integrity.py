"""Check that the candidate is the source with its mentions replaced, and nothing else.

The first part compares spans, the text between mentions, lines and markup; the second part compares each surrogate
with its original, and the order of dates.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Sequence
from datetime import date
from typing import NamedTuple

from deid.domain.document import Document, Mention, Substitution, Surrogate
from deid.domain.labels import CONTACT, NAMES, Label
from deid.french.organisations import NATIONAL, is_national, is_public_page
from deid.quality.dates import WrittenDate, read_date
from deid.quality.identity import NAME_GAP, OTHER_GAP
from deid.quality.signs import points_at_someone
from deid.quality.words import PARTICLES, WORD, alnum, fold

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\"[^\"]*\"|'[^']*'|[^>\"'])*)>")
_ALLOWED_ATTRIBUTES = re.compile(r"(?:\s+(?:colspan|rowspan)\s*=\s*[\"']?\d{1,4}[\"']?)*\s*/?")
_NOT_TEXT = re.compile(r"<!--.*?-->|<(script|style|head|title|template)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_UNSAFE = re.compile(r"<!--|<\s*(?:script|style|iframe|object|embed|link|meta|base|form|svg|img)\b", re.IGNORECASE)
_INLINE = frozenset("b i u em strong span font small big sub sup a abbr mark tt code s strike ins del q cite".split())


# Prepositions, "que" and articles that a surrogate may rewrite ahead of its mention, to agree with its name; and the
# moment or day of a feast.
_AHEAD = re.compile(
    "(?:dans l'|dans (?:la|les|le) |de l'|a l'|(?:[dl]|qu)'|(?:de la|a la|du|des|de|aux|au|a|en|dans|les|la|le|que) |"
    "(?:au moment|lors|(?:au|le) jour) (?:de l'|(?:de la|des|du|de) ))"
)
_GAP = re.compile("[ \u00a0\u202f]+")


def spans_are_sound(substitution: Substitution, mentions: Sequence[Mention], source: str) -> bool:
    """Return whether spans, surrogates and mentions match one to one, in order, in bounds, without overlap.

    A surrogate may begin ahead of its mention by a preposition and article, "que" or "au moment de", by nothing else.
    """
    if not len(substitution.spans) == len(substitution.surrogates) == len(mentions):
        return False
    end = source_end = 0
    for (start, stop), surrogate, mention in zip(substitution.spans, substitution.surrogates, mentions, strict=True):
        if start < end or stop < start or stop > len(substitution.text):
            return False
        begin = surrogate.mention.start
        if begin < source_end or begin > mention.start or mention.end > len(source):
            return False
        if begin < mention.start and not _AHEAD.fullmatch(_GAP.sub(" ", fold(source[begin : mention.start]))):
            return False
        if substitution.text[start:stop] != surrogate.text:
            return False
        if mention.end != surrogate.mention.end:
            return False
        end, source_end = stop, mention.end
    return True


def outside(substitution: Substitution, shown: Collection[Label] = (), *, left: bool = False) -> str:
    """Return the candidate text with a gap character for each surrogate but of labels shown.

    With `left`, values that the policy leaves stand too. Unsound spans hide nothing.
    """
    pieces: list[str] = []
    position = 0
    for (start, stop), surrogate in zip(substitution.spans, substitution.surrogates, strict=False):
        if start < position or stop > len(substitution.text):
            return substitution.text
        if surrogate.mention.label in shown or (left and is_left(surrogate)):
            continue
        gap = NAME_GAP if surrogate.mention.label in NAMES else OTHER_GAP
        pieces += [substitution.text[position:start], gap]
        position = stop
    return "".join((*pieces, substitution.text[position:]))


def integrity(document: Document, mentions: Sequence[Mention], candidate: Substitution) -> dict[str, float]:
    """Return counts and ratios that are abnormal if anything but the mentions changed."""
    sound = spans_are_sound(candidate, mentions, document.text)
    visible = len(document.text.strip())
    return {
        "output_empty": float(not candidate.text.strip()),
        "text_unchanged": float(candidate.text == document.text and _should_change(document.text, mentions, candidate)),
        "spans_broken": float(not sound),
        "mentions_lost": float(abs(len(mentions) - len(candidate.surrogates))),
        "context_altered": float(_altered(document.text, candidate) if sound else 1),
        "lines_changed": float(abs(candidate.text.count("\n") - document.text.count("\n"))),
        "length_ratio": len(candidate.text.strip()) / visible if visible else 1.0,
        "words_cut": float(sum(cuts_a_word(document.text, mention) for mention in mentions)),
        "mentions_none": float(not mentions and visible >= 200),
    }


def _should_change(source: str, mentions: Sequence[Mention], candidate: Substitution) -> bool:
    """Return whether a text needs a replacement: a mention that no draw may keep, or a sign of a person without any.

    Values that the policy leaves are no mentions here, nor are national bodies.
    """
    pairs = pairs_of(source, candidate)
    left = {one.surrogate.mention.end for one in pairs if is_left(one.surrogate) or _stays_national(one)}
    held = [mention for mention in mentions if mention.end not in left]
    return any(mention.label not in DRAWN for mention in held) or (not held and points_at_someone(source))


def _altered(source: str, candidate: Substitution) -> int:
    """Count the stretches between mentions that differ from those between surrogates."""
    count = position = source_position = 0
    for (start, stop), surrogate in zip(candidate.spans, candidate.surrogates, strict=True):
        count += source[source_position : surrogate.mention.start] != candidate.text[position:start]
        position, source_position = stop, surrogate.mention.end
    return count + (source[source_position:] != candidate.text[position:])


def cuts_a_word(source: str, mention: Mention) -> bool:
    """Return whether a mention starts or ends inside a word, whose rest may identify."""
    before = source[max(0, mention.start - 1) : mention.start + 1]
    after = source[max(0, mention.end - 1) : mention.end + 1]
    return any(len(pair) == 2 and pair.isalpha() and (pair[1].islower() or pair.isupper()) for pair in (before, after))


def visible_text(markup: str) -> str:
    """Return the text shown by a browser, exact enough to compare letters and digits."""

    def gap(tag: re.Match[str]) -> str:
        return "" if tag.group(2).lower() in _INLINE else "\n"

    return html.unescape(_TAG.sub(gap, _NOT_TEXT.sub("\n", markup)))


def markup_counts(markup: str | None, text: str) -> dict[str, float]:
    """Return whether the page differs from the candidate text, and the number of hidden parts."""
    if markup is None or markup == text:
        return {"markup_differs": 0.0, "markup_unsafe": 0.0}
    hidden = sum(_ALLOWED_ATTRIBUTES.fullmatch(tag.group(3)) is None for tag in _TAG.finditer(markup))
    return {
        "markup_differs": float(alnum(visible_text(markup)) != alnum(text)),
        "markup_unsafe": float(hidden + len(_UNSAFE.findall(markup))),
    }


# ---- Surrogates compared with their originals

# Labels whose mechanism may return the value itself: forbidding it would disclose what the value is not.
DRAWN = frozenset({Label.DATE, Label.RELDATE, Label.AGE, Label.ZIP, Label.CITY, Label.LOC})
_KEPT, _TOGETHER, _PLACED = "kept", "episodes", "kind_and_town"  # strategies of surrogates
_HANGING = frozenset({Label.ZIP, Label.LOC, Label.ORG})  # they follow the commune drawn
# A policy may leave the values of a type that it calls harmless, of these labels never (docs/entity-types.md).
_LEFT = "keep"
_NEVER_LEFT = NAMES | CONTACT | {Label.NIR, Label.IPP, Label.STREET}
_DRAWN_LEAST = 4  # draws from which "all kept" is an error, not chance

_TITLES = frozenset(
    "m mr mme mlle melle me dr pr monsieur madame mademoiselle docteur professeur veuve vve epouse epse ep "
    "dit dite alias".split()
)
_LABELS = "|".join(label.value for label in Label)
_MASK = re.compile(rf"[\[<{{(]\s*[^\]>}})]*\s*[\]>}})]|(?:{_LABELS})(?:[-_ ]?\d+)?|[*█•_.…xX/\- ]+")

# A keyed digest (`hash` in docs/privacy.md) has no vowel, 0 or 1, and is not an unread date.
_DIGEST = re.compile(r"(?=[2-9]*[a-z])[b-df-hjkmnp-tv-xz2-9]{8,32}")


# "Petit-Jean", "Gros Louis": the first word tells of nobody, and stays.
_NICKNAME = re.compile(r"(?P<little>ptite?|petite?|gros|grand)[ -][a-z]+")


class Pair(NamedTuple):
    """The original text of a mention and its surrogate."""

    original: str
    surrogate: Surrogate

    @property
    def label(self) -> Label:
        """The label of the mention."""
        return self.surrogate.mention.label


def pairs_of(source: str, substitution: Substitution) -> list[Pair]:
    """Return each surrogate with the words of the source that it replaces."""
    return [Pair(source[one.mention.start : one.mention.end], one) for one in substitution.surrogates]


def may_return(surrogate: Surrogate) -> bool:
    """Return whether the law of a surrogate has its original among its values.

    Of an organisation, that is where its name says the town drawn for the one that it said.
    """
    label = surrogate.mention.label
    return label in DRAWN or (label is Label.ORG and surrogate.strategy == _PLACED)


def is_left(surrogate: Surrogate) -> bool:
    """Return whether the policy leaves the value of a mention in the text."""
    return surrogate.strategy == _LEFT and surrogate.mention.label not in _NEVER_LEFT


def _stays_national(pair: Pair) -> bool:
    """Return whether a national body's name that says nothing more, or its page for everybody, was left."""
    stays = {Label.ORG: is_national, Label.URL: is_public_page}.get(pair.label)
    return pair.surrogate.strategy == NATIONAL and stays is not None and stays(pair.original)


def is_mask(text: str) -> bool:
    """Return whether `text` is a mask: a tag, a label with or without number, a row of stars."""
    return _MASK.fullmatch(text.strip()) is not None or not any(char.isalnum() for char in text)


def faithfulness(pairs: Sequence[Pair], source_date: date | None, moved_date: date | None) -> dict[str, float]:
    """Count the surrogates equal to their original, and the dates that are impossible, unread or out of order.

    `source_date` and `moved_date` are the date of the document before and after: they give the century of two-digit
    years.
    """
    pairs = [pair for pair in pairs if not is_left(pair.surrogate) and not _stays_national(pair)]
    drawn, moved = _draws(pairs), _moved_towns(pairs)
    unmasked = sum(not pair.surrogate.parsed and not is_mask(pair.surrogate.text) for pair in pairs)
    fixed = (pair for pair in pairs if not may_return(pair.surrogate) or _stayed_behind(pair, moved))
    return {
        "original_kept": float(sum(map(_is_kept, fixed))),
        "drawn_kept": float(sum(drawn)),
        "drawn_all_kept": float(len(drawn) >= _DRAWN_LEAST and all(drawn)),
        "unparsed_unmasked": float(unmasked),
        **_dates([pair for pair in pairs if pair.label is Label.DATE], source_date, moved_date),
    }


def _draws(pairs: Sequence[Pair]) -> list[bool]:
    """Return, for each draw of a date, age or place, whether it gave the original.

    A value is one draw; so are all dates of an episode, and all that hangs on the document's towns: postal codes,
    areas, organisations. What a policy keeps ("il y a trois semaines") is none.
    """
    alone: dict[str, bool] = {}
    together: dict[str, bool] = {}
    for pair in pairs:
        if not may_return(pair.surrogate) or pair.surrogate.strategy == _KEPT:
            continue
        kept = alnum(pair.original) == alnum(pair.surrogate.text)
        if group := "place" if pair.label in _HANGING else _TOGETHER if pair.surrogate.strategy == _TOGETHER else "":
            together[group] = kept and together.get(group, True)
        else:
            alone[alnum(pair.original)] = kept
    return [*alone.values(), *together.values()]


def _moved_towns(pairs: Sequence[Pair]) -> list[set[str]]:
    """Return the telling words of each town that the document names and whose surrogate is another."""
    towns = (pair for pair in pairs if pair.label is Label.CITY and alnum(pair.original) != alnum(pair.surrogate.text))
    return [told for pair in towns if (told := _telling(pair.original) - {"cedex"})]


def _stayed_behind(pair: Pair, moved: Sequence[set[str]]) -> bool:
    """Return whether an organisation that may keep its town's name says a town that was replaced elsewhere."""
    return pair.label is Label.ORG and any(town <= _telling(pair.original) for town in moved)


def _is_kept(pair: Pair) -> bool:
    """Return whether the surrogate has the characters of its original or, for a name, one of its words."""
    original, surrogate = alnum(pair.original), alnum(pair.surrogate.text)
    if original == surrogate:
        return original != "" or pair.original.strip() == pair.surrogate.text.strip()
    shared = _telling(pair.original) & _telling(pair.surrogate.text) if pair.label in NAMES else set()
    nickname = _NICKNAME.fullmatch(fold(pair.original))
    return bool(shared) and not (nickname and shared == {nickname["little"]})


def _telling(name: str) -> set[str]:
    bare = {fold(word) for word in WORD.findall(name)}
    return {word for word in bare if len(word) > 2 and word not in PARTICLES and word not in _TITLES}


def _dates(pairs: Sequence[Pair], source_date: date | None, moved_date: date | None) -> dict[str, float]:
    impossible = unread = 0
    ordered: list[tuple[WrittenDate, WrittenDate]] = []
    for pair in pairs:
        after = read_date(pair.surrogate.text, moved_date)
        if after is None:
            unread += not is_mask(pair.surrogate.text) and not _DIGEST.fullmatch(pair.surrogate.text.strip())
        elif not after.exists:
            impossible += 1
        else:
            before = read_date(pair.original, source_date)
            if before and before.exists:
                ordered.append((before, after))
    return {
        "dates_impossible": float(impossible),
        "dates_unread": float(unread),
        "dates_disordered": float(disorder(ordered)),
    }


def disorder(ordered: Sequence[tuple[WrittenDate, WrittenDate]]) -> int:
    """Count the dates whose surrogate is surely before the surrogate of a surely earlier date.

    `ordered` has (source, surrogate) pairs. The count takes O(n log n).
    """
    spans = [
        (before.first, before.last, after.first, after.last)
        for before, after in ordered
        if before.first and before.last and after.first and after.last
    ]
    by_end = sorted(spans, key=lambda span: span[1])
    by_start = sorted(spans, key=lambda span: span[0])
    latest: date | None = None  # latest start of the surrogates of dates already over
    position = count = 0
    for first, _, _, moved_last in by_start:
        while position < len(by_end) and by_end[position][1] < first:
            latest = max(latest or date.min, by_end[position][2])
            position += 1
        count += latest is not None and moved_last < latest
    return count
