"""Boundaries of mentions, completed: compounds, particles and initials of names, last signs of numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from deid.detection.lookup.known_names import LOWER_PARTICLES, NOT_NAMES, PARTICLES, SHORT_NAMES
from deid.detection.merging.evidence import is_explained_alone, names_nobody
from deid.detection.refining.overlaps import joined_mention
from deid.detection.refining.trimming import is_description
from deid.detection.text.names import elided, ends_value, glued, is_capital, is_lone_name, is_upper, namelike
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import PROFESSIONS, word_list
from deid.domain.document import Mention
from deid.domain.labels import IDENTIFIERS, NAMES, Label
from deid.french.folding import fold, key

_FOOT = 400  # characters before the end in which a lone line is a signature
_BORNE_WITH_ARTICLE = 1_000  # births of a surname written with its article from which it is one without capitals
_TIME_WORDS = word_list("time_words")
_SPELT = 3  # letters behind "M" from which it is the first of a name that is spelt
_REACH = 4  # most words or compounds added on one side
# Particles that open a surname when they have a capital.
_OPENING = PARTICLES - {"la", "les", "l", "m", "n", "o", "y", "mc", "st", "ste"}


# Initials of two letters ("Ph. Lecocq"), which end with a dot.
_TWO_LETTERS = frozenset("ch chr cl fr gh jb jc jf jl jm jp ph st th".split())
# Capitals of compound first names ("MP Esnault"), without those of a profession: "MG", "MT", "AS", "PH".
_COMPOUND = frozenset("jp jc jm jf jl jb jy jn jr jd fx py pe mc mp mf ml mh mj".split())
# Lone capitals before a name that are words rather than initials.
_NOT_INITIALS = frozenset("a o y".split())
# Signs behind which "de" can only belong to the name that follows.
_BEFORE_PARTICLE = word_list("before_particles")
_PARTICLES_BEHIND = LOWER_PARTICLES | {"de", "du", "d"}
# Letters of scripts other than the Latin one.
_OTHER_SCRIPT = re.compile("[\u0370-\u1cff\u2c80-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufefc]+")
# A value behind any label that opens its line; Greek in small letters is a sign of medicine.
_FIELD_IN_OTHER_SCRIPT = re.compile(
    "^[^\\n:]{2,40}:[ \\t]*((?:[\u0391-\u03a9]|[\u0400-\u1cff\u2c80-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufefc])"
    "[\u0370-\u1cff\u2c80-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufefc]+)",
    re.MULTILINE,
)
_HALF = re.compile(r" ?(?:(?:et )?1/2|½|et demie?)(?![\w/])")  # of a year or month of age
# "[1l] y a 3 ans": what a scanner made of "il" belongs to the distance.
_AGO_CUT, _MISREAD_IL = re.compile(r"(?:l ?)?y ?a "), re.compile(r"(?<!\w)[il1|!]{1,2} ?\Z")
# Letters that a scanner read for the first or last figures of a date: "l986".
_MISREAD_AHEAD, _MISREAD_BEHIND = re.compile(r"(?<!\w)[lIO]{1,2}\Z"), re.compile(r"[lIO]{1,2}(?!\w)")
_OPENERS = frozenset("le la de el al ben ait da dos ould".split())


def complete_names(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions, names with compounds, initials and neighbouring names, up to whole words."""
    result: list[Mention] = []
    for position, mention in enumerate(mentions):
        if mention.label in NAMES:
            floor = result[-1].end if result else 0
            ceiling = mentions[position + 1].start if position + 1 < len(mentions) else len(reading.text)
            mention = _completed(reading, mention, floor, ceiling)
        result.append(mention)
    return result


def announced_in_other_scripts(reading: Reading) -> list[Mention]:
    """Return the names in another script that the label of a field announces: "Nom : Петрова"."""
    named = [
        one
        for one in reading.found.get("context", ())
        if one.label in NAMES and _OTHER_SCRIPT.fullmatch(reading.words[reading.token_at(one.start)])
    ]
    if reading.text.isascii():
        return named
    fields = (match.span(1) for match in _FIELD_IN_OTHER_SCRIPT.finditer(reading.text))
    known = {one.start for one in named}
    return named + [Mention(start, end, Label.PERSON, 0.8) for start, end in fields if start not in known]


def _completed(reading: Reading, mention: Mention, floor: int, ceiling: int) -> Mention:
    first = reading.token_at(mention.start)
    last = reading.token_at(mention.end - 1)
    for _ in range(_REACH):
        if (at := _left(reading, first)) is None or reading.starts[at] < floor:
            break
        first = at
    for _ in range(_REACH):
        if (at := _right(reading, last)) is None or reading.ends[at] > ceiling:
            break
        last = at
    last = _through_digit(reading, last, ceiling)
    hyphened = reading.word(last + 1) == "-" and glued(reading, last + 1)
    if hyphened and reading.word(last + 2) == "\n" and reading.word(last + 3).isalpha():
        last += 1  # the name goes on in the next line
    start, end = min(reading.starts[first], mention.start), max(reading.ends[last], mention.end)
    return replace(mention, start=start, end=end)


def _through_digit(reading: Reading, last: int, ceiling: int) -> int:
    """Return the last token of the last word of a name, in which a scanner read a letter as a digit: LAB0RDE."""
    digit, rest = last + 1, last + 2
    if (
        rest < len(reading.words)
        and len(reading.words[digit]) == 1
        and reading.words[digit].isdigit()
        and glued(reading, digit)
        and glued(reading, rest)
        and reading.words[rest].isalpha()
        and reading.ends[rest] <= ceiling
    ):
        return rest
    return last


def _left(reading: Reading, first: int) -> int | None:
    """Return the first token of a name that starts further left than `first`, or None."""
    before = reading.word(first - 1)
    if before and _same_script(reading, first - 1, first):
        return first - 1
    if before == "-" and glued(reading, first) and glued(reading, first - 1) and reading.word(first - 2).isalpha():
        return first - 2
    if before == "'" and (elided(reading, first - 2) or _elides_particle(reading, first - 2)):
        return first - 2
    if (
        (
            before.isalpha()
            and len(before) > 2
            and before not in NOT_NAMES
            and reading.starts[first] - reading.ends[first - 1] == 1
        )
        and is_capital(reading, first - 1)
        and reading.lexicon.is_first_name(before)
        and is_capital(reading, first)
    ):
        return first - 1
    of_mister = reading.words[first] == "m" and reading.word(first + 1) == "."  # "CONSULTATION DE M. BASTARD"
    if before in _OPENING and is_capital(reading, first - 1) and is_capital(reading, first) and not of_mister:
        return first - 1
    if first and is_capital(reading, first) and _is_ahead_of_first_name(reading, first - 1):
        return first - 1
    if _is_lone_particle(reading, first - 1) or _opens_field(reading, first - 1):
        return first - 1
    if (
        before == "."
        and len(reading.word(first - 2)) == 1
        and is_capital(reading, first - 2)
        and reading.starts[first] - reading.ends[first - 1] <= 1
        and not ends_value(reading, first - 2)
    ) and (reading.word(first - 2) != "m" or _signs(reading, first - 2) or _is_run(reading, first)):
        return first - 2
    return _left_by_form(reading, first, before)


def _is_run(reading: Reading, first: int) -> bool:
    """True for an initial without a blank behind the dot of another: the "P." of "M.P."."""
    return len(reading.words[first]) == 1 and reading.word(first + 1) == "." and glued(reading, first)


def _is_ahead_of_first_name(reading: Reading, at: int) -> bool:
    """True for a surname in capitals ahead of a first name, behind a sign or nothing: "« LAM Thanh Huong »"."""
    word, before = reading.word(at), reading.word(at - 1)
    if before.isalpha() or before in ("'", "-") or not word.isalpha() or not is_upper(reading, at):
        return False
    if (
        is_upper(reading, at + 1)
        or reading.starts[at + 1] - reading.ends[at] != 1
        or reading.text[reading.ends[at]] != " "
    ):
        return False
    if before in ("«", '"'):
        return reading.lexicon.surnames.get(word, 0) > 0
    named = len(word) > 2 and word not in NOT_NAMES | PROFESSIONS and reading.lexicon.is_surname(word)
    return named and reading.lexicon.is_first_name(reading.words[at + 1])


def _opens_field(reading: Reading, at: int) -> bool:
    """True for a short surname in capitals ahead of a first name, where a field opens: "Contact : OU Sophie"."""
    opens = reading.word(at) in SHORT_NAMES and is_upper(reading, at) and reading.word(at - 1) == ":"
    called = reading.text[reading.ends[at] : reading.starts[at + 1]] == " " if opens else False
    return called and is_capital(reading, at + 1) and reading.lexicon.is_first_name(reading.words[at + 1])


def _elides_particle(reading: Reading, at: int) -> bool:
    return reading.word(at) == "d" and is_capital(reading, at + 2) and reading.word(at - 1) in _BEFORE_PARTICLE


def _is_lone_particle(reading: Reading, at: int) -> bool:
    """Return whether a particle in lower case, after a sign or word such as "avec", opens a surname: "(de Villèle"."""
    if reading.word(at) not in LOWER_PARTICLES or not is_capital(reading, at + 1):
        return False
    if reading.word(at - 1).isalpha() and reading.words[at] in ("le", "la", "l"):
        return False  # an article: "avec la Célestine"
    return reading.word(at - 1) in _BEFORE_PARTICLE and reading.starts[at + 1] - reading.ends[at] == 1


def _left_by_form(reading: Reading, first: int, before: str) -> int | None:
    """Return the same for initials of two letters or without a dot, and names of a line without capitals."""
    gap = reading.starts[first] - reading.ends[first - 1] if first else 0
    if before == "." and gap <= 1 and reading.word(first - 2) in _TWO_LETTERS and is_capital(reading, first - 2):
        return first - 2
    if gap != 1 or "\n" in (before, reading.text[reading.ends[first - 1]]):
        return None
    if len(before) == 1 and before.isalpha() and is_capital(reading, first - 1) and is_capital(reading, first):
        # "P504S QUERE", "O2 débit 3 L Quéré"
        coded = (glued(reading, first - 1) and reading.word(first - 2).isdigit()) or ends_value(reading, first - 1)
        mister = before == "m" and not _is_spelt(reading, first)
        return None if before in _NOT_INITIALS or mister or coded else first - 1
    if is_upper(reading, first - 1) and _abbreviates_patient(reading, before, first):
        return first - 1
    if before in _COMPOUND and is_upper(reading, first - 1) and reading.surface(first).istitle():
        return first - 1
    opens = first < 2 or not reading.word(first - 2).isalpha()
    if before in _OPENERS and opens and reading.lowered(first) and not is_capital(reading, first):
        return first - 1
    lowered = not is_capital(reading, first - 1) and reading.lowered(first)
    if lowered and reading.lexicon.is_first_name(before) and before not in NOT_NAMES and len(before) > 2:
        return first - 1
    inside = first > 1 and reading.word(first - 2).isalpha() and not is_capital(reading, first - 2)
    births = reading.lexicon.first_names.get(before, 0)
    if inside and is_capital(reading, first - 1) and births > 1000 and before not in NOT_NAMES:
        return first - 1
    return None


def _is_spelt(reading: Reading, first: int) -> bool:
    """Return whether lone letters stand in a row from `first` on, as in "M [A R T I N]"."""
    return all(len(reading.word(at)) == 1 and reading.word(at).isalpha() for at in range(first, first + _SPELT))


def _abbreviates_patient(reading: Reading, letters: str, first: int) -> bool:
    """Return whether letters ahead of the patient's surname are those of the compound first name: "MT LE GUENNEC"."""
    patient = reading.document.patient
    compounds = (key(name).split() for name in patient.first_names)
    if letters not in {"".join(word[0] for word in words) for words in compounds if len(words) > 1}:
        return False
    family = [key(name).split() for name in (patient.last_name, patient.birth_name) if name]
    return any(
        [*filter(str.isalnum, reading.words[first : first + 2 * len(words)])][: len(words)] == words
        for words in family
        if words
    )


def _signs(reading: Reading, index: int) -> bool:
    """True if "M." is an initial rather than a civility: in a signature, or behind "rédacteur :"."""
    before = reading.word(index - 1)
    if before == ":":
        return reading.word(index - 2) in PROFESSIONS or reading.word(index - 2) in ("aides", "suivi")
    if before not in ("\n", ""):
        return False
    start, end = reading.line(reading.starts[index])
    return end - start < 40 and len(reading.text) - end < _FOOT and len(reading.text[start:end].split()) <= 3


def _ends(reading: Reading, index: int) -> bool:
    """Return whether a sign, a line break, a wide blank or the end of the text follows token `index`."""
    if index + 1 >= len(reading.words) or reading.words[index + 1] in ("\n", ")", ",", ";", "–", "—", "|"):
        return True
    # A dash with blanks separates, a hyphen without blanks joins.
    return reading.starts[index + 1] - reading.ends[index] > (0 if reading.words[index + 1] == "-" else 1)


def _surname_follows(reading: Reading, last: int, nxt: int) -> bool:
    """True if a capitalised word behind a first name may be a surname: "Jean Sage", "Anli Chams"."""
    word = reading.words[nxt]
    if not is_capital(reading, nxt) or not is_capital(reading, last) or len(word) < 3 or is_upper(reading, nxt):
        return reading.lowered(nxt) and reading.lexicon.is_first_name(word) and reading.words[last].isalpha()
    lexicon = reading.lexicon
    if is_upper(reading, last) or not lexicon.is_first_name(reading.words[last]) or is_explained_alone(reading, nxt):
        return False
    return reading.word(last - 1) not in ("'", "-") and word not in lexicon.medical


def _same_script(reading: Reading, one: int, other: int) -> bool:
    """Return whether two words a blank apart are in a script that is not Latin: "Мария Петрова"."""
    near = reading.starts[other] - reading.ends[one] == 1 and reading.text[reading.ends[one]] == " "
    return near and all(_OTHER_SCRIPT.fullmatch(reading.words[at]) is not None for at in (one, other))


def _opens_with_article(reading: Reading, last: int, index: int) -> bool:
    """True for an article and word that many bear as one surname, behind a first name without capitals: "[le] roux"."""
    word = reading.word(index + 1)
    if reading.words[index] not in ("le", "la") or not reading.lowered(index) or not word.isalpha():
        return False
    borne = reading.lexicon.surnames.get(reading.words[index] + word) >= _BORNE_WITH_ARTICLE
    given = reading.lexicon.is_first_name(reading.words[last])
    return borne and given and reading.word(index + 2) not in _TIME_WORDS  # "le petit matin"


def _right(reading: Reading, last: int) -> int | None:
    """Return the last token of a name that ends further right than `last`, or None."""
    after = reading.word(last + 1)
    if after and _same_script(reading, last, last + 1):
        return last + 1
    if (
        after == "-"
        and glued(reading, last + 1)
        and last + 2 < len(reading.words)
        and glued(reading, last + 2)
        and reading.word(last + 2).isalpha()
    ):
        return last + 2
    if after == "(" and reading.word(last + 2) in _PARTICLES_BEHIND and reading.word(last + 3) == ")":
        return last + 3  # "TOCQUEVILLE (de) Amaury"
    nxt = last + 1
    if (
        nxt >= len(reading.words)
        or not after.isalpha()
        or reading.starts[nxt] - reading.ends[last] != 1
        or reading.text[reading.ends[last]] != " "
    ):
        return None
    if _ends_surname(reading, last, nxt):
        return nxt
    if (initial := _abbreviated_surname(reading, nxt)) is not None:
        return initial
    if _opens_with_article(reading, last, nxt):
        return nxt + 1
    if len(after) == 1 and is_capital(reading, nxt) and reading.word(nxt + 1) == "." and glued(reading, nxt + 1):
        return nxt + 1
    if is_upper(reading, nxt) and not is_upper(reading, last) and is_lone_name(reading, nxt):
        return nxt  # "Anh-Tuan LE :"
    if after in NOT_NAMES:
        return None
    if (
        is_capital(reading, nxt)
        and len(after) > 1
        and namelike(reading, nxt)
        and not is_description(reading, nxt)
        and not names_nobody(reading, nxt)
        and (is_upper(reading, nxt) or reading.lexicon.is_first_name(after))
    ):
        return nxt
    if len(after) == 1 and after not in _NOT_INITIALS and _ends(reading, nxt):
        return nxt if is_capital(reading, nxt) or reading.lowered(nxt) else None
    if _surname_follows(reading, last, nxt):
        return nxt
    if (
        after in LOWER_PARTICLES
        and is_capital(reading, nxt + 1)
        and reading.word(nxt + 1) not in NOT_NAMES
        and namelike(reading, nxt + 1)
        and after not in ("a", "le", "la", "l", "et", "de", "d", "du", "des")
    ):
        return nxt + 1
    return None


def _ends_surname(reading: Reading, last: int, nxt: int) -> bool:
    """True for the last word in capitals of a surname, a comma ahead of the first name: "FADIL MARIONS, Yanis"."""
    if not (is_upper(reading, last) and is_upper(reading, nxt)) or reading.words[nxt] in NOT_NAMES:
        return False
    first = nxt + 2
    called = reading.word(nxt + 1) == "," and is_capital(reading, first) and not is_upper(reading, first)
    return len(reading.words[nxt]) > 2 and called and reading.lexicon.is_first_name(reading.words[first])


def _abbreviated_surname(reading: Reading, particle: int) -> int | None:
    """Return the dot of a surname of which a particle and an initial stand: "Ghislaine d'A."; None if none does."""
    if reading.words[particle] not in ("d", "de", "du") or is_capital(reading, particle):
        return None
    at = particle + 2 if reading.word(particle + 1) in ("'", "’") else particle + 1
    dotted = len(reading.word(at)) == 1 and is_capital(reading, at) and reading.word(at + 1) == "."
    return at + 1 if dotted and glued(reading, at + 1) else None


# Last signs of a mention: the dot of an initial, a bracket, the rest of a number.

_BEFORE_PHONE = re.compile(r"(?:\([+0]\d{0,3}\)|[(+*#])+\Z")
_BEFORE_NUMBER = re.compile(r"(?:[A-Za-z0-9]{1,12}[-/_])*(?:[A-Za-z0-9]{0,12}|(?<![^\W\d_])[^\W\d_]{3,20})\Z")
_AFTER_NUMBER = re.compile(r"[A-Za-z0-9]{0,12}(?:[-/_][A-Za-z0-9]{1,12})*")
_LAST_INITIAL = re.compile(r"(?:^|[\s.\-^])[A-ZÀ-Ý]$")
# Letters and digits that touch a name: 0 for O by a scanner, an HTML entity for an accent.
_BEFORE_NAME = re.compile(r"(?:&[A-Za-z]{2,6};|\w)+\Z")
_AFTER_NAME = re.compile(r"(?:&[A-Za-z]{2,6};|[^\W_])+")
_ABBREVIATED = re.compile(r"\.(?=[,;:)|])")
# The surname of a login, and what before a name tells that it is a part of a longer address.
_LOGIN_REST = re.compile(r"\.([a-zà-ÿ]{3,})(?![\w@]|[./-]\w)")
_IN_ADDRESS = frozenset("./@-_")
_KEY = re.compile(r"[ ,–-]{0,3}\(?(?:cl[eé]f?|key)[ :]{0,2}", re.IGNORECASE)
_NUMBER_REACH = 40  # signs read on each side


# "Mr K. M âgé de 45 ans": a second initial, before what tells of its bearer.
_SECOND_INITIAL = re.compile(r" [A-Z]\.?(?=,? (?:âgée?|agée?|né|née|patiente?|de sexe|est|a été)\b)")


def complete_last_signs(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return sorted mentions with the adjacent signs that belong to them; they do not grow into one another."""
    mentions = _with_keys(reading.text, mentions)
    grown: list[Mention] = []
    for index, mention in enumerate(mentions):
        low = grown[-1].end if grown else 0
        high = mentions[index + 1].start if index + 1 < len(mentions) else len(reading.text)
        start, end = _grown(reading, mention, low, high)
        grown.append(replace(mention, start=start, end=end))
    return grown


def _with_keys(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions, a social security number and its key as one."""
    joined: list[Mention] = []
    for mention in mentions:
        follows = joined and joined[-1].label is mention.label is Label.NIR
        if follows and _KEY.fullmatch(text, joined[-1].end, mention.start):
            joined[-1] = joined_mention(joined[-1], mention)
        else:
            joined.append(mention)
    return joined


def _grown(reading: Reading, mention: Mention, low: int, high: int) -> tuple[int, int]:
    text = reading.text
    start, end = mention.start, mention.end
    if mention.label in NAMES:
        start, end = _whole_words(text, start, end, low, high)
        end = _through_login(reading, start, end, high)
        initial = end < high and text[end] == "." and _LAST_INITIAL.search(text[max(start, end - 2) : end])
        if initial or (end < high and _ABBREVIATED.match(text, end)):
            end += 1
        elif end < high and text[end] == "-" and text[end + 1 : end + 2] in ("", "\n"):
            end += 1  # the rest of the name is on the next line
        if (second := _SECOND_INITIAL.match(text, end)) and text[start:end].rstrip(".").isupper() and end - start < 3:
            end = min(high, second.end())
    elif mention.label is Label.AGE and (half := _HALF.match(text, end)):
        end = min(high, half.end())
    elif mention.label is Label.RELDATE and _AGO_CUT.match(reading.folded, start):
        start -= len(_matched(_MISREAD_IL, reading.folded[max(low, start - 4) : start]))
    elif mention.label is Label.DATE:
        if text[start].isdigit():
            start -= len(_matched(_MISREAD_AHEAD, text[max(low, start - 3) : start]))
        if text[end - 1].isdigit() and (found := _MISREAD_BEHIND.match(text, end, high)):
            end = found.end()
    elif mention.label is Label.PHONE:
        start -= len(_matched(_BEFORE_PHONE, text[max(low, start - 6) : start]))
    elif mention.label in IDENTIFIERS and text[start:end].strip():
        if text[start].isalnum():
            ahead = _matched(_BEFORE_NUMBER, text[max(low, start - _NUMBER_REACH) : start])
            start -= 0 if _is_glued_word(reading, ahead) else len(ahead)
        if text[end - 1].isalnum():
            found = _AFTER_NUMBER.match(text, end, min(high, end + _NUMBER_REACH))
            end = found.end() if found else end
    if ")" in text[start:end] and "(" not in text[start:end] and start > low and text[start - 1] == "(":
        start -= 1
    if "(" in text[start:end] and ")" not in text[start:end] and end < high and text[end] == ")":
        end += 1
    return start, end


def _is_glued_word(reading: Reading, ahead: str) -> bool:
    """Return whether letters ahead of a number are a word of the language that nobody is called: "tube880214"."""
    word, lexicon = fold(ahead), reading.lexicon
    return len(word) > 2 and lexicon.is_word(word) and not (lexicon.is_first_name(word) or lexicon.is_surname(word))


def _through_login(reading: Reading, start: int, end: int, high: int) -> int:
    """Return the end of a login of which a name is the first half: "saisi par rachel.creteur"."""
    text = reading.text
    found = _LOGIN_REST.match(text, end, high) if text[start:end].isalpha() and text[start:end].islower() else None
    if found is None or text[start - 1 : start] in _IN_ADDRESS or reading.lexicon.is_word(found[1]):
        return end
    return found.end()


def _whole_words(text: str, start: int, end: int, low: int, high: int) -> tuple[int, int]:
    """Return the span of a name with the letters behind a scanner's digit or an HTML entity."""
    before = _matched(_BEFORE_NAME, text[max(low, start - 12) : start]) if text[start].isalnum() else ""
    if text[start].isdigit() or any(sign.isdigit() or sign == "&" for sign in before):
        start -= len(before)
    after = _AFTER_NAME.match(text, end, min(high, end + 12)) if text[end - 1].isalnum() else None
    if after and any(sign.isdigit() or sign == "&" for sign in after.group()):
        end = after.end()
    return start, end


def _matched(pattern: re.Pattern[str], before: str) -> str:
    found = pattern.search(before)
    return found.group() if found else ""
