"""Words for the patient and relatives, around which indirect identifiers are told; folded."""

from __future__ import annotations

from deid.detection.text.reading import Reading

# Relatives, by name or pronoun.
KIN = (
    r"(?:mari|epoux|epouse|femme|conjoint|conjointe|compagnon|compagne|concubin|concubine|partenaire|pere|"
    r"mere|papa|maman|"
    r"parents?|frere|freres|s(?:oe|œ)ur|s(?:oe|œ)urs|fils|fille|filles|gendre|bru|oncle|tante|cousin|"
    r"cousine|neveu|niece|"
    r"(?:grand|beau|belle|petit|petite)[ -](?:pere|mere|frere|s(?:oe|œ)ur|fils|fille)|voisin|voisine|ami|amie|"
    r"aine|ainee|cadet|"
    r"cadette|fiance|fiancee|ex[ -](?:mari|femme))"
)
# Words for a patient.
PATIENT = (
    r"(?:patiente?|malade|monsieur|madame|mademoiselle|mr?|mme|mlle|homme|femme|dame|jeune|garcon|fille|"
    r"fillette|enfant|"
    r"sujet|personne|adulte|adolescente?|pte?|nourrisson)"
)


def name_follows(reading: Reading, end: int) -> bool:
    """Return whether a capitalised word follows, in a line that is not all in capitals."""
    following = reading.text[end : end + 2]
    start, stop = reading.line(end)
    return following[:1] == " " and following[1:].isupper() and not reading.text[start:stop].isupper()
