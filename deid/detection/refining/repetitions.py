"""Missed repetitions: a name found once is a name everywhere in the document, in any case, with its particle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from deid.detection.annotators.context.vocabulary import CIVILITIES, DOCTOR_TITLES, KINSHIP, PROFESSIONS
from deid.detection.names import LOWER_PARTICLES, NOT_NAMES, PARTICLES, glued, is_capital, is_upper
from deid.detection.reading import Reading
from deid.domain.document import Mention, Vote
from deid.domain.labels import NAMES, Label

_EPONYM_LINKS = frozenset("de d du des le la les selon ni ' en et ou /".split())
_SOURCE = 0.6  # mentions weaker than this are no ground to search for more
# What a sentence, an item or a cell opens with: there a capital says nothing.
_OPENING = frozenset({"", "\n", ".", "!", "?", "…", "«", '"', "-", "–", "—", "•", "*", ":", "|", ">", "_", "°", ")"})
_EDGES = frozenset({"", "\n", "(", ")", "/", ",", ";", ":", "+", "&", "=", "[", "]", ".", "|", "et"})
# What announces a name where no capital is written.
_ANNOUNCE = CIVILITIES | DOCTOR_TITLES | KINSHIP | PROFESSIONS | {"par", "avec", "chez", "devant"}
# Words that stand between a subject and its verb.
_BEFORE_VERB = frozenset("se s ne n est sont etait a ont avait lui leur l y en nous vous me m te t qui va".split())
_OPENERS = PARTICLES | LOWER_PARTICLES


@dataclass(frozen=True, slots=True)
class _Known:
    label: Label
    score: float


def repeat_names(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """`mentions` and, outside them, every further occurrence of the words of their names."""
    known = _words(reading, mentions)
    if not known:
        return list(mentions)
    covered = bytearray(len(reading.text))
    for mention in mentions:
        covered[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
    added = []
    for index, word in enumerate(reading.words):
        found = known.get(word)
        if not found or covered[reading.starts[index]] or _eponym(reading, index):
            continue
        if _plausible(reading, index, word) or _stands_out(reading, index, known):
            vote = Vote("repetition", found.label, found.score)
            added.append(Mention(reading.starts[index], reading.ends[index], found.label, found.score, None, (vote,)))
    return _with_particles(reading, [*mentions, *_adjoined(reading, added)])


def _words(reading: Reading, mentions: Sequence[Mention]) -> dict[str, _Known]:
    """Words of names, with the role of the surest mention; several doubtful mentions make one sure word."""
    known: dict[str, _Known] = {}
    doubt: dict[str, float] = {}
    for mention in mentions:
        if mention.label not in NAMES:
            continue
        first = reading.token_at(mention.start)
        for at in range(first, reading.token_at(mention.end - 1) + 1):
            word = reading.words[at]
            if len(word) > 2 and word.isalpha() and word not in PARTICLES:
                doubt[word] = doubt.get(word, 1.0) * (1.0 - min(mention.score, 1.0))
                score = round(min(mention.score - 0.05, 0.8), 4)
                if word not in known or known[word].score < score:
                    known[word] = _Known(mention.label, score)
    return {
        word: replace(one, score=max(one.score, _SOURCE - 0.05))
        for word, one in known.items()
        if 1.0 - doubt[word] >= _SOURCE
    }


def _eponym(reading: Reading, index: int) -> bool:
    """Whether the word at `index` is the eponym that it can be: "maladie de Parkinson", "Bosniak II"."""
    word, lexicon = reading.words[index], reading.lexicon
    if word not in lexicon.eponyms or lexicon.is_first_name(word):
        return False
    after = reading.word(index + 1)
    return reading.word(index - 1) in _EPONYM_LINKS or after.isdigit() or after in ("i", "ii", "iii", "iv", "v")


def _plausible(reading: Reading, index: int, word: str) -> bool:
    """Whether the occurrence reads as the name: a capital, or no use of the word in the language."""
    lexicon = reading.lexicon
    frequency = lexicon.common.get(word, 0.0)
    if is_capital(reading, index):
        return frequency < 5 or lexicon.is_first_name(word) or lexicon.is_surname(word) or is_upper(reading, index)
    return frequency == 0.0 and word not in lexicon.medical and word not in lexicon.drugs and len(word) > 3


def _stands_out(reading: Reading, index: int, known: Mapping[str, _Known]) -> bool:
    """Whether a usual word that somebody bears as a name ("Dr Sage") is written as one: with a capital that no rule of
    writing asks for, before a verb, joined to another name, or where capitals are left out, between signs."""
    if reading.word(index) in NOT_NAMES or reading.shouted(index):
        return False
    before, after = reading.word(index - 1), reading.word(index + 1)
    if before == "-" and reading.word(index - 2) in known and glued(reading, index) and glued(reading, index - 1):
        return True
    if after == "-" and reading.word(index + 2) in known and glued(reading, index + 1) and glued(reading, index + 2):
        return True
    if is_capital(reading, index):
        return (before not in _OPENING and not before.isdigit()) or _acts(reading, index + 1)
    if not reading.lowered(index) or not reading.lexicon.surnames.get(reading.words[index]):
        return False
    return (before in _EDGES or before in _ANNOUNCE) and (after in _EDGES or _acts(reading, index + 1))


def _acts(reading: Reading, index: int) -> bool:
    """Whether the word at `index` can only be a verb, or opens what a verb closes ("Sage se lève", "Sage l'a vu")."""
    return reading.lexicon.parts.get(reading.word(index)) in ("VER", "AUX|VER") or reading.word(index) in _BEFORE_VERB


def _with_particles(reading: Reading, mentions: list[Mention]) -> list[Mention]:
    """`mentions`, those of names that open with a particle elsewhere grown over it: "le bihan", "de La Tour"."""
    opened: dict[str, set[tuple[str, ...]]] = {}
    for mention in mentions:
        if mention.label in NAMES and mention.score >= _SOURCE:
            for lead, word in _leads(reading, mention):
                opened.setdefault(word, set()).add(lead)
    if not opened:
        return mentions
    ends = {mention.end for mention in mentions}
    return [_led(reading, mention, opened, ends) if mention.label in NAMES else mention for mention in mentions]


def _leads(reading: Reading, mention: Mention) -> Iterator[tuple[tuple[str, ...], str]]:
    """Particles of a name with the word that they open."""
    lead: tuple[str, ...] = ()
    for at in range(reading.token_at(mention.start), reading.token_at(mention.end - 1) + 1):
        word = reading.words[at]
        if word in _OPENERS and (len(word) > 1 or reading.word(at + 1) == "'"):
            lead = (*lead, word)
        elif lead and word != "'":
            if len(word) > 2 and word.isalpha():
                yield lead, word
            lead = ()


def _led(reading: Reading, mention: Mention, opened: Mapping[str, set[tuple[str, ...]]], ends: set[int]) -> Mention:
    first = reading.token_at(mention.start)
    for lead in sorted(opened.get(reading.words[first], ()), key=len, reverse=True):
        at = first
        for word in reversed(lead):
            at -= 1 if reading.word(at - 1) != "'" else 2
            if (
                reading.word(at) != word
                or reading.ends[at] in ends
                or "\n" in reading.text[reading.ends[at] : mention.start]
            ):
                break
        else:
            return replace(mention, start=reading.starts[at])
    return mention


def _adjoined(reading: Reading, added: list[Mention]) -> list[Mention]:
    """Neighbouring repetitions as one mention."""
    result: list[Mention] = []
    for mention in added:
        if result and reading.text[result[-1].end : mention.start] in (" ", "-", "'", "’"):
            last = result[-1]
            result[-1] = Mention(last.start, mention.end, last.label, max(last.score, mention.score), None, last.votes)
        else:
            result.append(mention)
    return result
