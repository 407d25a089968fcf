"""Missed repetitions: a name found once is a name everywhere in the document, in any case, with its particle."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from deid.detection.annotators.vocabulary import CIVILITIES, DOCTOR_TITLES, KINSHIP, NOT_INITIALS, PROFESSIONS
from deid.detection.known_names import ABBREVIATIONS, LOWER_PARTICLES, NOT_NAMES, PARTICLES
from deid.detection.lexicon import Lexicon
from deid.detection.names import glued, is_capital, is_upper
from deid.detection.reading import Reading
from deid.domain.document import Mention, Vote
from deid.domain.labels import NAMES, Label
from deid.french.folding import fold

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


# Missed repetitions across a patient's documents of one batch: sure and rare names of one are looked for in all.
_SURE = 0.84  # mentions weaker than this are no ground to search other documents
_SHORTEST = 4
_SCORE = 0.7


def find_shared_names(readings: Sequence[Reading], mentions: Sequence[Sequence[Mention]]) -> list[list[Mention]]:
    """Per document what to add: occurrences of names that are sure in another document of the same patient.

    Only words that no table of the language has: a name that is also a word stays its own document's matter.
    """
    added: list[list[Mention]] = [[] for _ in readings]
    groups: dict[str, list[int]] = defaultdict(list)
    for at, reading in enumerate(readings):
        if reading.document.patient.key:
            groups[reading.document.patient.key].append(at)
    for group in groups.values():
        if len(group) > 1:
            known = [_sure_words(readings[at], mentions[at]) for at in group]
            for place, at in enumerate(group):
                others = {
                    word: vote for number, words in enumerate(known) if number != place for word, vote in words.items()
                }
                added[at] = _found(readings[at], mentions[at], others)
    return added


def _sure_words(reading: Reading, mentions: Sequence[Mention]) -> dict[str, Vote]:
    words: dict[str, Vote] = {}
    for mention in mentions:
        if mention.label not in NAMES or mention.score < _SURE:
            continue
        for at in range(reading.token_at(mention.start), reading.token_at(mention.end - 1) + 1):
            word = reading.words[at]
            if len(word) >= _SHORTEST and word.isalpha() and word not in PARTICLES and _rare(reading, word):
                words.setdefault(word, Vote("batch", mention.label, _SCORE))
    return words


def _rare(reading: Reading, word: str) -> bool:
    lexicon = reading.lexicon
    return not lexicon.is_word(word) and word not in lexicon.eponyms


def _found(reading: Reading, mentions: Sequence[Mention], words: dict[str, Vote]) -> list[Mention]:
    if words.keys().isdisjoint(reading.words):
        return []
    covered = bytearray(len(reading.text))
    for mention in mentions:
        covered[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
    return [
        Mention(reading.starts[at], reading.ends[at], words[word].label, _SCORE, None, (words[word],))
        for at, word in enumerate(reading.words)
        if word in words and not covered[reading.starts[at]]
    ]


# Names that lost a blank, as scanners and hurried hands write: "filleAnne", "DocteurB.ROY", "épouse Paulettevient".
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
_GLUED_SCORE = 0.7


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
            yield _glued_mention(start, end, label)
            if more := _AND.match(text, end):
                yield _glued_mention(*more.span(1), label)


def _ahead(reading: Reading) -> Iterator[Mention]:
    """Announced names to whose end the next word sticks: "son épouse Paulettevient"."""
    for index, word in enumerate(reading.words):
        if reading.capitals[index] and len(word) > 5 and reading.lexicon.is_unknown(word):
            start, end = reading.starts[index], reading.ends[index]
            length = _name_length(reading.lexicon, reading.text[start:end])
            if length < end - start and (said := _ANNOUNCED.search(reading.text, max(0, start - _REACH), start)):
                yield _glued_mention(start, start + length, Label.DOCTOR if said["doctor"] else Label.PERSON)


def _glued_mention(start: int, end: int, label: Label) -> Mention:
    return Mention(start, end, label, _GLUED_SCORE, None, (Vote("glued", label, _GLUED_SCORE),))


def _name_length(lexicon: Lexicon, run: str) -> int:
    """Letters of `run` that are the name, where a word of the language sticks to its end ("Annevient": 4)."""
    if lexicon.is_first_name(fold(run)) or lexicon.is_surname(fold(run)):
        return len(run)
    for cut in range(len(run) - 2, 2, -1):
        name, rest = fold(run[:cut]), fold(run[cut:])
        if (lexicon.is_first_name(name) or lexicon.is_surname(name)) and rest in lexicon.common:
            return cut
    return len(run)


# Initials, typist's marks and logins: of the people that the document names, or where only a signature stands.
_NAMING = 0.6  # mentions weaker than this name nobody for sure
_TIED, _PLACED, _LOGIN = 0.8, 0.7, 0.75
_ENDS = 400  # characters from either end of a document within which a lone mark refers or signs
_CUES = frozenset(
    "par relu relue valide validee signe dicte frappe saisi saisie tape dact redige vu ref visa by".split()
)
_MARK_EDGES = frozenset({"", "\n", "(", ")", "/", "|", "[", "]", "–", "—", "-", ":", ",", ";"})
_PAIR = re.compile(r"(?<![\w/.])([A-Z]{2,4}) ?/ ?([A-Z]{2,4}|[a-z]{2,3}|[A-Z]\.)(?=[ \t]*(?:$|[.)–—|]))", re.MULTILINE)
_DOTTED = re.compile(r"(?<![\w.])([^\W\d_])\. ?-?(?:([^\W\d_])\. ?)?([^\W\d_])\.(?!\w)")


def find_initials(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """`mentions` and, outside them, initials and logins of those they name, and marks where writers sign."""
    known = _initials(reading, mentions)
    surnames = _surnames(reading, mentions)
    covered = bytearray(len(reading.text))
    for mention in mentions:
        covered[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
    added: list[Mention] = []
    for found in (*_pairs(reading, known), *_dotted(reading, known), *_initials_and_logins(reading, known, surnames)):
        if not any(covered[found.start : found.end]):
            covered[found.start : found.end] = b"\1" * (found.end - found.start)
            added.append(found)
    return sorted([*mentions, *added])


def _initials_mention(start: int, end: int, label: Label, score: float) -> Mention:
    return Mention(start, end, label, score, None, (Vote("initials", label, score),))


def _names(reading: Reading, mentions: Sequence[Mention]) -> Iterator[tuple[Mention, list[str]]]:
    for mention in mentions:
        if mention.label in NAMES and mention.score >= _NAMING:
            tokens = range(reading.token_at(mention.start), reading.token_at(mention.end - 1) + 1)
            yield mention, [reading.words[at] for at in tokens if reading.words[at].isalpha()]


def _initials(reading: Reading, mentions: Sequence[Mention]) -> dict[str, Label]:
    """Initials → role of who bears them: first name first, surname first, with and without particles."""
    known: dict[str, Label] = {}
    for mention, words in _names(reading, mentions):
        for parts in (words, [word for word in words if word not in PARTICLES]):
            if 2 <= len(parts) <= 4 and any(len(word) > 2 for word in parts):
                letters = "".join(word[0] for word in parts)
                for form in (letters, letters[1:] + letters[0], letters[-1] + letters[:-1], letters[0] + letters[-1]):
                    known.setdefault(form, mention.label)
    return known


def _surnames(reading: Reading, mentions: Sequence[Mention]) -> dict[str, Label]:
    """Words of names that the language has not."""
    return {
        word: mention.label
        for mention, words in _names(reading, mentions)
        for word in words
        if len(word) > 3 and not reading.lexicon.is_word(word)
    }


def _pairs(reading: Reading, known: dict[str, Label]) -> Iterator[Mention]:
    """Writer and typist: "FR/mh" at the end of a line."""
    for match in _PAIR.finditer(reading.text):
        near = match.start() < _ENDS or len(reading.text) - match.end() < _ENDS
        parts = [match[group].lower().strip(".") for group in (1, 2)]
        tied = [part in known for part in parts]
        if not any(tied) and not (near and (match[2].islower() or match.end() - reading.line(match.start())[0] < 40)):
            continue
        if any(
            part in NOT_INITIALS or part in ABBREVIATIONS for part, sure in zip(parts, tied, strict=True) if not sure
        ):
            continue
        for group, part in zip((1, 2), parts, strict=True):
            yield _initials_mention(match.start(group), match.end(group), known.get(part, Label.DOCTOR), _PLACED)


def _dotted(reading: Reading, known: dict[str, Label]) -> Iterator[Mention]:
    """ "S.B." of somebody named, or alone on its line near an end."""
    for match in _DOTTED.finditer(reading.text):
        letters = "".join(filter(None, match.groups())).lower()
        if letters in known:
            yield _initials_mention(match.start(), match.end(), known[letters], _TIED)
        elif match[1].isupper() and letters not in NOT_INITIALS:
            start, end = reading.line(match.start())
            near = len(reading.text) - match.end() < _ENDS
            if near and not reading.text[match.end() : end].strip() and match.start() - start < 60:
                before = reading.text[start : match.start()]
                if not before.strip() or before.endswith("  ") or before.endswith("\t"):
                    yield _initials_mention(match.start(), match.end(), Label.DOCTOR, _PLACED)


def _initials_and_logins(reading: Reading, known: dict[str, Label], surnames: dict[str, Label]) -> Iterator[Mention]:
    lexicon = reading.lexicon
    for index, word in enumerate(reading.words):
        if not word.isalpha():
            continue
        if len(word) <= 4:
            if word in known and len(word) > 1 and _placed(reading, index, word):
                yield _initials_mention(reading.starts[index], reading.ends[index], known[word], _TIED)
        elif len(word) > 5 and word not in lexicon.common and word not in lexicon.medical:
            if word[1:] in surnames:
                yield _initials_mention(reading.starts[index], reading.ends[index], surnames[word[1:]], _LOGIN)
            elif not reading.capitals[index] and _logged(reading, index, word):
                yield _initials_mention(reading.starts[index], reading.ends[index], Label.DOCTOR, _PLACED)


def _placed(reading: Reading, index: int, word: str) -> bool:
    """Whether initials of somebody named stand as a mark: capitals between edges, or behind a word that asks."""
    before, after = reading.word(index - 1), reading.word(index + 1)
    written = reading.text[reading.starts[index] : reading.ends[index]]
    if before == ":" and reading.word(index - 2) in _CUES:
        before = reading.word(index - 2)
    if before in _CUES:
        return after in _MARK_EDGES or after in ("le", "et", ".")
    if not written.isupper() or word in NOT_INITIALS or word in ABBREVIATIONS:
        return False
    left = before in _MARK_EDGES or reading.text[reading.starts[index] - 1] in "\t"
    right = after in _MARK_EDGES or reading.text[reading.ends[index] : reading.ends[index] + 1] in ("\t", "")
    return left and right


def _logged(reading: Reading, index: int, word: str) -> bool:
    """Whether a word in no table is an initial and a surname, where systems write who did something."""
    lexicon = reading.lexicon
    if word in lexicon.surnames or word in lexicon.first_names or not lexicon.is_surname(word[1:]):
        return False
    before, after = reading.word(index - 1), reading.word(index + 1)
    if lexicon.surnames.get(word[1:], 0) < 200:
        return False
    return before in ("par", "by", "user", "login", "operateur", "oper") or (
        before in ("\n", "/", "|", "(", "[", "") and (after in _MARK_EDGES or after.isdigit()) and after != "-"
    )
