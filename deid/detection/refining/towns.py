"""Mentions that belong to a town: the number of its department in brackets, its inhabitants, a hospital's acronym."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from deid.detection.lookup.known_names import BRANDS, LOWER_PARTICLES, PARTICLES
from deid.detection.lookup.lexicon import gazetteers
from deid.detection.merging.evidence import has_clinical_reading
from deid.detection.text.names import is_capital, is_upper
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import (
    CIVILITIES,
    DOCTOR_TITLES,
    KINSHIP,
    NAME_FIELDS,
    PERSON_TITLES,
    PROFESSIONS,
    word_list,
)
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import fold, key
from deid.french.gentiles import derived_gentile, initials_of, read_gentile
from deid.reference.packaged import packaged_rows

_TOWNS = frozenset({Label.CITY, Label.LOC})
_DEPARTMENT = re.compile(
    r"[ \u00a0]?\([ ]?(?:d[eé]?p(?:t|artement)?\.?[ ]|le[ ])?(?P<code>0[1-9]|[1-8]\d|9[0-5]|2[AB]|97[1-46])[ ]?\)",
    re.IGNORECASE,
)
# "Département : 21", "Département de résidence : 2A"
_TOLD_DEPARTMENT = re.compile(
    r"\bd[eé]p(?:artement|t)\.?(?: de (?:naissance|r[eé]sidence))?[ \u00a0]?: ?"
    r"(?P<code>0[1-9]|[1-8]\d|9[0-5]|2[AB]|97[1-46])(?![\w/.,-]?\w| ?%| (?-i:[a-zà-ÿ]))",
    re.IGNORECASE,
)
_TO_AGE = 5  # characters between inhabitants and their age: "Nantaise de 54 ans"
_OF_TOWN = re.compile(r"(?:de |d['’]|du |CHR?U |CH )((?:L[ae]s? )?[A-ZÀ-Ý][\w'’-]+)\Z")
_SLASHED = re.compile(r"/[^\W\d_]+(?:-[^\W\d_]+)*")
_SCORE = 0.7
_SPELT = re.compile(r"(?<![\w.])(?:[A-Z] ){3,}[A-Z](?![\w.])")
_SITE = re.compile(
    r"\b[Ss]ite (?!Web\b)(?P<article>L[ae]s? )?"
    r"(?P<name>(?:[A-ZÀ-Þ][a-zß-ÿ]|[A-ZÀ-Þ]{5})[^\W\d_]*(?:['’-][^\W\d_]+)*)(?![\w'’-])"
)
_ELIDED = re.compile(r"(?<=\w) [dl]\Z")
_ACRONYM = re.compile(r"[ \u00a0]?\((?P<acronym>[A-Z]{3,7})\)")
# Inhabitants of a town, for each bearer of its name, of one that is no name, of the smallest abroad in the table.
_A_TOWN, _PER_BEARER, _ABROAD = 2_000, 20, 15_000
# Birth and residence, ahead of a town.
_LIVED_IN = re.compile(
    r"\b(?:nee?(?:\(e\))?|nees|natif|native|naissance|vi(?:t|vent|vait|vant)|habit\w+|resid\w+|domicilie\w*|demeur\w+)"
    r"(?: [a-z]+)? ?:? (?:a|aux?) \Z|\b(?:originaire|natif|native|arrivee?|venue?|retour|ville) (?:de |d['’]|: ?)\Z"
)
_CUE_REACH = 40
# Who serves a town, ahead of its name: "les gendarmes de La Souterraine".
_SERVED = re.compile(
    r"\b(?:gendarmes?|gendarmerie|brigade|pompiers?|police|policiers|mairie|maire|cure) d(?:e|u|es) \Z"
)
_CONTRACTED = {"au": "le", "du": "le", "aux": "les", "des": "les"}
_LISTED = 0.78  # score of a town of the tables that case and words around allow
_TRAVELS = re.compile(r"\b(?:avion|bateau|ferry|paquebot|train|traversee|vol|embarque|s'envole|decolle) pour (?=[a-z])")
_DESTINATION = re.compile(r"[A-ZÀ-Þ][^\W\d_]{2,}(?:-[A-ZÀ-Þ][^\W\d_]+){0,3}")
# Land that is called by no town's name: "Mont Guillaume"
_LAND = re.compile(
    r"(?:[Ll]e |[Ll]a )?(?:[Mm]ont|[Cc]ol|[Pp]ic|[Ll]ac|[Pp]uy|[Pp]lage|[Mm]assif)[ -]"
    r"(?:d[eu] |d['’]|des |de l)?.*[A-ZÀ-Ý]"
)
_AT_LAND = frozenset("au du le la au aux sur dans vers".split())  # ahead of land, and of nobody's name
_TOLD = 0.9  # score of the number in the field of a department
# "1;Dr LEGENTIL;MG;PERRUSSON;": the cell of a town, behind those of a doctor and what he does
_IN_DIRECTORY = re.compile(r"(?:\A|[;\n])(?:dr|pr)\.? [^;\n]{2,40};[^;\n]{0,12};\Z")
_BEFORE_ABROAD = frozenset("a d de depuis entre et ne nee nes via vers ( > ' ’".split())
_ANNOUNCING = CIVILITIES | DOCTOR_TITLES | PROFESSIONS | KINSHIP | PERSON_TITLES | {*NAME_FIELDS, "avec", "chez", "par"}
# Words ahead of the inhabitants of a town, folded; without one of these, or the town beside, a word may be a surname.
_DETERMINERS = frozenset("cette cet ce une un les le la des l jeune jeunes ces".split())
_DESCRIBED = word_list("described_by_town")
# What is named after a town without being there: dishes, breeds, clubs, banks.
_NAMED_AFTER = word_list("named_after_towns")


def complete_towns(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return sorted `mentions` and, as LOC, numbers of departments and inhabitants of towns; acronyms of hospitals.

    "Vierzon (18)" has the number of a department, whatever else it was taken for; "Nantaise" tells Nantes; "(CHUR)"
    behind "CHU de Rennes" is the same hospital.
    """
    mentions = _over_slashes(reading, sorted(_sites(reading, mentions)))
    apart = (_without_elision(reading, part) for one in mentions for part in _town_behind(reading, one))
    mentions = [_without_findings(reading, _as_town(reading, one)) for one in apart]
    found = [*_departments(reading, mentions), *_acronyms(reading, mentions), *_apart(reading)]
    found += [*_in_capitals(reading, mentions), *_travelled(reading)]
    kept = [one for one in mentions if not any(_is_within(one, other) for other in found)]
    found = [one for one in found if not any(one.overlaps(other) for other in kept)]
    return sorted(_with_inhabitants(reading, sorted([*kept, *found])))


def _over_slashes(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions, a town whose name has a slash for "sur" or "sous" whole: "Celles/Belle"."""
    result: list[Mention] = []
    for one in mentions:
        behind = _SLASHED.match(reading.text, one.end) if one.label is Label.CITY else None
        whole = reading.text[one.start : behind.end()] if behind else ""
        if behind and any(gazetteers().towns(key(whole.replace("/", join))) for join in (" sur ", " sous ")):
            one = replace(one, end=behind.end())
        if result and one.start < (end := result[-1].end) < one.end:  # "Celles/[Belle] Martin"
            one = replace(one, start=reading.starts[reading.token_at(end)])
        if not result or result[-1].end <= one.start < one.end:
            result.append(one)
    return result


def _town_behind(reading: Reading, mention: Mention) -> list[Mention]:
    """Return a mention; of a surname in capitals and a town that nobody is called, both: "Dr LANGE [Reichshoffen]"."""
    tokens = [*reading.tokens(mention)] if mention.label in NAMES else []
    known = any(vote.annotator == "identity" for vote in mention.votes)
    if len(tokens) < 2 or known or not is_upper(reading, tokens[-2]) or not reading.surface(tokens[-1]).istitle():
        return [mention]
    if reading.words[tokens[-2]] in PARTICLES | LOWER_PARTICLES:  # "LE Guilvinec"
        return [mention]
    word, start = reading.words[tokens[-1]], reading.starts[tokens[-1]]
    if gazetteers().towns(word) < _A_TOWN or not reading.lexicon.is_unknown(word):
        return [mention]
    return [replace(mention, end=reading.ends[tokens[-2]]), replace(mention, start=start, label=Label.CITY)]


def _apart(reading: Reading) -> Iterator[Mention]:
    """Yield towns written letter by letter ("A N G E R S"), and what a site is called by ("Site Palente")."""
    for match in _SPELT.finditer(reading.text):
        if gazetteers().towns(fold(match.group().replace(" ", ""))) >= _A_TOWN:
            yield Mention(match.start(), match.end(), Label.CITY, _SCORE)
    for match in _SITE.finditer(reading.text):
        name = fold(match["name"])
        known = key(name) in BRANDS or reading.lexicon.is_word(name) or name in reading.lexicon.clinical
        if match["article"] or not known:
            yield Mention(*match.span("name"), Label.LOC, _SCORE)


def _in_capitals(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield towns with an article in lines of capitals, where somebody lives or works: "LUCIE ROY AU MOULE"."""
    people = {one.end for one in mentions if one.label in NAMES}
    for one in reading.found.get("gazetteer", ()):
        at = reading.token_at(one.start)
        if one.label is not Label.CITY or one.score < _LISTED or not reading.shouted(at):
            continue
        name = key(reading.text[one.start : one.end])
        article = _CONTRACTED.get(reading.word(at - 1))
        if article and not name.startswith(("le ", "les ")) and not gazetteers().towns(f"{article} {name}"):
            continue
        if not article and not name.startswith(("la ", "le ", "les ")):
            continue
        ahead = reading.folded[max(0, one.start - _CUE_REACH) : one.start]
        beside = reading.word(at - 1) in ("a", "au", "aux") and reading.ends[at - 2] in people
        if beside or _LIVED_IN.search(ahead) or _SERVED.search(ahead):
            yield replace(one, score=_SCORE)


def _travelled(reading: Reading) -> Iterator[Mention]:
    """Yield where a boat, train or plane goes, in a word that is none of the language: "le bateau pour Livourne"."""
    for cue in _TRAVELS.finditer(reading.folded):
        place = _DESTINATION.match(reading.text, cue.end())
        word = fold(place.group()) if place else ""
        known = word in KINSHIP or reading.lexicon.is_word(word) or word in reading.lexicon.clinical
        if place and not known and not place.group().isupper():
            yield Mention(*place.span(), Label.CITY, _SCORE)


def _without_elision(reading: Reading, mention: Mention) -> Mention:
    """Return a mention, a name without the letter of an elision that belongs to its town: "Amaia [d]'Anglet"."""
    cut = mention.label in NAMES and reading.text[mention.end : mention.end + 1] in ("'", "’")
    letter = _ELIDED.search(reading.folded, mention.start, mention.end) if cut else None
    return replace(mention, end=letter.start()) if letter else mention


def _as_town(reading: Reading, mention: Mention) -> Mention:
    """Return a mention; a name that hardly anybody bears as a town, of France or abroad, where nobody is announced.

    Behind "né à" or "vit à" a town is one whoever bears its name, and so is an organisation alone on its line, or with
    its department: "Fort-de-France (Martinique)".
    """
    written = reading.text[mention.start : mention.end]
    if _LAND.match(written) and _is_land(reading, mention) and not gazetteers().towns(key(written)):
        return replace(mention, label=Label.LOC)
    line = reading.text[slice(*reading.line(mention.start))].strip()
    if mention.label is Label.ORG and (line == written or line.startswith(f"{written} (")):
        return replace(mention, label=Label.CITY) if gazetteers().towns(key(written)) >= _A_TOWN else mention
    if mention.label not in NAMES or any(vote.annotator == "identity" for vote in mention.votes):
        return mention
    tokens = [*reading.tokens(mention)]
    while len(tokens) > 1 and reading.words[tokens[0]] in ("de", "d", "a", "'"):
        del tokens[0]
    start, lexicon = reading.starts[tokens[0]], reading.lexicon
    name = key(reading.text[start : mention.end])
    abroad = reading.word(tokens[0] - 1) in _BEFORE_ABROAD and name in _towns_abroad()
    inhabitants = max(gazetteers().towns(name), _ABROAD if abroad else 0)
    filled = reading.text[mention.end : mention.end + 1] == ";"
    listed = filled and _IN_DIRECTORY.search(reading.folded, max(0, start - 2 * _CUE_REACH), start)
    least = 1 if listed else _A_TOWN
    if inhabitants < least or any(_is_announced(reading, at) for at in _places(reading, tokens)):
        return mention
    if not listed and not _LIVED_IN.search(reading.folded, max(0, start - _CUE_REACH), start):
        words = [word for at in tokens if len(word := reading.words[at]) > 2]
        people = min(max(lexicon.surnames.get(word), lexicon.first_names.get(word) * _PER_BEARER) for word in words)
        if people * _PER_BEARER > inhabitants or any(_goes_on(reading, at) for at in _places(reading, tokens)):
            return mention
    return replace(mention, start=start, label=Label.CITY)


def _is_land(reading: Reading, mention: Mention) -> bool:
    """Return whether words that open as land does are a place's: somebody's name has no article ahead."""
    if mention.label in (Label.CITY, Label.LOC):
        return True
    known = any(vote.annotator == "identity" for vote in mention.votes)
    ahead = reading.word(reading.token_at(mention.start) - 1)
    return not known and mention.label in NAMES | {Label.ORG} and ahead in _AT_LAND


def _without_findings(reading: Reading, mention: Mention) -> Mention:
    """Return a mention, a town without the clinical words in small letters behind it: "evry eto pas de thrombus"."""
    if mention.label is not Label.CITY or gazetteers().towns(key(reading.text[mention.start : mention.end])):
        return mention
    tokens = [*reading.tokens(mention)]
    while len(tokens) > 1 and not reading.capitals[tokens[-1]] and _is_finding(reading, tokens[-1]):
        del tokens[-1]
    return replace(mention, end=min(mention.end, reading.ends[tokens[-1]]))


def _is_finding(reading: Reading, index: int) -> bool:
    word = reading.words[index]
    acronym = "acronym" in reading.lexicon.clinical.get(word, "")
    return acronym or word in word_list("dated_events") or has_clinical_reading(reading, index)


@cache
def _towns_abroad() -> frozenset[str]:
    return frozenset(row["name"] for row in packaged_rows("towns_abroad"))


def _places(reading: Reading, tokens: Sequence[int]) -> Iterator[int]:
    """Yield the first token of each occurrence of the words of some tokens."""
    said = reading.words[tokens[0] : tokens[-1] + 1]
    return (at for at in reading.places[said[0]] if reading.words[at : at + len(said)] == said)


def _goes_on(reading: Reading, index: int) -> bool:
    """Return whether a word is rather a first name, by the capital behind it."""
    after = index + 1
    return is_capital(reading, after) and not (reading.shouted(index) and reading.lexicon.is_word(reading.word(after)))


def _is_announced(reading: Reading, index: int) -> bool:
    """True right behind a title, a role, a relative or a first name: nobody's town."""
    at = index - 1
    while reading.word(at) in (".", ":", "(", "de", "d", "'") and reading.word(at) != "(":
        at -= 1
    given = is_capital(reading, at) and reading.lexicon.is_first_name(reading.word(at))
    return reading.word(at) in _ANNOUNCING or (given and not (reading.shouted(at) and reading.word(at) == "a"))


def _is_within(mention: Mention, other: Mention) -> bool:
    """Return whether a mention lies within another and the brackets around it."""
    return other.start - 1 <= mention.start and mention.end <= other.end + 1 and mention.overlaps(other)


def _sites(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions; a name that an organisation ends with is that one, or its town, unless somebody has it here.

    "Jules Verne" is "clinique Jules Verne", and "Narbonne" the town of "CH de Narbonne".
    """
    organisations = [reading.text[one.start : one.end] for one in mentions if one.label is Label.ORG]
    names = [one for one in mentions if one.label in NAMES]
    said = {one.start: fold(reading.text[one.start : one.end]) for one in names}
    sites: dict[str, Label] = {}
    for organisation in map(fold, organisations):
        for name in said.values():
            if organisation.endswith((f" {name}", f" d'{name}")):
                placed = organisation.endswith((f" de {name}", f" d'{name}", f" du {name}"))
                sites[name] = Label.CITY if placed else Label.ORG
    for one in names:
        if said[one.start] in sites and _is_person(reading, one):
            del sites[said[one.start]]
    return [replace(one, label=sites.get(said.get(one.start, ""), one.label)) for one in mentions]


def _is_person(reading: Reading, mention: Mention) -> bool:
    """Return whether a name is known for somebody's: by the identity, or by the word ahead."""
    at = reading.token_at(mention.start)
    before = reading.word(at - 1 - (reading.word(at - 1) == "."))
    known = any(vote.annotator == "identity" for vote in mention.votes)
    return known or before in CIVILITIES | DOCTOR_TITLES or before in ("par", ":", "avec")


def _departments(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the numbers of departments in brackets right behind a town, or in a field, that are of no place yet."""
    placed = {(one.start, one.end) for one in mentions if one.label in _TOWNS | {Label.ZIP}}
    for mention in mentions:
        behind = _DEPARTMENT.match(reading.text, mention.end) if mention.label in _TOWNS else None
        if behind is not None and behind.span("code") not in placed:
            yield Mention(*behind.span("code"), Label.LOC, mention.score)
    for told in _TOLD_DEPARTMENT.finditer(reading.text):
        if told.span("code") not in placed:
            yield Mention(*told.span("code"), Label.LOC, _TOLD)


def _acronyms(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the acronyms that are in brackets behind an organisation and have its initials, all over the text."""
    for mention in mentions:
        behind = _ACRONYM.match(reading.text, mention.end) if mention.label is Label.ORG else None
        if behind is not None and behind["acronym"] == initials_of(reading.text[mention.start : mention.end]):
            for found in re.finditer(rf"(?<!\w){behind['acronym']}(?!\w)", reading.text):
                yield Mention(*found.span(), Label.ORG, mention.score)


def _with_inhabitants(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return mentions and the inhabitants of towns beside them; one that was taken for a name or town becomes LOC."""
    mentions = _towns_of_inhabitants(reading, mentions)
    towns = {reading.text[one.start : one.end] for one in mentions if one.label is Label.CITY}
    organisations = [reading.text[one.start : one.end] for one in mentions if one.label is Label.ORG]
    towns.update(name for one in organisations for name in _OF_TOWN.findall(one))
    if (city := reading.document.patient.city) is not None:
        towns.add(city)
    towns = set(map(fold, towns))
    tokens = [at for at, word in enumerate(reading.words) if _is_of_town(reading, word, towns)]
    result = list(mentions)
    for at in tokens:
        start, end = reading.starts[at], reading.ends[at]
        over = [one for one in result if one.start < end and start < one.end]
        told = _is_told(reading, reading.words[at], towns)
        if not over and _means_inhabitants(reading, at, result, told=told):
            result.append(Mention(start, end, Label.LOC))
        elif told and len(over) == 1 and _is_mistaken(reading, at, over[0], result):
            result[result.index(over[0])] = replace(over[0], label=Label.LOC)
    return result


def _towns_of_inhabitants(reading: Reading, mentions: Sequence[Mention]) -> Sequence[Mention]:
    """Return the mentions; a name is a town if inhabitants of this town are told here: "Dijon" beside "Dijonnaise"."""
    told = {fold(known.town) for word in reading.words if (known := read_gentile(word)) is not None}
    names = {one.start for one in mentions if one.label in NAMES and not _is_person(reading, one)} if told else ()
    return [
        replace(one, label=Label.CITY)
        if one.start in names and fold(reading.text[one.start : one.end]) in told
        else one
        for one in mentions
    ]


def _is_of_town(reading: Reading, word: str, towns: set[str]) -> bool:
    return read_gentile(word) is not None or _is_told(reading, word, towns)


def _is_told(reading: Reading, word: str, towns: set[str]) -> bool:
    """Return whether a word means the inhabitants of one of some towns, by a table or by its form."""
    known = read_gentile(word)
    if known is not None and fold(known.town) in towns:
        return True
    return not reading.lexicon.is_word(word) and any(derived_gentile(word, town) for town in towns)


def _means_inhabitants(reading: Reading, at: int, mentions: Sequence[Mention], *, told: bool) -> bool:
    """Return whether a word of no mention means the inhabitants of a town, rather than a dish or somebody's name."""
    ahead = reading.word(at - 1)
    if ahead in _NAMED_AFTER or _beside_name(reading, at, mentions):
        return False
    described = ahead in _DETERMINERS or ahead in _DESCRIBED or (ahead == "'" and reading.word(at - 2) in ("l", "d"))
    start = reading.ends[at]
    aged = (one for one in mentions if one.label is Label.AGE and 0 < one.start - start <= _TO_AGE)
    return told or described or any(reading.folded[start : one.start].strip(" ,") in ("", "de") for one in aged)


def _beside_name(reading: Reading, at: int, mentions: Sequence[Mention]) -> bool:
    """Return whether a capital word has a name, a title or another capital word beside it."""
    if not reading.capitals[at]:
        return False
    start, end = reading.starts[at], reading.ends[at]
    names = [one for one in mentions if one.label in NAMES]
    if any(reading.text[one.end : start] == " " or reading.text[end : one.start] == " " for one in names):
        return True
    before = at - 1 - (reading.word(at - 1) == ".")
    if reading.word(before) in CIVILITIES | DOCTOR_TITLES or reading.word(at - 1) == ":":
        return True
    near = (at - 1, at + 1)
    return not reading.shouted(at) and any(
        0 <= one < len(reading.words) and reading.capitals[one] and reading.word(one) not in _DETERMINERS | _DESCRIBED
        for one in near
    )


def _is_mistaken(reading: Reading, at: int, mention: Mention, mentions: Sequence[Mention]) -> bool:
    """Return whether a word taken for a name or a town means the inhabitants of a town told here."""
    mistaken = NAMES | {Label.CITY, Label.ORG}
    if any(vote.annotator == "identity" for vote in mention.votes) or mention.label not in mistaken:
        return False
    ahead = fold(reading.text[mention.start : reading.starts[at]]).strip(" '")
    return (not ahead or ahead in _DETERMINERS) and not _beside_name(reading, at, mentions)
