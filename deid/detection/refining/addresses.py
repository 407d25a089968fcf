"""Addresses, from their first word to the end of the line or the postal code; names and addresses over two lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from deid.detection.lookup.known_names import LOWER_PARTICLES
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.organisation_heads import OrgKind, find_head

_FLOOR = r"\d{1,2}(?:er|e|eme)[ ](?:etage|etg?|gauche|droite|gche|dte?|dr|face|g|d)(?!\w)"
# Parts of an address behind its street.
_PART = re.compile(
    r"[ ]?,?[ ](?:-[ ])?(?:b\.?p\.?|c\.?s\.?|tsa)[ ]?\d+(?:[ ]\d{2,5})?(?![\w])"
    r"|[ ]?,?[ ](?:-[ ])?(?:appt|appartement|apt|app|bat|batiment|bt|esc|escalier|etage|porte|res|residence|immeuble"
    r"|imm|villa|tour|lot|lotissement|hameau|lieu-dit|lieudit|entree|hall|chez|boite|empl|emplacement)"
    r"\.?[ ]+(?:n°[ ]?)?[\w'-]+"
    r"(?=[ ]*(?:[,.;)\n]|$|-|–|\d{5}))"
    r"|[ ]?,?[ ]au[ ]\d{1,4}(?:[ ]?(?:bis|ter|quater))?(?=[ ]*(?:[,.;)\n]|$))"
    rf"|[ ]?,?[ ](?:rdc|rez-de-chaussee|{_FLOOR})(?!\w)"
)
# Parts of an address ahead of its street: "entrée C2, 4e ét., porte face, ", "2ème gauche, ".
_AHEAD = re.compile(
    rf"(?<!\w)(?:(?:{_FLOOR}\.?|(?:rdc|entree|hall|porte|code|bat|batiment|esc|escalier|appt|appartement)\.?"
    r"[ ](?:n°[ ]?)?[\w'-]{1,8}),[ ]){1,5}\Z"
)
# Words that open an address.
_OPENS = re.compile(r"(?<!\w)(?:lieu-?dit|hameau|lotissement|residence|villa|chalet|peniche)[ ](?:[«\"][ ]?)?\Z")
# Kinds of bodies that have an address and are none, unlike homes, farms and hotels.
_BODIES = frozenset(OrgKind) - {
    OrgKind.CARE_HOME, OrgKind.EMPLOYER, OrgKind.LANDLORD, OrgKind.SHIP, OrgKind.OTHER
}  # fmt: skip
_PLACED = NAMES | {Label.CITY, Label.LOC}
# A number with its letter, ahead of a street found without: "14g [place Wilson]"; "14h" is an hour.
_HOUSE = re.compile(r"(?<![\w.,/-])\d{1,3}(?: ?(?:bis|ter|quater)| ?[a-g]),? \Z")
# Places to live that no street leads to, ahead of their name: "ferme du [Mazel]", "péniche « [Ma Douce]"; those that
# are words for more only behind what says that somebody lives there: "vit section [Bosrédon]".
_DWELLING = re.compile(
    r"(?<!\w)(?:(?P<sure>lieu-?dit|hameau|tribu|ferme|mas|ilet|yourte|peniche)|section|habitation|domaine|camping|"
    r"meuble|chalet|villa|moulin|manoir|campement)[ ]"
    r"(?:de[ ]la[ ]|de[ ]l'|du[ ]|des[ ]|de[ ]|d'|la[ ]|le[ ]|les[ ]|l'|chez[ ])?(?:[«\"][ ]?)?\Z"
)
_AT_HOME = re.compile(
    r"\b(?:habit\w+|vi(?:t|vait|vant|vent)|loge\w*|demeur\w+|domicil\w+|resid(?:e|ant|ait)|adresse)\b[^.;\n]{0,40}\Z"
)
_ADDRESS = re.compile(r"(?<!\w)(?:adresse|adr\.?|domicile|demeurant|domiciliee?)[ ]{0,3}:?[ ]{0,20}\Z")
_NUMBER_ALONE = re.compile(r"\d{1,4}(?:,|$)")
_REST, _REACH = 40, 4  # most characters of an address between its street and its code; most parts behind a street


def complete_addresses(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return sorted `mentions`, streets with the word that opens them ("lieu-dit") and with flat, building, floor and
    post-box behind them on their line."""
    result: list[Mention] = []
    for position, mention in enumerate(mentions):
        if (dwelling := _dwelling(reading, mention)) is not None:
            mention = replace(mention, start=dwelling, label=Label.STREET)
        if mention.label is Label.STREET and result and _begins(reading, result[-1], mention):
            mention = replace(mention, start=result.pop().start)
        if mention.label is Label.STREET:
            ceiling = mentions[position + 1].start if position + 1 < len(mentions) else len(reading.text)
            end = mention.end
            for _ in range(_REACH):
                match = _PART.match(reading.folded, end)
                if match is None or match.end() > ceiling:
                    break
                end = match.end()
            if position + 1 < len(mentions) and mentions[position + 1].label is Label.ZIP:
                end = _end_before_code(reading, end, ceiling)
            floor = result[-1].end if result else 0
            opens = _OPENS.search(reading.folded, max(floor, mention.start - 16), mention.start)
            house = _HOUSE.search(reading.folded, max(floor, mention.start - 16), mention.start)
            start = opens.start() if opens else house.start() if house else mention.start
            ahead = _AHEAD.search(reading.folded, max(floor, start - _REST), start)
            mention = replace(mention, start=ahead.start() if ahead else start, end=end)
        result.append(mention)
    return result


def _dwelling(reading: Reading, mention: Mention) -> int | None:
    """Return the offset of the word for a place to live ahead of a place or name; None without one."""
    if mention.label not in _PLACED | {Label.STREET}:
        return None
    found = _DWELLING.search(reading.folded, max(0, mention.start - 28), mention.start)
    if not found or not (found["sure"] or _AT_HOME.search(reading.folded, max(0, found.start() - 60), found.start())):
        return None
    return found.start()


def _begins(reading: Reading, mention: Mention, street: Mention) -> bool:
    """True for a name or place that is the first part of the address behind it.

    It stands behind the word "adresse" ("Adresse : Bel-Air, 22 rue Briata"), it opens its line with a word that
    nobody bears, or a number alone follows, as addresses abroad have it ("calle Mayor 13, 2o B"). A hospital or club
    has an address and is no part of it.
    """
    between = reading.text[mention.end : street.start]
    if mention.label not in _PLACED | {Label.ORG} or between not in (" ", ", "):
        return False
    known = any(vote.annotator == "identity" and vote.label in NAMES for vote in mention.votes)
    if mention.label is Label.ORG and (head := find_head(reading.text[mention.start : mention.end])):
        known |= head.kind in _BODIES
    if known or reading.lexicon.is_first_name(reading.words[reading.token_at(mention.start)]):
        return False
    if _ADDRESS.search(reading.folded, max(0, mention.start - 24), mention.start):
        return True
    words, tables = reading.lexicon, (reading.lexicon.surnames, reading.lexicon.first_names)
    if between == ", " and reading.word(reading.token_at(mention.start) - 1) in ("", "\n"):
        said = [word for at in reading.tokens(mention) if len(word := reading.words[at]) > 2 and word[1:] != "es"]
        return any(words.is_word(word) and not any(word in table for table in tables) for word in said)
    return between == " " and _NUMBER_ALONE.match(reading.folded, street.start, street.end) is not None


def _end_before_code(reading: Reading, end: int, code: int) -> int:
    """Return the end of an address that runs from `end` to the postal code at `code`, on its line or the next."""
    rest, _, between = reading.text[end:code].partition("\n")
    told = rest.rstrip(" \t,;.-–—·(")
    if (
        len(rest) > _REST
        or between.strip(" \t-–—·|")
        or not told
        or told[0] not in " ,-–"
        or any(c in told for c in ":|.;")
    ):
        return end
    return end + len(told)


# Names and addresses over two lines: "Rous-/selot", "Isabelle de/Vaugirard", "4 avenue du/Maréchal Foch".

_CUT = NAMES | {Label.STREET, Label.CITY}
_COLUMN = re.compile(r"(?:[ \t]{3,}[^\n]{0,200}|[ \t]{0,9})\n[ \t]{0,200}(?=[a-zà-ÿ]{3})")  # up to the next line


def join_lines(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return sorted `mentions`, continued on the next line where needed; each line has its own mention."""
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
    result = [one for one in result if one.end > one.start]
    rests = [rest for one in result if one.label in NAMES for rest in _rest_of_word(reading, one)]
    return sorted([*result, *(rest for rest in rests if not any(map(rest.overlaps, result)))])


def _second_half(reading: Reading, mention: Mention, at: int, following: Mention | None) -> list[Mention]:
    """Return the rest of a hyphenated word, unless a mention holds it."""
    if not reading.word(at).isalpha() or (following is not None and following.start <= reading.starts[at]):
        return []
    return [replace(mention, start=reading.starts[at], end=reading.ends[at])]


def _rest_of_word(reading: Reading, mention: Mention) -> Iterator[Mention]:
    """Yield the end of a surname that a line cuts without a hyphen: "Dr Bourgu/ignon", in its column or not."""
    if beyond := _COLUMN.match(reading.text, mention.end):
        at = reading.token_at(beyond.end())
        head, tail = reading.words[reading.token_at(mention.end - 1)], reading.words[at]
        if not reading.lexicon.is_word(tail) and reading.lexicon.is_surname(head + tail):
            yield replace(mention, start=reading.starts[at], end=reading.ends[at])


def _over_particles(reading: Reading, mention: Mention, last: int, following: Mention | None) -> Mention:
    """Return the mention with particles up to the line break, if a mention of its kind starts the next line."""
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
