"""Who wrote: signatures and initials at the foot, logins, authors of messages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.known_names import NOT_NAMES
from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label

_LOGIN = re.compile(r"(?<![\w.@/-])(?:([a-z]{1,2})\.([a-z]{3,})|([a-z]{3,})\.([a-z]))(?![\w@/.-]|\.\w)")
_MESSAGE = re.compile(
    r"^[>\s]*([^\W\d_]{2,14}(?:[ .][^\W\d_]{1,12})?)(?= {1,2}(?:[a-z]{2,5} )?\d{1,2}[:h]\d\d)", re.MULTILINE
)
_INITIALS_LINE = re.compile(
    r"^[ \t]*(?:-- ?|– ?|— ?)?((?:[A-Z]\.[ -]?){1,3}[A-Z]?\.?|[A-Z]{2,3}|[a-z]\.[ ]?[a-z]\.)[ \t]*$", re.MULTILINE
)
_TYPIST = re.compile(
    r"^[ \t]*(?:[Rr][ée]f\.? ?:? ?)?([A-Z]{2,4}|[a-z]{2,3})[ ]?/[ ]?([A-Za-z]{2,4})(?=[ \t]*(?:$|—|–|-|/))"
    r"|\b(?:frappe|tap[ée]e?|saisie?|transmis|r[ée]dig[ée]e?|dict[ée]e?)(?: par)? ?:? ?([a-z]{2,3}|[A-Z]{2,3}|"
    r"[A-Z]\.[A-Z]\.)(?![\w])",
    re.MULTILINE,
)
_NAME_LINE = re.compile(r"^[ \t]*(?:-- ?|– ?|— ?)?([A-ZÀ-Ý][a-zà-ÿ]{2,13})[ \t]*$", re.MULTILINE)
_FOOT = 400  # characters from the end within which a lone line signs the document
NOT_INITIALS = frozenset(
    """
    am au bu ce co cr crp de des dr du ecg en et hb ide il irm kg la le les mt na nb nfs ok on pa par pj pm ps
    rx sa si sos sur ta tdm tn un une
    """.split()
)


def find(reading: Reading) -> Iterator[Mention]:
    """Writers, all professionals."""
    text = reading.text
    if "." in text:
        for match in _LOGIN.finditer(text):
            name = match[2] or match[3]
            if not reading.lexicon.is_word(name) and name not in ("www", "fr", "com"):
                yield Mention(match.start(), match.end(), Label.DOCTOR, 0.7)
    for match in _MESSAGE.finditer(text):
        yield from _author(reading, match)
    foot = max(0, len(text) - _FOOT)
    for match in _INITIALS_LINE.finditer(text, foot):
        if match[1].lower().strip(". ") not in NOT_INITIALS:
            yield Mention(match.start(1), match.end(1), Label.DOCTOR, 0.7)
    for match in _NAME_LINE.finditer(text, foot):
        if reading.lexicon.is_first_name(reading.folded[match.start(1) : match.end(1)]):
            yield Mention(match.start(1), match.end(1), Label.DOCTOR, 0.75)
    for match in _TYPIST.finditer(text):
        for group in (1, 2, 3):
            written = match[group]
            if written and written.lower().strip(".") not in NOT_INITIALS:
                yield Mention(match.start(group), match.end(group), Label.DOCTOR, 0.72)


def _author(reading: Reading, match: re.Match[str]) -> Iterator[Mention]:
    """The first name that opens a dated message."""
    first = reading.folded[match.start(1) : match.end(1)].replace(".", " ").split()[0]
    if reading.lexicon.is_first_name(first) and first not in NOT_NAMES:
        yield Mention(match.start(1), match.start(1) + len(first), Label.DOCTOR, 0.7)
