"""Addresses: streets with house number, boxes, buildings and flats; postal codes and their towns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.lookup.lexicon import Kind
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import HOME_CUES, word_list
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.numerals import DETECTED_NUMBER_WORDS

_SURE_TYPES = word_list("sure_street_types")
_LOOSE_TYPES = word_list("loose_street_types")
# Words that open a street only with another beside them, or with a house number.
_SECOND_WORDS = {"grand": {"rue", "place"}, "grande": {"rue", "place"}, "lieu": {"dit"}, "rond": {"point"}}
_NUMBERED_ONLY = frozenset({"r", "ch", "av", "all", "che"})
_PLAIN_NOUNS = frozenset({"quartier", "maison", "foyer", "parc"})
_PARTS_OF_HOUSES, _OF = (
    frozenset({"appartement", "appt", "apt", "logement", "logt"}),
    frozenset({"d", "de"}),
)
_BOXES = frozenset({"bp", "cs", "tsa", "cidex"})
_NAMED = word_list("named_street_types")
_COMPONENTS = (
    _SURE_TYPES
    | _LOOSE_TYPES
    | _BOXES
    | {"n", "rdc", "rez", "1er", "2e", "3e", "4e", "local", "chez", "entree", "chambre"}
)
_STREET_PARTICLES = frozenset("de du des d la le les l aux au a en sur sous et lez les ".split())
_STOPS = word_list("street_stops")
_NUMBER = re.compile(r"\d{1,4}(?: ?[-/] ?\d{1,4})?(?: ?(?:bis|ter|quater|[a-g]))?,?[ ]{0,2}$")
_BOX = re.compile(r"(?<!\w)(?:bp|cs|tsa|cidex|b\.p\.) ?(?:n° ?)?(?:\d{1,5}(?: ?\d{3})?|[a-z]\d)(?!\w|[/,]\d)")
_HOUSE_NUMBERS = DETECTED_NUMBER_WORDS - {"et", "un", "une"}


def find_streets(reading: Reading) -> Iterator[Mention]:
    """Yield streets, with or without number, up to the postal code, and boxes."""
    for index, word in enumerate(reading.words):
        if word in _SURE_TYPES or word in _LOOSE_TYPES:
            yield from _street(reading, index)
    for match in _BOX.finditer(reading.folded):
        if reading.text[match.start()].isupper():
            yield Mention(match.start(), match.end(), Label.STREET, 0.9)


def _street(reading: Reading, index: int) -> Iterator[Mention]:
    """Yield the street that the type word at `index` opens, if any."""
    word = reading.words[index]
    line_start, line_end = reading.line(reading.starts[index])
    head = _house_number(reading, index, line_start)
    cue = head is not None or _has_cue(reading, index, line_start)
    if not _opens(reading, index, head is not None, cue):
        return
    last, capitals = _street_end(reading, index, line_end, cue)
    if last <= index and word not in ("grand", "grande"):
        return
    if not capitals and not reading.lower_case and (not cue or (head is None and word in _LOOSE_TYPES)):
        return
    score = (
        0.93 if head is not None else 0.88 if cue else 0.8 if word in _SURE_TYPES else 0.6 if word in _NAMED else 0.45
    )
    start = _spoken_number(reading, index) if head is None else head
    yield Mention(start, reading.ends[last], Label.STREET, score)


def _house_number(reading: Reading, index: int, line_start: int) -> int | None:
    """Return the offset of the house number before token `index`, on the same line; None without one."""
    end = reading.starts[index]
    head = _NUMBER.search(reading.digits[max(line_start, end - 16) : end])
    if not head:
        return None
    start = end - len(head.group())
    before = reading.text[start - 1] if start > line_start else ""
    return None if before.isalnum() or (before in "./" and before) else start


def _opens(reading: Reading, index: int, numbered: bool, cue: bool) -> bool:
    """Return whether a type word is used as one: not inside a code, nor as a plain noun."""
    word, after = reading.words[index], reading.word(index + 1)
    if after.isdigit() and reading.ends[index] == reading.starts[index + 1]:
        return False
    if index and reading.ends[index - 1] == reading.starts[index] and reading.words[index - 1].isalnum():
        start = reading.starts[index - 1]
        if not reading.words[index - 1].isdigit() or (start and reading.text[start - 1].isalnum()):
            return False
    if word in _SECOND_WORDS:
        return bool(_SECOND_WORDS[word] & {after, reading.word(index + 2)})
    if word in _NUMBERED_ONLY:
        return numbered
    if word in _PARTS_OF_HOUSES and after in _OF:  # "un logement de Sarthe Habitat"
        return False
    return word not in _PLAIN_NOUNS or cue or reading.capitals[index]


def _spoken_number(reading: Reading, index: int) -> int:
    """Offset of a house number in letters before a street ("vingt trois rue"), else of the street."""
    at = index
    while at and index - at < 6 and reading.words[at - 1] in _HOUSE_NUMBERS:
        at -= 1
    return reading.starts[at]


def _has_cue(reading: Reading, index: int, line_start: int) -> bool:
    for back in range(index - 1, max(index - 5, -1), -1):
        if reading.starts[back] < line_start:
            return False
        if reading.words[back] in HOME_CUES:
            return True
    return False


def _street_end(reading: Reading, index: int, line_end: int, cue: bool) -> tuple[int, bool]:
    """Last token of the street that starts at `index`, and whether a capital was met."""
    last, capitals, lower = index, False, 0
    at = index + 1
    while at < len(reading.words) and reading.starts[at] < line_end and at - index < 24:
        word = reading.words[at]
        if reading.text[reading.starts[at]] == "à" and reading.capitals[at + 1 : at + 2] == [True]:
            break  # "12 rue des Lilas à Dijon": the town is another mention
        if word.isalpha():
            upper = reading.capitals[at]
            inside = reading.words[at - 1] in ("-", "'") and at - 1 > index
            if upper or inside or (word in _COMPONENTS and reading.text[reading.starts[at] - 1] != " "):
                capitals = capitals or upper
                last = at
            elif word in _STREET_PARTICLES:
                pass
            elif cue and lower < 3 and word not in _STOPS:
                lower += 1
                last = at
            else:
                break
        elif word.isdigit():
            if len(word) == 5 or not (cue or reading.words[at - 1] == "°" or reading.words[at - 1] in _COMPONENTS):
                break
            last = at
        elif not _sign_goes_on(reading, at, line_end):
            break
        at += 1
    return last, capitals


def _sign_goes_on(reading: Reading, at: int, line_end: int) -> bool:
    """Return whether a sign inside an address leads on: a comma before "bât. C", a dot of "av.", a hyphen."""
    word = reading.words[at]
    if word == ",":
        return _component_follows(reading, at + 1, line_end)
    if word not in ("-", "'", ".", "°", "/"):
        return False
    if word == "." and len(reading.words[at - 1]) <= 4:
        return True
    spaced = reading.text[reading.ends[at] : reading.ends[at] + 1] == " "
    return word in ("'", "°") or not spaced


def _component_follows(reading: Reading, at: int, line_end: int) -> bool:
    if reading.starts[at : at + 1] and reading.starts[at] >= line_end:
        return False
    word = reading.word(at)
    if word.isdigit():
        return reading.word(at + 1) in _COMPONENTS or reading.word(at + 1) in ("e", "er", "eme", "bis")
    return word in _COMPONENTS


# Postal codes
_ZIP = re.compile(
    r"(?<![\w.,/+-])(?:f ?- ?)?((?:0[1-9]|[1-8]\d|9[0-5]|97|98)(?: ?\d{3}))(?=[ ,]{0,6}[a-z]|\s{1,3}[a-z]|"
    r"[ ]*\n|[ ]*[|¦┃)\]]|$)(?!\d)"
)
CEDEX = re.compile(r"[ ,-]{1,3}cedex(?: ?\d{1,2}(?!\d))?")
_HOME = re.compile(
    r"(?:\b(?:adresse|domicile|dom|ad|adr)(?: personnelle| du patient)? ?[:.]+ ?:? ?|\b(?:demeurant|demeure|"
    r"domiciliee?|habitant|reside|residant) (?:au |a |aux )?)"
    r"(?=\S)"
)
_PIECE_END = re.compile(r"[,;(\n|¦┃<>]|  | [-–—] |\. |\.$|:")
_NOT_STREETS = word_list("not_streets")
_NOT_HOMES = _NOT_STREETS - {"le"}
_PLACES = frozenset({Kind.COMMUNE, Kind.FOREIGN, Kind.TERRITORY})
_ADDRESS_LENGTH = 160  # characters before a postal code that may belong to its address
_TOWN_LINKS = frozenset("sur sous en les lez le la l de du des d et aux saint sainte st ste".split())


def find_postal_codes(reading: Reading) -> Iterator[Mention]:
    """Yield postal codes with their towns, and streets without a street word before them or in a field."""
    for match in _ZIP.finditer(reading.digits):
        yield from _zip(reading, match)
    for match in _HOME.finditer(reading.folded):
        yield from _home(reading, match)


def _before_zip(reading: Reading, start: int) -> Iterator[Mention]:
    """The piece of line right before a postal code, or the line above it: a place-name without a street word."""
    line_start, _ = reading.line(start)
    line_start = max(line_start, start - _ADDRESS_LENGTH)
    before = reading.text[line_start:start].rstrip(" ,-–—")
    if not before.strip():
        if line_start < 2:
            return
        line_start, line_end = reading.line(line_start - 1)
        if line_end - line_start > _ADDRESS_LENGTH:
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
    if (
        not words
        or len(words) > 7
        or words[0] in _NOT_STREETS
        or words[0] in HOME_CUES
        or sum(map(str.isdigit, piece)) > 4
    ):
        return
    if reading.text[first].isupper() or (reading.text[first].isdigit() and len(words) > 1):
        yield Mention(first, line_start + len(before), Label.STREET, 0.62)


def _home(reading: Reading, match: re.Match[str]) -> Iterator[Mention]:
    """Yield the place-name after a word such as "domicile :", up to the next sign, unless it is a town."""
    start = match.end()
    _, line_end = reading.line(start)
    line_end = min(line_end, start + _ADDRESS_LENGTH)
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
    cedex = CEDEX.match(reading.folded, end)
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
