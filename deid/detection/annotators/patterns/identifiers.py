"""Numbers that identify: social security, patient, stay, professional, sample, device, plate, bank, network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address

from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import word_list
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.check_digits import iban_holds, luhn_holds, nir_holds
from deid.french.numerals import DETECTED_NUMBER_WORDS

_S = r"[ ./_·-]{0,2}"
_NIR = re.compile(
    rf"(?<!\w)(?<!\d[.,/-])[1-478]{_S}\d\d{_S}(?:0[1-9]|1[0-2]|[2-9]\d){_S}(?:\d\d|2[ab]){_S}\d{{3}}{_S}\d{{3}}"
    rf"(?:[ (/-]{{0,4}}(?:cle?f? ?:? ?)?\d\d(?! ?(?:ans|a\b|kg|cm|%))\)?)?(?!\d)"
)
_IBAN = re.compile(r"(?<!\w)[a-z]{2}\d\d(?: ?[0-9a-z]{4}){4,7}(?: ?[0-9a-z]{1,3})?(?!\w)")
# A first character before the lookbehind lets the engine skip to it. Behind a number, "PC 330 PA" are two names.
_PLATE = re.compile(
    r"[A-Z](?<![\w-].)(?<!\d .)[A-Z][- ]\d{3}[- ][A-Z]{2}(?![\w-])|[a-z](?<![\w-].)[a-z]-\d{3}-[a-z]{2}(?![\w-])"
)
_OLD_PLATE = re.compile(r"(?<![\w,.])\d{2,4} [a-z]{2,3} (?:\d\d|2[ab])(?![\w,.])")
# ISO 9362 behind its word; the two letters of the country are in the middle.
_BIC = re.compile(
    r"(?<!\w)(?:bic|swift)(?:/(?:bic|swift))?(?: ?code)?[ :.]{1,4}([a-z]{6}[0-9a-z]{2}(?:[0-9a-z]{3})?)(?!\w)"
)
_NETWORK = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)")
# Six pairs of figures alone, with hyphens, are a series: "20-25-35-50-65-70".
_MAC = re.compile(r"[0-9a-f](?<!\w.)(?=[0-9-]{0,15}[a-f:])[0-9a-f][:-](?:[0-9a-f]{2}[:-]){4}[0-9a-f]{2}(?!\w)")
_OBJECT = re.compile(r"(?<![\w.])[12]\.\d+(?:\.\d+){4,}(?!\w)")
_LONG_NUMBER = re.compile(r"(?<![\w.,/+-])\d{7,14}(?![\w]|[.,/]\d)")
_CODE = re.compile(
    r"(?=[A-Z\d])(?<![\w./-])(?=[A-Z\d/.-]*\d{3})(?:[A-Z]{1,5}[-/]?\d|"
    r"\d{1,4}[A-Z]{1,4}[-/]?\d)[A-Z\d]*(?:[-/.][A-Z\d]+)*(?![\w])"
)
_GROUPED = re.compile(r"(?<![\w./-])(?=[A-Z\d/.-]*\d{3})[A-Z\d]+(?:[-/][A-Z\d]+){1,4}(?![\w/-]|[.,]\d)")
# "N° patient 0012345678", "Identifiant du patient : 12345678", "patient n° 0012345678"
_OF_PATIENT = re.compile(
    r"(?<![^\W_])(?:(?:n[°o]|num(?:ero)?|id(?:entifiant)?)[ .:]{0,2}(?:d(?:u|e la|e) )?patiente?|"
    r"(?<!dossier )patiente?[ ,:(]{1,2}(?:n[°o]|num(?:ero)?|id(?:entifiant)?))[ .:=°|)-]{0,5}"
    r"([a-z]{0,3}\d{5,14})(?!\w|[.,/]\d)"
)
_DATED = re.compile(
    r"(?:19|20)\d\d[-/](?:19|20)\d\d|^\d{1,2}[-/]\d{1,2}[-/]\d{2,4}$|^(?:19|20)\d\d[-/]\d\d[-/]\d\d|"
    r"^0\d[-/]\d\d[-/]\d\d[-/]"
)
# "dossierFR20-11883", "ipp37-661902": the blank was lost.
_GLUED = re.compile(
    r"(?<![A-Za-z])(dossier|[Ff]iche|police|[Hh]ospitalisation|administrative|IPP|ipp|NDA|"
    r"provisoire)(?=[A-Z\d])([A-Z]{0,4}\d[\dA-Z/.-]*\d)(?!\w)"
)
_ACT = re.compile(r"[A-Z]{4}\d{3}|[A-Z]\d\d(?:\.\d{1,3})?|[A-Z]{1,3}\d{1,3}")

# Trigger word → label and score of the number that follows; sure triggers score higher.
TRIGGERS: dict[str, tuple[Label, float]] = {
    **dict.fromkeys("ipp nip patientid ipph".split(), (Label.IPP, 0.97)),
    **dict.fromkeys("nda iep ndadossier sejour sej venue episode".split(), (Label.NDA, 0.95)),
    **dict.fromkeys(word_list("stay_triggers"), (Label.NDA, 0.9)),
    "administrative": (Label.NDA, 0.8),
    "provisoire": (Label.IPP, 0.8),
    **dict.fromkeys("fiche courrier ref reference references refs".split(), (Label.NDA, 0.8)),
    **dict.fromkeys("rpps adeli finess fei fej".split(), (Label.RPPS, 0.97)),
    **dict.fromkeys("nir secu nss ss securite".split(), (Label.NIR, 0.96)),
    **dict.fromkeys(word_list("other_triggers"), (Label.ID, 0.9)),
    **dict.fromkeys("n no numero num".split(), (Label.ID, 0.75)),
}
# Words between a trigger and its number.
_CONNECT = re.compile(
    r"(?:[ \t]{0,14}(?:n[°o]s?|n\b\.?|numero|num\b\.?|nr\b|id\b|patient\b|patiente\b|interne\b|permanent\b|"
    r"provisoire|definitif|unique|"
    r"administratif|administrative|clinique|medical|sociale|social|hospitalier|ambulatoire|sejour|dossier|"
    r"hospitalisation|serie|"
    r"de la|de|du|d'|s/n|sn\b|lot\b|labo\b|ref\b\.?|et\b|urgences|samu|smur|commande|electronique|mutuelle|"
    r"secu\b|securite|nss\b|cristal|rpps\b|adeli\b|finess\b|nda\b|ipp\b|[:=|#°(.│┃¦]|\.{2,})){0,6}[ \t]{0,12}"
)
_VALUE = re.compile(
    r"(?=[a-z./_-]{0,8} ?[a-z./_-]{0,4}\d)[a-z0-9]+(?:[./_–-][a-z0-9]+)*"
    r"(?:[ ](?!\d{1,2}[/.]\d{1,2}[/.]|\d{1,3} ?(?:ans?|a|kg|cm|mois|h|mg|ml|"
    r"mm)\b)(?=[a-z]{0,3}\d{2,})[a-z0-9]+(?:[./-][a-z0-9]+)*){0,5}"
)
# Further numbers of a list: "lots KT09Y21, KT09Y21 et KT11B07".
_AND_MORE = re.compile(
    r"(?:, | et (?:n° ?)?| / )((?=[a-z]{0,5}-?\d)[a-z0-9]+(?:[-/.][a-z0-9]+)*(?: \d{3,})*)"
    r"(?!\w| ?(?:mg|g|ml|%|ans|kg|mm|cm)\b)"
)
_PREFIXED = re.compile(r"[a-z]{1,4}[ ](?=\d)")
_NOT_PREFIXES = frozenset("ta fc pa sat spo temp rpps pr qt poids taille imc du le au la de en sur et vu vs".split())
_DATE = re.compile(
    r"\d{1,2}[/.-]\d{1,2}(?:[/.-](?:(?:19|20)\d\d|\d\d))?|(?:19|20)\d\d|\d{1,2}h\d{0,2}|\d{1,3} ?(?:kg|cm|ml|mg|%)"
)
_DATE_FIRST = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-](?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d")
_UNIT_AFTER = re.compile(r" ?(?:%|°|kg|cm|mm|mg|ml|g/|ans|jours|mois|h\b|fois|/\d)")
_NOT_NUMBERED = word_list("counted_places")
_NEEDS_SIGN = word_list("triggers_with_sign")
_SIGN = re.compile(r"[:=|#°]|\bn[°o]?\b|numero|num\b")


def find_identifiers(reading: Reading) -> Iterator[Mention]:
    """Yield identifying numbers, by their own form and by the word before them; a wrong key lowers the score."""
    folded, digits = reading.folded, reading.digits
    for at in reading.numbers:
        yield from _number(digits, at)
    if "fr" in folded or "iban" in folded:
        for match in _IBAN.finditer(folded):
            if sum(map(str.isdigit, match.group())) >= 12:
                yield Mention(match.start(), match.end(), Label.ID, 0.99 if iban_holds(match.group()) else 0.85, "IBAN")
    if "bic" in folded or "swift" in folded:
        for match in _BIC.finditer(folded):
            if reading.text[match.start(1) : match.end(1)].isupper():
                yield Mention(match.start(1), match.end(1), Label.ID, 0.9, "BIC")
    for match in _PLATE.finditer(reading.text):
        yield Mention(match.start(), match.end(), Label.ID, 0.95, "plate")
    for match in _MAC.finditer(folded):
        yield Mention(match.start(), match.end(), Label.ID, 0.9, "MAC")
    for match in _CODE.finditer(reading.text):
        if sum(map(str.isdigit, match.group())) >= 5 and not _ACT.fullmatch(match.group()):
            yield Mention(match.start(), match.end(), Label.ID, 0.65)
    for match in _GROUPED.finditer(reading.text):
        if sum(map(str.isdigit, match.group())) >= 7 and not _DATED.search(match.group()):
            yield Mention(match.start(), match.end(), Label.ID, 0.6)
    for match in _GLUED.finditer(reading.text):
        yield Mention(match.start(2), match.end(2), TRIGGERS[match[1].lower()][0], 0.85)
    for match in _OF_PATIENT.finditer(folded):
        yield Mention(match.start(1), match.end(1), Label.IPP, 0.95)
    yield from _triggered(reading)
    yield from _spoken_nir(reading)


def _number(digits: str, at: int) -> Iterator[Mention]:
    """Yield the mentions of the run of digits at `at` by its own form."""
    if match := _NIR.match(digits, at):
        number = re.sub(r"[^0-9ab]", "", match.group().replace("cle", ""))
        yield Mention(at, match.end(), Label.NIR, 0.99 if nir_holds(number) else 0.96)
    if match := _LONG_NUMBER.match(digits, at):
        if len(match.group()) == 11 and match.group()[:2] in ("10", "11"):
            yield Mention(at, match.end(), Label.RPPS, 0.9 if luhn_holds(match.group()) else 0.65)
        yield Mention(at, match.end(), Label.ID, 0.6)
    elif match := _OBJECT.match(digits, at):
        yield Mention(at, match.end(), Label.ID, 0.9, "uid")
    elif (match := _NETWORK.match(digits, at)) and _is_address(match.group()):
        yield Mention(at, match.end(), Label.ID, 0.9, "IP")
    elif match := _OLD_PLATE.match(digits, at):
        yield Mention(at, match.end(), Label.ID, 0.6, "plate")


def _is_address(written: str) -> bool:
    try:
        ip_address(written)
    except ValueError:
        return False
    return True


def _triggered(reading: Reading) -> Iterator[Mention]:
    words = reading.words
    for index, word in enumerate(words):
        found = TRIGGERS.get(word)
        if found is None or (word == "n" and reading.word(index + 1) not in ("°", "o")):
            continue
        label, score = found
        if label is Label.ID and word in ("n", "no", "numero", "num") and reading.word(index - 1) in _NOT_NUMBERED:
            continue
        yield from _value(reading, index, label, score)


def _spoken_nir(reading: Reading) -> Iterator[Mention]:
    """A dictated social security number: nine number words or more after "sécurité sociale"."""
    words = reading.words
    for index, word in enumerate(words):
        if word not in ("sociale", "secu", "nir"):
            continue
        at = index + 1
        while reading.word(at) in (":", "est", "le"):
            at += 1
        last = at
        while reading.word(last) in DETECTED_NUMBER_WORDS or reading.word(last) in ("cle", "clef"):
            last += 1
        if last - at >= 9:
            yield Mention(reading.starts[at], reading.ends[last - 1], Label.NIR, 0.95)


def _value(reading: Reading, index: int, label: Label, score: float) -> Iterator[Mention]:
    end = reading.ends[index]
    connect = _CONNECT.match(reading.folded, end)
    at = connect.end() if connect else end
    between = reading.folded[end:at]
    if reading.words[index] in _NEEDS_SIGN and reading.words[index] not in ("n", "no") and not _SIGN.search(between):
        score -= 0.25
    prefix = _PREFIXED.match(reading.folded, at)
    if prefix and (prefix.group().strip() in _NOT_PREFIXES or prefix.group().strip() in TRIGGERS):
        return
    value = _VALUE.match(reading.folded, prefix.end() if prefix else at)
    if not value:
        return
    start, stop = (prefix.start() if prefix else value.start()), value.end()
    if reading.text[start : start + 1].islower() and not reading.lower_case and prefix:
        start = prefix.end()
    written = reading.folded[start:stop]
    count = sum(map(str.isdigit, written))
    if (
        _DATE.fullmatch(written)
        or _DATE_FIRST.match(written)
        or (_UNIT_AFTER.match(reading.folded, stop) and count < 5)
    ):
        return
    if count < (2 if score >= 0.9 and (label is not Label.ID or not written.isdigit()) else 4) or (
        start > 0 and reading.text[start - 1].isalnum()
    ):
        return
    yield Mention(start, stop, label, score)
    for _ in range(8):
        more = _AND_MORE.match(reading.folded, stop)
        if label is not Label.ID or not more or _DATE.fullmatch(more[1]):
            return
        if sum(map(str.isdigit, more[1])) < (4 if any(map(str.isalpha, more[1])) else 6):
            return
        stop = more.end()
        yield Mention(more.start(1), stop, label, score - 0.05)
