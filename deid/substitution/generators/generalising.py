"""`generalise` for optional labels: the wider class of an occupation, a nationality, a family situation or a place; and
the strategies for times of day.

Groups of occupations: INSEE, PCS 2020, level 1. No draw and no ε: the class is published as it is. A value without a
class, a religion or an ethnic origin gets its label in brackets.
"""

from __future__ import annotations

import re

from deid.config.generators import GENERALISE, KEEP
from deid.domain import read_lists
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.articles import Kind, Noun, is_elided, read_ahead
from deid.french.calendar import DETECTED_WEEKDAYS, MONTH_OF
from deid.french.folding import fold, without_accents
from deid.french.social_words import find_occupations, peoples
from deid.french.times_of_day import ClockTime, part_words, read_clock, to_the_hour
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, mask, tag

_AHEAD = 60  # characters ahead, or behind, that are read
_INACTIVE = "inactive"
_LISTS = read_lists(__file__)
# One form for both, or used as such.
_EPICENE = re.compile(r"(?:ancienne? |ex-)?(?:agent|chef|ingenieur|professeur|medecin|proviseur)\b")
_PEOPLE = re.compile(
    r"\b(?:(mme|madame|mlle|elle|mere|patiente|epouse|fille|s(?:oe|œ)ur|nee|agee|dame|femme)|"
    r"(?:mr?|monsieur|il|pere|patient|fils|frere|mari|ne|age|homme))\b"
)
_FORMER = re.compile(r"(?i)(?:anciennes?|anciens?|ex|jeune|future?)[ -]")
_RETIRED = re.compile(r"(?i) (?:retraitée?s?|à la retraite|en retraite|a la retraite)\b")
_FAMILY = [(re.compile(pattern), written) for pattern, written in _LISTS["family"]]
_RANKED = re.compile(r"^(?:\d|premier|deux|second|trois|quatr|cinq|six|sept|huit|neuv|dix|dern|aine|cadet|benjam)")
# A word wants an article behind it ("depuis le matin"), unless it is a day ("lundi matin").
_WORD = re.compile(r"([a-z]{2,}) \Z")
_DAYS = DETECTED_WEEKDAYS | MONTH_OF.keys() | {"hier", "demain", "lendemain", "veille"}
_NUMBER = re.compile(r"([+-]?\d{1,3})([.,])(\d+)")


class Generalisation:
    """Generator of the optional labels for one document under `generalise`."""

    def __init__(self, context: DocumentContext) -> None:
        self._context = context

    def write(self, mention: Mention, attempt: int) -> Draft:  # noqa: ARG002 - there is one class
        """Return the class of the mention, which may be its own text; its label if it has no class."""
        original = self._context.text(mention)
        before = self._context.document.text[max(0, mention.start - _AHEAD) : mention.start]
        behind = self._context.document.text[mention.end : mention.end + _AHEAD]
        written = {
            Label.PROFESSION: self._occupation,
            Label.NATIONALITY: self._people,
            Label.FAMILY: _family,
            Label.COORDINATES: _cell,
        }.get(mention.label, _no_class)(original, before, behind)
        if written is None:
            return tag(mention.label, original)
        if not self._context.accented:
            written = without_accents(written)
        if fold(written) == fold(original):
            return Draft(original, KEEP, may_return=True)
        return Draft(
            _in_case(original, written), GENERALISE, may_return=True, noun=_noun(before, written, mention.label)
        )

    def _occupation(self, original: str, before: str, behind: str) -> str | None:  # noqa: ARG002 - one signature for all
        found = next(find_occupations(fold(original)), None)
        if found is None:
            return None
        match, one = found
        if one.group == _INACTIVE:
            return original if match.end() - match.start() >= len(original.strip()) else match.group()
        feminine = _feminine_ahead(before)
        if feminine is None and not _EPICENE.match(fold(original)):
            feminine = one.feminine
        if feminine is None:
            feminine = _feminine_person(before, self._context.document.patient.sex)
        former, retired = _FORMER.match(original), _RETIRED.search(original)
        words: str = _LISTS["groups"][one.group][feminine + 2 * one.plural]
        return (former.group() if former else "") + words + (retired.group() if retired else "")

    def _people(self, original: str, before: str, behind: str) -> str | None:  # noqa: ARG002 - as above
        form = peoples().get(re.sub(r"^franco-", "", fold(original)).replace(" ", "-"))
        if form is None:
            return None
        feminine = form.feminine
        if feminine is None:  # "belge"
            feminine = bool(
                re.search(
                    r"(?i)(?:nationalit|ressortissante|patiente|femme|dame|mme|fille|amie|m[èe]re)\W*\w*\W*$", before
                )
            )
        return str(_LISTS["continents"][form.group][feminine + 2 * form.plural])


def _no_class(original: str, before: str, behind: str) -> str | None:  # noqa: ARG001 - one signature for all
    return None


def _family(original: str, before: str, behind: str) -> str | None:
    folded = " ".join(fold(original).split())
    for pattern, written in _FAMILY:
        if pattern.search(folded):
            return _in_its_place(written, folded, before, behind) if written else original
    return None


def _in_its_place(written: str, folded: str, before: str, behind: str) -> str:
    """Return a class of family situation, worded to fit the article ahead or the name behind."""
    if written == "une fratrie":
        if _RANKED.match(folded):
            return "membre d'une fratrie"
        return "fratrie" if before.endswith("d'une ") else written
    if written == "sans conjoint":
        if re.match(r" (?:de |d['’])[A-ZÀ-Ý]", behind):  # "veuf de Carmen"
            return "ancienne conjointe" if folded.endswith(("veuve", "ee")) else "ancien conjoint"
        return "personne sans conjoint" if re.search(r"(?i)\b(?:une?|la|le|l['’]) ?$", before) else written
    if re.search(r"(?i)\b(?:[mst]es|leurs|[nv]os|les|des|ces) $", before):
        return written.removeprefix("un ou plusieurs ").removeprefix("des ")
    return written


def _cell(original: str, before: str, behind: str) -> str | None:  # noqa: ARG001 - one signature for all
    """Return a pair of decimal degrees to one decimal, a cell of some 11 km by 7; None for other forms."""
    if (
        len(_NUMBER.findall(original)) != 2
        or re.search(r"[°'\"′″]\s*\d", original)
        or re.search(r"\d{5}", _NUMBER.sub("", original))
    ):
        return None
    if any(len(whole.lstrip("+-")) > 3 for whole, _, _ in _NUMBER.findall(original)):
        return None
    return _NUMBER.sub(lambda one: f"{float(one[1] + '.' + one[3]):.1f}".replace(".", one[2]), original)


def _feminine_ahead(before: str) -> bool | None:
    """Return True if the words ahead are of a woman ("une", "sa mère"), False of a man, else None."""
    if re.search(
        r"(?i)\b(?:une|la|elle est|elle était|mère|fille|s(?:oe|œ)ur|épouse|femme|tante|compagne|"
        r"patiente)\W*(?:ancienne )?$",
        before,
    ):
        return True
    if re.search(r"(?i)\b(?:un|le|il est|il était|père|fils|frère|mari|époux|oncle|compagnon|patient)\W*$", before):
        return False
    return None


def _feminine_person(before: str, sex: str | None) -> bool:
    """Return whether the last word for a person on the line is a woman's; without one, by the patient's sex."""
    people = list(_PEOPLE.finditer(fold(before.rpartition("\n")[2])))
    return people[-1].group(1) is not None if people else sex == "F"


def _noun(before: str, written: str, label: Label) -> Noun | None:
    """Return the grammar to rewrite "de", "le" and the like ahead of the class; None to leave them."""
    ahead = read_ahead(before)
    if ahead is None or label is Label.COORDINATES or ahead.preposition in ("en", "dans", "a"):
        return None
    if not ahead.article:
        return Noun(Kind.NAME)
    if ahead.article == "les" or written.startswith(("un", "vit", "en ", "sans")):
        return None
    if is_elided(written):
        return Noun(Kind.NAME, "l'")
    return Noun(
        Kind.NAME, "la" if re.match(r"(?:ouvrière|employée|professionnelle|personne|fratrie)", written) else "le"
    )


def _in_case(original: str, written: str) -> str:
    letters = [char for char in original if char.isalpha()]
    if len(letters) > 1 and all(map(str.isupper, letters)):
        return written.upper()
    return written[:1].upper() + written[1:] if original[:1].isupper() else written


class TimesOfDay:
    """Generator of the times of day of one document."""

    def __init__(self, context: DocumentContext) -> None:
        self._context = context
        self._strategy = context.policy.times.strategy
        self._before = dict(zip(context.mentions[1:], context.mentions, strict=False))

    def write(self, mention: Mention, attempt: int) -> Draft:  # noqa: ARG002 - there is one surrogate
        """Return the time with less detail; its label in brackets where it cannot be read or the policy drops it.

        Under `keep` none is looked for, so that a mention is of another's finding, and masked.
        """
        original = self._context.text(mention)
        clock = read_clock(original)
        if self._strategy == "drop":
            ahead = "" if clock is None else " " if clock.ahead == "t" else original[: clock.spans[0]]
            return Draft(ahead + tag(mention.label, original).text, "tag")
        if clock is None or self._strategy == "keep":
            return mask(mention.label, original)
        written = to_the_hour(original, clock) if self._strategy == "hour" else self._part(mention, clock)
        if fold(written) == fold(original):
            return Draft(original, KEEP, may_return=True)
        return Draft(written, GENERALISE, may_return=True)

    def _part(self, mention: Mention, clock: ClockTime) -> str:
        text = self._context.document.text
        opens = not text[text.rfind("\n", 0, mention.start) + 1 : mention.start].strip()
        word = None if opens else _WORD.search(self._context.plain_before(mention, _AHEAD))
        noun = word is not None and word[1] not in _DAYS
        written = part_words(clock.part, clock.ahead, noun=noun, bound=self._ends_a_span(mention, clock))
        if not self._context.accented:
            written = without_accents(written)
        return written.upper() if self._context.line_around(mention).isupper() else written

    def _ends_a_span(self, mention: Mention, clock: ClockTime) -> bool:
        """Return whether the time is the end of a span that "de" opens right before it."""
        before = self._before.get(mention)
        if before is None or before.label is not mention.label or clock.ahead != "a":
            return False
        opening = read_clock(self._context.text(before))
        between = self._context.document.text[before.end : mention.start]
        return opening is not None and opening.ahead == "de" and not between.strip()
