"""Names of people in a text: their extent from a token on, and names that differ by a misspelling."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import combinations

from rapidfuzz.distance import OSA

from deid.detection.lookup.known_names import LOWER_PARTICLES, NOT_NAMES, PARTICLES, SHORT_NAMES
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import word_list

_LONGEST = 6  # words in a name
_CLOSING = frozenset({"", "\n", ".", ",", ";", ":", "!", "?", "…", "(", ")", "/", "|", ">", '"', "«", "»", "+", "&"})
# The number of a value, up to its unit: "2", "1,5 ", "débit 3 ". A blank alone parts the number of a bed or a day from
# an initial too.
_UNITS = frozenset("cc dl g kg l mcg mg ml u ui".split())
_FLOWING = "|".join(sorted(word_list("measured") | word_list("measured_in_thousands") | word_list("flowing")))
_VALUED = re.compile(
    r"(?:(?<![\d.,/])\d{1,4}|(?<![\d.,/])\d{1,4}[.,]\d{1,2} ?|"
    rf"\b(?:{_FLOWING})\b[^\n.;\d]{{0,16}}\d{{1,4}} |[a-z]/)\Z"
)
_VALUED_REACH = 48
ELISIONS = frozenset("d l m n o".split())
# Words between a subject and its verb.
_BEFORE_VERB = frozenset("se s ne n est sont etait a ont avait lui leur l y en nous vous me m te t qui va".split())


def is_capital(reading: Reading, index: int) -> bool:
    """True if token `index` starts with a capital letter."""
    return 0 <= index < len(reading.capitals) and reading.capitals[index]


def is_upper(reading: Reading, index: int) -> bool:
    """True if token `index` has two letters or more, all capital."""
    return reading.ends[index] - reading.starts[index] > 1 and reading.surface(index).isupper()


def glued(reading: Reading, index: int) -> bool:
    """Return whether no blank precedes token `index`."""
    return 0 < index < len(reading.starts) and reading.ends[index - 1] == reading.starts[index]


def ends_value(reading: Reading, index: int) -> bool:
    """Return whether the token at `index` is the unit of a value, and no initial: "O2 débit 3 [L]. Martin"."""
    if not 0 <= index < len(reading.words) or reading.words[index] not in _UNITS:
        return False
    start, dose = reading.starts[index], reading.word(index - 1).isdigit()
    if dose and reading.word(index - 2) in reading.lexicon.drugs:
        return True
    return _VALUED.search(reading.folded, max(reading.line(start)[0], start - _VALUED_REACH), start) is not None


def opens_verb(reading: Reading, index: int) -> bool:
    """Return whether the word at `index` can only be a verb or precedes one ("Sage se lève", "Sage l'a vu")."""
    return reading.lexicon.parts.get(reading.word(index)) in ("VER", "AUX|VER") or reading.word(index) in _BEFORE_VERB


def namelike(reading: Reading, index: int) -> bool:
    """True if the word at `index` is rather a name than a word of the language, or is in no table."""
    word = reading.words[index]
    lexicon = reading.lexicon
    return word.isalpha() and (
        lexicon.is_first_name(word) or lexicon.is_surname(word) or (len(word) > 2 and lexicon.is_unknown(word))
    )


def read_name(reading: Reading, index: int, lower: int = 0, strict: bool = False) -> int | None:
    """Return the last token of the name that starts at token `index`, or None if none does.

    Args:
        reading: the document.
        index: a token.
        lower: number of words without a capital that may belong to the name, if they look like names.
        strict: capitalised words too must look like names.
    """
    words = reading.words
    last: int | None = None
    count, at = 0, index
    while at < len(words) and count < _LONGEST:
        if at > index and reading.starts[at] - reading.ends[at - 1] > 3:
            break
        word = words[at]
        joined = at > index and words[at - 1] in ("-", "'") and glued(reading, at)
        short = len(word) <= 2 and word not in SHORT_NAMES
        dotted = short and reading.word(at + 1) == "." and glued(reading, at + 1)
        if not word.isalpha():
            if not _sign_inside(reading, at, index, last):
                break
            last = at if word == "." else last
        elif joined and last is not None:
            last = at
        elif reading.capitals[at]:
            if not _capital_belongs(reading, at, index, count, strict):
                break
            count += 1
            at += dotted
            last = at
        elif lower and dotted and len(word) == 1:
            at += 1
            last = at
        elif word in LOWER_PARTICLES and _name_follows(reading, at, lower):
            pass
        elif lower and (
            (word not in NOT_NAMES and namelike(reading, at)) or (at == index and is_lone_name(reading, at))
        ):
            lower -= 1
            count += 1
            last = at
        else:
            break
        at += 1
    return last


def _sign_inside(reading: Reading, at: int, start: int, last: int | None) -> bool:
    """True for a sign inside a name: a hyphen or apostrophe without blanks, the dot of an initial."""
    if reading.words[at] in ("-", "'"):
        return at > start and glued(reading, at) and glued(reading, at + 1)
    return reading.words[at] == "." and at > start and len(reading.words[at - 1]) == 1 and last is not None


def _capital_belongs(reading: Reading, at: int, start: int, count: int, strict: bool) -> bool:
    """True if a capitalised word at `at` belongs to a name that started at `start` and has `count` words."""
    word = reading.words[at]
    if len(word) == 1:
        return _initial(reading, at, start)
    if not strict and at == start and is_lone_name(reading, at):
        return True
    if word in NOT_NAMES and not is_particle_here(reading, at):
        return False
    if count and not _goes_on(reading, at, start):
        return False
    return not strict or namelike(reading, at) or is_particle_here(reading, at)


def _initial(reading: Reading, at: int, start: int) -> bool:
    """True if a lone capital at `at` is an initial: dotted, compound ("J-B"), or beside a name not in capitals."""
    after = reading.word(at + 1)
    if after in (".", "-") and glued(reading, at + 1):
        return True
    if after == "'" and elided(reading, at):
        return True
    if at > start:
        return not after.isalpha() and not after.isdigit() and reading.words[at] not in ("a", "y")
    return (
        is_capital(reading, at + 1)
        and after not in NOT_NAMES
        and reading.words[at] not in ("a", "y", "l", "d", "n", "s")
    )


def elided(reading: Reading, at: int) -> bool:
    """True if a lone capital at `at` opens a surname by an apostrophe: "N'DIAYE", "D'Arcangues", "O'Brien"."""
    return (
        reading.words[at] in ELISIONS
        and is_capital(reading, at)
        and glued(reading, at + 1)
        and glued(reading, at + 2)
        and is_capital(reading, at + 2)
        and (namelike(reading, at + 2) or not reading.lexicon.is_word(reading.words[at + 2]))
    )


def is_particle_here(reading: Reading, at: int) -> bool:
    """True if a capitalised article or particle at `at` opens a surname ("Le Goff", "DE SOUSA")."""
    return reading.words[at] in PARTICLES and is_capital(reading, at + 1) and reading.word(at + 1).isalpha()


def is_lone_name(reading: Reading, at: int) -> bool:
    """True for a short word that is a whole name where one is announced: "Dr Ou (gastro)", "M. Le,", "née vu".

    No word follows; but one may behind a title without a sign, unless the word is an article ("Docteur Ou écrit").
    """
    word, after = reading.words[at], reading.word(at + 1)
    if word not in SHORT_NAMES:
        return False
    article = word in ("la", "le", "du", "au")
    closed = after in _CLOSING and not (article and after == "\n")
    if not is_capital(reading, at):
        return closed and not article and reading.lowered(at)
    titled = reading.word(at - 1).isalpha() and not article and not is_upper(reading, at)
    return closed or (titled and not is_capital(reading, at + 1))


def _name_follows(reading: Reading, at: int, lower: int) -> bool:
    nxt = at + 1
    if reading.word(nxt) in ("'", "’"):
        nxt += 1
    if reading.word(nxt) in LOWER_PARTICLES and nxt + 1 < len(reading.words):
        nxt += 1
    if nxt >= len(reading.words) or not reading.words[nxt].isalpha():
        return False
    return (is_capital(reading, nxt) and reading.words[nxt] not in NOT_NAMES) or (lower > 0 and namelike(reading, nxt))


def _goes_on(reading: Reading, at: int, start: int) -> bool:
    """True if a further capitalised word belongs to the name, rather than starting something else."""
    word = reading.words[at]
    lexicon = reading.lexicon
    if len(word) == 1 or word in PARTICLES or namelike(reading, at):
        return True
    if is_upper(reading, at) and not is_upper(reading, start):
        return len(word) > 2
    return lexicon.surnames.get(word, 0) > 0 and word not in lexicon.medical


# Names that differ from a known one by a slip of the pen, looked up without going through the known ones.
def allowed_edits(length: int) -> int:
    """Return the edits that still read as the same name: none below five letters, one to seven, two beyond."""
    return 0 if length < 5 else 1 if length < 8 else 2


class Misspellings:
    """Index of known words for approximate search by symmetric deletion (Garbe 2012, SymSpell).

    Two words at an optimal-string-alignment distance of n share a remainder after at most n deletions in each. The
    cost of a search does not depend on the number of known words.
    """

    def __init__(self, words: Iterable[str]) -> None:
        table: dict[str, list[str]] = {}
        for word in words:
            for left in _remainders(word, allowed_edits(len(word))):
                table.setdefault(left, []).append(word)
        self._table = table

    def near(self, word: str) -> list[str]:
        """Return the known words that `word` may be a misspelling of, the nearest first, without `word` itself."""
        found: dict[str, int] = {}
        for left in _remainders(word, 2 if len(word) > 7 else 1):
            for known in self._table.get(left, ()):
                if known not in found:
                    found[known] = OSA.distance(known, word)
        fit = ((edits, known) for known, edits in found.items() if 0 < edits <= allowed_edits(len(known)))
        return [known for _, known in sorted(fit)]


def _remainders(word: str, deletions: int) -> Iterator[str]:
    if deletions:
        yield word
    for count in range(1, deletions + 1):
        for places in combinations(range(len(word)), count):
            yield "".join(letter for at, letter in enumerate(word) if at not in places)
