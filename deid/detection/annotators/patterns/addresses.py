"""Postal addresses: streets, place-names, boxes, postal codes and the town after them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.annotators.patterns.calendar_words import NUMBER_WORDS
from deid.detection.gazetteers import Kind
from deid.detection.reading import Reading
from deid.document import Mention
from deid.labels import Label

_SURE_TYPES = frozenset(
    """
    all allee allees av ave avenue bd bld blvd boul boulevard carraire carrere chaussee che chem chemin
    cheminement corniche coron esplanade faubourg fbg grand grande hameau hent hlm imp impasse lieu lieudit
    lotissement montee mtee parvis promenade quai rampe resid residence rond route rte rue ruelle sentier
    servitude straed traverse venelle
    """.split()
)
_LOOSE_TYPES = frozenset(
    """
    appartement appt apt bat batiment ch cite clos cote cours digue domaine esc escalier etage etg ferme foyer
    galerie imm immeuble logement logt mail maison mas parc passage pl place porte quartier r res residences sq
    square tour villa voie za zac zi zone
    """.split()
)
_BOXES = frozenset({"bp", "cs", "tsa", "cidex"})
_RURAL = frozenset("zone za zi zac mas ferme immeuble bat batiment appt appartement chateau".split())
_COMPONENTS = (
    _SURE_TYPES
    | _LOOSE_TYPES
    | _BOXES
    | {"n", "rdc", "rez", "1er", "2e", "3e", "4e", "local", "chez", "entree", "chambre"}
)
_PARTICLES = frozenset("de du des d la le les l aux au a en sur sous et lez les ".split())
_CUES = frozenset(
    """
    adr adresse demeurant demeure dom domicilie domiciliee domicilies habitant habite habitent loge logee
    residant reside rue vit
    """.split()
)
_STOPS = frozenset(
    """
    a apres au aux avant avec car chez cote dans depuis dont elle est et fax il ils lors mais ne nous ont ou par
    pas pour puis qui sa sans se ses son sur tel tenu tenue vers vit vous
    """.split()
)
_NUMBER = re.compile(r"\d{1,4}(?: ?[-/] ?\d{1,4})?(?: ?(?:bis|ter|quater|[a-e]))?,?[ ]{0,2}$")
_ZIP = re.compile(
    r"(?<![\w.,/+-])(?:f ?- ?)?((?:0[1-9]|[1-8]\d|9[0-5]|97|98)(?: ?\d{3}))(?=[ ,]{0,6}[a-z]|\s{1,3}[a-z]|[ ]*\n|[ ]*[|¦┃)\]]|$)(?!\d)"
)
_BOX = re.compile(r"(?<!\w)(?:bp|cs|tsa|cidex|b\.p\.) ?(?:n° ?)?(?:\d{1,5}(?: ?\d{3})?|[a-z]\d)(?!\w|[/,]\d)")
_CEDEX = re.compile(r"[ ,-]{1,3}cedex(?: ?\d{1,2}(?!\d))?")
_HOME = re.compile(
    r"(?:\b(?:adresse|domicile|dom|ad|adr)(?: personnelle| du patient)? ?[:.]+ ?:? ?|\b(?:demeurant|demeure|domiciliee?|habitant|reside|residant) (?:au |a |aux )?)"
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
_HOUSE_NUMBERS = NUMBER_WORDS - {"et", "un", "une"}
_PLACES = frozenset({Kind.COMMUNE, Kind.FOREIGN, Kind.TERRITORY})
_REACH = 160  # characters before a postal code that may belong to its address
_TOWN_LINKS = frozenset("sur sous en les lez le la l de du des d et aux saint sainte st ste".split())


def find(reading: Reading) -> Iterator[Mention]:
    """Streets with their number, boxes, lieux-dits, and postal codes with the town that follows."""
    for index, word in enumerate(reading.words):
        if word in _SURE_TYPES or word in _LOOSE_TYPES:
            yield from _street(reading, index)
    for match in _BOX.finditer(reading.folded):
        if reading.text[match.start()].isupper():
            yield Mention(match.start(), match.end(), Label.STREET, 0.9)
    for match in _ZIP.finditer(reading.digits):
        yield from _zip(reading, match)
    for match in _HOME.finditer(reading.folded):
        yield from _home(reading, match)


def _street(reading: Reading, index: int) -> Iterator[Mention]:
    word = reading.words[index]
    line_start, line_end = reading.line(reading.starts[index])
    head = _NUMBER.search(reading.digits[max(line_start, reading.starts[index] - 16) : reading.starts[index]])
    start = reading.starts[index] - len(head.group()) if head else reading.starts[index]
    if (
        head
        and start > line_start
        and (reading.text[start - 1].isalnum() or reading.text[start - 1] in "./°")
        and reading.text[start - 1] != "°"
    ):
        head, start = None, reading.starts[index]
    if (
        index
        and reading.ends[index - 1] == reading.starts[index]
        and (words_before := reading.words[index - 1]).isalnum()
    ) and (
        not words_before.isdigit()
        or (reading.starts[index - 1] and reading.text[reading.starts[index - 1] - 1].isalnum())
    ):
        return
    if reading.word(index + 1).isdigit() and reading.ends[index] == reading.starts[index + 1]:
        return
    cue = bool(head) or _has_cue(reading, index, line_start)
    if word in ("grand", "grande"):
        if reading.word(index + 1) not in ("rue", "place") and reading.word(index + 2) != "rue":
            return
    elif (
        (word == "lieu" and reading.word(index + 2) != "dit" and reading.word(index + 1) != "dit")
        or (word == "rond" and reading.word(index + 1) != "point" and reading.word(index + 2) != "point")
        or (word in ("r", "ch", "av", "all", "che") and not head)
        or (
            (
                word in ("lot", "quartier", "maison", "foyer", "residence", "a", "route", "parc")
                and not cue
                and not reading.text[reading.starts[index]].isupper()
            )
            and word not in ("residence", "route")
        )
    ):
        return
    last, capitals = _continue(reading, index, line_end, cue)
    if last <= index and word not in ("grand", "grande"):
        return
    if not capitals and (not cue or (not head and word in _LOOSE_TYPES)) and not reading.lower_case:
        return
    score = 0.93 if head else 0.88 if cue else 0.8 if word in _SURE_TYPES else 0.6 if word in _RURAL else 0.45
    if not head:
        start = _spoken_number(reading, index)
    yield Mention(start, reading.ends[last], Label.STREET, score)


def _spoken_number(reading: Reading, index: int) -> int:
    """Offset of a house number in letters before a street ("vingt trois rue"), else of the street."""
    at = index
    while at and reading.words[at - 1] in _HOUSE_NUMBERS:
        at -= 1
    return reading.starts[at]


def _has_cue(reading: Reading, index: int, line_start: int) -> bool:
    for back in range(index - 1, max(index - 5, -1), -1):
        if reading.starts[back] < line_start:
            return False
        if reading.words[back] in _CUES:
            return True
    return False


def _continue(reading: Reading, index: int, line_end: int, cue: bool) -> tuple[int, bool]:
    """Last token of the street that starts at `index`, and whether a capital was met."""
    words, text = reading.words, reading.text
    last, capitals, lower = index, False, 0
    at = index + 1
    while at < len(words) and reading.starts[at] < line_end and at - index < 24:
        word = words[at]
        if word.isalpha():
            upper = text[reading.starts[at]].isupper()
            if word in _PARTICLES and not upper:
                at += 1
                continue
            if (
                upper
                or (word in _COMPONENTS and text[reading.starts[at] - 1] != " ")
                or (words[at - 1] in ("-", "'") and at - 1 > index)
            ):
                capitals = capitals or upper
                last = at
            elif cue and lower < 3 and word not in _STOPS:
                lower += 1
                last = at
            else:
                break
        elif word.isdigit():
            if len(word) == 5 or not cue:
                break
            last = at
        elif word == ",":
            if not cue or not _component_follows(reading, at + 1, line_end):
                break
        elif word in ("-", "'", "’", ".", "°", "/", "–"):
            if (
                word in (".", "–", "-", "/")
                and text[reading.ends[at] : reading.ends[at] + 1] == " "
                and not (word == "." and len(words[at - 1]) <= 4)
            ):
                break
            if (
                word == "."
                and last == at - 1
                and len(words[at - 1]) <= 4
                and text[reading.ends[at] : reading.ends[at] + 1] not in ("\n", "")
            ):
                pass
        else:
            break
        at += 1
    return last, capitals


def _component_follows(reading: Reading, at: int, line_end: int) -> bool:
    if reading.starts[at : at + 1] and reading.starts[at] >= line_end:
        return False
    word = reading.word(at)
    if word.isdigit():
        return reading.word(at + 1) in _COMPONENTS or reading.word(at + 1) in ("e", "er", "eme", "bis")
    return word in _COMPONENTS


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
    if not words or len(words) > 7 or words[0] in _NOT_STREETS or words[0] in _CUES or sum(map(str.isdigit, piece)) > 4:
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
