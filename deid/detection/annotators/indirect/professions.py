"""Occupations of the patient and of relatives: a list of occupations (PCS), and the words that say whose they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.annotators.indirect.people import KIN
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.social_words import Occupation, find_occupations

# "profession : …", "travaille comme …": what follows is an occupation, known or not.
_FIELD = re.compile(
    r"(?<!\w)(?:professions?(?: (?:du patient|de la patiente|exercee|actuelle|anterieure|principale))?|"
    r"metiers?|emploi|"
    r"(?:activite|situation|statut)s? profession?nelles?|csp)(?: ?(?:[:=]|[.]{2,24}) ?|\t+)(?=\w)"
)
_FIELD_VALUE = re.compile(
    r"[^\n\t,;.()/:|]{3,48}?(?=\s*(?:[\n\t,;.()/:|]|  |$| (?:chez|a|au|aux|dans|pour|depuis|jusqu|retraite)\b))"
)
_NO_VALUE = frozenset("non oui aucune aucun inconnue inconnu nc nr neant ras sans en a active actif".split())
_SAID = re.compile(
    r"(?:travail(?:le|lait|lant|ler|lee?) (?:comme|en tant qu[e'])|exerc(?:e|ait|ant|er|ee?)"
    r" (?:comme|(?:le|son) metier d[e']|(?:la|sa) profession d[e']|en tant qu[e'])|(?:metier|profession|"
    r"carriere|poste|emploi) d[e']|"
    r"de profession|de metier|(?:est|etait|fut|etant|devenue?|reste|a ete|ayant ete) (?:une? |m[ao]n? |"
    r"s[ao]n? |employee? comme )?|"
    r"embauchee? comme|reconvertie? (?:en|comme)|formation d[e']|apprentissage d[e']|etudes d[e']|comme) ?$"
)
_FORMER = r"(?:anciennes?|anciens?|ex|jeune|futur|future)"
_BEFORE_FORMER = re.compile(rf"(?<!\w)({_FORMER})[ -]$")
_LINKS = r"(?:par|le|la|les|chez|avec|pour|que|au|du|des|vue?|a|et)"
_KIN_BEFORE = re.compile(rf"(?<!\w){KIN}(?: (?!{_LINKS} )\w+){{0,3}}?(?: ?[,(:] ?| )(?:(?:est|etait|un|une|aussi) )?$")
_AGE_BEFORE = re.compile(r"(?:\bans|\ba\d?|\d a|\bne[e]? [^\n]{3,30})(?: ?\))?(?: ?[,;:.(–-]+ ?| )$")
_APPOSED_AFTER = re.compile(r" ?(?:[,;.)\n(]|$|chez |a la |au |aux |dans |en |depuis |pendant |retraite|a l['’])")
_EMPLOYER_AFTER = re.compile(
    r" (?:chez|a la (?:sncf|poste|ratp|mairie|retraite|chaine|ferme)|dans (?:une?|le|la|l')|en retraite|"
    r"retraitee?s?)\b"
)
# Diseases, devices and groups of people are named after occupations.
_OF_OTHERS = re.compile(
    r"(?:\b(?:d[ue]s?|de la|de l'|aux?|les|ces|chez|par|avec|leurs?|nos|vos|la|le|cher|chere|rue|medecin|"
    r"pour|avec une?|par une?|votre|notre|"
    r"son|sa|ses|mon|ma|quelques|plusieurs|\d+|mme|mr|m\.|monsieur|madame|mle|mlle|dr|pr|me|appel(?:e|"
    r"er)?|vu) ?|\bl'|\bd')$"
)
_PARTICIPLE = re.compile(r"(?i)ée?s?$")
_PARTICIPLES = re.compile(r"(?:employe|(?:pre)?retraite|depute)e?s?")
_CIVILITY = re.compile(
    r"\b(?:mme|mr|m\.?|monsieur|madame|mle|mlle|dr|pr|docteur|professeur|me|maitre|rue|avenue|impasse) $"
)
_AFTER_NAMES = re.compile(
    r" ?(?:traitante?|referente?|de garde|coordonnat|coordinateur|de risque|liberale?s?\b|scolaire|"
    r"de sante publique|du travail)"
)
# "facteur de risque", "facteur VIII", "manœuvre d'exploration"
_OF_A_THING = re.compile(
    r"(?:facteurs?|man(?:oe|œ)uvres?) (?:d[e'u]|des|rhumat|intrins|tissul|declench|favoris|predict|"
    r"pronost|limit|aggrav|anti|[ivx]+\b)"
)

_ADJECTIVES = (
    r"(?: (?:agricole|viticole|routiere?|retraitee?s?|territoriale?|municipale?|communale?|hospitaliere?|"
    r"specialisee?|"
    r"qualifiee?|principale?|independante?|salariee?|polyvalente?|saisonniere?|forestiere?|maritime|"
    r"industrielle?|automobile|commerciale?|administratif|administrative|technique|biologique|intermittente?|"
    r"stagiaire|publi(?:c|que)|professionnel(?:le)?|ambulante?|superieure?|en chef|en retraite|"
    r"a la retraite|a facon|a domicile|freelance|bancaire))"
)
_COMPLEMENT = (
    r"(?: (?:d'|(?:de|en|des|du) )(?!(?:\d|risque|garde|nuit|jour|profession|metier|formation|naissance|nationalite|"
    r"confession|religion|origine|la|le|l|l'|les|sa|son|ses|moins|plus|retraite|arret|conge|invalidite|service|chez|"
    r"ce|cette|age|\w+ ans)\b)[a-z][a-z'-]{2,}(?: (?:generale?|civile?|agricoles?|industriels?|publics?|routiers?|"
    r"d'autobus|de bord))?)"
)


def find_professions(reading: Reading) -> Iterator[Mention]:
    """Yield what fields and phrases say, then the words of the list in a context that gives them to a person."""
    text = reading.folded
    for field in _FIELD.finditer(text):
        value = _FIELD_VALUE.match(text, field.end())
        if value and not set(value.group().split()[:1]) & _NO_VALUE and not value.group()[0].isdigit():
            yield Mention(value.start(), value.end(), Label.PROFESSION, 0.95)
    for match, one in find_occupations(text):
        score = _score(reading, match, one)
        if score:
            start, end = _whole(text, match)
            yield Mention(start, end, Label.PROFESSION, score)


def _whole(text: str, match: re.Match[str]) -> tuple[int, int]:
    """Return the span of an occupation with "ancien" ahead, adjectives and a complement behind."""
    former = _BEFORE_FORMER.search(text[max(0, match.start() - 12) : match.start()])
    start = match.start() - (len(former.group()) if former else 0)
    behind = re.compile(f"{_ADJECTIVES}*{_COMPLEMENT}?{_ADJECTIVES}?").match(text, match.end())
    return start, behind.end() if behind else match.end()


def _score(reading: Reading, match: re.Match[str], one: Occupation) -> float:
    """Return the probability that a word of the list is what the patient or a relative does, 0 if it is not."""
    text = reading.folded
    before, after = (
        text[max(0, match.start() - 60) : match.start()].rpartition("\n")[2],
        text[match.end() : match.end() + 40],
    )
    if (
        _is_name(reading, match)
        or _AFTER_NAMES.match(after)
        or _OF_A_THING.match(text, match.start())
        or _CIVILITY.search(before)
    ):
        return 0
    former = _BEFORE_FORMER.search(before)
    if former or re.match(r" (?:a la |en )?retraitee?s?\b", after):
        return 0.95
    if _SAID.search(before):
        return (
            0.0
            if one.staff and re.search(r"\b(?:comme|est|etait) (?:une? )?$", before) and not _of_person(before)
            else 0.9
        )
    if _KIN_BEFORE.search(before):
        return 0.9
    if _OF_OTHERS.search(before):
        return 0
    if one.staff:
        return 0
    if _AGE_BEFORE.search(before) and _APPOSED_AFTER.match(after):
        return 0.9
    if _EMPLOYER_AFTER.match(after):
        return 0.85
    return 0 if one.ambiguous else 0.8


def _of_person(before: str) -> bool:
    """Return whether the sentence ahead is about the patient or a relative."""
    return bool(
        re.search(
            rf"\b(?:elle|il|qui|patiente?|{KIN}) (?:\w+ )?(?:est|etait|travaill\w+|exerc\w+) (?:une? |"
            rf"comme )?",
            before,
        )
    )


def _is_name(reading: Reading, match: re.Match[str]) -> bool:
    """Return whether a word has a capital within a line, or beside another capitalised word, as names have."""
    written = reading.text[match.start() : match.end()]
    if match.group() == "retraite" and not written.casefold().endswith("é"):
        return True  # the noun: "à la retraite"
    if _PARTICIPLE.search(written) and not _PARTICIPLES.fullmatch(match.group()):
        return True  # "jugé", "guidée"
    if not written[:1].isupper():
        return False
    line, _ = reading.line(match.start())
    opens = not reading.text[line : match.start()].strip(" \t-–•*") or bool(
        re.search(r"[.:!?]\s*$", reading.text[line : match.start()])
    )
    if written.isupper() and len(written) > 1:
        around = reading.text[line : reading.line(match.start())[1]]
        return not around.isupper()
    following = reading.text[match.end() : match.end() + 2].strip()
    return not opens or following[:1].isupper()
