"""Places that a generic word announces ("vallée de la Maurienne", "quartier Saint-Michel", "A63")."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.names import is_capital
from deid.detection.reading import Reading
from deid.document import Mention
from deid.labels import Label

_HEADS = frozenset(
    "vallee col massif ile iles lac plage foret pic mont montagne plateau gorges cirque presqu baie golfe cap pointe quartier gare "
    "aeroport fleuve riviere canal etang marais calanque calanques anse ilet ilot morne lagon atoll barrage source cascade "
    "glacier refuge station domaine pays causse estuaire delta bassin cite faubourg canton halle halles port phare crique "
    "dune falaise falaises grotte parc metro conche ravine secteur".split()
)
_SURE = frozenset(
    "vallee col massif ile lac plage foret gorges cirque baie golfe quartier gare aeroport fleuve riviere etang calanque morne pic".split()
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
