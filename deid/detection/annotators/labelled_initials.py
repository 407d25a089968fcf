"""Initials of a patient without a name around them, told by a label: "bracelet : DT", "patient D.T.", "Cas 1 : MF"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.lookup.known_names import ABBREVIATIONS, PARTICLES
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import NOT_INITIALS
from deid.domain.document import Mention, Patient
from deid.domain.labels import Label
from deid.french.folding import key

# Read on folded text; the letters, in capitals, with points, hyphens or neither.
_LABELLED = re.compile(
    r"(?<![^\W_])(?:bracelets?|initiales?|patiente?|pte?|residente?|usager|identite|mme|mlle|madame|monsieur|mr?)"
    r"(?P<sign>\.?[ \t]{0,3}[:=]?[ \t]{1,3}|\.?[ \t]{0,3}[:=])"
    r"(?P<initials>(?:[^\W\d_]\.[ -]?){1,3}[^\W\d_]\.?|[^\W\d_]\.[^\W\d_]{2,3}|[^\W\d_](?:-?[^\W\d_]){1,3})(?![\w'’])"
)
# Initials that sign, between quotation marks: "consentement signé « NS »".
_QUOTED = re.compile(
    r"\bsign\w{0,3}(?: par)?[ \t]{0,2}:?[ \t]{0,2}[«\"“][ \t\xa0]?"
    r"(?P<initials>[a-z](?:[. -]{0,2}[a-z]){1,3}\.?)[ \t\xa0]?[»\"”]"
)
# A numbered case of a report, and the age that tells that the letters are a person's: "Cas 2 : FS, 25 ans".
_CASE = re.compile(
    r"\b(?:cas|observation|patiente?)(?: clinique)?(?: n ?°)? ?\d{1,2} ?[:.–-] ?"
    r"(?P<initials>[a-z]\.? ?[a-z]\.?(?: ?[a-z]\.?)?),? (?:(?:est|etait) )?(?:agee? (?:de|d')|\d{1,3} (?:ans|mois)\b)"
)
_LETTERS = r"(?P<{}>[a-z]\.?[ -]?[a-z]\.?(?:[ -]?[a-z]\.)?)"
_AGED = r"(?:agee? (?:de|d')|\d{1,3} (?:ans|mois)\b)"
# Letters between the word for a patient and an age, or that open a sentence before both.
_PATIENT_AGED = re.compile(
    rf"\b(?:patiente?|madame|monsieur|mme|mlle|mr)\.? {_LETTERS.format('aged')} ?,? ?(?:(?:est|etait) )?{_AGED}"
    rf"|(?:\A|[.\n] ?){_LETTERS.format('opening')}, "
    r"(?:(?:une?|jeune) )*(?:patiente?|femme|homme|enfant|garcon|fille|nourrisson|adolescente?)\b"
    rf"(?: (?:est|etait))? (?:de )?{_AGED}"
)
# What follows the abbreviation of a disease: "patient DT depuis 10 ans".
_OF_DISEASES = frozenset(
    "connu connue depuis equilibre equilibree sous traite traitee type insulinodependant non".split()
)


def find_labelled_initials(reading: Reading, patient: Patient) -> Iterator[Mention]:
    """Yield initials that agree with the patient's names behind "bracelet", "patient", "signé" or a civility.

    Letters that also abbreviate a term are left before what tells a disease, an age or a number ("patient DT2").
    """
    known = _initials_of(patient)
    for match in _LABELLED.finditer(reading.folded) if known else ():
        start, end = match.span("initials")
        letters = re.sub(r"[\W_]", "", match["initials"])
        if letters in known and reading.text[start:end].isupper() and _names(reading, letters, match):
            yield Mention(start, end, Label.PATIENT, 0.97)
    for match in _QUOTED.finditer(reading.folded) if known else ():
        start, end = match.span("initials")
        if re.sub(r"[\W_]", "", match["initials"]) in known and reading.text[start:end].isupper():
            yield Mention(start, end, Label.PATIENT, 0.97)


def find_case_initials(reading: Reading) -> Iterator[Mention]:
    """Yield the initials before an age, of a numbered case or a patient: "Cas 1: MF, 22 ans", "GA, un patient de"."""
    for pattern in (_CASE, _PATIENT_AGED):
        for match in pattern.finditer(reading.folded):
            named = match.lastgroup or "initials"
            start, end = match.span(named)
            letters = re.sub(r"[\W_]", "", match[named])
            usual = letters in NOT_INITIALS or (named == "aged" and letters in ABBREVIATIONS)
            if not usual and reading.text[start:end].isupper():
                yield Mention(start, end, Label.PATIENT, 0.9)


def _names(reading: Reading, letters: str, match: re.Match[str]) -> bool:
    after = reading.word(reading.token_at(match.end("initials") - 1) + 1)
    if after.isdigit():
        return False
    if not match["sign"].isspace() or "." in match["initials"]:
        return True
    if after in _OF_DISEASES:
        return False
    doubtful = letters in ABBREVIATIONS or letters in NOT_INITIALS
    return not doubtful or not after.isalpha() or "VER" in reading.lexicon.parts.get(after, "").split("|")


def _initials_of(patient: Patient) -> frozenset[str]:
    """Return initials of first names (one or all) and surname (with particles and without), in both orders."""
    firsts = ["".join(part[0] for part in key(name).split()) for name in patient.first_names]
    given = {*firsts[:1], *(first[:1] for first in firsts[:1]), "".join(firsts)} - {""}
    found: set[str] = set()
    for name in filter(None, (patient.last_name, patient.birth_name)):
        words = [word for word in key(name).split() if len(word) > 1 or word in PARTICLES]
        told = [word for word in words if word not in PARTICLES] or words
        families = {"".join(word[0] for word in some) for some in (words, words[:1], told, told[:1]) if some}
        found |= {form for first in given for family in families for form in (first + family, family + first)}
    return frozenset(form for form in found if 2 <= len(form) <= 4)
