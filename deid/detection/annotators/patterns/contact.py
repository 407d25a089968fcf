"""Telephone numbers, e-mail addresses and web addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

import phonenumbers

from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import word_list
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.numerals import DETECTED_NUMBER_WORDS

_PREFIX = r"(?<![\d/_+])(?<!\d[.,-])(?:(?:\+|00) ?(?:33|262|590|594|596|687|689) ?(?:\(0\) ?)?[1-9]|\(?0\)? ?[1-9])"
_FRENCH = re.compile(_PREFIX + r"(?:[ ._/·-]{0,3}\d\d){4}(?!\d|[.,]\d)")
# Pairs broken elsewhere ("02619 15040"); a date followed by a number must not pass for one.
_UNEVEN = re.compile(r"(?!\d\d[./-]\d\d[./-](?:19|20)\d\d)" + _PREFIX + r"(?:[ .-]{0,3}\d){8}(?!\d|[.,]\d)")
# A second number behind one that is whole: "0611223344-0622334455".
_BETWEEN = re.compile(r" ?[-–/] ?(?=0[1-9])")
_IN_PAIRS = re.compile(r"0[1-9](?:[ ._/·-]{0,3}\d\d){4}(?!\d|[.,]\d)")
# But for a refraction: "+1.75(-1)145".
_INTERNATIONAL = re.compile(
    r"(?<![\w+])(?:\+ ?|00)(?!\d{1,2}\.\d{1,2} ?\( ?[-+])[1-9]\d{0,2}(?:[ .()/-]{0,2}\d){6,12}(?!\d)"
)
# A country and a subscriber take more digits: a hospital's number of a patient or a stay, where no word announces it.
NO_COUNTRY = re.compile(r"00\d{7,8}(?!\d)")
_AT = re.compile(r" ?(?:@|\(at\)|\[at\]| arobase ) ?")
_LOCAL_PART = re.compile(r"[\w.+-]+$")
_HOST = re.compile(r"[\w-]{1,63}(?:\.[\w-]{1,63}){0,6}\.[a-z]{2,10}\b")
# "d.leroy @ medimail . com"
_SPACED_HOST = re.compile(r"[\w-]{1,63}(?: ?\. ?[\w-]{1,63}){0,3} ?\. ?(?:fr|com|org|net|eu)\b")
# "jean.martin chez gmail point com", as dictated; behind "arobase", whatever ends it.
_DICTATED = re.compile(
    r"(?<![\w.])[\w.+-]{1,64}(?: (?:point|tiret) [\w-]{1,32}){0,3} (?:(?P<sure>arobase?)|chez|at|@) [\w-]{1,32}"
    r"(?: (?:point|tiret) [\w-]{1,32}){0,2}? point (?:fr|com|org|net|eu|(?(sure)(?:[a-z]{2}|example|info|sante)))(?!\w)"
)
_SCHEME = r"(?<![a-z])[a-z]{2,6}://"  # also "ttps://", cut or misspelt
_LINK = re.compile(rf"(?:{_SCHEME}|www\.)[^\s<>()|\]]+[^\s<>()|\].,;:!?»\"']")
_TOP_LEVEL = re.compile(r"\.(?:fr|com|org|net|eu|sante|example|info|gouv)(?:/[^\s<>()|\]]*[\w/])?(?![\w@.-]{0,64}@|\w)")
_HOST_BEFORE = re.compile(r"(?<![\w@.-])[a-z0-9-]+(?:\.[a-z0-9-]+)*$")
# Last labels of hosts: the countries of ISO 3166, and the generic ones in use.
_TOP_LEVELS = {one.lower() for one in phonenumbers.SUPPORTED_REGIONS} | {"eu", "uk"} | word_list("generic_top_levels")
_SECOND = frozenset(("com", "net", "org", "info"))  # words too, that end hosts with a country ahead
_HOST_AHEAD = re.compile(rf"(?:{_SCHEME}|[^\s@]*@| *(?:\(at\)|\[at\]) ?)?")
_LABEL = re.compile(r"[^\W_][\w-]*")
_GLUED_CAPITAL = re.compile(r"([a-z]{2,})(?=[A-ZÀ-Ý])")
_WORD_IN_PATH = re.compile(r"\.(?=([A-ZÀ-Ý][^\W\d_]+)(?:\W|\Z))")
# First words of the phrases of `_SHORT`.
_ANNOUNCES = word_list("announcing_contacts")
_SURE_ANNOUNCES = frozenset("poste postes bip beep dect tel tél telephone fax te1 tei vini mobilis tapez".split()) | {
    "joignable au"
}
_SHORT = re.compile(
    r"(poste|postes|bip|beep|dect|tel|tél|telephone|fax|int\b\.?|ligne interne|ligne|portable|port|t|f|te1|"
    r"tei|standard|p|vini|mobilis|whatsapp|appele au|appeler au|appeler le|rappeler le|rappeler au|"
    r"joignable au|joignable|repond au|composer le|tapez)"
    r"(?: (?:de|d'|du|l'|la|garde|urgence|urgences|vitale|operateur|interne|operatoire|nuit|jour|patient|mere|"
    r"pere|tante|fils|fille|bloc|med|medecin)){0,4}"
    r" ?[,(=]? ?[.:°]{0,2} ?\*?(?:interne |direct |n° ?|no |: ?|au )?((?:\+ ?)?\d[\d .\-/]{1,18}\d|"
    r"\d{2,})(?!\w|[/,:]\d| ?h(?:\d\d)?\b)"
)
# "BIP 85 mm", "BIP 32, PC 120, LF 20": the biparietal diameter of a foetus, no pager.
_DIAMETER = re.compile(r"bip ?[:=]? ?\d{2,3}(?:[.,]\d)?(?: ?(?:mm|cm)\b|(?![\d ]*\d{2}))")
_BIOMETRY = re.compile(r"\b(?:pc|lf|dat|epf|biometries?|f[o]?et(?:us|al\w*)|mm|percentile|perimetre|femur)\b")
_NEAR = 60  # characters


def find_contacts(reading: Reading) -> Iterator[Mention]:
    """Yield numbers and addresses; a number that no numbering plan allows, perhaps mistyped, scores lower."""
    text = reading.digits
    for number in reading.numbers:
        # A plus sign or a bracket may open the number.
        at = number - 1 if text[number - 1 : number] in ("+", "(") else number
        for pattern in (_FRENCH, _UNEVEN):
            if match := pattern.match(text, at):
                # Digits right before may be the start of a longer number.
                led = text[at - 2 : at].strip().isdigit()
                yield Mention(at, match.end(), Label.PHONE, 0.9 if led else _plausible(match.group(), "FR"))
                sign = _BETWEEN.match(text, match.end())
                if sign and (second := _IN_PAIRS.match(text, sign.end())):
                    yield Mention(second.start(), second.end(), Label.PHONE, _plausible(second.group(), "FR"))
        at = at if text[at] == "+" else number
        abroad = (text[at] == "+" or text.startswith("00", at)) and not NO_COUNTRY.match(text, at)
        if abroad and (match := _INTERNATIONAL.match(text, at)):
            yield Mention(at, match.end(), Label.PHONE, _plausible(match.group(), None))  # 00 may begin an IPP too
    for index, word in enumerate(reading.words):
        start = reading.starts[index]
        if word in _ANNOUNCES and not _is_diameter(text, start) and (match := _SHORT.match(text, start)):
            yield from _extension(match)
    yield from _nets(reading)
    yield from _spoken(reading)


def _plausible(written: str, region: str | None) -> float:
    try:
        parsed = phonenumbers.parse(
            written if region else written.replace("00", "+", 1) if written[0] == "0" else written, region
        )
    except phonenumbers.NumberParseException:
        return 0.75
    sure = 0.98 if region or not written.isdigit() else 0.64
    return sure if phonenumbers.is_possible_number(parsed) else min(sure, 0.8)


def _is_diameter(text: str, start: int) -> bool:
    match = _DIAMETER.match(text, start)
    return match is not None and bool(_BIOMETRY.search(text, max(0, start - _NEAR), match.end() + _NEAR))


def _extension(match: re.Match[str]) -> Iterator[Mention]:
    if match.start(2) == match.end(1) or (len(match[1]) == 1 and not {":", "."} & set(match.group())):
        return
    digits = sum(character.isdigit() for character in match[2])
    strong = match[1] in _SURE_ANNOUNCES
    if digits < (2 if strong else 4) or digits > 15:
        return
    yield Mention(match.start(2), match.end(2), Label.PHONE, 0.9 if strong else 0.7)


def _nets(reading: Reading) -> Iterator[Mention]:
    """Addresses are anchored on their rare sign and read outwards, so that no run of letters is scanned twice."""
    text = reading.folded
    for match in _AT.finditer(text):
        local = _LOCAL_PART.search(text, max(0, match.start() - 64), match.start())
        host = _HOST.match(text, match.end())
        if local and host:
            end = _host_end(reading, match.end(), host.end())
            yield Mention(local.start(), end or host.end(), Label.EMAIL, 0.99)
        elif local and match.group() == " @ " and (host := _SPACED_HOST.match(text, match.end())):
            yield Mention(local.start(), host.end(), Label.EMAIL, 0.95)
    if " point " in text:
        for match in _DICTATED.finditer(text):
            yield Mention(match.start(), match.end(), Label.EMAIL, 0.95)
    for match in _LINK.finditer(text):
        yield Mention(match.start(), find_net_end(reading, *match.span()), Label.URL, 0.9)
    for match in _TOP_LEVEL.finditer(text):
        host = _HOST_BEFORE.search(text, max(0, match.start() - 80), match.start())
        if host:
            yield Mention(host.start(), match.end(), Label.URL, 0.9)


def find_net_end(reading: Reading, start: int, end: int) -> int:
    """Return the end of an e-mail or web address without the words that a full stop or nothing parts from it."""
    ahead = _HOST_AHEAD.match(reading.folded, start, end)
    host = _host_end(reading, ahead.end() if ahead else start, end)
    if host is None:
        return end
    if not reading.text.startswith("/", host):
        return host if not reading.text.startswith((":", "?", "#"), host) else end
    for word in _WORD_IN_PATH.finditer(reading.text, host, end):
        if reading.lexicon.is_word(reading.folded[word.start(1) : word.end(1)]):
            return word.start()
    return end


def _host_end(reading: Reading, start: int, end: int) -> int | None:
    """Return the end of the host at `start` by the last label that closes one; None where no label does.

    A label that may close a host does not where another closes it behind ("mail.me.com"), unless a capital follows.
    """
    text, closed = reading.text, None
    label, first = _LABEL.match(text, start, end), True
    while label:
        written, stop = label.group(), label.end()
        glued = None if first or written.lower() in _TOP_LEVELS else _GLUED_CAPITAL.match(written)
        if glued and glued[1] in _TOP_LEVELS:
            return label.start() + glued.end()
        if not first and written.lower() in _TOP_LEVELS:
            if closed and written.lower() not in _SECOND and reading.lexicon.is_word(written.lower()):
                return closed  # "CABINET.FR.CONTACT"
            closed = stop
            if written.islower() and text[stop : stop + 1] == "." and text[stop + 1 : stop + 2].isupper():
                return closed
        label, first = (_LABEL.match(text, stop + 1, end) if text[stop : stop + 1] == "." else None), False
    return closed


def _spoken(reading: Reading) -> Iterator[Mention]:
    """A dictated number, wholly or partly in words: "zéro six trente neuf …", "06 trente neuf 98 90 06"."""
    words = reading.words
    index = 0
    while index < len(words):
        if words[index] == "zero" or (words[index][0] == "0" and words[index].isdigit() and len(words[index]) <= 4):
            last, spelt, figures = index, int(words[index] == "zero"), 0
            while last + 1 < len(words) and last - index < 24:
                word = words[last + 1]
                if word in DETECTED_NUMBER_WORDS and word not in ("et", "mille", "cent", "une"):
                    spelt += 1
                elif word.isdigit() and len(word) <= 2:
                    figures += 1
                elif word not in ("-", "."):
                    break
                last += 1
            while words[last] in ("-", "."):
                last -= 1
            if spelt >= 2 and spelt + figures >= 5:
                yield Mention(reading.starts[index], reading.ends[last], Label.PHONE, 0.9)
                index = last
        index += 1
