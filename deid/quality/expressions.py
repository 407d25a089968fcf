"""Expressions named after people, and brands: evidence that a word with a capital is nobody's name at its place.

It shares no code with detection, so that an error of detection is not repeated here.
"""

from __future__ import annotations

import re

from deid.domain import read_lists
from deid.quality.words import drug_words, eponyms, eponyms_nobody_bears, fold, is_word

_LISTS = read_lists(__file__)
_BEARING, _DESCRIBED, _SCALES, _AUTHORS, _MAKERS, _VERDICTS = (
    frozenset(_LISTS[title].split()) for title in ("bearing", "described", "scales", "authors", "makers", "verdicts")
)
_EPONYM_BEFORE = re.compile(
    r"\b(?:maladies?|syndromes?|signes?|scores?|tests?|classification|echelle|indices?|criteres?|manoeuvre|fracture|"
    r"tumeur|lymphome|operation|intervention|protocole|technique|phenomene|oedeme|thyroidite|reflexe|loi|regle|"
    r"oesophage|anevrisme|consensus|accords|formule|equation|methode|stade|type|virus|corps|cellules?|sequence|"
    r"triade|tetralogie)\b(?:(?! (?:par|avec|chez) )[^.\n]){0,40}\Z"
)
_JOINED_BEFORE, _JOINED_BEHIND = re.compile(r"([^\W\d_]+)-\Z"), re.compile(r"-([^\W\d_]+)")
# Parts of the body and measures, which open a sentence as ordinary words do.
ANATOMY = frozenset(_LISTS["anatomy"].split())
# Anatomy, signs, lesions, devices and acts that bear the name of whoever described them: "membrane de Bruch".
_NAMED_AFTER = re.compile(
    r"\b(?:dystrophies?|myopathies?|aphasies?|dysplasies?|chorees?|paralysies?|membranes?|taches?|canal|aires?|ganglions?|"
    r"muscles?|nerfs?|arteres?|veines?|ligaments?|tubercules?|nodules?|granulations?|glandes?|anneaux?|angles?|"
    r"triangles?|lignes?|points?|surjets?|intradermiques?|plexus|sinus|hiatus|valvules?|ampoules?|polygone|cercle|"
    r"noyaux?|purpura|sarcomes?|"
    r"tetralogies?|hernies?|diverticules?|ulceres?|triades?|crises?|luxations?|sondes?|drains?|catheters?|aiguilles?|"
    r"pinces?|lames?|broches?|clous?|valves?|incisions?|sutures?|anastomoses?|colorations?|reactions?|epreuves?|bacilles?|"
    r"images?|aspects?|facies|marche|posture|position|respiration|cortex)"
    r"(?: (?!par |avec |chez )[a-z0-9]{1,20}){0,3} (?:de |du |d')(?:mc )?\Z"
    r"|\b(?:corsets?|attelles?|protheses?|classifications?|scores?)[^.()\n]{0,25}\([^.()\n]{0,30}\Z|\bune? \Z"
)
_AUTHORED = re.compile(
    r"\b(?:maladies?|syndromes?|sequence|signe|phenomene) (?:de |d')(?P<author>"
    r"claude[ -]bernard|gilles de la tourette|jean[ -]louis petit|marie[ -]strumpell|pierre[ -](?:marie|robin))\b"
)
_ACT_BEFORE = re.compile(r"(?:plastie|ectomie|otomie|pexie|raphie|dese|stomie)s? (?:selon|de|type) \Z")
_VERDICT = re.compile(r"\s+([^\W\d_]+)")
# What is found of a sign, in a sentence of an examination: "réflexes vifs, Babinski absent".
_FOUND = frozenset("absent absents présent bilatéral indifférent indifférents douteux".split())
_EXAMINED = re.compile(
    r"\b(?:clonus|cutanes?|deficit|marche|moteur|motrice|neuro\w*|osteotendineux|pyramidal|reflexes?|romberg|rot|"
    r"sensitif|signes?|tonus)\b[^.;\n]*\Z"
)
_GRADE = re.compile(r"\s(?:\d{1,3}(?:[.,/]\d{1,3})?(?![\d/]|\s?(?:ans|h|kg)\b)|[IV]{1,3}[ab]?\b)")
_PAIRED = re.compile(r"\set [A-ZÀ-Þ][a-zà-ÿ]+(?:\s\d| (?:positifs|négatifs)\b)")
_LISTED = re.compile(r"\s*(?:[,;.)]|\Z|\n|et\b|[A-ZÀ-Þ\d])")
_SENTENCE = re.compile(r"[.;:\n()]")
_SMALL = frozenset("de du des d et sur contention".split())
_KIND = re.compile(
    r"[^\W\d_]{3,}(?:able|al|ale|aire|ique|if|ifs|iel|eaire)s?"
)  # "chambre implantable", "appareils auditifs"
_BESIDE_DRUG = re.compile(r"([^\W\d_]+)(?: \d+(?: ?[mµ]?g)?)?(?: (?:et|ou|puis|\+)|,) \Z")
_DRUG_FIELD = re.compile(r"[^\n.:]{0,30}\b(?:traitements?|ordonnance|contraceptions?|pilules?) ?:")


def is_expression(text: str, start: int, end: int) -> bool:
    """Return whether the word `text[start:end]`, with a capital, belongs to an expression named after people.

    That is behind the noun for a disease, sign or part of the body, in a list of products behind their kind, before
    the grade of a scale or the verdict on a disease, or a brand.
    """
    bare = fold(text[start:end])
    before, after = text[max(0, start - 60) : start], text[end : end + 40]
    if bare in _MAKERS or is_eponym_here(before, after, bare) or _is_graded(after, bare):
        return True
    folded = fold(before)
    return bool(
        _NAMED_AFTER.search(folded)
        or _ACT_BEFORE.search(folded)
        or _follows_bearing(before, after)
        or _behind_eponym(folded)
        or _beside_drug(before, after)
        or _is_listed_drug(text, start, end)
    )


def is_eponym_here(before: str, after: str, bare: str) -> bool:
    """Return whether the text beside a bare name makes it an eponym: "maladie de …", "…-Marie-Tooth", "… primitif".

    Args:
        before: text before the name, as it is written.
        after: text behind it.
        bare: the name without case and accents.
    """
    folded = fold(before)
    if _EPONYM_BEFORE.search(folded):
        return True
    previous, following = _JOINED_BEFORE.search(folded), _JOINED_BEHIND.match(after)
    joined = previous or following
    if joined and bare in eponyms() and fold(joined[1]) in eponyms():
        return True
    lead = folded[: previous.start()] if previous else folded
    noun = re.search(r"([^\W\d_]+(?:-[^\W\d_]+)*) (?:de |du |d')\Z", lead)
    if noun and noun[1] in _DESCRIBED and (joined or bare in eponyms() or not is_word(bare)):
        return True
    if bare not in eponyms() and bare not in _AUTHORS:
        return False
    if bare in _AUTHORS and folded.endswith((" selon ", "encoche de ", "reaction de ")):
        return True
    verdict = _VERDICT.match(after)
    if verdict and verdict[1].lower() in _FOUND and _EXAMINED.search(folded):
        return True
    return (verdict is not None and _is_verdict(verdict[1])) or _PAIRED.match(after) is not None


def is_full_name_of_a_disease(text: str, start: int, end: int) -> bool:
    """Return whether the word belongs to the full name of an author behind a disease: "séquence de Pierre Robin"."""
    first = max(0, start - 60)
    return any(
        first + match.start("author") <= start and end <= first + match.end("author")
        for match in _AUTHORED.finditer(fold(text[first : end + 40]))
    )


def without_authors(text: str) -> str:
    """Return folded `text` without the diseases that bear somebody's full name."""
    return _AUTHORED.sub(" ", fold(text))


def _is_verdict(word: str) -> bool:
    lower = word.lower()
    forms = {lower, lower.removesuffix("e"), lower.removesuffix("s"), lower.removesuffix("es")}
    forms |= {lower.removesuffix("ive") + "if", lower.removesuffix("aux") + "al", lower.removesuffix("euse") + "eux"}
    return not forms.isdisjoint(_VERDICTS)


def _is_graded(after: str, bare: str) -> bool:
    """Return whether a scale has its grade behind it: "Barthel 85", "Hess et Hunt 3"."""
    return bare in _SCALES and bool(_GRADE.match(after) or _PAIRED.match(after))


def _follows_bearing(before: str, after: str) -> bool:
    """Return whether only names, numbers and links stand between the word and the kind of what they name.

    Behind a comma, the word must be an item of the list too: no verb of a person follows.
    """
    clause = _SENTENCE.split(before)[-1]
    pieces = clause.replace("d'", "de ").replace("d’", "de ").split()
    for piece in reversed(pieces):
        word = fold(piece.strip(","))
        ends_item = piece.endswith(",") or word == "et"
        if ends_item and (word in _BEARING or not _LISTED.match(after)):
            return False
        if word in _BEARING:
            return True
        if not (word in _SMALL or word.isdigit() or piece[0].isupper() or _KIND.fullmatch(word)):
            return False
    return False


def _behind_eponym(before: str) -> bool:
    """Return whether the word before is an eponym that nobody is called: "Sydenham Chorea"."""
    previous = re.search(r"([^\W\d_]+) \Z", before)
    return previous is not None and previous[1] in eponyms_nobody_bears()


def _beside_drug(before: str, after: str) -> bool:
    """Return whether the word is joined to a known drug: "Tazocilline et Amiklin,"."""
    previous = _BESIDE_DRUG.search(before)
    return previous is not None and fold(previous[1]) in drug_words() and _LISTED.match(after) is not None


def _is_listed_drug(text: str, start: int, end: int) -> bool:
    """Return whether the word is an item of a list of drugs behind its field, most items of which are known terms."""
    line, close = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    if not _DRUG_FIELD.match(fold(text[line:start])):
        return False
    if not (re.search(r"[:,.] \Z", text[line:start]) and re.match(r" ?(?:[,;.?=\d\n]|\Z)", text[end:])):
        return False
    rest = text[line : close if close >= 0 else len(text)].partition(":")[2]
    items = [fold(item) for item in re.findall(r"[A-ZÀ-Þ][^\W\d_]{3,}", rest)]
    return sum(map(is_word, items)) * 2 > len(items)
