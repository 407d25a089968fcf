"""Organisations ("CHU de Lille", "école Jean-Moulin") and places ("vallée de la Maurienne", "A63") by head word."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.lookup.lexicon import Kind, gazetteers
from deid.detection.text.names import glued, is_capital, is_upper, namelike
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import (
    ADJECTIVE_ENDS,
    NUMBERED_HEADS,
    ORG_ACRONYMS,
    ORG_FILLERS,
    ORG_HEADS,
    ORG_PARTICLES,
    ORG_STOPS,
    SERVICE_HEADS,
    SPECIFYING_WORDS,
    WEAK_HEADS,
    word_list,
)
from deid.domain.document import Mention
from deid.domain.labels import Label

_NOT_EMPLOYERS = frozenset("m me mlle les la le l".split())
_AT_WORK = (["au", "travail"], ["au", "boulot"], ["au", "bureau"])  # "au travail (STMicroelectronics, ..."
_MOST_DOTTED = 8  # letters of a head word that is written with points
_NAMED_BY = frozenset("la le les l".split())


def find_organisations(reading: Reading) -> Iterator[Mention]:
    """Yield organisations with a head word, known acronyms, and the employer after "chez"."""
    words = reading.words
    index = 0
    while index < len(words):
        word = words[index]
        if word in ORG_HEADS and not (index and words[index - 1] == "-" and glued(reading, index)):
            found = _organisation(reading, index)
            if found:
                last, score = found
                yield Mention(reading.starts[index], reading.ends[last], Label.ORG, score)
                index = last
        elif (dotted := _dotted_head(reading, index)) is not None:
            found = _organisation(reading, dotted)
            if found:
                yield Mention(reading.starts[index], reading.ends[found[0]], Label.ORG, found[1])
            index = max(dotted, found[0] if found else 0)
        elif word in ORG_ACRONYMS and (is_capital(reading, index) or reading.lower_case):
            yield Mention(reading.starts[index], reading.ends[index], Label.ORG, 0.7)
        elif word == "chez" or (word == "(" and index > 1 and words[index - 2 : index] in _AT_WORK):
            yield from _employer(reading, index)
        index += 1


def _dotted_head(reading: Reading, index: int) -> int | None:
    """Return the last token of initials with points that are a head word ("E.H.P.A.D."), or None."""
    words, letters, at = reading.words, "", index
    while at + 1 < len(words) and len(words[at]) == 1 and words[at].isalpha() and words[at + 1] == ".":
        if letters and not glued(reading, at):
            break
        if len(letters) == _MOST_DOTTED:
            return None
        letters, at = letters + words[at], at + 2
    if at < len(words) and len(words[at]) == 1 and letters and glued(reading, at) and letters + words[at] in ORG_HEADS:
        return at
    return at - 1 if len(letters) > 1 and letters in ORG_HEADS else None


def _employer(reading: Reading, index: int) -> Iterator[Mention]:
    """ "chez Renault Trucks": a company, unless it reads as a person."""
    at = index + 1
    if not is_capital(reading, at) or not reading.words[at].isalpha() or reading.words[at] in ORG_STOPS:
        return
    if reading.lexicon.is_first_name(reading.words[at]) or reading.words[at] in _NOT_EMPLOYERS:
        return
    last = at
    while True:
        after = reading.word(last + 1)
        if after in ("-", "'", "&") and glued(reading, last + 1) and glued(reading, last + 2):
            last += 2
        elif after.isalpha() and is_capital(reading, last + 1) and reading.starts[last + 1] - reading.ends[last] == 1:
            last += 1
        else:
            break
    yield Mention(reading.starts[at], reading.ends[last], Label.ORG, 0.62)


def _organisation(reading: Reading, index: int) -> tuple[int, float] | None:
    """Return the last token and score of the organisation with its head at `index`; None without a name of its own."""
    words = reading.words
    last, proper, at = index, 0, index + 1
    shouted = is_upper(reading, index) and len(words[index]) > 4
    quoted = False
    while at < len(words) and at - index < 18:
        word = words[at]
        if word == "\n" or reading.starts[at] - reading.ends[at - 1] > 4:
            break
        if word.isalpha():
            step = _word_step(reading, index, at, proper, shouted, last)
            if step is None:
                break
            if step:
                last = at
                proper += step > 1
        elif word.isdigit():
            if (
                len(word) > 3
                or at - 1 != last
                or not (
                    words[index] in NUMBERED_HEADS
                    or (proper and len(word) < 3 and words[index] in ("lycee", "universite"))
                )
            ):
                break
            proper += 1
            last = at
        elif word in ("«", '"', "“", "”", "»"):
            quoted = not quoted
            if not quoted and proper:
                last = at
                break
        elif not _sign_goes_on(reading, at):
            break
        at += 1
    if proper == 0:
        return _without_capitals(reading, index)
    last = _without_town(reading, index, last)
    if last <= index:
        return None
    return last, _head_score(reading, index)


def _word_step(reading: Reading, index: int, at: int, proper: int, shouted: bool, last: int) -> int | None:
    """Return the effect of a word on a name: None ends it, 0 may continue it, 1 extends it, 2 makes it proper."""
    words = reading.words
    word = words[at]
    upper = is_capital(reading, at)
    glue = words[at - 1] in ("-", "'") and glued(reading, at)
    if (
        upper
        and not glue
        and (word in ORG_STOPS or (is_upper(reading, at) and not shouted and word in ORG_HEADS and proper))
    ):
        return None
    if upper:
        if shouted and not is_upper(reading, at) and len(word) > 1 and proper and not glue:
            return None
        if word in ORG_PARTICLES:
            follows = not glue and (words[at - 1] in ORG_PARTICLES or words[at - 1] in "'-")
            opens = len(word) > 1 and is_capital(reading, at + 1) and not shouted and last == at - 1 and not proper
            return int(opens and not follows)
        weak = words[index] in WEAK_HEADS or (
            shouted and words[index] in ("centre", "laboratoire", "institut", "ecole")
        )
        common = (
            word in ORG_FILLERS
            or word in ORG_HEADS
            or (shouted and weak and reading.lexicon.is_word(word) and not reading.lexicon.is_surname(word))
        )
        return 1 if common else 2
    if word in ORG_PARTICLES or glue:
        return 1 if glue and proper else 0
    if proper:
        return None
    if (
        word in ORG_HEADS
        or word in ORG_FILLERS
        or word in reading.lexicon.medical
        or (word.endswith(ADJECTIVE_ENDS) and word not in ORG_STOPS)
    ):
        return 0
    return None


def _sign_goes_on(reading: Reading, at: int) -> bool:
    """Return whether the sign at `at` is inside a name."""
    word = reading.words[at]
    if word in ("'", "&"):
        return True
    if word == "-":
        if reading.word(at + 1) in _NAMED_BY and is_capital(reading, at + 1) and is_capital(reading, at + 2):
            return True  # "Hôpital Nord – Les Charmilles"
        return glued(reading, at) and at + 1 < len(reading.words) and glued(reading, at + 1)
    if word == "/":
        return glued(reading, at) and is_capital(reading, at + 1)
    if word == ".":
        return len(reading.words[at - 1]) <= 2 and is_capital(reading, at - 1) and is_capital(reading, at + 1)
    return False


def _without_town(reading: Reading, index: int, last: int) -> int:
    """Return the last token without the town after a generic service; `index` if nothing else remains."""
    if reading.words[index] not in SERVICE_HEADS:
        return last
    at = index + 1
    first_proper = next(
        (t for t in range(index + 1, last + 1) if is_capital(reading, t) and reading.words[t] not in ORG_PARTICLES),
        last,
    )
    for t in range(last, index, -1):
        if not reading.words[t].isalpha():
            continue
        before = reading.word(t - 2) if reading.word(t - 1) == "'" else reading.word(t - 1)
        if before == "d" or reading.word(t - 1) in ("de", "du", "a", "des"):
            name = " ".join(word for word in reading.words[t : last + 1] if word not in ("-", "'"))
            if (
                gazetteers().towns(name)
                or gazetteers().towns(f"le {name}")
                or (name in gazetteers().names and t == first_proper)
            ):
                at = t - 1
                while at > index and (reading.words[at] in ORG_PARTICLES or reading.words[at] == "'"):
                    at -= 1
                return at if at >= first_proper else index
    return last


def _head_score(reading: Reading, index: int) -> float:
    word = reading.words[index]
    if word in WEAK_HEADS and not (word == "centre" and reading.words[index + 1] in SPECIFYING_WORDS):
        return 0.8 if is_capital(reading, index) else 0.6
    return 0.9


def _without_capitals(reading: Reading, index: int) -> tuple[int, float] | None:
    """ "ch de laval", "clinique des cedres": without capitals, a known place or names must follow."""
    if not reading.lower_case:
        return None
    at = index + 1
    while (
        reading.word(at) in ORG_PARTICLES
        or reading.word(at) == "'"
        or (reading.word(at) in ORG_FILLERS and reading.word(at) != "-")
    ):
        at += 1
    if at >= len(reading.words) or not reading.words[at].isalpha():
        return None
    last = at - 1
    for hit in reading.hits_at.get(reading.starts[at], ()):
        if hit.entry.kind in (Kind.COMMUNE, Kind.TERRITORY, Kind.FORMER):
            last = reading.token_at(hit.end - 1)
            break
    while last + 1 < len(reading.words) and last - at < 3:
        nxt = last + 1
        if (reading.words[nxt] == "-" and glued(reading, nxt)) or (
            reading.words[nxt].isalpha()
            and reading.starts[nxt] - reading.ends[last] <= 1
            and namelike(reading, nxt)
            and reading.words[nxt] not in ORG_STOPS
        ):
            last += 1
        else:
            break
    if last < at or reading.words[last] == "-":
        return None
    of_town = reading.words[index] in SERVICE_HEADS and reading.words[at - 1] in ("de", "d", "du", "'")
    return None if reading.words[index] in WEAK_HEADS or of_town else (last, 0.75)


# Places

_GEOGRAPHIC_HEADS = word_list("geographic_heads")
_SURE_GEOGRAPHIC_HEADS = word_list("sure_geographic_heads")
_ROAD = re.compile(r"(?<![\w-])(?:A|N|RN|D|RD)[ ]?\d{1,4}(?![\w,.°%-])")
_GEOGRAPHIC_LINKS = frozenset("de du des d la le les l aux et sur en saint".split())


def find_geography(reading: Reading) -> Iterator[Mention]:
    """Yield geographic features with their proper name; the generic word is included where the name has it."""
    words, text = reading.words, reading.text
    for index, word in enumerate(words):
        if word not in _GEOGRAPHIC_HEADS:
            continue
        last = None
        at = index + 1
        while at < len(words) and at - index < 10:
            if words[at] == "\n":
                break
            if words[at].isalpha() and is_capital(reading, at):
                if last is not None and words[at - 1] not in ("-", "'") and words[at - 1] not in _GEOGRAPHIC_LINKS:
                    break
                last = at
            elif words[at] not in _GEOGRAPHIC_LINKS and words[at] not in ("-", "'"):
                break
            at += 1
        if last is not None:
            first = index if word != "quartier" and word != "secteur" else _after_links(reading, index, last)
            yield Mention(
                reading.starts[first], reading.ends[last], Label.LOC, 0.8 if word in _SURE_GEOGRAPHIC_HEADS else 0.55
            )
    for match in _ROAD.finditer(text):
        before = reading.folded[max(0, match.start() - 12) : match.start()]
        if re.search(r"(?:l'|la |sur|route|autoroute|par|km)\s*$", before):
            yield Mention(match.start(), match.end(), Label.LOC, 0.7)


def _after_links(reading: Reading, index: int, last: int) -> int:
    at = index + 1
    while at < last and not is_capital(reading, at):
        at += 1
    return at
