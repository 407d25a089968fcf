"""Names after titles, professions, kinship and links ("Dr", "IDE", "son fils", "vu par")."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from deid.detection.lookup.known_names import LOWER_PARTICLES, NOT_NAMES, PARTICLES
from deid.detection.lookup.lexicon import gazetteers
from deid.detection.text.names import is_capital, is_lone_name, is_particle_here, is_upper, namelike, read_name
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import (
    BIRTH,
    CIVILITIES,
    DOCTOR_TITLES,
    FILLERS,
    KINSHIP,
    LINKS,
    PERSON_TITLES,
    PLURAL,
    PROFESSIONS,
)
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import fold, key

# "DrMATHIEU", "DRBATLLE", "mmeRivault": the blank was lost.
_GLUED_TITLE = re.compile(
    r"(?<!\w)(?:[Dd]r|[Pp]r(?=[A-Z]{3})|Mme|mme|DR(?=[A-Z]{3})|Me(?=[A-Z][a-z]{3}))([A-ZÀ-Ý][\w'’-]{2,})"
)
_SPELT = re.compile(r"(?<![\w.])(?:[A-Za-z] ){4,}[A-Za-z](?![\w.])")
_PLACE_LINKS = frozenset("de d du des a au aux en la le les".split())
_MOST_TITLES = 12  # before a name; a longer row of titles announces nobody
_FULL_CIVILITIES = CIVILITIES - {"m", "mm"}  # "Dr M. Vraz": there the M is an initial
_ANNOUNCING_SIGNS = frozenset({":", ",", "(", "-", ".", "«", '"', "=", ">", "'", "|", "e"})
_SINGULAR = PROFESSIONS | KINSHIP
_CIVIL_OR_BIRTH = frozenset("mme m mr madame monsieur mlle melle mademoiselle nee ep epouse ne veuve vve epse".split())
_JOINERS = frozenset({"et", "/", ",", "+", "&", "ou", ";", "-", "–"})


def find_announced_names(reading: Reading) -> Iterator[Mention]:
    """Yield names that a word announces."""
    for match in _GLUED_TITLE.finditer(reading.text):
        if not (reading.lexicon.is_word(fold(match[1])) or reading.lexicon.is_word(fold(match.group()))):
            yield Mention(
                match.start(1), match.end(1), Label.DOCTOR if match.group()[0] in "dD" else Label.PERSON, 0.85
            )
    for match in _SPELT.finditer(reading.text):
        joined = fold(match.group().replace(" ", ""))
        if not reading.lexicon.is_word(joined) and not gazetteers().towns(joined):
            yield Mention(match.start(), match.end(), Label.PATIENT, 0.7)
    for index, word in enumerate(reading.words):
        if word in DOCTOR_TITLES:
            yield from _after_title(reading, index, Label.DOCTOR, 0.97)
        elif word in CIVILITIES:
            yield from _after_civility(reading, index)
        elif word in PERSON_TITLES and (word != "me" or is_capital(reading, index)) and word != "pere":
            yield from _after_title(reading, index, Label.PERSON, 0.88)
        elif word in BIRTH:
            yield from _after_birth_word(reading, index)
        if word in PROFESSIONS or (word[-1:] == "s" and word[:-1] in PROFESSIONS):
            yield from _after_profession_or_kinship(reading, index, Label.DOCTOR, 0.85)
        elif word in KINSHIP:
            yield from _after_profession_or_kinship(reading, index, Label.PERSON, 0.88)
        if word == "chez" and reading.word(index + 1) == "les" and is_capital(reading, index + 2):
            yield from _after_chez_les(reading, index + 2)
        if word in LINKS:
            label, score = LINKS[word]
            yield from _after_link(reading, index, label, score)


def _after_chez_les(reading: Reading, at: int) -> Iterator[Mention]:
    """ "chez les Tixier"."""
    if (last := read_name(reading, at, strict=True)) is not None:
        yield _make(reading, at, last, Label.PERSON, 0.75)


def _make(reading: Reading, first: int, last: int, label: Label, score: float) -> Mention:
    return Mention(reading.starts[first], reading.ends[last], label, score)


def _after_signs(reading: Reading, index: int, signs: tuple[str, ...] = (".", ":")) -> int:
    at = index + 1
    while reading.word(at) in signs:
        at += 1
    return at


def _after_title(reading: Reading, index: int, label: Label, score: float) -> Iterator[Mention]:
    """The name after a title; with a plural title, the names of the list."""
    words = reading.words
    at = _after_signs(reading, index)
    if reading.word(at) == "(" and reading.word(at + 2) == ")":
        at += 3
    for _ in range(_MOST_TITLES):
        if reading.word(at) not in DOCTOR_TITLES and reading.word(at) not in _FULL_CIVILITIES:
            break
        at = _after_signs(reading, at)
    if reading.word(at) == "\n" and is_capital(reading, at + 1) and words[index] in ("docteur", "professeur"):
        at += 1
    last = read_name(reading, at, lower=2)
    if last is None:
        return
    if words[index] in ("me", "doc", "paix", "logis", "major", "agent", "cure", "juge") and not is_capital(reading, at):
        return
    if label is Label.PERSON and reading.words[at] in LOWER_PARTICLES and not is_capital(reading, at):
        return
    if not is_capital(reading, at):
        score -= 0.07
    yield _make(reading, at, last, label, score)
    yield from _further_names(reading, last, label, score - 0.12, commas=words[index] in PLURAL)


def _further_names(reading: Reading, last: int, label: Label, score: float, commas: bool) -> Iterator[Mention]:
    """Further names joined to one by "et", "/", "+" (and commas, after a plural)."""
    for _ in range(6):
        sign = reading.word(last + 1)
        if sign not in _JOINERS or (sign in (",", ";", "-") and not commas):
            return
        at = last + 2
        if sign == "," and reading.word(at) == "et":
            at += 1
        if reading.word(at) in DOCTOR_TITLES or reading.word(at) in CIVILITIES:
            return
        if (not is_capital(reading, at) and not commas and sign == "et") or not reading.word(at).isalpha():
            return
        if not (namelike(reading, at) or len(reading.word(at)) <= 2 or (is_capital(reading, at) and commas)):
            return
        end = read_name(reading, at, lower=1)
        if end is None:
            return
        yield _make(reading, at, end, label, score)
        last = end


def _after_civility(reading: Reading, index: int) -> Iterator[Mention]:
    """M., Mme… : the patient, unless the document's other uses of the name say otherwise (see roles)."""
    word = reading.words[index]
    if (
        word in ("m", "mm", "mad")
        and not (is_capital(reading, index) and (reading.word(index + 1) == "." or is_capital(reading, index + 1)))
        and not (reading.lowered(index) and word == "m" and reading.word(index + 1) == ".")
    ):
        return
    if word == "m" and reading.ends[index] < len(reading.text) and reading.text[reading.ends[index]] not in ". \n":
        return
    if word in ("m", "mm") and index and reading.word(index - 1).isdigit():
        return
    at = _after_signs(reading, index, (".", ":"))
    if reading.word(at) in DOCTOR_TITLES or (reading.word(at) == "le" and reading.word(at + 1) in DOCTOR_TITLES):
        return
    lower = 3 if word not in ("m", "mm", "mad") or reading.lowered(index) else 0
    last = read_name(reading, at, lower=lower)
    if last is None or (reading.words[at] in ("la", "le", "l", "les") and not is_capital(reading, at)):
        return
    score = 0.95 if is_capital(reading, at) else 0.86
    yield _make(reading, at, last, Label.PERSON, score)
    yield from _further_names(reading, last, Label.PERSON, score - 0.2, commas=word in PLURAL)


def _after_birth_word(reading: Reading, index: int) -> Iterator[Mention]:
    """The birth or married name after "née", "épouse", "veuve"."""
    at = _after_signs(reading, index, (".", ":"))
    if reading.word(at) == ")" or (not is_capital(reading, at) and not reading.lowered(index)):
        return
    word = reading.words[index]
    doubtful = word == "ne" or (word in ("dit", "dite") and reading.word(at) in reading.lexicon.common)
    written = reading.text[reading.starts[index] : reading.ends[index]].lower()
    if doubtful and (written != "né" or not namelike(reading, at)):
        return
    last = read_name(reading, at, lower=1 if reading.lowered(index) else 0)
    if last is None or (reading.word(at) in ("le", "a", "en") and (last == at or not is_capital(reading, at))):
        return
    strong = reading.words[index] in ("nee", "ep", "epse", "vve", "veuve")
    yield _make(reading, at, last, Label.PERSON, 0.93 if strong else 0.8)


def _after_profession_or_kinship(reading: Reading, index: int, label: Label, score: float) -> Iterator[Mention]:
    """The name that follows a profession or a relationship, past a few words that specify it."""
    at = _past_fillers(reading, index)
    word = reading.word(at)
    if at > index + 1 and reading.words[at - 1] in _PLACE_LINKS:
        return
    if not word.isalpha() or word in KINSHIP:
        return
    if word in NOT_NAMES and not is_particle_here(reading, at) and not is_lone_name(reading, at):
        return
    capital = is_capital(reading, at)
    if reading.starts[at] - reading.ends[index] > 40 or (word in PROFESSIONS and not capital):
        return
    sure = at == index + 1 or reading.word(index + 1) in (":", "=")
    lower_name = reading.lowered(index) and len(word) > 2 and namelike(reading, at)
    fit = _fitness(reading, at, sure) if capital else 0.15 if lower_name else None
    last = read_name(reading, at, lower=0 if capital else 2) if fit is not None else None
    if fit is None or last is None:
        return
    short = is_upper(reading, at) and last == at and len(word) <= 3 and reading.word(index + 1) not in (":", "=")
    score -= fit + (0.3 if short else 0.0)
    yield _make(reading, at, last, label, score)
    commas = reading.words[index] in PLURAL or reading.words[index] not in _SINGULAR
    yield from _further_names(reading, last, label, score - 0.1, commas=commas)


def _past_fillers(reading: Reading, index: int) -> int:
    at = index + 1
    while at - index <= 5:
        word = reading.word(at)
        if word not in _ANNOUNCING_SIGNS and (word not in FILLERS or is_capital(reading, at)):
            break
        at += 1
    return at


def _fitness(reading: Reading, at: int, sure: bool) -> float | None:
    """Return the deduction from the score of a name that a capitalised word opens; None if it is no name."""
    word = reading.words[at]
    if namelike(reading, at):
        return 0.0
    if not sure and not (len(word) == 1 and reading.word(at + 1) == "."):
        return None
    if word in reading.lexicon.common or word in reading.lexicon.medical:
        return 0.3 if is_capital(reading, at + 1) else None
    return 0.0


def _after_link(reading: Reading, index: int, label: Label, score: float) -> Iterator[Mention]:
    at = _after_signs(reading, index, (":", ",", "«", "(", "-"))
    word = reading.word(at)
    if (
        not word.isalpha()
        or (word in NOT_NAMES and not is_particle_here(reading, at))
        or (word in reading.lexicon.eponyms and word not in reading.lexicon.first_names)
    ):
        return
    if (
        not namelike(reading, at)
        and not (len(word) == 1 and reading.word(at + 1) == ".")
        and not is_particle_here(reading, at)
    ):
        return
    if not is_capital(reading, at) and not reading.lowered(index):
        return
    if is_upper(reading, at) and len(word) < 6 and reading.lexicon.is_unknown(word):
        return
    last = read_name(reading, at, lower=2 if reading.lowered(index) else 0)
    if last is not None:
        yield _make(reading, at, last, label, score if is_capital(reading, at) else score - 0.05)
        yield from _further_names(reading, last, label, score - 0.1, commas=reading.words[index] in PLURAL)


# Lists of people

_LIST_SEPARATORS = frozenset({",", "/", "+", "et", ";", "&", "→"})
_LIST_ENDS = frozenset({",", ";", ")", ".", "/", "+", "(", "\n", "", "et", ":", "&", "]", "→"})
_SURE_NAME = 0.6


def extend_lists(reading: Reading, names: Sequence[Mention]) -> Iterator[Mention]:
    """Yield names to the right of sure ones in lists such as "(Rakoto, Cherqui-Blum, Samama)"."""
    starts = {mention.start for mention in names}
    for mention in names:
        if mention.label not in NAMES or mention.score < _SURE_NAME:
            continue
        last = reading.token_at(mention.end - 1)
        score = min(mention.score, 0.85) - 0.1
        for _ in range(8):
            at = last + 2
            if reading.word(last + 1) not in _LIST_SEPARATORS or reading.word(at) == "" or reading.starts[at] in starts:
                break
            end = _list_item(reading, at)
            if end is None:
                break
            starts.add(reading.starts[at])
            yield Mention(reading.starts[at], reading.ends[end], mention.label, score)
            last = end


def _list_item(reading: Reading, at: int) -> int | None:
    """Last token of the name that is exactly one item of a list from token `at`; None if it is no name."""
    word = reading.words[at]
    if not is_capital(reading, at) or word in NOT_NAMES or not (namelike(reading, at) or len(word) == 1):
        return None
    if word in reading.lexicon.drugs or word in reading.lexicon.eponyms or (is_upper(reading, at) and len(word) < 5):
        return None
    end = read_name(reading, at, strict=True)
    if end is None or reading.word(end + 1) not in _LIST_ENDS:
        return None
    name = " ".join(part for part in reading.words[at : end + 1] if part.isalpha())
    return None if name in gazetteers().names else end


# Roles, decided once per document: the patient, a professional or someone else


def settle_roles(reading: Reading, mentions: Iterable[Mention]) -> Iterator[Mention]:
    """Yield the mentions; names announced by a civility only take their role from the rest of the document."""
    found = list(mentions)
    roles = _roles(reading, found)
    patient_known = any(label is Label.PATIENT for label in roles.values())
    for mention in sorted(found, key=lambda one: one.start):
        if mention.label is not Label.PERSON or not _civility_before(reading, mention):
            yield mention
            continue
        known = [roles[word] for word in _name_words(reading, mention) if word in roles]
        if known:
            yield replace(mention, label=known[0])
        elif _profession_follows(reading, mention):
            yield replace(mention, label=Label.DOCTOR)
        elif not patient_known and not _kin_near(reading, mention):
            patient_known = True
            roles.update(dict.fromkeys(_name_words(reading, mention), Label.PATIENT))
            yield replace(mention, label=Label.PATIENT)
        else:
            yield mention


def _name_words(reading: Reading, mention: Mention) -> list[str]:
    return [
        word
        for word in key(reading.text[mention.start : mention.end]).split()
        if len(word) > 2 and word not in PARTICLES
    ]


def _roles(reading: Reading, mentions: list[Mention]) -> dict[str, Label]:
    """Word of a name → the role that sure announcements give it most often."""
    counts: dict[str, Counter[Label]] = {}
    for mention in mentions:
        if mention.label in (Label.PATIENT, Label.DOCTOR) and mention.score >= 0.8:
            for word in _name_words(reading, mention):
                counts.setdefault(word, Counter())[mention.label] += 1
    for name in reading.document.patient.names:
        for word in key(name).split():
            if len(word) > 2:
                counts.setdefault(word, Counter())[Label.PATIENT] += 3
    return {word: count.most_common(1)[0][0] for word, count in counts.items()}


def _civility_before(reading: Reading, mention: Mention) -> bool:
    """Return whether a civility or a birth word announced the mention."""
    index = reading.token_at(mention.start)
    return any(reading.word(at) in _CIVIL_OR_BIRTH for at in range(index - 2, index))


def _profession_follows(reading: Reading, mention: Mention) -> bool:
    index = reading.token_at(mention.end - 1) + 1
    if reading.word(index) not in (",", "(", "-", "–"):
        return False
    return (
        any(reading.word(at) in PROFESSIONS for at in (index + 1, index + 2)) and reading.word(index + 1) not in KINSHIP
    )


def _kin_near(reading: Reading, mention: Mention) -> bool:
    index = reading.token_at(mention.start)
    return any(reading.word(back) in KINSHIP for back in range(index - 6, index))
