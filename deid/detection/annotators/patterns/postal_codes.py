"""Postal codes, the town after them, and the place-name before them or in a form's field."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.annotators.patterns.streets import CUES
from deid.detection.lexicon import Kind
from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label

_ZIP = re.compile(
    r"(?<![\w.,/+-])(?:f ?- ?)?((?:0[1-9]|[1-8]\d|9[0-5]|97|98)(?: ?\d{3}))(?=[ ,]{0,6}[a-z]|\s{1,3}[a-z]|"
    r"[ ]*\n|[ ]*[|¦┃)\]]|$)(?!\d)"
)
_CEDEX = re.compile(r"[ ,-]{1,3}cedex(?: ?\d{1,2}(?!\d))?")
_HOME = re.compile(
    r"(?:\b(?:adresse|domicile|dom|ad|adr)(?: personnelle| du patient)? ?[:.]+ ?:? ?|\b(?:demeurant|demeure|"
    r"domiciliee?|habitant|reside|residant) (?:au |a |aux )?)"
    r"(?=\S)"
)
_PIECE_END = re.compile(r"[,;(\n|¦┃<>]|  | [-–—] |\. |\.$|:")
_NOT_STREETS = frozenset(
    """
    centre ch chez chu clinique docteur dr ehpad fax hopital ipp le m madame mme monsieur mr ne nee nir pr sa
    son tel
    """.split()
)
_NOT_HOMES = _NOT_STREETS - {"le"}
_PLACES = frozenset({Kind.COMMUNE, Kind.FOREIGN, Kind.TERRITORY})
_REACH = 160  # characters before a postal code that may belong to its address
_TOWN_LINKS = frozenset("sur sous en les lez le la l de du des d et aux saint sainte st ste".split())


def find(reading: Reading) -> Iterator[Mention]:
    """Postal codes with their towns, and streets that only their place gives away."""
    for match in _ZIP.finditer(reading.digits):
        yield from _zip(reading, match)
    for match in _HOME.finditer(reading.folded):
        yield from _home(reading, match)


def _before_zip(reading: Reading, start: int) -> Iterator[Mention]:
    """The piece of line right before a postal code, or the line above it: a place-name without a street word."""
    line_start, _ = reading.line(start)
    line_start = max(line_start, start - _REACH)
    before = reading.text[line_start:start].rstrip(" ,-–—")
    if not before.strip():
        if line_start < 2:
            return
        line_start, line_end = reading.line(line_start - 1)
        if line_end - line_start > _REACH:
            return
        before = reading.text[line_start:line_end].rstrip(" ,")
        if not before.strip() or not (
            before.lstrip()[0].isdigit() or before.lower().lstrip().startswith(("le ", "la ", "les ", "l'"))
        ):
            return
    cut = max((end.end() for end in _PIECE_END.finditer(before)), default=0)
    piece = before[cut:]
    first = line_start + cut + len(piece) - len(piece.lstrip())
    words = reading.folded[first : line_start + len(before)].replace(".", " ").split()
    if not words or len(words) > 7 or words[0] in _NOT_STREETS or words[0] in CUES or sum(map(str.isdigit, piece)) > 4:
        return
    if reading.text[first].isupper() or (reading.text[first].isdigit() and len(words) > 1):
        yield Mention(first, line_start + len(before), Label.STREET, 0.62)


def _home(reading: Reading, match: re.Match[str]) -> Iterator[Mention]:
    """What a form or a phrase gives as a home, up to the next sign, unless it is a town."""
    start = match.end()
    _, line_end = reading.line(start)
    line_end = min(line_end, start + _REACH)
    end = _PIECE_END.search(reading.text, start, line_end)
    stop = end.start() if end else line_end
    words = reading.folded[start:stop].split()
    if not 1 <= len(words) <= 6 or words[0] in _NOT_HOMES or not reading.text[start].isupper():
        return
    if any(hit.end >= start + len(words[0]) and hit.entry.kind in _PLACES for hit in reading.hits_at.get(start, ())):
        return
    yield Mention(start, start + len(reading.text[start:stop].rstrip()), Label.STREET, 0.65)


def _zip(reading: Reading, match: re.Match[str]) -> Iterator[Mention]:
    at = reading.token_at(match.end())
    first, last = _town(reading, at)
    if last is None:
        line_start, _ = reading.line(match.start())
        before = reading.folded[max(line_start, match.start() - 20) : match.start()].strip()
        if before.endswith(("cp :", "cp", "code postal :", "code postal", "zip", "c.p.", "c.p. :")):
            yield Mention(match.start(1), match.end(1), Label.ZIP, 0.9)
        return
    end = reading.ends[last]
    cedex = _CEDEX.match(reading.folded, end)
    upper = reading.text[reading.starts[first]].isupper()
    yield Mention(match.start(1), match.end(1), Label.ZIP, 0.95 if upper else 0.75)
    yield from _before_zip(reading, match.start())
    yield Mention(reading.starts[first], cedex.end() if cedex else end, Label.CITY, 0.95 if upper else 0.7)


def _town(reading: Reading, at: int) -> tuple[int, int | None]:
    """First and last token of the town that starts at token `at`, on that line: capitals and their links."""
    words, text = reading.words, reading.text
    while reading.word(at) in (",", "-"):
        at += 1
    first, last = at, None
    lower = at < len(words) and text[reading.starts[at]].islower()
    if lower:
        hits = [hit for hit in reading.hits_at.get(reading.starts[at], ()) if hit.entry.kind is Kind.COMMUNE]
        return at, (reading.token_at(hits[0].end - 1) if hits else None)
    while at < len(words) and at - first < 12:
        word = words[at]
        if word.isalpha():
            if word in ("cedex", "tel", "fax", "telephone", "france"):
                break
            if text[reading.starts[at]].isupper():
                last = at
            elif word not in _TOWN_LINKS:
                break
        elif word not in ("-", "'", "’") or (reading.starts[at] - reading.ends[at - 1] > 0 and word == "-"):
            break
        at += 1
    return first, last
