"""Values found by a part or cut by a line: account, plate, fingerprint, phone, times in a row, years, exported name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from deid.detection.annotators.patterns.numeric_dates import YEARED_DATE
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import KINSHIP, PROFESSIONS, word_list
from deid.domain.document import Mention
from deid.domain.labels import NAMES, PLACES, Label

_IBAN = re.compile(r"(?<!\w)[a-z]{2}\d\d(?:[ .-]?[0-9a-z]{4}){3,7}(?:[ .-]?[0-9a-z]{1,3})?(?!\w)")
_IBAN_HINT = re.compile(r"\biban\b|\brib\b|(?<!\w)fr\d\d")
_NEW_PLATE = r"[a-z]{2}[ -]?\d{3}[ -]?[a-z]{2}"
_PLATE = rf"(?:{_NEW_PLATE}|\d{{2,4}}[ -]?(?!mm|cm|mg|ml|kg|au|et|ou)[a-z]{{2,3}}[ -]?(?:\d\d|2[ab]))"
_PLATE_ANNOUNCED = re.compile(
    rf"\b(?:immatricul\w{{1,6}}|plaques?(?: mineralogiques?)?|vehicule|voiture|scooter|moto)"
    rf"[ ]?(?:n°|:|sous le numero)?[ ]?({_PLATE})(?!\w)"
)
_PLATE_ALONE = re.compile(rf"(?<![\w-]){_NEW_PLATE}(?![\w-])")
# A fingerprint (MD5, SHA-1, SHA-256) tells apart, and may be that of an identifier.
_FINGERPRINT = re.compile(r"(?<!\w)(?=[a-f]*\d)(?=\d*[a-f])(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})(?!\w)")
# "dans 3 puis 6 mois": the unit stands behind the last number only.
_TIMES = re.compile(
    r"\b(?:dans|d'ici|il y a) \d{1,2}(?:(?:, ?| ?[-/] ?| puis | et | ou | a )(?:dans )?\d{1,2}){1,3} ?"
    r"(?:jours?|j|semaines?|sem|mois|ans?)\b(?! (?:suivant|qui |apres|plus tard))"
)
_YEARS = re.compile(r"(?<![\w/.-])((?:19|20)\d\d)[ ]?[-–—][ ]?((?:19|20)\d\d)(?![\w/-])")
# A French number of which a line holds the beginning and the next the rest, in pairs, or announced.
_CUT_PHONE = re.compile(
    rf"(?<![\d/_+])(?<!\d[ .,-])(?!{YEARED_DATE}[ \t]*\n)"
    r"(?:(?:\+|00) ?33 ?(?:\(0\) ?)?|0)[1-9](?:[ .-]{0,2}\d)*[ .-]{0,2}\n[ \t]{0,8}"
    r"\d(?:[ .-]{0,2}\d){1,7}(?![\w/]|[ .,-]?\d)"
)
_PHONED = re.compile(
    r"\b(?:tel|telephone|portable|port|fax|mobile|joindre|joignable|appeler|rappeler|numero)\b[^\n]{0,24}\Z"
)
_WORDED = (
    NAMES | PLACES - {Label.ZIP} | {Label.ORG, Label.EMAIL, Label.URL}
)  # no value of figures takes a part of these
_PHONE_DIGITS = 9  # without the leading zero or country code
_KIND_AHEAD = re.compile(
    r"\b(?:smr|ssr|ehpad|ehpa|usld|fam|mas|esat|ime|sessad|clinique|polyclinique|residence|foyer|pharmacie|labm|"
    r"laboratoire|sarl|eurl|sasu?|sci|gaec|earl|scea|cuma|ets|etablissements|societe|entreprise)[ \n]\Z"
)
_ELIDED = re.compile(r".?[ ][dl]['’]", re.IGNORECASE)
_COUNTRIES = word_list("country_codes")
_EXPORTED_NAME = r"([^\W\d_]{2,30}(?:[ '-][^\W\d_]{2,30}){0,2})"
_EXPORTED = re.compile(rf"(?<![^\W_]){_EXPORTED_NAME}\^{_EXPORTED_NAME}")


def complete_halves(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return sorted `mentions`, with the whole of each value of which they cover a part.

    Fingerprints, number plates that a word announces and phone numbers are also added. Values that are covered already
    stay, but the parts of a phone number become one mention. A name, place or address that goes on beyond a value
    stays as it is.
    """
    result = list(mentions)
    for start, end, label, announced in _whole_values(reading):
        touched = [one for one in result if one.start < end and start < one.end]
        phoned = label is Label.PHONE and all(one.label is label for one in touched)
        covered = _covers(reading, touched, start, end) and not (label is Label.PHONE and len(touched) > 1)
        worded = any(one.label in _WORDED and not start <= one.start <= one.end <= end for one in touched)
        if covered or worded or not (announced or (touched and (phoned or label is not Label.PHONE))):
            continue
        first, last = min([start, *(one.start for one in touched)]), max([end, *(one.end for one in touched)])
        whole = replace(touched[0], start=first, end=last, label=label) if touched else Mention(first, last, label, 0.9)
        result = sorted([*(one for one in result if one not in touched), whole])
    for start, end, label in _other_halves(reading, result):
        if not any(one.start < end and start < one.end for one in result):
            result = sorted([*result, Mention(start, end, label, 0.9)])
    return _over_elisions(reading, [_named_after_kind(reading, one) for one in result])


def _named_after_kind(reading: Reading, mention: Mention) -> Mention:
    """Return a name as an organisation's where an annotator voted so behind the word of a kind: "SMR Le Chêne"."""
    voted = mention.label in NAMES and any(vote.label is Label.ORG for vote in mention.votes)
    if voted and _KIND_AHEAD.search(reading.folded, max(0, mention.start - 30), mention.start):
        return replace(mention, label=Label.ORG)
    return mention


def _is_exported_code(reading: Reading, span: tuple[int, int]) -> bool:
    """True for a role, kinship or code beside a name in an export: "DAU^FILLE", "IDE^NADEGE", "CHAVES^PRT"."""
    word = reading.folded[slice(*span)]
    code = len(word) < 3 or word in _COUNTRIES
    return word in KINSHIP or word in PROFESSIONS or (code and reading.text[slice(*span)].isupper())


def _over_elisions(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return mentions with an organisation cut behind an elision whole: "SMIT de l" and "hôpital Ténon"."""
    result: list[Mention] = []
    for mention in mentions:
        before = result[-1] if result else None
        if before is not None and before.label is mention.label is Label.ORG:
            cut = _ELIDED.match(reading.text, max(before.start, before.end - 3))
            if cut is not None and cut.end() == mention.start:
                result[-1] = replace(before, end=mention.end)
                continue
        result.append(mention)
    return result


def _covers(reading: Reading, mentions: Sequence[Mention], start: int, end: int) -> bool:
    """Return whether mentions cover every letter and digit from `start` to `end`."""
    return all(
        any(one.start <= at < one.end for one in mentions) for at in range(start, end) if reading.text[at].isalnum()
    )


def _whole_values(reading: Reading) -> Iterator[tuple[int, int, Label, bool]]:
    """Yield the span and label of each value, and whether it is one in any context."""
    folded = reading.folded
    if _IBAN_HINT.search(folded):
        for match in _IBAN.finditer(folded):
            if sum(map(str.isdigit, match.group())) >= 12:
                yield match.start(), match.end(), Label.ID, True
    for match in _PLATE_ANNOUNCED.finditer(folded):
        yield match.start(1), match.end(1), Label.ID, True
    for match in _PLATE_ALONE.finditer(folded):
        if reading.text[match.start() : match.end()].isupper():
            yield match.start(), match.end(), Label.ID, False
    for match in _FINGERPRINT.finditer(folded):
        yield match.start(), match.end(), Label.ID, True
    for match in _TIMES.finditer(folded):
        yield match.start(), match.end(), Label.RELDATE, False
    for match in _CUT_PHONE.finditer(folded):
        digits = re.sub(r"\D", "", re.sub(r"^(?:(?:\+|00) ?33 ?(?:\(0\))?|0)", "", match.group()))
        if len(digits) == _PHONE_DIGITS:
            yield match.start(), match.end(), Label.PHONE, _is_phone(match, folded)


def _is_phone(number: re.Match[str], text: str) -> bool:
    """True for a number cut between two pairs or announced."""
    first, _, rest = number.group().partition("\n")
    even = len(re.sub(r"\D", "", rest)) % 2 == 0 and any(sign in " .-" for sign in first.strip())
    return even or _PHONED.search(text, max(0, number.start() - 40), number.start()) is not None


def _other_halves(reading: Reading, mentions: Sequence[Mention]) -> Iterator[tuple[int, int, Label]]:
    """Yield the other year of a range and the other name of "NAME^GIVEN", where one of the two was found."""
    for pattern, labels in ((_YEARS, frozenset({Label.DATE})), (_EXPORTED, NAMES)):
        for match in pattern.finditer(reading.text):
            halves = [match.span(1), match.span(2)]
            for own, other in (halves, halves[::-1]):
                found = [one for one in mentions if one.start < own[1] and own[0] < one.end and one.label in labels]
                if found and not _is_exported_code(reading, other):
                    yield *other, found[0].label
