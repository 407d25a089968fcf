"""Names that lost a blank, as scanners and hurried hands write: "filleAnne", "DocteurB.ROY", "épouse Paulettevient"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.lexicon import Lexicon
from deid.detection.reading import Reading
from deid.domain.document import Mention, Vote
from deid.domain.labels import Label
from deid.french.folding import fold

_KIN = (
    "mari|[ée]pou(?:se|x)|femme|conjointe?|compagne|compagnon|fils|filles?|fr[eè]res?|s(?:œ|oe)urs?|m[eè]re|p[eè]re|"
    "ni[eè]ce|neveu|cousine?|tante|oncle|voisine?|amie?|maman|papa|gendre|bru"
)
_ANNOUNCES = rf"(?<![^\W\d_])(?:(?:[Ss](?:on|a|es))?(?:{_KIN})|Monsieur|Madame|(?P<doctor>[Dd]octeur|[Pp]rofesseur))"
_CAPITAL = r"[A-ZÀ-Ý][a-zà-ÿ]{2,}(?:-[A-ZÀ-Ý][a-zà-ÿ]+)?"
# Found by their rare sign, a capital inside a word or a capital behind a known one.
_INSIDE = re.compile(r"[a-zà-ÿ](?=[A-ZÀ-Ý])")
_GLUED = re.compile(rf"{_ANNOUNCES}(?P<name>(?:[A-ZÀ-Ý]\.[ -]?){{0,2}}(?:{_CAPITAL}|(?<=[. -])[A-ZÀ-Ý]{{2,}}))")
_ANNOUNCED = re.compile(rf"{_ANNOUNCES} \Z")
_REACH = 16  # letters of the longest word that announces, possessive and blank included
# What may follow a glued name without a blank, and open a second one.
_AND = re.compile(r"et([A-ZÀ-Ý][a-zà-ÿ]{2,})")
_SCORE = 0.7


def find_glued(reading: Reading) -> list[Mention]:
    """Names that stick to the word announcing them, or to the word behind them; they may overlap others' mentions."""
    return [*_behind(reading), *_ahead(reading)]


def _behind(reading: Reading) -> Iterator[Mention]:
    """Names glued to what announces them: "safilleAnne", "filsPauletLéo"."""
    text = reading.text
    for inside in _INSIDE.finditer(text):
        match = _GLUED.match(text, reading.starts[reading.token_at(inside.start())])
        if match and match.start("name") == inside.end() and not reading.lexicon.is_word(fold(match.group())):
            label = Label.DOCTOR if match["doctor"] else Label.PERSON
            start, end = match.span("name")
            end = start + _name_length(reading.lexicon, text[start:end])
            yield _mention(start, end, label)
            if more := _AND.match(text, end):
                yield _mention(*more.span(1), label)


def _ahead(reading: Reading) -> Iterator[Mention]:
    """Announced names to whose end the next word sticks: "son épouse Paulettevient"."""
    for index, word in enumerate(reading.words):
        if reading.capitals[index] and len(word) > 5 and reading.lexicon.is_unknown(word):
            start, end = reading.starts[index], reading.ends[index]
            length = _name_length(reading.lexicon, reading.text[start:end])
            if length < end - start and (said := _ANNOUNCED.search(reading.text, max(0, start - _REACH), start)):
                yield _mention(start, start + length, Label.DOCTOR if said["doctor"] else Label.PERSON)


def _mention(start: int, end: int, label: Label) -> Mention:
    return Mention(start, end, label, _SCORE, None, (Vote("glued", label, _SCORE),))


def _name_length(lexicon: Lexicon, run: str) -> int:
    """Letters of `run` that are the name, where a word of the language sticks to its end ("Annevient": 4)."""
    if lexicon.is_first_name(fold(run)) or lexicon.is_surname(fold(run)):
        return len(run)
    for cut in range(len(run) - 2, 2, -1):
        name, rest = fold(run[:cut]), fold(run[cut:])
        if (lexicon.is_first_name(name) or lexicon.is_surname(name)) and rest in lexicon.common:
            return cut
    return len(run)
