"""Roles of names: patient, professional or other person, decided per person of a document.

A multinomial logistic regression over cues: titles, kinship, layout, form, the patient's identity and votes. Mentions
that can name the same person share their scores.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from deid.detection.lookup.known_names import PARTICLES
from deid.detection.text.names import is_upper
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import (
    BIRTH,
    CIVILITIES,
    DOCTOR_TITLES,
    FILLERS,
    KINSHIP,
    LINKS,
    NAME_FIELDS,
    PERSON_TITLES,
    PROFESSIONS,
    word_list,
)
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import key

ROLES = (Label.PATIENT, Label.DOCTOR, Label.PERSON)
WEIGHTS = Path(__file__).parents[2] / "models" / "roles" / "weights.json"
# Weights of cues that were missing when the weights were fitted: votes of learned taggers and of the staff list, fields
# of a form that ask for somebody beside the patient ("personne à prévenir :", 23 of 24 in the corpus).
_UNFITTED = {"vote learned ": 3.0, "vote identity ": 4.0, "labelled ": 2.0}
_MOST_FORMS = 50
_MOST_WORDS = 12
SHARED = 0.3  # share of the scores of a person's other mentions

Weights = Mapping[str, Sequence[float]]  # cue → addend to the log-odds of each of ROLES


def settle_roles(reading: Reading, mentions: Sequence[Mention], weights: Weights | None = None) -> list[Mention]:
    """Return `mentions`, every name with the role of the highest log-odds, own and pooled over the person."""
    found = gather_evidence(reading, mentions)
    if not found:
        return list(mentions)
    table = weights or _weights()
    own = [scores(one, table) for one in found]
    roles = {}
    for one, total in zip(found, _pooled(found, own), strict=True):
        roles[one.mention.start] = ROLES[max(range(len(ROLES)), key=total.__getitem__)]
    roles |= dict.fromkeys(_patients_own(reading, found), Label.PATIENT)
    return [replace(mention, label=roles[mention.start]) if mention.label in NAMES else mention for mention in mentions]


# Cues that the bearer of the patient's surname is somebody else.
_OF_OTHERS = frozenset(
    {"title before", "near title before", "near other title before", "kin before", "near kin before", "kin after"}
    | {"line kin after", "birth before", "labelled PERSON", "field PERSON"}
)
_OTHER_CIVILITIES = {
    "F": frozenset({"m", "mm", "mr", "monsieur", "messieurs"}),
    "M": frozenset({"mme", "mlle", "madame", "mademoiselle"}),
}


def _patients_own(reading: Reading, found: Sequence[Evidence]) -> Iterator[int]:
    """Yield the starts of names that are forms of the patient's own: whole, or the surname with initials or without.

    The warehouse outweighs the taggers in the role, but not a title, a relationship or the civility of the other sex
    beside the surname, nor a professional of the document who has that surname with another first name.
    """
    patient = reading.document.patient
    firsts = [part for name in patient.first_names for part in key(name).split()]
    letters = {part[0] for part in firsts} | {"".join(part[0] for part in firsts)}
    surnames = {word for name in (patient.last_name, patient.birth_name) if name for word in _parts(name)}
    own, homonym = [], False
    for one in found:
        cues = dict(one.cues)
        rest = [word for word in (*one.words, *one.initials) if word not in surnames]
        if "patient whole" in cues:
            yield one.mention.start
        elif surnames.isdisjoint(one.words):
            continue
        elif not all(_shortens(word, firsts, letters) for word in rest):
            homonym |= not {"title before", "near title before"}.isdisjoint(cues)
        elif _OF_OTHERS.isdisjoint(cues) and not _is_other_sex(reading, one.mention):
            own.append(one.mention.start)
    if not homonym:
        yield from own


def _shortens(word: str, firsts: Sequence[str], letters: set[str]) -> bool:
    """True for initials of the first names, and for the first letters of one: "M.-Th."."""
    return word in letters or (1 < len(word) < 5 and any(first.startswith(word) for first in firsts))


def _is_other_sex(reading: Reading, mention: Mention) -> bool:
    before = reading.token_at(mention.start) - 1
    before -= reading.word(before) == "."
    return reading.word(before) in _OTHER_CIVILITIES.get(reading.document.patient.sex or "", ())


def scores(one: Evidence, weights: Weights) -> list[float]:
    """Return the log-odds of each of `ROLES`, up to a constant."""
    total = [0.0] * len(ROLES)
    for name, value in one.cues:
        row = weights.get(name)
        if row is None:
            weight = next((weight for start, weight in _UNFITTED.items() if name.startswith(start)), 0.0)
            row = [weight if name.endswith(role) else 0.0 for role in ROLES] if weight else None
        if row is not None:
            for at, weight in enumerate(row):
                total[at] += weight * value
    return total


def _pooled(found: Sequence[Evidence], own: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return each mention's log-odds plus a share of those of the same person's other mentions."""
    forms: dict[_Form, _Sum] = {}
    by_word: dict[str, list[_Form]] = {}
    for one, row in zip(found, own, strict=True):
        form = _Form(one.words, one.initials)
        if form not in forms:
            forms[form] = _Sum([0.0] * len(ROLES))
            for word in one.words or one.initials:
                by_word.setdefault(word, []).append(form)
        forms[form].add(row)
    same = {form: [forms[other] for other in _alike(form, by_word)] for form in forms}
    pooled = [_with_others(row, same[_Form(one.words, one.initials)]) for one, row in zip(found, own, strict=True)]
    for at, one in enumerate(found):
        if at and one.goes_on:
            pooled[at - 1] = pooled[at] = [sum(both) for both in zip(pooled[at - 1], pooled[at], strict=True)]
    return pooled


def _with_others(row: Sequence[float], sums: Sequence[_Sum]) -> list[float]:
    """Return `row` plus SHARED * sqrt(min(n, 3)) times the mean of the n other mentions in `sums`."""
    count = sum(one.count for one in sums) - 1
    if not count:
        return list(row)
    share = SHARED * min(count, 3) ** 0.5 / count
    return [value + share * (sum(one.row[at] for one in sums) - value) for at, value in enumerate(row)]


class _Form(NamedTuple):
    """Words and initials that name a person."""

    words: tuple[str, ...]
    initials: tuple[str, ...]


@dataclass(slots=True)
class _Sum:
    row: list[float]
    count: int = 0

    def add(self, row: Sequence[float]) -> None:
        self.count += 1
        for at, value in enumerate(row):
            self.row[at] += value


def _alike(form: _Form, by_word: Mapping[str, Sequence[_Form]]) -> list[_Form]:
    """Return the forms that can name the same person, `form` first; the first `_MOST_FORMS` of each word only."""
    # No person has more names: a longer form is no name, and its comparisons would take quadratic time.
    words = (form.words or form.initials)[:_MOST_WORDS]
    near = dict.fromkeys(other for word in words for other in by_word[word][:_MOST_FORMS])
    return [form, *(other for other in near if other != form and _same_person(form, other))]


def _same_person(one: _Form, other: _Form) -> bool:
    """True if two forms can name one person: the words of one are among the other's, initials agree."""
    if not one.words or not other.words:
        return bool(one.initials) and one.initials == other.initials and one.words == other.words
    few, many = sorted((one, other), key=lambda form: len(form.words))
    if not set(few.words) <= set(many.words):
        return False
    rest = [word[0] for word in many.words if word not in few.words] + list(many.initials)
    return all(initial in rest for initial in few.initials) or not rest


@cache
def _weights() -> Weights:
    table: Weights = json.loads(WEIGHTS.read_text(encoding="utf-8"))["weights"]
    return table


# Evidence.

RULES = frozenset({"identity", "patterns", "context", "gazetteer", "repetition", "initials"})
_POSSESSIVES = frozenset("son sa ses leur leurs mon ma mes votre vos notre nos l un une le la les cette cet ce".split())
_SKIPPED = frozenset({".", ":", ",", "(", "-", "–", "—", "«", '"', "'", "’", "=", ">", "*", "•", "/"})
_USUAL = 100  # per million words: how usual a neighbouring word must be to count
# Labels behind a name → characters within which they belong to the person.
_REACHES = {
    **dict.fromkeys((Label.AGE, Label.DATE), 9),
    **dict.fromkeys((Label.PHONE, Label.RPPS, Label.IPP, Label.NDA, Label.CITY), 12),
}
_IN_CASE_OF = ["en", "cas", "d", "'"]  # before "urgence", between the label of a field and its sign
_BACK = 7  # tokens before a name in which announcing words are searched
_CLOSING = re.compile(r"confratern|cordial|salutation|consideration|sentiments|bien a (?:vous|toi)|amities|signe\b")
_CARE = word_list("care_words")
_SIGNS = " \t.,;:-–—()*•>|\r"
_LETTER = 400  # characters from which a document has head and foot
_MARGIN = 80  # most blanks and signs between a name and the edge of its line
_SPEECH = frozenset("homonyme lien parente".split())
_BORN = re.compile(r"\s*[,(]?\s*(?:nee?|epouse|ep\.?|epse|veuve|vve|dite?)\W{1,3}")
_TIME = re.compile(r"\d{1,2} ?[h:] ?(?:\d\d)?")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A name with its cues as `(cue, value)`; `words` are its folded words of two letters or more, no particles."""

    mention: Mention
    words: tuple[str, ...]
    initials: tuple[str, ...]
    cues: tuple[tuple[str, float], ...]

    @property
    def goes_on(self) -> bool:
        """True if the name before names the same person: "DUPONT^JEAN", "Mme Dupont, née Martin"."""
        return any(name.startswith("also ") for name, _ in self.cues)


def gather_evidence(reading: Reading, mentions: Sequence[Mention]) -> list[Evidence]:
    """Return the evidence of each name among `mentions`, which are sorted and disjoint."""
    result = []
    for position, mention in enumerate(mentions):
        if mention.label not in NAMES:
            continue
        first, last = reading.token_at(mention.start), reading.token_at(mention.end - 1)
        inside = [word for word in reading.words[first : last + 1] if word.isalpha()]
        words = tuple(word for word in inside if len(word) > 1 and word not in PARTICLES)
        initials = tuple(word for word in inside if len(word) == 1)
        cues: dict[str, float] = {"bias": 1.0}
        for name, value in (
            *_votes(mention),
            *_before(reading, first, mentions[position - 1] if position else None),
            *_after(reading, last, mentions[position + 1] if position + 1 < len(mentions) else None),
            *_form(reading, first, last, inside),
            *_layout(reading, mention),
            *_identity(reading, mention, words),
            *_neighbours(reading, first, last),
        ):
            cues[name] = max(cues.get(name, 0.0), value)
        result.append(Evidence(mention, words, initials, tuple(cues.items())))
    return _counted(result)


def _counted(found: list[Evidence]) -> list[Evidence]:
    """Return the evidence with cues on the number of mentions of a person, which is highest for the patient."""
    counts = Counter(one.words[-1] for one in found if one.words)
    most = max(counts.values(), default=0)
    seen: set[str] = set()
    result = []
    for one in found:
        cues = list(one.cues)
        if one.words:
            count = counts[one.words[-1]]
            if count > 1:
                cues.append(("named again", min(count - 1, 4) / 2))
            if count == most > 1:
                cues.append(("named most", 1.0))
                if any(name == "civility before" for name, _ in cues):
                    cues.append(("civility before, named most", 1.0))
            if not seen:
                cues.append(("named first", 1.0))
            if one.words[-1] in seen:
                cues.append(("named before", 1.0))
            seen.update(one.words)
        result.append(replace(one, cues=tuple(cues)))
    return result


def _neighbours(reading: Reading, first: int, last: int) -> Iterator[tuple[str, float]]:
    """Return the two tokens before the name and the one behind: signs and usual words only, digits as 0."""
    common = reading.lexicon.common
    for name, at in (("word before", first - 1), ("word but one before", first - 2), ("word after", last + 1)):
        word = reading.word(at)
        if not word.isalnum() or common.get(word, 0.0) > _USUAL:
            yield f"{name} {word if word != chr(10) else 'line'}", 1.0
        elif word.isdigit():
            yield f"{name} 0", 1.0


def _votes(mention: Mention) -> Iterator[tuple[str, float]]:
    for vote in mention.votes:
        if vote.label in NAMES:
            who = vote.annotator if vote.annotator in RULES else "learned"
            yield f"vote {who} {vote.label}", vote.score
            if vote.annotator == "context" and vote.score >= 0.96:
                yield f"vote context sure {vote.label}", 1.0


def _before(reading: Reading, first: int, previous: Mention | None) -> Iterator[tuple[str, float]]:
    """Return the words that announce the name, read backwards up to an unknown word."""
    at, steps, civil = first - 1, 0, False
    if reading.word(at) == "\n" and reading.word(at - 1) == ":":
        at -= 1
    while at >= 0 and steps < _BACK:
        word = reading.words[at]
        if word == "urgence" and reading.words[max(at - 4, 0) : at] == _IN_CASE_OF:
            at -= 5
            continue
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
            if NAME_FIELDS[word] is Label.PERSON and not {":", "="}.isdisjoint(reading.words[at + 1 : first]):
                yield "labelled PERSON", 1.0
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
        elif between == "^" or _BORN.fullmatch(between):
            yield f"also {previous.label}", 1.0


def _after(reading: Reading, last: int, following: Mention | None) -> Iterator[tuple[str, float]]:
    """Return a profession, kinship, birth or age right behind the name."""
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
    if (
        following is not None
        and following.start - reading.ends[last] < _REACHES.get(following.label, 0)
        and "\n" not in reading.text[reading.ends[last] : following.start]
    ):
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
    place = mention.start / len(reading.text) if len(reading.text) >= _LETTER else 0.3
    yield "place", place
    if place < 0.12:
        yield "place head", 1.0
    elif place > 0.88:
        yield "place foot", 1.0
    # Bounded on both sides: a document may be one line.
    opens = not reading.text[max(start, mention.start - _MARGIN) : mention.start].strip(_SIGNS)
    opens = opens and mention.start - start <= _MARGIN
    closes = not reading.text[mention.end : min(end, mention.end + _MARGIN)].strip(_SIGNS)
    closes = closes and end - mention.end <= _MARGIN
    if opens and closes:
        yield ("line alone foot" if place > 0.6 else "line alone"), 1.0
    elif opens:
        yield "line start", 1.0
    elif closes:
        yield "line end", 1.0
    if _TIME.search(reading.folded[max(start, mention.start - 12) : mention.start]):
        yield "time before", 1.0
    if _CLOSING.search(reading.folded[max(0, mention.start - 160) : mention.start]):
        yield "closing before", 1.0


def _identity(reading: Reading, mention: Mention, words: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Return the relation to the patient's name: whole, first name, surname alone, surname with another first name."""
    patient = reading.document.patient
    surnames = {word for name in (patient.last_name, patient.birth_name) if name for word in _parts(name)}
    first_names = {word for name in patient.first_names for word in _parts(name)}
    if not surnames and not first_names:
        yield "patient unknown", 1.0
        return
    known = [word for word in words if word in surnames or word in first_names]
    if not words or not known:
        near = any(vote.annotator == "identity" and vote.label is Label.PATIENT for vote in mention.votes)
        yield ("patient surname" if near else "patient other"), 1.0
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
    """Return the words of a name, and the name as one word."""
    words = key(name).split()
    return ["".join(words), *(word for word in words if len(word) > 1 and word not in PARTICLES)]
