"""What speaks for each role of a name where it stands: titles, kinship, layout, form, the patient's identity, votes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deid.detection.annotators.context.vocabulary import (
    BIRTH,
    CIVILITIES,
    DOCTOR_TITLES,
    FILLERS,
    KINSHIP,
    LINKS,
    NAME_FIELDS,
    PERSON_TITLES,
    PROFESSIONS,
)
from deid.detection.folding import key
from deid.detection.names import PARTICLES, is_upper
from deid.detection.reading import Reading
from deid.document import Mention
from deid.labels import NAMES, Label

RULES = frozenset({"identity", "patterns", "context", "gazetteer", "repetition"})
_POSSESSIVES = frozenset("son sa ses leur leurs mon ma mes votre vos notre nos l un une le la les cette cet ce".split())
_SKIPPED = frozenset({".", ":", ",", "(", "-", "–", "—", "«", '"', "'", "’", "=", ">", "*", "•", "/"})
_BACK = 7  # tokens before a name among which something may announce it
_CLOSING = re.compile(r"confratern|cordial|salutation|consideration|sentiments|bien a (?:vous|toi)|amities|signe\b")
_CARE = frozenset(
    "avis avec chez equipe reference referent merci vu vue revu revue transmis appel astreinte garde prevenir"
    " relais copie cc destinataires diffusion correspondants presents excuses participants".split()
)
_SPEECH = frozenset("homonyme lien parente".split())
_TIME = re.compile(r"\d{1,2} ?[h:] ?(?:\d\d)?")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A name and what speaks for its roles; `words` are its folded words of two letters or more, no particles."""

    mention: Mention
    words: tuple[str, ...]
    initials: tuple[str, ...]
    cues: tuple[tuple[str, float], ...]


def gather(reading: Reading, mentions: Sequence[Mention]) -> list[Evidence]:
    """The evidence of each name among `mentions`, which are sorted and do not overlap."""
    result = []
    for position, mention in enumerate(mentions):
        if mention.label not in NAMES:
            continue
        first, last = reading.token_at(mention.start), reading.token_at(mention.end - 1)
        inside = [reading.words[at] for at in range(first, last + 1) if reading.words[at].isalpha()]
        words = tuple(word for word in inside if len(word) > 1 and word not in PARTICLES)
        initials = tuple(word for word in inside if len(word) == 1)
        cues: dict[str, float] = {"bias": 1.0}
        for name, value in (
            *_votes(mention),
            *_before(reading, first, mentions[position - 1] if position else None),
            *_after(reading, last, mentions[position + 1] if position + 1 < len(mentions) else None),
            *_form(reading, first, last, inside),
            *_layout(reading, mention),
            *_identity(reading, words),
        ):
            cues[name] = max(cues.get(name, 0.0), value)
        result.append(Evidence(mention, words, initials, tuple(cues.items())))
    return result


def _votes(mention: Mention) -> Iterator[tuple[str, float]]:
    for vote in mention.votes:
        if vote.label in NAMES:
            who = vote.annotator if vote.annotator in RULES else "learned"
            yield f"vote {who} {vote.label}", vote.score
            if vote.annotator == "context" and vote.score >= 0.96:
                yield f"vote context sure {vote.label}", 1.0


def _before(reading: Reading, first: int, previous: Mention | None) -> Iterator[tuple[str, float]]:
    """What announces the name, read backwards until something that announces nothing."""
    at, steps, civil = first - 1, 0, False
    if reading.word(at) == "\n" and reading.word(at - 1) == ":":
        at -= 1
    while at >= 0 and steps < _BACK:
        word = reading.words[at]
        near = "near " if steps == 0 or (civil and steps == 1) else ""
        if word == "\n":
            break
        if word in BIRTH and (word != "epouse" or reading.word(at - 1) not in _POSSESSIVES):
            yield "birth before", 1.0
            break
        if word in DOCTOR_TITLES:
            yield f"{near}title before", 1.0
            break
        if word in CIVILITIES:
            yield "civility before", 1.0
            civil = True
        elif word in KINSHIP:
            yield f"{near}kin before", 1.0
            break
        elif word in PERSON_TITLES:
            yield f"{near}other title before", 1.0
            break
        elif word in PROFESSIONS:
            yield f"{near}profession before", 1.0
            break
        elif word in NAME_FIELDS and steps <= 2:
            yield f"field {NAME_FIELDS[word]}", 1.0
            break
        elif word in LINKS:
            yield f"link {LINKS[word][0]}", 1.0
            break
        elif word in _CARE:
            yield "care before", 1.0
            break
        elif word not in _SKIPPED and word not in FILLERS:
            break
        if word != ".":
            steps += 1
        at -= 1
    if previous is not None and previous.label in NAMES:
        between = reading.folded[previous.end : reading.starts[first]]
        if len(between) < 8 and between.strip() in (",", "et", "/", "+", "-", ";", "&"):
            yield f"beside {previous.label}", 1.0
        elif re.fullmatch(r"\s*[,(]?\s*(?:nee?|epouse|ep\.?|epse|veuve|vve|dite?)\W{1,3}", between):
            yield f"also {previous.label}", 1.0


def _after(reading: Reading, last: int, following: Mention | None) -> Iterator[tuple[str, float]]:
    """What explains the name: a profession, kinship, birth or age right behind it."""
    at = last + 1
    sign = reading.word(at)
    while reading.word(at) in (",", "(", "-", "–", "—", ":", "/") or (
        reading.word(at) in _POSSESSIVES and sign in (",", "(")
    ):
        at += 1
    if at > last + 1 or sign == "\n":
        at += sign == "\n"
        line = "line " if sign == "\n" else ""
        for word in (reading.word(at), reading.word(at + 1)):
            if word in KINSHIP:
                yield f"{line}kin after", 1.0
                break
            if word in PROFESSIONS or word in DOCTOR_TITLES:
                yield f"{line}profession after", 1.0
                break
            if word in _SPEECH:
                yield "homonym after", 1.0
    if reading.word(at) in ("ne", "nee", "ddn"):
        yield "born after", 1.0
    if following is not None and "\n" not in (between := reading.text[reading.ends[last] : following.start]):
        if following.label in (Label.AGE, Label.DATE) and len(between) < 9:
            yield f"{following.label} after", 1.0
        elif following.label in (Label.PHONE, Label.RPPS, Label.IPP, Label.NDA, Label.CITY) and len(between) < 12:
            yield f"{following.label} after", 1.0


def _form(reading: Reading, first: int, last: int, inside: Sequence[str]) -> Iterator[tuple[str, float]]:
    lexicon = reading.lexicon
    initial = any(len(word) == 1 for word in inside)
    long = [word for word in inside if len(word) > 2]
    if initial and long:
        yield "form initial and name", 1.0
    elif initial or (len(inside) == 1 and len(inside[0]) <= 3):
        yield "form initials", 1.0
    elif len(long) >= 2:
        yield "form full", 1.0
        if is_upper(reading, first) != is_upper(reading, last):
            yield "form full one in capitals", 1.0
    elif long and lexicon.is_first_name(long[0]):
        yield "form first name", 1.0
    else:
        yield "form surname", 1.0
    if not reading.capitals[first]:
        yield "form lower", 1.0


def _layout(reading: Reading, mention: Mention) -> Iterator[tuple[str, float]]:
    start, end = reading.line(mention.start)
    line = reading.text[start:end]
    place = mention.start / max(1, len(reading.text))
    yield "place", place
    if place < 0.12:
        yield "place head", 1.0
    elif place > 0.88:
        yield "place foot", 1.0
    rest = line.replace(reading.text[mention.start : mention.end], "", 1).strip(" \t.,;:-–—()*•>|\r")
    if not rest:
        yield ("line alone foot" if place > 0.6 else "line alone"), 1.0
    elif mention.start == start + len(line) - len(line.lstrip(" \t-–•*>")):
        yield "line start", 1.0
    elif mention.end >= start + len(line.rstrip(" \t.)")):
        yield "line end", 1.0
    if _TIME.search(reading.folded[max(start, mention.start - 12) : mention.start]):
        yield "time before", 1.0
    if _CLOSING.search(reading.folded[max(0, mention.start - 160) : mention.start]):
        yield "closing before", 1.0


def _identity(reading: Reading, words: Sequence[str]) -> Iterator[tuple[str, float]]:
    """How the name stands to the patient's: whole, first name, surname alone, or a surname with another first name."""
    patient = reading.document.patient
    surnames = {word for name in (patient.last_name, patient.birth_name) if name for word in _parts(name)}
    first_names = {word for name in patient.first_names for word in _parts(name)}
    if not surnames and not first_names:
        yield "patient unknown", 1.0
        return
    known = [word for word in words if word in surnames or word in first_names]
    if not words or not known:
        yield "patient other", 1.0
    elif len(known) == len(words):
        if any(word in first_names for word in words) and any(word in surnames for word in words):
            yield "patient whole", 1.0
        else:
            yield ("patient first name" if words[0] in first_names else "patient surname"), 1.0
    elif any(word in surnames for word in known):
        yield "patient surname, another first name", 1.0
    else:
        yield "patient first name, another surname", 1.0


def _parts(name: str) -> list[str]:
    return [word for word in key(name).split() if len(word) > 1 and word not in PARTICLES]
