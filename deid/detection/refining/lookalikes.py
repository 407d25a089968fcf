"""Results, pages and emergency numbers that look like dates, values that look like addresses or telephones."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.calendar import FOLDED_SEASONS, PARTS_OF_PERIOD

# Results, ratios and emergency numbers that look like dates, values that look like addresses.

_RATIO = re.compile(r"\d{1,2}\s?/\s?\d{1,2}")
_EMERGENCY = re.compile(r"(?:15|17|18|112|114|115|119)")
# "12h50 le 15. sifflements": called at that time.
_TIMED = re.compile(r"\d{1,2} ?[h:] ?\d\d,? le \Z")
_NO_MORE = re.compile(r"\s*[.,;]|\s*\Z")
_CALLED = re.compile(
    r"(?:(?:appel\w*|compos\w*|contact\w*|alert\w*|joind\w*|prevenir|fait) (?:fait )?le|appel (?:au|du)) $"
)
# "le 15 a été appelé"; "puis le 15, puis le père": called in turn.
_CALLS = re.compile(
    r"\s(?:a ete (?:appele|contacte|joint|alerte|prevenu)|rappelle|envoie|regule|a envoye)|"
    r",? puis (?:le|la|sa|son) [a-z]"
)
# Short numbers of the numbering plan that are the same for everybody: a line for suicidal people, the duty pharmacist…
_PUBLIC = re.compile(r"(?:3114|3018|3020|3237|3624|3919|3939|3977|3989)")
_NUMBERED = re.compile(r"(?:numero(?: [a-z']+){0,3} ?: ?|numero |(?<!poste )(?<!bip )\b(?:le|au|du) )\Z")
_TWO_DIGITS, _LAST_DAY = re.compile(r"\d\d"), 31
_STANDARD = re.compile(
    r"\b(?:iso|iec|cei|nf|en)(?:[ /](?:iec|cei|en|iso))* ?\d{3,6}(?:-\d{1,2})?:\Z"
)  # "ISO 15189:2012"
_SURE_DATE = 0.9
# A value at a setting, and the remote monitoring of pacemakers
_SETTING = re.compile(
    r"[<>~+-]?\d+(?:[.,]\d+)?\s?[^\W\d_]{0,4}°?\s?@\s?\d+(?:[.,]\d+)?\s?(?:[^\W\d_]{1,4}|[°%])?|merlin\s?@\s?home"
)


# "le début de l'après-midi": a part of no day in particular.
_TIMES = (Label.DATE, Label.RELDATE)
_PART_OF_DAY = re.compile(
    r"(?:(?:dans|pendant|durant|en) )?(?:l[ea] )?(?:(?:debut|fin|milieu|cours) (?:de |d'))?(?:l[ea] |l')?"
    r"(?:mati(?:n|nee)|apres-midi|soir|soiree|nuit|journee)\b"
)


# The day or year of the text itself in a spelling of notes: "ce jr", "cet anné", "auj0urd'hui".
_ITS_OWN = re.compile(r"ce jrs?|auj0urd'hui|auj(?:rd|d)['’]?hui|cet an?nee?|cette anee")


# "dossier AT n° 230128": letters that say of what the number is
_DAY_OF_CARE, _ROOMS = (
    re.compile(r"[Jj] ?\+? ?\d{1,3}"),
    frozenset("box chambre code dossier lit numero porte salle °".split()),
)
_KIND, _TO_SIGN = re.compile("[A-Z]{2,4} ?[nN]°"), 3


def drop_lookalikes(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions except results taken for dates, settings ("1V@0.5ms") for addresses, and public numbers."""
    return [
        one
        for one in mentions
        if not (one.label is Label.DATE and _is_lookalike(reading, one))
        and not (one.label in _TIMES and _is_part_of_day(reading, one))
        and not (one.label is Label.EMAIL and _SETTING.fullmatch(reading.folded, one.start, one.end))
        and not _is_public_number(reading, one)
        and not (one.label is Label.ID and _KIND.fullmatch(reading.text[one.start : one.end + _TO_SIGN]))
        and not (one.label is Label.ID and _is_day_of_care(reading, one))
    ]


def _is_day_of_care(reading: Reading, mention: Mention) -> bool:
    """True for a day counted from an operation or graft: "réévaluation J100", but not "chambre J100"."""
    before = reading.word(reading.token_at(mention.start) - 1)
    return _DAY_OF_CARE.fullmatch(reading.text, mention.start, mention.end) is not None and before not in _ROOMS


def _is_public_number(reading: Reading, mention: Mention) -> bool:
    start = mention.start
    if mention.label is Label.PHONE and _RATIO.fullmatch(reading.digits, start, mention.end):
        return True  # a page of a fax: "P. O1/O3"
    return bool(
        _PUBLIC.fullmatch(reading.folded, start, mention.end)
        and _NUMBERED.search(reading.folded, max(0, start - 40), start)
    )


def _is_part_of_day(reading: Reading, mention: Mention) -> bool:
    if _ITS_OWN.fullmatch(reading.folded, mention.start, mention.end):
        return True
    part = _PART_OF_DAY.match(reading.folded, mention.start)
    return part is not None and part.end() >= mention.end


_PAGE, _PAGE_ENDS = re.compile(r"[1-9]\d?/[1-9]\d?"), re.compile(r"[ \t]*(?:\f|\s*\Z)")
# What is ahead of a page: the number of somebody or something, or an initial and name, apart on its line ...
_FOOT = re.compile(
    r"\d(?:[ .]?\d){4}[^\n]*(?: {3}|\t)\Z|(?:\b[a-zA-Z]\. ?[^\W\d_]{2,}|\b[^\W\d_]{2,} [a-zA-Z]\.)(?: {3,40}|\t)\Z"
)
# ... or nothing but the end of a sentence, an empty line or an indentation.
_LAST_LINE = re.compile(r"(?:\A|[.!?\f]\s*\n|\n[ \t]*\n|\n {3})[ \t]*\Z")
# A day is to follow: behind a sign or word for one, or what is planned, without the end of a sentence.
_AWAITED = re.compile(
    r"(?::|\b(?:le|du|au|des|depuis|jusqu'au))\s*\Z|"
    r"\b(?:dates?|sorties?|entrees?|rdv|rendez|cures?|seances?|consultations?|controle|retrait|ablation|pose|prochaine?s?|"
    r"prevue?s?|revoir|revue?|signee?|visite|chimio\w*|hospitali\w+|intervention|bloc|convoque\w*)\b[^.!?\n]*\s*\Z"
)
_FOOT_REACH = 120
_OF_SEASON = re.compile(rf" d(?:u |e l'|e |')(?:{'|'.join(FOLDED_SEASONS)})\b")
_COUNTED = re.compile(
    r"(?=[^\n]*\b(?:fax|telecopie)\b)[^\n]*\bp(?:ages?|g)?[ .:]{1,2}(?P<page>0?[1-9])/(?P<pages>0?[1-9])"
)


def is_page(reading: Reading, start: int, end: int) -> bool:
    """Return whether a pair is the page of a foot, at the end of the text: "DURAND P.  190044128       1/1"."""
    text, first = reading.text, max(0, start - _FOOT_REACH)
    if not _PAGE.fullmatch(text, start, end) or not _PAGE_ENDS.match(text, end):
        return False
    page, pages = map(int, text[start:end].split("/"))
    if page > pages or _AWAITED.search(reading.folded, first, start):
        return False
    day = rf"(?<![\d/])0?{page}/0?{pages}"
    if re.search(rf"\b(?:le|du|au|depuis) {day}(?![\d/])|{day}/\d\d", reading.folded):
        return False
    return any(ahead.search(text[first:start]) for ahead in (_FOOT, _LAST_LINE))


_SEEN, _LINE_ENDS = re.compile(r"\b(?:consult\w*|cs|le|rdv|vue?)\b"), re.compile(r"[ \t]*(?:\n|\Z)")


def _is_fax_page(text: str, mention: Mention) -> bool:
    """Return whether a pair is the page that the head of a fax counts: "FAX  22-06-2018     P. 01/02"."""
    line = text[max(0, mention.start - _FOOT_REACH) : mention.end].rpartition("\n")[2]
    counted = _COUNTED.fullmatch(line) if _LINE_ENDS.match(text, mention.end) and not _SEEN.search(line) else None
    return counted is not None and int(counted["page"]) <= int(counted["pages"])


def _is_lookalike(reading: Reading, mention: Mention) -> bool:
    text = reading.folded
    surface = text[mention.start : mention.end]
    before, after = text[max(0, mention.start - 40) : mention.start], mention.end
    if _STANDARD.search(before) or is_page(reading, mention.start, mention.end) or _is_fax_page(text, mention):
        return True
    if surface in PARTS_OF_PERIOD and _OF_SEASON.match(text, after):
        return True  # "Au début du printemps": the season is the date
    if _TWO_DIGITS.fullmatch(surface) and int(surface) > _LAST_DAY and before.endswith((" au ", "'au ")):
        return True  # "fraisage jusqu'au 54"
    if _EMERGENCY.fullmatch(surface):
        timed = _TIMED.search(before) and _NO_MORE.match(text, after)
        return bool(_CALLED.search(before) or timed or (before.endswith("le ") and _CALLS.match(text, after)))
    if _RATIO.fullmatch(surface) and mention.score < _SURE_DATE:
        return not any(one.label is Label.DATE for one in reading.overlapping("patterns", mention))
    return False
