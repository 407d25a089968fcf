"""Words that say of a person that they are one of a kind: "le dernier facteur d'orgues du département".

A word of uniqueness counts only beside a person's role and a place or a group; so do a small count of people, a public
title, an office, an event that few survived, and what everybody knows. "Le dernier contrôle" and "la première dose" say
nothing of who somebody is. A text without any such word may still be recognised by its story.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from deid.domain import read_lists
from deid.french.folding import fold
from deid.french.social_words import alternatives, feminine_forms, occupations, peoples, plural_form

_NAMED = re.compile(r"<([a-z]+)>")
_BLANK = re.compile(r"\[[^\]]*\]| ")
_GAP = r"(?:[ ]+(?:\n[ ]*)?|\n[ ]*)"  # a blank of an expression; a paragraph ends what is said together
# What a capital is kept behind: there it begins a proper name, and elsewhere a sentence.
_AHEAD = re.compile(
    r"(?<![\w-])(?:[ld]'|(?:de|du|des|aux?|en|dans|sur|l[ae]s?|seule?|unique|premi(?:er|ere)|derni(?:er|ere))"
    rf"{_GAP}|a{_GAP})(?=[a-z])"
)


def find_unique_people(text: str) -> list[tuple[int, int]]:
    """Return the spans `[start, end)` of the passages that say of a person that they are one of a kind, in order."""
    folded = fold(text)
    characters = list(folded)
    for ahead in _AHEAD.finditer(folded):
        at = ahead.end()
        if text[at].isupper() and not text[at + 1 : at + 2].isupper():
            characters[at] = folded[at].upper()
    return [found.span() for found in _expression().finditer("".join(characters))]


@cache
def _expression() -> re.Pattern[str]:
    """Return one expression for all sentences: one passage over the text."""
    lists = read_lists(__file__)
    named = {name: f"(?i:{alternatives(_forms(fold(words).split()))})" for name, words in lists["words"].items()}
    every = occupations()
    sure = [form for form, one in every.items() if not (one.ambiguous or one.staff)]
    for name, forms in (("occupations", every), ("callings", sure), ("peoples", peoples())):
        named[name] = f"(?i:{alternatives([*forms, *map(plural_form, forms)])})"
    for name, lines in lists["expressions"].items():  # each names those above it
        named[name] = f"(?:{'|'.join(_lines(lines, named))})"
    sentences = [line for lines in lists["sentences"].values() for line in _lines(lines, named)]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(sentences)})")


def _lines(lines: str, named: dict[str, str]) -> Iterator[str]:
    """Yield the alternatives of an expression, with what they name; blanks are gaps."""
    for line in filter(None, lines.split("\n")):
        spread = _BLANK.sub(lambda found: _GAP if found.group() == " " else found.group(), line)
        yield _NAMED.sub(lambda found: named[found.group(1)], spread)


def _forms(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        for form in (word, *feminine_forms(word)):
            yield form
            yield plural_form(form)
