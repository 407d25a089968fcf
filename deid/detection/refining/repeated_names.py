"""Further occurrences of the words of names that were found, with the particles that they have elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from deid.detection.lookup.known_names import LOWER_PARTICLES, NOT_NAMES, PARTICLES
from deid.detection.refining.overlaps import found_mention
from deid.detection.text.names import glued, is_capital, is_upper, opens_verb
from deid.detection.text.reading import Reading
from deid.detection.text.senses import Sense, find_sense
from deid.detection.text.vocabulary import CIVILITIES, DOCTOR_TITLES, KINSHIP, PROFESSIONS
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label

_TITLED = 0.75  # least score of what the context finds by a title, role or field
_BORNE = 100  # births of a surname from which "née" before it tells one
_SOURCE = 0.6  # least score of a mention whose words, initials or logins are searched
# Signs before the first word of a sentence, item or cell, which has a capital anyway.
_OPENING = frozenset({"", "\n", ".", "!", "?", "…", "«", '"', "-", "–", "—", "•", "*", ":", "|", ">", "_", "°", ")"})
_EDGES = frozenset({"", "\n", "(", ")", "/", ",", ";", ":", "+", "&", "=", "[", "]", ".", "|", "et"})
# Words before a name in text without capitals.
_ANNOUNCE = CIVILITIES | DOCTOR_TITLES | KINSHIP | PROFESSIONS | {"par", "avec", "chez", "devant"}
_OPENERS = PARTICLES | LOWER_PARTICLES
_VOWELS = frozenset("aeiouy")
_SCORE, _SURE = 0.7, 0.84  # of what is found here; least score of a mention taken as known
_SYMBOLS = frozenset("ag al au ba be ca co cu fe ga he ia li na ni po ra se si te ti".split())  # of elements, and "IA"


def repeat_names(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return `mentions` and, outside them, every further occurrence of the words of their names."""
    known, short = _words_of_names(reading, mentions), _short_names(reading, mentions)
    if not known and not short:
        return list(mentions)
    covered = reading.coverage(mentions)
    added = []
    for index, word in enumerate(reading.words):
        if covered[reading.starts[index]]:
            continue
        if word in short and _stands_alone(reading, index):
            added.append(found_mention("repetition", reading.starts[index], reading.ends[index], short[word], _SCORE))
        if word not in known or word in short:
            continue
        sense = find_sense(reading, index)
        if sense is Sense.PERSON or (
            sense is Sense.OPEN and (_plausible(reading, index, word) or _stands_out(reading, index, known))
        ):
            added.append(found_mention("repetition", reading.starts[index], reading.ends[index], *known[word]))
    added += _birth_names(reading, mentions, covered)
    return _with_particles(reading, [*mentions, *_adjoined(reading, added)])


def _birth_names(reading: Reading, mentions: Sequence[Mention], covered: bytearray) -> Iterator[Mention]:
    """Yield surnames behind a name and "née", whatever else the word means: "REIN Lucette née COEUR"."""
    for mention in mentions:
        at = reading.tokens(mention)[-1] + 2 if mention.label in NAMES and reading.tokens(mention) else -1
        word = reading.word(at)
        told = reading.word(at - 1) in ("nee", "ne") and word not in PARTICLES
        if not told or reading.lexicon.surnames.get(word) < _BORNE or covered[reading.starts[at]]:
            continue
        if reading.surface(at).isupper() or reading.surface(at).istitle():
            yield found_mention("repetition", reading.starts[at], reading.ends[at], mention.label, _TITLED)


def _words_of_names(reading: Reading, mentions: Sequence[Mention]) -> dict[str, tuple[Label, float]]:
    """Return the words of names with label and score of the surest mention.

    A word counts if 1 - product(1 - score) over its mentions is `_SOURCE` or more.
    """
    known: dict[str, tuple[Label, float]] = {}
    doubt: dict[str, float] = {}
    for mention in mentions:
        if mention.label not in NAMES:
            continue
        announced = any(one.score >= _TITLED for one in reading.overlapping("context", mention) if one.label in NAMES)
        for at in reading.tokens(mention):
            word = reading.words[at]
            if len(word) > 2 and word.isalpha() and word not in PARTICLES:
                sure = max(mention.score, _SOURCE) if announced and not reading.lexicon.is_word(word) else mention.score
                doubt[word] = doubt.get(word, 1.0) * (1.0 - min(sure, 1.0))
                score = round(min(sure - 0.05, 0.8), 4)
                if word not in known or known[word][1] < score:
                    known[word] = mention.label, score
    sure_enough = (word for word in known if 1.0 - doubt[word] >= _SOURCE)
    return {word: (known[word][0], max(known[word][1], _SOURCE - 0.05)) for word in sure_enough}


def _short_names(reading: Reading, mentions: Sequence[Mention]) -> dict[str, Label]:
    """Return the words of two or three letters that are sure names at the end of a mention: "Dr Do", "Minh LE"."""
    found: dict[str, Label] = {}
    for mention in mentions:
        if mention.label in NAMES and mention.score >= _SURE:
            last = reading.token_at(mention.end - 1)
            word = reading.words[last]
            short = len(word) == 2 or (len(word) == 3 and word in NOT_NAMES)
            if short and word.isalpha() and not _VOWELS.isdisjoint(word) and word not in _SYMBOLS:
                found.setdefault(word, mention.label)
    return found


def _stands_alone(reading: Reading, index: int) -> bool:
    """True for a short word with one capital inside a sentence, before none: "avec Do et", but not "Le Goff"."""
    before, after = reading.word(index - 1), reading.word(index + 1)
    tied = glued(reading, index) or (glued(reading, index + 1) and after in ("-", "'", "/"))
    inside = before not in _OPENING and not before.isdigit() and not after.isdigit()
    return reading.surface(index).istitle() and inside and not tied and not is_capital(reading, index + 1)


def _plausible(reading: Reading, index: int, word: str) -> bool:
    """True if the word has a capital, or is no word of the language."""
    lexicon = reading.lexicon
    frequency = lexicon.common.get(word, 0.0)
    if is_capital(reading, index):
        return frequency < 5 or lexicon.is_first_name(word) or lexicon.is_surname(word) or is_upper(reading, index)
    return frequency == 0.0 and word not in lexicon.medical and word not in lexicon.drugs and len(word) > 3


def _stands_out(reading: Reading, index: int, known: Collection[str]) -> bool:
    """True if a usual word that is a name of the document ("Dr Sage") is written like a name.

    It has a capital inside a sentence, stands before a verb, is joined to another name, or stands between signs or
    before an initial in text without capitals.
    """
    if reading.word(index) in NOT_NAMES or reading.shouted(index):
        return False
    before, after = reading.word(index - 1), reading.word(index + 1)
    if before == "-" and reading.word(index - 2) in known and glued(reading, index) and glued(reading, index - 1):
        return True
    if after == "-" and reading.word(index + 2) in known and glued(reading, index + 1) and glued(reading, index + 2):
        return True
    if is_capital(reading, index):
        return (before not in _OPENING and not before.isdigit()) or opens_verb(reading, index + 1)
    word, lexicon = reading.words[index], reading.lexicon
    initial = len(after) == 1 and after.isalpha() and reading.word(index + 2) == "." and glued(reading, index + 2)
    if initial and lexicon.first_names.get(word):
        return True
    if not reading.lowered(index) or not lexicon.surnames.get(word):
        return False
    return (before in _EDGES or before in _ANNOUNCE) and (after in _EDGES or opens_verb(reading, index + 1))


def _with_particles(reading: Reading, mentions: list[Mention]) -> list[Mention]:
    """Return `mentions`, names with the particle that they have elsewhere: "le bihan", "de La Tour"."""
    opened: dict[str, set[tuple[str, ...]]] = {}
    for mention in mentions:
        if mention.label in NAMES and mention.score >= _SOURCE:
            for lead, word in _particles(reading, mention):
                opened.setdefault(word, set()).add(lead)
    ends = {mention.end for mention in mentions}
    return [_with_particle(reading, one, opened, ends) if one.label in NAMES else one for one in mentions]


def _particles(reading: Reading, mention: Mention) -> Iterator[tuple[tuple[str, ...], str]]:
    """Return the particles of a name, each group with the word behind it."""
    lead: tuple[str, ...] = ()
    for at in reading.tokens(mention):
        word = reading.words[at]
        if word in _OPENERS and (len(word) > 1 or reading.word(at + 1) == "'"):
            lead = (*lead, word)
        elif lead and word != "'":
            if len(word) > 2 and word.isalpha():
                yield lead, word
            lead = ()


def _with_particle(
    reading: Reading, mention: Mention, opened: Mapping[str, set[tuple[str, ...]]], ends: set[int]
) -> Mention:
    first = reading.token_at(mention.start)
    for lead in sorted(opened.get(reading.words[first], ()), key=len, reverse=True):
        at = first
        for word in reversed(lead):
            at -= 1 if reading.word(at - 1) != "'" else 2
            taken = reading.word(at) != word or reading.ends[at] in ends
            if taken or "\n" in reading.text[reading.ends[at] : mention.start]:
                break
        else:
            return replace(mention, start=reading.starts[at])
    return mention


def _adjoined(reading: Reading, added: list[Mention]) -> list[Mention]:
    """Return repetitions, neighbouring ones as one mention."""
    result: list[Mention] = []
    for mention in added:
        if result and reading.text[result[-1].end : mention.start] in (" ", "-", "'", "’"):
            last = result[-1]
            result[-1] = Mention(last.start, mention.end, last.label, max(last.score, mention.score), None, last.votes)
        else:
            result.append(mention)
    return result
