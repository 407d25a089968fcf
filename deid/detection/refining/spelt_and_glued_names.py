"""Names that are spelt, "Szymanski S Z Y M A N S K I", "abgrall a b g r a deux l", or glued to a word, "filleAnne".

So are single letters: "Lefèvre avec un è", "kuntz avec un k comme kilo", "Batiste sans p". A wrong spelling that words
set beside the name is a name of the same kind: "Mme Martin, pas Martain".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rapidfuzz.distance import Levenshtein

from deid.detection.lookup.lexicon import Lexicon
from deid.detection.refining.overlaps import found_mention
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import fold

_SIGN = r"accent (?:aigu|circonflexe|grave)|apostrophe|cedille|espace|tiret|trema"
_LETTER = rf"(?:(?:deux|double) [a-z]|plus loin [a-z]|i grec|{_SIGN}|[a-z])(?![^\W_])"
_LETTERS = re.compile(rf"(?<![\w'’]){_LETTER}(?: {_LETTER}){{2,}}")
_TWICE = re.compile(rf"(?:deux|double) ([a-z])\b|plus loin |(?<=i )grec|(?<!\w)(?:{_SIGN})\b")
_TOLD_LETTER = re.compile(
    r"\b(?:avec|prend|sans)(?: (?:un|une|deux|double|seul|les))* (?P<one>[a-z]{L})"
    r"(?:,?(?: et)? (?:un|une|deux|double) (?P<other>[a-z]{L}))?".replace(
        "{L}", r"(?: comme [a-z]+)?(?![\w'’-]| ?[°=:\d]| a \d)"
    )
)
_CORRECTED = re.compile(
    r" ?[,(:-]? ?(?:et )?(?:non(?:,? pas)?|pas|au lieu de|lire|pardon),? (?:(?:mme|mlle|mr?|dr|pr)\.? |le dr )?"
    r"(?P<other>[a-z]{4,}(?:-[a-z]+)?)(?![\w'’])"
)
_GIVEN_BEHIND = re.compile(r",? (?:pr[ée]nom )?([^\W\d_]{3,})")
_REACH = 40  # characters before the letters in which the name ends
_SLIPS = 0.25  # share of letters in which what is spelt may differ from the name
_SCORE = 0.7  # of a name glued to a word
_KIN = (
    "mari|[ée]pou(?:se|x)|femme|conjointe?|compagne|compagnon|fils|filles?|fr[eè]res?|s(?:œ|oe)urs?|m[eè]re|p[eè]re|"
    "ni[eè]ce|neveu|cousine?|tante|oncle|voisine?|amie?|maman|papa|gendre|bru"
)
_ANNOUNCES = (
    rf"(?<![^\W\d_])(?:(?:[Ss](?:on|a|es))?(?:{_KIN})|Monsieur|Madame|M(?:me|lle|r)|"
    r"(?P<doctor>[Dd]octeur|[Pp]rofesseur|[DP]r))"
)
_CAPITAL = r"[A-ZÀ-Ý][a-zà-ÿ]{2,}(?:-[A-ZÀ-Ý][a-zà-ÿ]+)?"
_INSIDE = re.compile(r"[a-zà-ÿ](?=[A-ZÀ-Ý])")  # rare, and searched first
_GLUED = re.compile(rf"{_ANNOUNCES}(?P<name>(?:[A-ZÀ-Ý]\.[ -]?){{0,2}}(?:{_CAPITAL}|(?<=[. -])[A-ZÀ-Ý]{{2,}}))")
_ANNOUNCED = re.compile(rf"{_ANNOUNCES} \Z")
_WITHIN = 16  # letters of the longest announcing word, with possessive and blank
_LONGEST = 80  # letters of a name and a word glued to it; without a bound, the cuts of a run take quadratic time
_AND = re.compile(r"et([A-ZÀ-Ý][a-zà-ÿ]{2,})")  # a second name behind a glued one


def split_spelt_names(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return sorted mentions; the letters that spell a name right before are a mention of their own, with its label."""
    result = list(mentions)
    for match in _LETTERS.finditer(reading.folded):
        if (spelt := _spelt(reading, result, match)) is not None:
            result = sorted([*(part for one in result for part in _without(one, spelt)), spelt])
            behind = _GIVEN_BEHIND.match(reading.text, spelt.end)
            given = replace(spelt, start=behind.start(1), end=behind.end()) if behind else spelt
            if behind and _is_given(reading, behind[1]) and not any(map(given.overlaps, result)):
                result = sorted([*result, given])
        elif (name := _spelt_ahead(reading, result, match)) is not None:
            result = sorted([*(one for one in result if not one.overlaps(name)), name])
    for told in [*_told_letters(reading, result)]:
        others = (replace(one, start=told.end + 1) if one.start == told.start else one for one in result)
        result = sorted([*others, told])
    for other in [*_corrected(reading, result)]:
        result = sorted([*(one for one in result if not one.overlaps(other)), other])
    return result


def _corrected(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the spelling that a name is told apart from, one or two letters off, with what was found on it."""
    for one in mentions:
        told = _CORRECTED.match(reading.folded, one.end) if one.label in NAMES else None
        if told is None:
            continue
        (start, end), other = told.span("other"), told["other"]
        shown = reading.text[start].isupper() and not reading.text[start:end].isupper()
        words = re.findall(r"[^\W\d_]{4,}", reading.folded[one.start : one.end])
        alike = any(Levenshtein.distance(word, other) <= _SLIPS * len(other) for word in words)
        if alike and (shown or not reading.lexicon.is_word(other)):
            met = [known for known in mentions if known.start < end and start < known.end]
            ends = max([end, *(known.end for known in met)])
            yield replace(one, start=min([start, *(known.start for known in met)]), end=ends)


def _told_letters(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield letters that a name right before has, or lacks behind "sans", with its label."""
    for match in _TOLD_LETTER.finditer(reading.folded):
        before = [one for one in mentions if one.label in NAMES and 0 <= match.start() - one.end < _REACH]
        if not before or "\n" in reading.text[before[-1].end : match.start()]:
            continue
        name = reading.folded[before[-1].start : before[-1].end]
        for group in ("one", "other"):
            start, end = match.span(group)
            told = start >= 0 and (match[group][0] in name) is not match.group().startswith("sans")
            met = [one for one in mentions if one.start < end and start < one.end]
            if told and all(one.label in NAMES and one.start == start and end + 1 < one.end for one in met):
                yield replace(before[-1], start=start, end=end)


def _spelt(reading: Reading, mentions: Sequence[Mention], match: re.Match[str]) -> Mention | None:
    letters = _letters(match)
    for one in mentions:
        if one.label not in NAMES or not match.start() - _REACH < one.end or one.start >= match.start():
            continue
        words = re.findall(r"[^\W\d_]+", reading.folded[one.start : min(one.end, match.start())])
        runs = ("".join(words[at:end]) for at in range(len(words)) for end in range(at + 1, len(words) + 1))
        if any(Levenshtein.distance(run, letters) <= _SLIPS * len(letters) for run in runs):
            return replace(one, start=match.start(), end=match.end())
    return None


def _spelt_ahead(reading: Reading, mentions: Sequence[Mention], match: re.Match[str]) -> Mention | None:
    """Return the name right behind the letters that spell it, from the first of them on: "S A L M O N Salmon"."""
    letters = _letters(match)
    for one in mentions:
        if one.label in NAMES and one.start <= match.end() + 1 < one.end:
            word = reading.word(reading.token_at(match.end() + 1))
            if Levenshtein.distance(word, letters) <= _SLIPS * len(letters):
                return replace(one, start=min(one.start, match.start()))
    return None


def _letters(match: re.Match[str]) -> str:
    return _TWICE.sub(lambda said: (said[1] or "") * 2, match.group().replace("double v", "w")).replace(" ", "")


def _is_given(reading: Reading, written: str) -> bool:
    name = fold(written)
    return reading.lexicon.is_first_name(name) and (written[0].isupper() or not reading.lexicon.is_word(name))


def _without(mention: Mention, spelt: Mention) -> Iterator[Mention]:
    """Yield what a mention holds ahead of the letters and behind."""
    if not mention.overlaps(spelt):
        yield mention
        return
    if mention.start < spelt.start:
        yield replace(mention, end=spelt.start - 1)
    if mention.end > spelt.end + 1:
        yield replace(mention, start=spelt.end + 1)


def find_glued(reading: Reading) -> list[Mention]:
    """Return names glued to the word that announces them or to the word behind; they may overlap other mentions."""
    return [*_glued_before(reading), *_glued_after(reading)]


def _glued_before(reading: Reading) -> Iterator[Mention]:
    """Return names glued to an announcing word: "safilleAnne", "filsPauletLéo"."""
    text = reading.text
    for inside in _INSIDE.finditer(text):
        match = _GLUED.match(text, reading.starts[reading.token_at(inside.start())])
        if match and match.start("name") == inside.end() and not reading.lexicon.is_word(fold(match.group())):
            label = Label.DOCTOR if match["doctor"] else Label.PERSON
            start, end = match.span("name")
            end = start + _name_length(reading.lexicon, text[start:end])
            yield found_mention("glued", start, end, label, _SCORE)
            if more := _AND.match(text, end):
                yield found_mention("glued", *more.span(1), label, _SCORE)


def _glued_after(reading: Reading) -> Iterator[Mention]:
    """Return announced names glued to the next word: "son épouse Paulettevient"."""
    for index, word in enumerate(reading.words):
        if reading.capitals[index] and len(word) > 5 and reading.lexicon.is_unknown(word):
            start, end = reading.starts[index], reading.ends[index]
            length = _name_length(reading.lexicon, reading.text[start:end])
            said = _ANNOUNCED.search(reading.text, max(0, start - _WITHIN), start) if length < end - start else None
            if said:
                label = Label.DOCTOR if said["doctor"] else Label.PERSON
                yield found_mention("glued", start, start + length, label, _SCORE)


def _name_length(lexicon: Lexicon, run: str) -> int:
    """Return the number of letters of the name that `run` starts with ("Annevient": 4); all if it is no such run."""
    if lexicon.is_first_name(fold(run)) or lexicon.is_surname(fold(run)):
        return len(run)
    for cut in range(len(run) - 2, 2, -1) if len(run) <= _LONGEST else ():
        name, rest = fold(run[:cut]), fold(run[cut:])
        if (lexicon.is_first_name(name) or lexicon.is_surname(name)) and rest in lexicon.common:
            return cut
    return len(run)
