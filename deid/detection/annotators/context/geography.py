"""Places that a generic word announces ("vallée de la Maurienne", "quartier Saint-Michel", "A63")."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.names import is_capital
from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label

_HEADS = frozenset(
    """
    aeroport anse atoll baie barrage bassin calanque calanques canal canton cap cascade causse cirque cite col
    conche crique delta domaine dune estuaire etang falaise falaises faubourg fleuve foret gare glacier golfe
    gorges grotte halle halles ile iles ilet ilot lac lagon marais massif metro mont montagne morne parc pays
    phare pic plage plateau pointe port presqu quartier ravine refuge riviere secteur source station vallee
    """.split()
)
_SURE = frozenset(
    """
    aeroport baie calanque cirque col etang fleuve foret gare golfe gorges ile lac massif morne pic plage
    quartier riviere vallee
    """.split()
)
_ROAD = re.compile(r"(?<![\w-])(?:A|N|RN|D|RD)[ ]?\d{1,4}(?![\w,.°%-])")
_LINKS = frozenset("de du des d la le les l aux et sur en saint".split())


def find(reading: Reading) -> Iterator[Mention]:
    """Geographic features with their proper name; the mention includes the generic word where it belongs to it."""
    words, text = reading.words, reading.text
    for index, word in enumerate(words):
        if word not in _HEADS:
            continue
        last = None
        at = index + 1
        while at < len(words) and at - index < 10:
            if words[at] == "\n":
                break
            if words[at].isalpha() and is_capital(reading, at):
                if last is not None and words[at - 1] not in ("-", "'") and words[at - 1] not in _LINKS:
                    break
                last = at
            elif words[at] not in _LINKS and words[at] not in ("-", "'"):
                break
            at += 1
        if last is not None:
            first = index if word != "quartier" and word != "secteur" else _after_links(reading, index, last)
            yield Mention(reading.starts[first], reading.ends[last], Label.LOC, 0.8 if word in _SURE else 0.55)
    for match in _ROAD.finditer(text):
        before = reading.folded[max(0, match.start() - 12) : match.start()]
        if re.search(r"(?:l'|la |sur|route|autoroute|par|km)\s*$", before):
            yield Mention(match.start(), match.end(), Label.LOC, 0.7)


def _after_links(reading: Reading, index: int, last: int) -> int:
    at = index + 1
    while at < last and not is_capital(reading, at):
        at += 1
    return at
