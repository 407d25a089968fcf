"""Words around a name that tell whose it is: a man's or a woman's, a professional's, a relative's.

They are read from folded text before a name, and from small letters behind it.
"""

from __future__ import annotations

import re

_WOMEN = (
    "epouse|femme|soeur|fille|mere|compagne|tante|niece|belle-fille|belle-mere|belle-soeur|grand-mere|cousine|marraine|"
    "veuve|voisine|patiente|amie|maman|mamie|mamy|tata|tatie"
)
_MEN = (
    "epoux|mari|frere|fils|pere|compagnon|oncle|neveu|gendre|beau-fils|beau-pere|beau-frere|grand-pere|cousin|parrain|"
    "veuf|voisin|patient|conjoint|ami|papa|papi|papy|pepe|tonton"
)
# A word between ("sa fille aînée Anne") is none that names another person ("le patient et Anne").
_ONE_WORD = r"[^a-z]*(?:(?!(?:et|ou|avec|par|que|de|du|a)\b)\w+ ){0,1}$"
_WOMAN = re.compile(
    rf"\b(?:mme|madame|me?lle|mademoiselle|nee|docteure|professeure|infirmiere|bebe fille|{_WOMEN})\b{_ONE_WORD}"
)
_MAN = re.compile(rf"\b(?:m|mr|monsieur|infirmier|{_MEN})\b{_ONE_WORD}")
# The article of the people right before a first name: "le Dédé", "la Marie", but not "M. de la Fontaine".
_ARTICLE = re.compile(r"(?<!\bde )\bl(?P<ends>[ea]) $")
# Behind a name: "Anneke, son épouse," but not "Paul, sa femme et ses enfants"; "est venue", "née le".
_HERS, _HIS = (
    r"^ ?[,(] ?(?:(?:son|sa|leur|mon|ma|notre|votre|la|le) |l['’])?",
    r"\b(?! ?(?:,? et\b|, (?:sa|son|ses)\b))",
)
_WOMAN_BEHIND = re.compile(rf"{_HERS}(?:{_WOMEN}){_HIS}")
_MAN_BEHIND = re.compile(rf"{_HERS}(?:{_MEN}){_HIS}")
_AUXILIARY = r"^ (?:est|était|fut|sera|a été|avait été|s'est|s'était) (?:\w+ment |bien |très |mal |déjà )?"
_ASIDE = r"^ ?,? (?:bien )?(?:n|âg|ag|adress|hospitalis|opér|domicili|mari|divorc|accompagn|arriv)"
_WOMAN_AGREES = re.compile(rf"{_AUXILIARY}\w+(?:ée|ie|ue)\b|{_ASIDE}ée\b|^ ?,? ?(?:enceinte|ménopausée|allaitante)\b")
_MAN_AGREES = re.compile(rf"{_AUXILIARY}(?!ici\b|aussi\b|ainsi\b|parmi\b)\w+(?:é|i|u)\b|{_ASIDE}é\b")
# Civilities right before a name; in "M. et Mme Paul Martin" neither tells whose first name it is.
_CIVILITY = re.compile(
    r"(?:\b(?P<couple>(?:m|mr|monsieur|dr|docteur)\.? (?:et|ou|&) (?:mme|madame))"
    r"|\b(?P<woman>mmes?|madame|mesdames|me?lles?|mademoiselle|docteure|professeure)"
    r"|\b(?P<man>m|mr|monsieur|messieurs))\b[^a-z]*$"
)
_PROFESSIONAL = re.compile(
    r"\b(?:drs?|docteure?s?|prs?|profs?|professeure?s?|interne|externe|ide|idel|infirmiere?s?|maitre|me|chirurgiene?)\b[^a-z]*$"
)
_ACTING = re.compile(
    r"\b(?:par|avec|operateurs?|anesthesistes?|redacteurs?|prescripteurs?|medecins?|confreres?|consoeurs?|senior|"
    r"avis|equipe|service)\b[^a-z]*(?:(?:m|mr|mme)\b[^a-z]*)?$"
)
_ROLE_BEHIND = re.compile(
    r"^ ?[,(:-] ?(?:le |la |l')?(?:médecin|chirurgien|interne|externe|infirmi|ide\b|sage-femme|aide-soignant|kiné|"
    r"psychologue|anesthésiste|généraliste|urgentiste|secrétaire|\w+logue\b|\w+iatre\b)"
)
_CALLED = re.compile(r"\b(?:dite?|dise|disent|alias|surnom\w*|appel\w+|pseudo)(?: aussi)?(?: l[ea])?[^a-z]*$")
_KIN = re.compile(
    r"\b(?:pere|mere|frere|soeur|fils|fille|oncle|tante|neveu|niece|cousine?|grand-pere|grand-mere|jumeau|jumelle|"
    r"(?:son|sa|leur) (?:ex-)?(?:mari|femme|epoux|epouse|conjointe?|compagnon|compagne))"
    r"(?: (?:ainee?|cadet|cadette|puinee?|jumeau|jumelle|benjamine?|unique))?\b"
    r"[^a-z]*(?:(?:m|mr|monsieur|mme|madame)\b[^a-z]*)?$"
)


def sex_told(before: str, behind: str) -> str | None:
    """Return "F" or "M" if the words around a name tell it: folded before, in small letters behind."""
    if _WOMAN.search(before):
        return "F"
    if _MAN.search(before):
        return "M"
    if _WOMAN_BEHIND.match(behind) or _WOMAN_AGREES.match(behind):
        return "F"
    if _MAN_BEHIND.match(behind) or _MAN_AGREES.match(behind):
        return "M"
    article = _ARTICLE.search(before)
    return {"e": "M", "a": "F"}[article["ends"]] if article else None


def civility(before: str) -> str | None:
    """Return the sex of the civility right before a name; None for none, or a couple's."""
    found = _CIVILITY.search(before)
    return {"woman": "F", "man": "M"}.get(str(found.lastgroup)) if found else None


def names_professional(before: str, behind: str) -> bool:
    """Return whether a name has a title or role beside it."""
    return _PROFESSIONAL.search(before) is not None or _ROLE_BEHIND.match(behind) is not None


def names_actor(before: str) -> bool:
    """Return whether the words before a name say that its bearer acted: "opéré par", "avis", "prescripteur :"."""
    return _ACTING.search(before) is not None


def names_relative(before: str) -> bool:
    """Return whether the word before a name says that its bearer is a relative."""
    return _KIN.search(before) is not None


def names_by_nickname(before: str) -> bool:
    """Return whether the words before a name say that its bearer is called so: "dit", "alias", "surnommé"."""
    return _CALLED.search(before) is not None
