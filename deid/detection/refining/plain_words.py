"""Words of the language and abbreviations that look like names: nouns, verbs, slips, acronyms, codes of documents."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from functools import cache
from string import ascii_lowercase

from deid.detection.lookup.lexicon import gazetteers, lexicon
from deid.detection.merging.evidence import is_acronym
from deid.detection.refining.trimming import USUAL_NAME
from deid.detection.text.names import is_capital
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import (
    CIVILITIES,
    DOCUMENT_CODES,
    KINSHIP,
    NAME_FIELDS,
    PROFESSIONS,
    TITLES,
    UNNAMED_BODIES,
    word_list,
)
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.calendar import WEEKDAYS
from deid.french.folding import key
from deid.french.social_words import origins, peoples

_POINTING = PROFESSIONS | word_list("pointing_to_people")
_SAYING_WHO = _POINTING | TITLES | frozenset(NAME_FIELDS)
_LONGEST_ACRONYM = 8
_LONGEST_TREATMENT = 4  # letters of "lithiase traitée par LEC", "Basedow traité par NMZ"
_SMALL_WORDS = frozenset("a au aux d de des du en et l la le les of par pour the".split())
_CELL, _DOCTORS_CELL = 48, re.compile(r"(?:dr|pr|docteur|professeur)\.? [^;\n]{2,40};\Z")
_RESULTS = frozenset("hs ind na nc nd ne neg nf nr pos ras tr".split())
_SIGNED_ROW = re.compile(r"[ |;]*(?:sign|visa|ide\b|par\b|initiales|paraphe|equipe|nom\b)")
_NEXT_CELL = re.compile(r";([^;\n\d]{2,40})")
_WRITERS = re.compile(r"[ .]*(?:/ ?(?:[a-z]\.?){1,4})? *")  # who typed: "P.L./mj"
_BOXES, _FIGURE_BEHIND = frozenset({"bp", "cs"}), re.compile(r"\.? ?\d")
_DOTTED = re.compile(r"[a-z]\.(?:[a-z]\.){0,5}[a-z]?\.?(?![a-z]{2})(?:[a-z](?![a-z]))?")
# Two abbreviations that open the row of a table: "RE / RP  | 95 %", "DDN / AGE .... 11".
_ROW_LABEL = re.compile(r"[ \t|]{0,12}([A-Z]{2,5}) / ([A-Z]{2,5})[ \t]*(?:\||\.{3})[ \t.|:]*(?=\w)")
_FIGURE, _HOUR = re.compile(r"\d"), re.compile(r"[^\W\d]*\d{1,2} ?(?:h|:\d)", re.IGNORECASE)
_SHIFTS = frozenset(
    "abs absent absents conge conges garde gardes jour jours matin nuit nuits off repos rtt soir".split()
)
_NO_VALUES = _SHIFTS | PROFESSIONS | TITLES
_BLOOD = re.compile(r"(?:AB?|B|O)[ -]?(?:pos|neg|POS|NEG)(?:itif|atif|ITIF|ATIF)?")
SURE = 0.84  # score from which a name is no eponym ("M. Charcot")
_USUAL = 20  # occurrences per million from which a word is usual
_BEHIND_ADJECTIVES = frozenset(", . ; et ou ) mais".split())
_BEFORE_PEOPLE = word_list("before_people")
_OCCUPATIONS = frozenset("apprenti chauffeur conducteur emploi emplois metier metiers profession transporteur".split())
_NOUNS = frozenset({"NOM", "ADJ"})
_DOUBTING = frozenset({"bilstm_crf", "crf", "encoder_bilstm_crf", "flair", "transformer"})
_DOUBTED = 0.5  # probability below which a tagger doubts
_LEAST_MISREAD = 6  # letters of a word that a scanner misread
_BESIDE_A_PART = re.compile(
    r"(?:peri|retro|intra|inter|extra|endo|para|pre|post|sous|sus|supra|infra|trans)([a-z]{4,})"
)
_ADVERB = re.compile(r"[a-z]{3,}(?:iqu|eus|abl|ibl|ell|iv|al|air)ement")
_DAYS_NEAR = 3  # tokens on each side in which a list of days has another one
# Also the legal form of a firm.
_IDENTITY_WARNINGS = frozenset(
    "homonyme homonymes homonymie doublon doublons cuma earl eurl gaec sarl sasu scea selarl selas".split()
)
_LAUGHS = frozenset("lol ptdr xptdr".split())


# Abbreviations


def is_abbreviation(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for what is, without a title ahead, a code, a specialty, an acronym of a cell or beside its expansion."""
    first, alone = reading.token_at(mention.start), len(words) == 1
    if _is_code(reading, first, words) or (alone and _is_spelt_out(reading, first)):
        return True
    if mention.label not in NAMES:
        return False
    if _is_unit(reading, mention, words) or _is_coded(reading, mention, words):
        return True
    return (alone and _is_long_acronym(reading, first)) or _is_specialty(reading, mention)


# "prescripteur ;URG/FAYOLLE": a unit ahead of its physician, in a cell
_UNITS = word_list("specialties_behind_names") | frozenset("had hdj mco rea sau smur ssr urg usc usic".split())
_IN_CELL = re.compile(r"/[A-Z]{3,}")


def _is_unit(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for the unit of a hospital ahead of its physician in a cell."""
    written, ahead = reading.text[mention.start : mention.end], reading.text[mention.start - 1 : mention.start]
    unit = len(words) == 1 and words[0] in _UNITS and written.isupper() and ahead in (";", "|", "\t")
    return unit and _IN_CELL.match(reading.text, mention.end) is not None


def is_value_of(reading: Reading, mention: Mention) -> bool:
    """True for a blood group, the label of a row, and a letter as value of a clinical abbreviation: "HN : O."."""
    if _BLOOD.fullmatch(reading.text, mention.start, mention.end):
        return True
    row = row_label(reading, reading.line(mention.start)[0])
    if row and mention.score < SURE and (mention.start, mention.end) in (row.span(1), row.span(2)):
        return all("acronym" in reading.lexicon.clinical.get(part.lower(), "") for part in row.groups())
    first = reading.token_at(mention.start)
    label = reading.word(first - 2)
    letter = len(reading.words[first]) == 1 and len(reading.tokens(mention)) < 3 and reading.word(first - 1) == ":"
    return letter and label not in _SAYING_WHO and "acronym" in reading.lexicon.clinical.get(label, "")


def row_label(reading: Reading, start: int) -> re.Match[str] | None:
    """Return the two abbreviations that open a row: of professions, or of a figure or plain word, which is no shift."""
    row = _ROW_LABEL.match(reading.text, start)
    if row is None or not PROFESSIONS.isdisjoint(map(str.lower, row.groups())):
        return row
    if _FIGURE.match(reading.text, row.end()):
        return None if _HOUR.match(reading.text, row.end()) else row
    at = reading.token_at(row.end())
    return row if reading.surface(at).islower() and reading.words[at] not in _NO_VALUES else None


def _is_coded(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for a clinical acronym that fills a cell (";ETT;"), of two letters between a doctor's and a town's."""
    filled = reading.text[mention.start - 1 : mention.start] + reading.text[mention.end : mention.end + 1] == ";;"
    row = reading.folded[slice(*reading.line(mention.start))]
    result = len(words) == 1 and words[0] in _RESULTS and not _SIGNED_ROW.match(row)
    if result and len(re.findall(rf"[;|] *{words[0]} *(?=[;|])", row)) > 1:
        return True  # "CMV | ND | ND |"
    acronym = len(words) == 1 and "acronym" in reading.lexicon.clinical.get(words[0], "")
    sure = len(words[0]) > 2
    if filled and acronym and not sure:
        town = _NEXT_CELL.match(reading.text, mention.end)
        doctor = _DOCTORS_CELL.search(reading.folded, max(0, mention.start - _CELL), mention.start)
        sure = bool(doctor and town and gazetteers().towns(key(town[1])))
    return filled and acronym and sure and not reading.lexicon.surnames.get(words[0])


def is_dotted(reading: Reading, mention: Mention, initials: Sequence[Set[str]]) -> bool:
    """True for a clinical acronym with dots, which no title, role or field announces: "B.K. +", "E.V.A. 7/10".

    The initials of somebody in the text stay, a line of its own, which may be a signature, and a post-box.
    """
    if any(vote.annotator == "identity" for vote in mention.votes):
        return False
    written = _DOTTED.match(reading.folded, mention.start)
    if not written or written.end() < mention.end or "." not in reading.folded[mention.start : mention.end]:
        return False
    letters = re.sub(r"\W", "", written.group())
    if len(letters) < 2 or "acronym" not in reading.lexicon.clinical.get(letters, ""):
        return False
    before = reading.token_at(mention.start) - 1
    while reading.word(before) in (".", ":"):
        before -= 1
    if reading.word(before).isalpha() and reading.word(before) in _SAYING_WHO:
        return False
    line, end = reading.line(mention.start)
    alone = not reading.text[line : mention.start].strip() and _WRITERS.fullmatch(reading.folded, written.end(), end)
    box = letters in _BOXES and _FIGURE_BEHIND.match(reading.folded, written.end())
    return not (alone or box or any(one >= set(letters) for one in initials))


def known_initials(reading: Reading, mentions: Sequence[Mention]) -> list[set[str]]:
    """Return the initials of the patient, of whom several mentions have a part, and of each other name."""
    patient = [reading.text[one.start : one.end] for one in mentions if one.label is Label.PATIENT]
    others = [reading.text[one.start : one.end] for one in mentions if one.label in NAMES]
    named = [" ".join([*reading.document.patient.names, *patient]), *others]
    return [{part[0] for part in re.split(r"[\W_]+", key(one)) if len(part) > 1} for one in named]


def _is_long_acronym(reading: Reading, index: int) -> bool:
    """True for a clinical acronym of four letters or more that is no name, without a name beside it: "ACFA"."""
    word = reading.words[index]
    if len(word) < 4 or not is_acronym(reading, index) or not reading.lexicon.is_unknown(word):
        return False
    if _is_beside_a_name(reading, index):
        return False
    return not any(_is_titled(reading, at) for at, one in enumerate(reading.words) if one == word)


def _is_beside_a_name(reading: Reading, index: int) -> bool:
    """True if the word before or behind `index` has a capital and is a first name or a surname."""
    beside = (reading.word(at) for at in (index - 1, index + 1) if is_capital(reading, at))
    return any(reading.lexicon.is_first_name(one) or reading.lexicon.is_surname(one) for one in beside)


def _is_titled(reading: Reading, index: int) -> bool:
    """True for a word that a title, a profession or a field of a name announces."""
    before = index - 1
    if reading.word(before) == ":" and reading.word(before - 1) in CIVILITIES:
        return False  # of a couple: "Madame : SOPK"
    while reading.word(before) in (".", ":"):
        before -= 1
    return reading.word(before) in TITLES | PROFESSIONS | frozenset(NAME_FIELDS)


_SPECIALTIES = "|".join(sorted(word_list("specialties_behind_names")))
_SPECIALTY = re.compile(
    rf"(?:[a-z]\. ?)?(?:(?:{_SPECIALTIES})(?:[a-z]{{0,5}}\.|(?![a-z]))[ /-]*){{1,3}}|"
    r"m\.?p\.?r\.?|o\.?r\.?l\.?|m\.?a\.?r\.?"
)


def _is_specialty(reading: Reading, mention: Mention) -> bool:
    """True for a shortened specialty in parentheses behind a name: "K. PAYET (CHIR. PED.)"."""
    line, end = reading.line(mention.start)
    opened, closed = reading.text.rfind("(", line, mention.start), reading.text.find(")", mention.end, end)
    if min(opened, closed) < 0 or not is_capital(reading, reading.token_at(opened) - 1):
        return False
    return _SPECIALTY.fullmatch(reading.folded, opened + 1, closed) is not None


def _is_spelt_out(reading: Reading, index: int) -> bool:
    """Return whether an acronym is beside its expansion in French words: "langue des signes française (LSF)"."""
    letters = reading.words[index]
    if not reading.surface(index).isupper() or not 2 <= len(letters) <= _LONGEST_ACRONYM or reading.shouted(index):
        return False
    if reading.word(index - 1) == "(":
        stands_for = reading.words[max(0, index - 1 - 4 * len(letters)) : index - 1]
        content = [word for word in stands_for if word.isalpha() and word not in _SMALL_WORDS][-len(letters) :]
    elif reading.word(index + 1) == "(":
        behind = reading.words[index + 2 : index + 2 + 4 * len(letters)]
        inside = behind[: behind.index(")")] if ")" in behind else []
        content = [word for word in inside if word.isalpha() and word not in _SMALL_WORDS]
    else:
        return False
    return "".join(word[0] for word in content) == letters and all(map(reading.lexicon.is_word, content))


def _is_code(reading: Reading, first: int, words: Sequence[str]) -> bool:
    """True for codes of documents in capitals, but behind the field of a name or a writer's mark ("validé par")."""
    if not reading.surface(first).isupper():
        return False
    before = first - 2 if reading.word(first - 1) == ":" else first - 1
    if reading.word(before) == "par" and reading.word(before - 1).startswith("trait") and len(words) == 1:
        unknown = len(words[0]) <= _LONGEST_TREATMENT and reading.lexicon.is_unknown(words[0])
        return unknown or words[0] in DOCUMENT_CODES
    if not DOCUMENT_CODES.issuperset(words):
        return False
    return reading.word(before) not in _POINTING | frozenset(NAME_FIELDS)


def is_unnamed(reading: Reading, mention: Mention) -> bool:
    """True for the acronym of a body that exists everywhere, in capitals: "MDPH", "S.M.R.", "ARM07", "MDPH AAH"."""
    written = reading.text[mention.start : mention.end].replace(".", "").rstrip("0123456789")
    body, *behind = written.lower().split(" ")
    return (
        written.isupper()
        and body in UNNAMED_BODIES
        and all("acronym" in reading.lexicon.clinical.get(one, "") for one in behind)
        and all(vote.annotator != "identity" for vote in mention.votes)
    )


# Words


# "nous", "vous" and the ways of a drug as notes write them: "retour chez ns", "3u sc", "sac io"
_US, _US_AHEAD = frozenset({"ns", "vs"}), re.compile(r"\b(?:avec|chez|entre|pour|pr) \Z")
_WAYS, _WAY_AHEAD = (
    frozenset("im io iv ivd ivl po sc".split()),
    re.compile(r"(?:\d ?(?:amp|cc|cp|g|mcg|mg|ml|u|ui|µg)|\b(?:inj|injection|perf|sac|voie)) \Z"),
)
_WAY_REACH = 16
# "un monsieur gentil": somebody whom the text does not name.
_SOMEBODY = re.compile(r"\b(?:une?|des|deux|plusieurs) (?:monsieur|messieurs|madame|dames?) \Z")
_SAID_OF = KINSHIP | frozenset("avec chez et par".split())  # ahead of somebody's name
_VOWELS, _OFTEN_BORNE = "aeiouy", 2000  # births of a surname that a short form may be of
_MOST_LEFT_OUT, _LEAST_LEFT = 3, 5  # letters that a short form leaves out at most, and has at least


def is_small_word(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for words in small letters that nobody is called, behind "pr" (pour) and "un monsieur" too."""
    first, ahead = words[0], reading.folded[max(0, mention.start - _WAY_REACH) : mention.start]
    token = reading.token_at(mention.start)
    if first in ("idem", "dito"):
        return len(words) == 1 and (reading.word(token - 1) == ":" or not _is_titled(reading, token))
    if not reading.text[mention.start : mention.end].islower():
        return False
    alone = len(words) == 1
    if alone and ((first in _US and _US_AHEAD.search(ahead)) or (first in _WAYS and _WAY_AHEAD.search(ahead))):
        return True
    if alone and _SOMEBODY.search(reading.folded, max(0, mention.start - 30), mention.start):
        quality = "ADJ" in reading.lexicon.parts.get(first, "").split("|") and not reading.lexicon.is_first_name(first)
        elsewhere = (at for at in reading.places[first] if at != token)
        named = any(reading.capitals[at] or _is_titled(reading, at) for at in elsewhere)
        return quality and not named and reading.lexicon.common.get(first, 0.0) >= _USUAL
    return mention.label is not Label.PATIENT and _are_short(reading, mention)


def _are_short(reading: Reading, mention: Mention) -> bool:
    """True for short forms of words, beside no name, that no title, role or capital announces: "l'escar", "nvelle"."""
    tokens = [at for at in reading.tokens(mention) if len(reading.words[at]) > 1]
    short = [at for at in tokens if _is_short(reading.words[at])]
    plain = (_is_plain(reading, reading.words[at]) for at in tokens if at not in short)
    if not short or not all(plain):
        return False
    around = [reading.word(at) for at in (tokens[0] - 1, tokens[-1] + 1)]
    if around[0] in _SAID_OF or any(map(reading.lexicon.is_first_name, around)):
        return False
    if around[1] == "(" and reading.word(tokens[-1] + 2) in PROFESSIONS:
        return False
    places = (at for one in short for at in reading.places[reading.words[one]])
    said = (reading.capitals[at] or (_is_titled(reading, at) and reading.surface(at - 1) != "pr") for at in places)
    return not any(said)


def _is_plain(reading: Reading, word: str) -> bool:
    """True for a word of the language that is seldom a name."""
    lexicon, often = reading.lexicon, reading.lexicon.common.get(word, 0.0)
    named = lexicon.is_first_name(word) or lexicon.surnames.get(word) > _RATHER * often
    return lexicon.is_word(word) and not named


@cache
def _is_short(word: str) -> bool:
    """Return whether a word that no table has leaves letters out of a usual or medical one, and of no usual surname.

    "escar", "instt"; not "martn", which may be one.
    """
    if len(word) < _LEAST_LEFT or not word.isalpha() or not lexicon().is_unknown(word):
        return False
    if any(lexicon().surnames.get(one) >= _OFTEN_BORNE for one in _with_more_letters(word)):
        return False
    if lexicon().is_word(f"{word}{word[-1]}e"):
        return True
    whole = _whole_words()
    if any(_leaves_out(word, one) for one in whole.get(_consonants(word), ())):
        return True
    return word[-1] == word[-2] == "t" and any(one[:-1].startswith(word[:-1]) for one in whole.get(word[:4] + "…t", ()))


def _with_more_letters(word: str) -> Iterator[str]:
    """Yield a word with one letter more, and with two vowels more."""
    for at in range(1, len(word) + 1):
        yield from (f"{word[:at]}{letter}{word[at:]}" for letter in ascii_lowercase)
        for beside in range(at, len(word) + 1):
            yield from (f"{word[:at]}{one}{word[at:beside]}{two}{word[beside:]}" for one in _VOWELS for two in _VOWELS)


def _leaves_out(word: str, whole: str) -> bool:
    """Return whether a word is another one but for a few letters left out."""
    letters = iter(whole)
    return 0 < len(whole) - len(word) <= _MOST_LEFT_OUT and all(letter in letters for letter in word)


def _consonants(word: str) -> str:
    """Return the first letter of a word and the consonants behind it, one of two alike."""
    kept = word[0] + "".join(one for one in word[1:] if one not in _VOWELS)
    return "".join(one for at, one in enumerate(kept) if at == 0 or one != kept[at - 1])


@cache
def _whole_words() -> dict[str, list[str]]:
    """Return usual and medical words by their consonants, and those that end in "t" by their first letters."""
    found: dict[str, list[str]] = defaultdict(list)
    for one in {*lexicon().medical, *(one for one, often in lexicon().common.items() if often >= 1)}:
        if len(one) > _LEAST_LEFT and one.isalpha():
            found[_consonants(one)].append(one)
            found[f"{one[:4]}…{one[-1]}"].append(one)
    return found


def slips_of(word: str) -> Iterator[str]:
    """Yield a word with two letters in the other order, one twice or left out, and the key beside one or for it."""
    for at, letter in enumerate(word):
        ahead, behind = word[:at], word[at + 1 :]
        yield from (f"{ahead}{behind}", f"{ahead}{behind[:1]}{letter}{behind[1:]}")
        row = next(row for row in ("azertyuiop", "qsdfghjklm", "wxcvbn") if letter in row)
        pressed = row.index(letter)
        for other in row[max(0, pressed - 1) : pressed + 2]:
            yield from (f"{ahead}{other}{behind}", f"{ahead}{other}{letter}{behind}", f"{ahead}{letter}{other}{behind}")


_SLIPS = frozenset({*slips_of("elle"), *slips_of("elles")}) - {"elle", "elles"}


def is_plain_word(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for one word that is, without a title ahead, a word of the language, of a list of days, or for a job."""
    first = reading.token_at(mention.start)
    if len(words) != 1 or _is_occupation(reading, first):
        return len(words) == 1
    return mention.label in NAMES and any(test(reading, first) for test in _PLAIN_WORDS)


def _is_pronoun(reading: Reading, index: int) -> bool:
    """True for "Elle" with a slip of the hand, told once, before a verb: ". Emle souhaite partir".

    Two letters in the other order, one twice or left out, or the key beside; another letter makes a rare name ("Elve").
    """
    word, lexicon = reading.word(index), reading.lexicon
    opens = reading.word(index - 1) in ("", ".", "!", "?")
    slip = word in _SLIPS and len(reading.places[word]) == 1
    named = lexicon.is_first_name(word) or lexicon.is_surname(word)
    return slip and opens and not named and "VER" in lexicon.parts.get(reading.word(index + 1), "").split("|")


def is_misread_word(reading: Reading, mention: Mention) -> bool:
    """True for one usual word of French that a scanner read with a wrong sign: "mobi1isation", "mourlr", "SALARlE"."""
    start, end = mention.start, mention.end
    while start and reading.text[start - 1].isalnum():
        start -= 1
    while end < len(reading.text) and reading.text[end].isalnum():
        end += 1
    surface, word, lexicon = reading.text[start:end], reading.folded[start:end], reading.lexicon
    if len(word) < _LEAST_MISREAD or not word.isalnum():
        return False
    whole = word.replace("rn", "m")
    if whole != word and len(word) > _LEAST_MISREAD and lexicon.is_unknown(word) and not gazetteers().towns(word):
        return lexicon.common.get(whole, 0.0) >= 1 and not lexicon.is_surname(whole)  # "dernande"
    if lexicon.is_word(word) or lexicon.is_first_name(word) or lexicon.is_surname(word):
        return False
    mixed = "l" in surface and surface.replace("l", "").isupper()
    if not (mixed or surface.islower() or set("10") & set(surface)):
        return False  # "Chalne"
    if any(_is_titled(reading, at) for at in reading.places.get(reading.words[reading.token_at(mention.start)], ())):
        return False
    ones = [word.replace("1", sign).replace("0", "o") for sign in "li"]
    small = [at for at, sign in enumerate(surface) if sign == "l"]
    read = {*ones, *(f"{one[:at]}i{one[at + 1 :]}" for one in ones for at in small)} - {word}
    return any((lexicon.is_word(one) or one in lexicon.medical) and not lexicon.is_surname(one) for one in read)


def _is_occupation(reading: Reading, index: int) -> bool:
    """True for a noun in capitals behind a word for a job: "Métier : ROUTIER", "chauffeur ROUTIER"."""
    before = index - 2 if reading.word(index - 1) in (":", "=") else index - 1
    noun = _is_noun(reading, reading.words[index])
    return noun and reading.surface(index).isupper() and reading.word(before) in _OCCUPATIONS


def _is_noun(reading: Reading, word: str) -> bool:
    return word in reading.lexicon.common and not _NOUNS.isdisjoint(reading.lexicon.parts.get(word, "").split("|"))


def _is_doubted_noun(reading: Reading, mention: Mention) -> bool:
    """True for a noun that is rather no surname, that the taggers doubt and nothing announces.

    A line of its own may be a signature, and a capital beside it a first name.
    """
    index = reading.token_at(mention.start)
    word, lexicon = reading.words[index], reading.lexicon
    only_taggers = all(vote.annotator in _DOUBTING for vote in mention.votes)
    doubted = only_taggers and (mention.score <= _DOUBTED or all(vote.score < _DOUBTED for vote in mention.votes))
    written = reading.surface(index)
    if not (mention.votes and doubted and (written.isupper() or written.islower())) or len(reading.tokens(mention)) > 1:
        return False
    if not _is_noun(reading, word):
        return False
    if reading.shouted(index):  # "FATIGABLE": nobody's name
        named = lexicon.is_first_name(word) or lexicon.surnames.get(word, 0) > 0
    else:
        named = lexicon.is_first_name(word) or lexicon.surnames.get(word, 0) >= USUAL_NAME or lexicon.common[word] < 1
    if named:
        return False
    if _is_beside_a_name(reading, index):
        return False
    return not any(reading.announced(at, _SAYING_WHO, ".:(,", at) for at in reading.places[word])


def is_common(reading: Reading, index: int) -> bool:
    """True for a word of the language in lower case, in a line that has capitals, without a word that points at it."""
    word, lexicon = reading.words[index], reading.lexicon
    if not reading.surface(index).islower() or reading.lowered(index) or len(word) < 3 or lexicon.is_first_name(word):
        return False
    return word in lexicon.common and reading.word(index - 1) not in _POINTING


def _is_quality(reading: Reading, index: int) -> bool:
    """True for an adjective in lower case within a sentence that has capitals: "un nouveau-né rose, tonique"."""
    word, lexicon = reading.words[index], reading.lexicon
    if not reading.surface(index).islower() or reading.lowered(index) or len(word) < 4:
        return False
    usual = lexicon.common.get(word, 0.0) >= _USUAL and "ADJ" in lexicon.parts.get(word, "").split("|")
    before, after = reading.word(index - 1), reading.word(index + 1)
    return usual and before.isalpha() and before not in _BEFORE_PEOPLE and after in _BEHIND_ADJECTIVES


def _is_manner(reading: Reading, index: int) -> bool:
    """True for an adverb that is in no table of names: "validé ELECTRONIQUEMENT"."""
    word, lexicon = reading.words[index], reading.lexicon
    return _ADVERB.fullmatch(word) is not None and not (lexicon.is_first_name(word) or lexicon.is_surname(word))


def _is_region(reading: Reading, index: int) -> bool:
    """True for a medical word with a prefix of place, in lower case and in no table of names: "péribulbaire"."""
    word, lexicon = reading.words[index], reading.lexicon
    found = _BESIDE_A_PART.fullmatch(word) if reading.surface(index).islower() else None
    if found is None or found[1] not in lexicon.medical:
        return False
    return not (lexicon.is_first_name(word) or lexicon.is_surname(word))


def _is_listed_day(reading: Reading, index: int) -> bool:
    """True for a day of the week beside another one: "SEANCES LE MARDI, JEUDI, SAMEDI"."""
    beside = reading.words[max(0, index - _DAYS_NEAR) : index + _DAYS_NEAR + 1]
    return reading.words[index] in WEEKDAYS and sum(word in WEEKDAYS for word in beside) > 1


def _is_identity_warning(reading: Reading, index: int) -> bool:
    """True for "HOMONYME" of a patient's record, a firm's "SARL", and a laugh of a message: "je reviens lol"."""
    return reading.words[index] in _IDENTITY_WARNINGS or reading.surface(index) in _LAUGHS


def _is_predicate(reading: Reading, index: int) -> bool:
    """True for a verb in small letters behind a pronoun and "a" or "est", which is no name: "il est aimé de".

    One that people bear is a participle by its accent alone: "elle a marie", who keeps her.
    """
    word, lexicon, written = reading.words[index], reading.lexicon, reading.surface(index)
    if not written.islower() or "VER" not in lexicon.parts.get(word, "").split("|"):
        return False
    borne = max(lexicon.surnames.get(word), lexicon.first_names.get(word)) >= _BORNE
    plain = not borne or (reading.word(index - 1) in _IS and written.endswith(("é", "ée", "és", "ées")))
    return plain and reading.word(index - 1) in _HAS | _IS and reading.word(index - 2) in _PRONOUNS


def _is_of_profession(reading: Reading, index: int) -> bool:
    """True for a usual word in small letters behind a profession and "de": "auxiliaire de [vie] josette"."""
    word, often = reading.words[index], reading.lexicon.common.get(reading.words[index], 0.0)
    named = reading.lexicon.is_first_name(word) or reading.lexicon.surnames.get(word) > _RATHER * often
    told = reading.word(index - 1) == "de" and reading.word(index - 2) in PROFESSIONS
    return told and reading.surface(index).islower() and often >= _USUAL and not named


def _is_language(reading: Reading, index: int) -> bool:
    """True for a language: "interprète bambara", "interprète en shimaoré"."""
    word, before = reading.words[index], index - 1 - (reading.word(index - 1) == "en")
    spoken = reading.word(before) in ("interprete", "interpretariat", "langue", "parle", "traducteur", "traductrice")
    return spoken and (word in _LANGUAGES or word in origins() or word in peoples())


_LANGUAGES = word_list("languages")
_HAS, _IS = frozenset("a ai as ont avait avaient".split()), frozenset("est sont etait etaient".split())
_PRONOUNS = frozenset("il elle ils elles qui on je tu y".split())
_BORNE, _RATHER = 500, 10  # births from which a verb may be a name; births by occurrence per million of a usual word
_PLAIN_WORDS = (
    _is_language, _is_quality, is_common, _is_manner, _is_region, _is_listed_day, _is_identity_warning, _is_predicate,
    _is_of_profession, _is_pronoun,
)  # fmt: skip


def _is_infinitive(reading: Reading, mention: Mention) -> bool:
    """True for a verb in lower case that is nobody's name ("soir : coucher"): no nickname has that form."""
    written = reading.folded[mention.start : mention.end]
    if mention.label not in NAMES or not _INFINITIVE.fullmatch(written) or not written.isalpha():
        return False
    lexicon = reading.lexicon
    lower = reading.text[mention.start : mention.end].islower()
    return (
        lower
        and "VER" in lexicon.parts.get(written, "")
        and not (lexicon.is_first_name(written) or lexicon.is_surname(written))
    )


_INFINITIVE = re.compile(r"\w{2,}(?:er|ir|re)")
DOUBTED_WORDS = (_is_doubted_noun, _is_infinitive)
