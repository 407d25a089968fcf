"""Form fields ("Nom : ", "Prénom …… ", table cells), datelines, signatures, initials, logins, authors of messages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.lookup.known_names import NOT_NAMES
from deid.detection.text.names import is_capital, is_particle_here, is_upper, namelike, read_name
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import NAME_FIELDS, NOT_INITIALS
from deid.domain.document import Mention
from deid.domain.labels import Label

_FIELD_END = re.compile(r"(?:\s?\([a-z /.]{1,24}\))?(?: \*)?[ \t]*(?:[:=|>┃¦│]|\.{3,}|…|_{2,}|\t)-?[ \t:.…_|]*")
_PARTS_OF_NAME = frozenset({"naissance", "fille", "famille"})
_SURE_FIELDS = frozenset("nom prenom prenoms noms patient patiente usage patientname naissance".split())
_BARE_FIELDS = frozenset("nom prenom prenoms naissance usage patient patiente assure assuree".split())
_CIVILITIES = frozenset("m mme mlle mr monsieur madame mademoiselle . dr".split())
_WIDE = re.compile(r"[ \t]+(?=\w)")
_PLACE_FIELD = re.compile(
    r"\b(?:ville|commune|lieu de naissance|ne\(?e?\)? a|nee? a|domicilie\(?e?\)? a|cp ?/ ?ville|lieu|"
    r"naissance a|originaire de|natif de|native de)\b"
    r"[ \t]*(?:[:=|][ \t]*)?"
)
_DATELINE = re.compile(
    r"^[ \t]*([A-ZÀ-Ý][\w'’]*(?:[ -](?:(?:en|sur|sous|de|la|le|les|lès|du)[ -]|"
    r"[dl]['’])?[A-ZÀ-Ý][\w'’]*){0,4})(,? )[ ]{0,3}(?:le|ce) (?=\d|[a-z]+ \d|[A-Za-z]+di)",
    re.MULTILINE,
)
# NAME^GIVEN of HL7 and DICOM, NAME;GIVEN of exports, NAME/GIVEN of labels.
_MACHINE = re.compile(
    r"(?<![A-Za-z])([A-ZÀ-Ý][A-ZÀ-Ý'-]{1,20}(?: [A-ZÀ-Ý'-]{2,20})?)[\^;/]([A-ZÀ-Ý][A-Za-zÀ-ÿ-]{2,20})(?=[\^;/|\s\])])"
)
_REFERENCE_INITIALS = re.compile(
    r"^[ \t]*(?:[Nn]/?[ ]?[Rr][ée]f\.?|[Rr][ée]f(?:[ée]rences?)?\.?|"
    r"V/Réf\.?)[ \t]*:?[ \t]*([A-Z]{2,3})[/.-]([A-Za-z]{2,3})(?![\w/])",
    re.MULTILINE,
)


def find_fields(reading: Reading) -> Iterator[Mention]:
    """Yield values of name and place fields, the town of a dateline, typists' initials."""
    for index, word in enumerate(reading.words):
        if word in NAME_FIELDS:
            yield from _name(reading, index)
    for match in _PLACE_FIELD.finditer(reading.folded):
        yield from _place(reading, match)
    for match in _DATELINE.finditer(reading.text):
        if _is_town(reading, match):
            yield Mention(match.start(1), match.end(1), Label.CITY, 0.9)
    for match in _MACHINE.finditer(reading.text):
        first, second = reading.folded[match.start(1) : match.end(1)], reading.folded[match.start(2) : match.end(2)]
        if reading.lexicon.is_first_name(second.split("-")[0]) and not reading.lexicon.is_first_name(first):
            yield Mention(match.start(1), match.end(1), Label.PATIENT, 0.75)
            yield Mention(match.start(2), match.end(2), Label.PATIENT, 0.75)
    for match in _REFERENCE_INITIALS.finditer(reading.text):
        yield Mention(match.start(1), match.end(1), Label.DOCTOR, 0.8)
        yield Mention(match.start(2), match.end(2), Label.DOCTOR, 0.8)


def _bare_field(reading: Reading, index: int) -> re.Match[str] | None:
    """A field name in capitals or before wide blanks needs no sign ("NOM  DUPONT")."""
    if reading.words[index] not in _BARE_FIELDS:
        return None
    wide = _WIDE.match(reading.text, reading.ends[index])
    if reading.words[index] in _PARTS_OF_NAME:
        return wide if _after_nom(reading, index) else None
    if wide and (reading.text[reading.starts[index] : reading.ends[index]].isupper() or len(wide.group()) > 1):
        return wide
    return wide if reading.words[index] == "prenom" else None


def _is_town(reading: Reading, match: re.Match[str]) -> bool:
    """Return whether the first words of a dateline name a town, not an event ("Entrée le 3 mars")."""
    folded = reading.folded[match.start(1) : match.end(1)]
    if any(hit.end == match.end(1) for hit in reading.hits_at.get(match.start(1), ())):
        return "," in match[2] or not reading.lexicon.is_word(folded)
    return "," in match[2] and not reading.lexicon.is_word(folded.split()[0])


def _name(reading: Reading, index: int) -> Iterator[Mention]:
    """The name that a form gives after a field's label at `index`."""
    field = reading.words[index]
    at = _value_after(reading, index)
    if at is None or (field in _PARTS_OF_NAME and not _after_nom(reading, index)):
        return
    sure = field in _SURE_FIELDS
    if not reading.words[at].isalpha() or not (sure or namelike(reading, at)):
        return
    last = read_name(reading, at, lower=3)
    if last is None:
        if not sure or len(reading.words[at]) == 1:
            return
        last = at
    while reading.word(last + 1) == "," and _first_name_at(reading, last + 2):
        last = read_name(reading, last + 2) or last + 2
    doctor = field == "nom" and reading.word(index - 1) in ("medecin", "du")
    score = 0.95 if sure and (reading.capitals[at] or namelike(reading, at)) else 0.75
    yield Mention(reading.starts[at], reading.ends[last], Label.DOCTOR if doctor else NAME_FIELDS[field], score)


def _after_nom(reading: Reading, index: int) -> bool:
    """Return whether "nom" precedes a word such as "naissance" or "jeune fille"."""
    return "nom" in (reading.word(at) for at in range(index - 3, index))


def _value_after(reading: Reading, index: int) -> int | None:
    """Token at which a field's value starts, past its sign and a civility; None if no name can stand there."""
    sign = _FIELD_END.match(reading.folded, reading.ends[index]) or _bare_field(reading, index)
    if not sign:
        return None
    at = reading.token_at(sign.end())
    if at >= len(reading.words) or reading.starts[at] - sign.end() > 1:
        return None
    while reading.words[at] in _CIVILITIES and at + 1 < len(reading.words):
        at += 1
    return None if reading.words[at] in NOT_NAMES and not is_particle_here(reading, at) else at


def _first_name_at(reading: Reading, at: int) -> bool:
    return is_capital(reading, at) and reading.lexicon.is_first_name(reading.words[at])


def _place(reading: Reading, match: re.Match[str]) -> Iterator[Mention]:
    at = reading.token_at(match.end())
    if at >= len(reading.words) or reading.starts[at] - match.end() > 1 or not is_capital(reading, at):
        return
    words = reading.words
    last = None
    end = at
    while end < len(words) and end - at < 9:
        if words[end].isalpha() and is_capital(reading, end):
            if (
                end > at
                and words[end - 1] not in ("-", "'")
                and not is_upper(reading, end)
                and last is not None
                and words[last] not in ("la", "le", "les", "saint", "sainte", "st")
            ):
                break
            last = end
        elif words[end] not in ("-", "'", "sur", "en", "de", "la", "le", "les", "d", "l", "du", "sous"):
            break
        end += 1
    if last is not None:
        yield Mention(reading.starts[at], reading.ends[last], Label.CITY, 0.85)


# Writers

_LOGIN = re.compile(r"(?<![\w.@/-])(?:([a-z]{1,2})\.([a-z]{3,})|([a-z]{3,})\.([a-z]))(?![\w@/.-]|\.\w)")
_MESSAGE = re.compile(
    r"^(?:>|[^\S\n])*+([^\W\d_]{2,14}(?:[ .][^\W\d_]{1,12})?)(?= {1,2}(?:[a-z]{2,5} )?\d{1,2}[:h]\d\d)", re.MULTILINE
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


def find_signatures(reading: Reading) -> Iterator[Mention]:
    """Yield writers, all professionals."""
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
