"""Countries and departments that annotators took for people, towns or bodies ("Suisse", "département : Sarthe")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import BIRTH, CIVILITIES, DOCTOR_TITLES, PERSON_TITLES
from deid.domain.document import Mention
from deid.domain.labels import NAMES, PLACES, Label
from deid.french.folding import key
from deid.reference.packaged import packaged_rows

_BEARERS = 1000  # births from which a country's name is a first name too: France, Maurice, Dominique
_ARTICLE = re.compile(r"(?:l['’ ]|la |le |les )")
_NAMING = CIVILITIES | DOCTOR_TITLES | PERSON_TITLES | (BIRTH - {"ne", "nee"}) | frozenset("nom prenom prenoms".split())
_TAKEN_FOR = (NAMES | PLACES | {Label.ORG}) - {Label.LOC}
_LEADING = frozenset("en au aux vers".split())
_BETWEEN = re.compile(r"[\s,;/()|-]{1,8}|\s{1,3}(?:et|ou|puis)\s{1,3}")
_LAST_WORD = re.compile(r"[\s,(]{1,4}([^\W\d_]+(?:[ -][^\W\d_]+)?)\Z")
_AT_DEPARTMENT = re.compile(r"\bdepartement[ ?:«\"-]*(?:d[eu] |d')?(?:l[ae]s? |l')?\Z")
_ABROAD = re.compile(r"\s?:?\s?(?:\+|00)\s?\d")


@cache
def named_territories(kind: str) -> frozenset[str]:
    """Return the folded names of the territories of a kind, such as countries or departments."""
    return frozenset(key(row["name"]) for row in packaged_rows("territories") if row["kind"] == kind)


def settle_countries(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return `mentions`, countries and departments as places, also a country that was taken into the town ahead.

    A title, the label of a name or the patient's identity makes a person of a country; one that is a first name too
    ("France", "Maurice") is a country where a preposition, another place or a number abroad stands beside it.
    """
    settled: list[Mention] = []
    for mention in mentions:
        last = _LAST_WORD.search(reading.text, mention.start, mention.end) if mention.label is Label.CITY else None
        if last is not None and key(last[1]) in named_territories("country"):
            settled.append(replace(mention, end=last.start()))
            settled.append(replace(mention, start=last.start(1), label=Label.LOC))
        else:
            place = mention.label in _TAKEN_FOR and _is_place(reading, mention, mentions)
            settled.append(replace(mention, label=Label.LOC) if place else mention)
    return settled


def _is_place(reading: Reading, mention: Mention, mentions: Sequence[Mention]) -> bool:
    name = key(reading.text[mention.start : mention.end])
    bare = key(_ARTICLE.sub("", name, count=1))
    if any(vote.annotator == "identity" for vote in mention.votes):
        return False
    if bare in named_territories("department") and _AT_DEPARTMENT.search(
        reading.folded, max(0, mention.start - 40), mention.start
    ):
        return True
    if not {name, bare} & named_territories("country"):
        return False
    before = reading.token_at(mention.start) - 1
    while reading.word(before) in (".", ":"):
        before -= 1
    if reading.word(before) in _NAMING:
        return False
    if reading.lexicon.first_names.get(name) < _BEARERS:
        return True
    if reading.word(before) in _LEADING or _ABROAD.match(reading.text, mention.end):
        return True
    return any(
        (one.label in PLACES and _BETWEEN.fullmatch(reading.text, one.end, mention.start))
        or (
            one is not mention
            and key(reading.text[one.start : one.end]) in named_territories("country")
            and _BETWEEN.fullmatch(reading.text, min(one.end, mention.end), max(one.start, mention.start))
        )
        for one in mentions
    )
