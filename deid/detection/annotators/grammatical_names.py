"""Names of the patient that are also grammatical words ("Le", "Du", "Sa", the first name "A"), told by their place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from deid.detection.lookup.known_names import PARTICLES
from deid.detection.text.names import is_capital, is_upper
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import CIVILITIES, DOCTOR_TITLES, NAME_FIELDS, PERSON_TITLES, PROFESSIONS
from deid.french.calendar import FOLDED_MONTHS, WEEKDAYS

_GRAMMATICAL = 1000.0  # occurrences per million from which a word says nothing of a person
_GAP = 3  # characters that may stand between two names of a person
_LINE = 80  # characters before a word in which a label announces it
# The label of a field of names and its sign, or the capitals of the value, right before a name; read on folded text.
_FIELD = re.compile(
    r"(?<![^\W_])(?:noms?|prenoms?|patiente?|identite|malade|assuree?|beneficiaire|residente?)(?![^\W_])"
    r"[^\n:=|\t]{0,24}(?:[:=|\t…]|_{2,}|\.{3,}| {2,})[ \t:.…_|]{0,40}(?:(?:mr?|mme|mlle|monsieur|madame)\.? )?"
    r"(?:(?:d[aeiou]s?|el|l[ae]|v[ao]n)[ ']){0,2}\Z"
)
_BARE_FIELD = re.compile(r"(?<![^\W_])(?:noms?|prenoms?) \Z")
_LABEL_LINE = re.compile(r"[\W_]{0,8}(?:noms?|prenoms?|identite)\b[^\n:=|]{0,24}[\s:]{0,4}")
_MARRIED = frozenset("nee ep epse epouse veuve vve".split())
_TITLES = CIVILITIES | DOCTOR_TITLES | _MARRIED
# Words behind a civility and an article for somebody's function: "Monsieur Le Directeur".
_FUNCTIONS = PROFESSIONS | DOCTOR_TITLES | PERSON_TITLES | frozenset("president presidente patient patiente".split())
# Labels that may follow the value of a field on its line.
_LABELS = frozenset(NAME_FIELDS) | frozenset("ne nee sexe ddn date age ipp nda nir".split())
_CALENDAR = frozenset(FOLDED_MONTHS) | frozenset(WEEKDAYS)
_LIST_SIGNS = frozenset({",", ";", "/", "(", ")", "&", "+"})


def is_grammatical(reading: Reading, word: str) -> bool:
    """Return whether a folded word is too usual in every text to be a name by its capital alone."""
    return len(word) == 1 or reading.lexicon.common.get(word, 0.0) >= _GRAMMATICAL


def find_told(reading: Reading, names: Collection[str], known: Sequence[float]) -> Iterator[int]:
    """Yield the tokens among `names` that their context confirms as names.

    A name is confirmed by a civility or a field's label before it, by another name of the patient beside it, by a line
    or an item of a list of its own. An article or pronoun, also in capitals, is left.

    Args:
        reading: the document.
        names: names of the patient that are grammatical words, folded.
        known: per token, the score as another name of the patient, 0 for none.
    """
    told: set[int] = set()
    for index, word in enumerate(reading.words):
        if word in names and not known[index] and index not in told:
            found = (index, index + 1) if _opens_line(reading, index, names) else (index,)
            if len(found) > 1 or _is_told(reading, index, known, told):
                told.update(found)
                yield from found


def _opens_line(reading: Reading, index: int, names: Collection[str]) -> bool:
    """True for two names that begin a line and a sign or its end closes: "Le A – IPP 80123456"."""
    if reading.line(reading.starts[index])[0] != reading.starts[index] or index + 1 >= len(reading.words):
        return False
    words = set(reading.words[index : index + 2])
    capitals = is_capital(reading, index) and is_capital(reading, index + 1)
    return (
        len(words) == 2
        and words <= set(names)
        and capitals
        and reading.word(index + 2) in ("-", "–", ",", "(", "\n", "")
    )


def _is_told(reading: Reading, index: int, known: Sequence[float], told: Collection[int]) -> bool:
    after = reading.word(index + 1)
    if after.isdigit() or after in _CALENDAR or after == "'" or reading.word(index - 1) in ("'", "-"):
        return False
    if not (is_capital(reading, index) or reading.lowered(index)):
        return False
    if _beside(reading, index, known, told):
        return True
    if not is_capital(reading, index):
        return _in_field(reading, index) and _closes(reading, index)
    if len(reading.words[index]) == 1:
        return _in_field(reading, index) and _closes(reading, index)
    if _titled(reading, index):
        return _fits_title(reading, index)
    if _in_field(reading, index):
        return not is_capital(reading, index + 1) or after in _LABELS
    return _stands_alone(reading, index, known) or _listed(reading, index)


def _closes(reading: Reading, index: int) -> bool:
    """True if no word of the same sentence follows, but for the label of another field."""
    after = reading.word(index + 1)
    return not after.isalpha() or after in _LABELS


def _beside(reading: Reading, index: int, known: Sequence[float], told: Collection[int]) -> bool:
    """True beside another name of the patient: "LE Van Minh", "Linh LE est vue", but not "Linh Le Goff"."""
    before, after = _near(reading, index, -1), _near(reading, index, 1)
    if after is not None and known[after]:
        return is_capital(reading, index) or not reading.word(index - 1).isalpha()
    if before is None or not (known[before] or before in told):
        return False
    return _closes(reading, index) if len(reading.words[index]) == 1 else not _other_name_follows(reading, index)


def _near(reading: Reading, index: int, step: int) -> int | None:
    """Return the word before (`step` -1) or behind (1), over a sign and particles, on the same line; None for none."""
    at = index + step
    if reading.word(at) in ("-", ",", "^", ";", "/"):
        at += step
    first, last = sorted((index, at))
    gap = reading.text[reading.ends[first] : reading.starts[last]] if first >= 0 and reading.word(last) else "\n"
    if len(gap) > _GAP or "\n" in gap:
        return None
    while step > 0 and reading.words[at] in PARTICLES and is_capital(reading, at + 1):
        at += step
    return at


def _other_name_follows(reading: Reading, index: int) -> bool:
    """Return whether an informative capital follows: the word is then the particle of another surname."""
    after = index + 1
    if not is_capital(reading, after) or not reading.word(after).isalpha() or reading.word(after) in _LABELS:
        return False
    return not reading.shouted(index) and reading.starts[after] - reading.ends[index] <= 1


def _titled(reading: Reading, index: int) -> bool:
    before = index - 1
    while reading.word(before) in (".", ":"):
        before -= 1
    word = reading.word(before)
    return word in _TITLES and (len(word) > 2 or is_capital(reading, before) or reading.lowered(before))


def _fits_title(reading: Reading, index: int) -> bool:
    """True if what follows suits a surname behind a title: a sign, a verb or a grammatical word, but no function."""
    after = reading.word(index + 1)
    if not after.isalpha():
        return after != "\n" or not reading.word(index + 2).isdigit()
    if after in _FUNCTIONS or reading.word(index - 1) in _MARRIED or _other_name_follows(reading, index):
        return False
    parts = set(reading.lexicon.parts.get(after, "NOM" if is_capital(reading, index + 1) else "VER").split("|"))
    return bool(parts & {"VER", "AUX"}) or is_grammatical(reading, after) or "NOM" not in parts


def _in_field(reading: Reading, index: int) -> bool:
    start = reading.starts[index]
    before = reading.folded[max(reading.line(start)[0], start - _LINE) : start]
    if _FIELD.search(before):
        return True
    bare = _BARE_FIELD.search(before) is not None and is_upper(reading, index) and _closes(reading, index)
    return bare and not reading.shouted(index)


def _stands_alone(reading: Reading, index: int, known: Sequence[float]) -> bool:
    """True alone on its line, with the label of a field above or another name of the patient above or below."""
    start, end = reading.line(reading.starts[index])
    if reading.text[start:end].strip(" \t.,;|*•-–—") != reading.surface(index):
        return False
    above = reading.line(start - 1) if start else (0, 0)
    below = reading.line(end + 1) if end < len(reading.text) else (end, end)
    if _LABEL_LINE.fullmatch(reading.folded, *above):
        return True
    beside = (*range(*map(reading.token_at, above)), *range(*map(reading.token_at, below)))
    return any(known[at] for at in beside)


def _listed(reading: Reading, index: int) -> bool:
    """True for an item of a list: "Dupont, LE, Martin"."""
    if reading.words[index] in PARTICLES and not is_upper(reading, index):
        return False
    return reading.word(index - 1) in _LIST_SIGNS and reading.word(index + 1) in _LIST_SIGNS
