"""Geographic coordinates: degrees, Lambert-93, UTM, MGRS, plus codes, what3words.

Sources: RFC 5870 (geo URI); IGN, projection Lambert-93 (EPSG:2154), bounds of metropolitan France; NGA.STND.0037 (UTM,
MGRS); Open Location Code, specification of its digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label

# A French decimal comma is read where the two numbers are apart by more than a comma.
_DEGREES = r"[+-]?\d{{1,3}}[.]\d{{{least},9}} ?°?"
_COMMA = r"[+-]?\d{{1,3}}[,]\d{{{least},9}} ?°?"
_APART = r"(?: ?[,;/] ?| )(?:(?:et |lon(?:g|gitude)? ?[:=]? ?))?"
_LETTERS = r"(?: ?[ns])?"
_LAST = r"(?: ?[eow](?![\w]))?"
_SURE = re.compile(
    rf"(?<![\w.,-]){_DEGREES.format(least=4)}{_LETTERS}{_APART}{_DEGREES.format(least=4)}{_LAST}(?![\d.,]\d|\d)"
    rf"|(?<![\w.,-]){_COMMA.format(least=4)}{_LETTERS}(?: ?[;/] ?| et | )(?:lon(?:g|"
    rf"gitude)? ?[:=]? ?)?{_COMMA.format(least=4)}{_LAST}(?![\d.,]\d|\d)"
)
_ANNOUNCED = re.compile(
    r"(?:gps|geo|wgs ?84|coordonnees(?: gps| geographiques)?|position|lat(?:itude)?|localisation|"
    r"point)\b[^\d\n+-]{0,24}"
    rf"((?:{_DEGREES.format(least=2)}{_LETTERS}{_APART}{_DEGREES.format(least=2)}|"
    rf"{_COMMA.format(least=2)}{_LETTERS}(?: ?[;/] ?| et | )"
    rf"(?:lon(?:g|gitude)? ?[:=]? ?)?{_COMMA.format(least=2)}){_LAST})(?![\d.,]\d|\d)"
)
_SEXAGESIMAL = r"\d{1,3} ?[°d] ?\d{1,2}(?:[.,]\d+)? ?(?:['′’]|mn?)? ?(?:\d{1,2}(?:[.,]\d+)? ?(?:\"|''|″|”|s)?)?"
_DMS = re.compile(
    rf"(?<![\w.,])(?:{_SEXAGESIMAL} ?(?:n|s|nord|sud)(?: ?[,;/-]? ?| et ){_SEXAGESIMAL} ?(?:e|o|w|est|ouest)(?!\w)|"
    rf"[ns] ?{_SEXAGESIMAL}(?: ?[,;/-]? ?){'[eow]'} ?{_SEXAGESIMAL})"
)
_LAMBERT = re.compile(
    r"(?:lambert|l93|rgf ?93|"
    r"epsg)[^\n]{0,24}?(x ?[:=]? ?\d{3} ?\d{3}(?:[.,]\d+)? ?m?[ ,;/]{1,3}y ?[:=]? ?[67][ .]?\d{3} ?\d{3}(?:[.,]\d+)?|"
    r"\d{6}(?:[.,]\d+)?[ ,;/]{1,3}[67]\d{6}(?:[.,]\d+)?)(?!\d)"
    r"|(?<!\w)(x ?[:=] ?\d{6}(?:[.,]\d+)? ?m?[ ,;/]{1,3}y ?[:=] ?[67]\d{6}(?:[.,]\d+)?)(?!\d)"
)
_UTM = re.compile(
    r"(?<!\w)(?:utm ?)?(?:[1-9]|[1-5]\d|"
    r"60) ?[c-hj-np-x] ?\d{6}(?:[.,]\d+)?(?: ?m ?e)?[ ,;/]{1,2}\d{7}(?:[.,]\d+)?(?: ?m ?n)?(?!\d)"
)
_MGRS = re.compile(
    r"(?<!\w)(?:[1-9]|[1-5]\d|60)[c-hj-np-x] ?[a-hj-np-z][a-hj-np-v] ?(?:\d{5} ?\d{5}|\d{4} ?\d{4})(?![\w.,]\d|\w)"
)
_PLUS = re.compile(r"(?<![\w+])[23456789cfghjmpqrvwx]{8}\+[23456789cfghjmpqrvwx]{2,3}(?!\w)")
_WORDS = re.compile(r"(?<![\w/:])///[^\W\d_]{3,20}\.[^\W\d_]{3,20}\.[^\W\d_]{3,20}(?![\w.]\w)")
_NUMBER = re.compile(r"[+-]?\d+[.,]\d+")


def find_coordinates(reading: Reading) -> Iterator[Mention]:
    """Yield pairs of coordinates whose form, or the words ahead of them, leaves no doubt."""
    text = reading.folded
    for match in _SURE.finditer(text):
        if _on_earth(match.group(), least=1.0):
            yield _mention(match, 0)
    for match in _ANNOUNCED.finditer(text):
        if _on_earth(match.group(1), least=0.0):
            yield _mention(match, 1)
    for match in _LAMBERT.finditer(text):
        yield _mention(match, 1 if match.group(1) else 2)
    for match in chain.from_iterable(one.finditer(text) for one in (_DMS, _UTM, _MGRS, _PLUS, _WORDS)):
        yield _mention(match, 0)


def _mention(match: re.Match[str], group: int) -> Mention:
    start = match.start(group)
    return Mention(start, start + len(match.group(group).rstrip()), Label.COORDINATES, 0.95)


def _on_earth(pair: str, least: float) -> bool:
    """Return whether two numbers are a latitude of at least `least` and a longitude: small numbers are results."""
    latitude, longitude = (abs(float(one.replace(",", "."))) for one in _NUMBER.findall(pair)[:2])
    return latitude <= 90 and longitude <= 180 and max(latitude, longitude) >= least and latitude >= least
