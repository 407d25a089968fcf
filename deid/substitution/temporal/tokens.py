"""Cut a DATE mention into tokens with a meaning: numbers, months, weekdays, seasons, feasts, and the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from deid.french import numerals
from deid.french.calendar import (
    ENGLISH_MONTH_OF,
    ENGLISH_WEEKDAY_OF,
    ENGLISH_WORDS,
    MONTH_OF,
    MONTHS,
    PARTS_OF_PERIOD,
    ROMAN_OF,
    SEASON_OF,
    WEEKDAY_OF,
    WEEKDAYS,
)
from deid.french.folding import fold_line
from deid.substitution.temporal import feasts

# Characters that scanners take for one another count as one, in the word that is read and in those that are known.
_LOOKS = str.maketrans({"0": "o", "1": "i", "l": "i", "|": "i", "!": "i", "5": "s", "6": "e", "8": "b", "c": "e"})
_LEAST = 5  # letters of a word that may have a wrong one


def _skeleton(word: str) -> str:
    return word.replace("rn", "m").replace("vv", "w").translate(_LOOKS)


class FoldedWords:
    """Folded words, found again when broken by a scanner; two with one broken form are found as neither.

    A word of fewer than `least` letters is taken as it is.
    """

    def __init__(self, words: Iterable[str], misspelt: Iterable[str] = (), least: int = 3) -> None:
        self._known, self._least = frozenset(words), least
        self._misspelt = tuple(dict.fromkeys(misspelt))
        self._of: dict[str, str | None] = {}
        for word in sorted(self._known):
            broken = _skeleton(word)
            self._of[broken] = None if broken in self._of else word

    def mended(self, word: str) -> str | None:
        """Return the known word behind a folded one, broken or misspelt by a letter; None if none or several fit."""
        if word in self._known:
            return word
        found = self._of.get(_skeleton(word)) if len(word) >= self._least else None
        if found is not None or len(word) < _LEAST:
            return found
        near = [one for one in self._misspelt if OSA.distance(word, one, score_cutoff=1) <= 1]
        return near[0] if len(near) == 1 else None


_WHOLE = tuple(map(fold_line, (*MONTHS, *WEEKDAYS)))
_CALENDAR = FoldedWords((*_WHOLE, "janv", "fevr", "juil", "sept"), (word for word in _WHOLE if len(word) >= _LEAST))
_PARTS = FoldedWords((*SEASON_OF, *PARTS_OF_PERIOD, "milieu"), least=2)
_RUN = re.compile(r"[a-z0-9|!]+")


def mended_calendar_word(word: str) -> str | None:
    """Return the month or weekday behind a broken word, or None."""
    return _CALENDAR.mended(word) if any(char.isalpha() for char in word) else None


def run_at(plain: str, at: int) -> str:
    """Return the run of letters, figures and bars at a place of a folded text."""
    match = _RUN.match(plain, at)
    return match.group() if match else ""


_PIECE = re.compile(r"\d+|[a-z]+|[^a-z\d]+")
_FIGURES = re.compile(r"[0-9 ./-]+")  # most dates, of which nothing is scanned, broken or a word
# Scanned documents write 0 and 1 as O, l, I; only runs that cannot be words are mended.
_SCANNED = re.compile(
    r"(?<![a-z])(?=[oil|]*\d)[0-9oil|]+(?![a-z])|(?<![a-z])[ol]{2}(?=[ ./-])|(?<=[/.-])[ol|]{1,2}(?![a-z])|"
    r"(?<![a-z])[l|](?=er[ /])"
)
_MEND = str.maketrans("oil|", "0111")
_SPOKEN = re.compile(
    rf"(?:{'|'.join(sorted(numerals.NUMBER_WORDS, key=len, reverse=True))})(?![a-z])"
    rf"(?:(?: et | et-|-et-|[ -])(?:{'|'.join(sorted(numerals.NUMBER_WORDS, key=len, reverse=True))})(?![a-z]))*"
)
# "L17", "V. 26/05": the initial of a weekday ahead of a number; a small l is a scanned 1.
_INITIAL = re.compile(r"(?!S\d{1,2}[ /-](?:19|20)\d\d\Z)[LMJVSD](?=\.? ?\d)")  # "S28/2022" is a week
_INITIALS: Mapping[str, int | None] = {"L": 0, "M": None, "J": 3, "V": 4, "S": 5, "D": 6}
_RANK = (
    r"(?:(?P<rank>[1-4]) ?(?:ers?|eres?|res?|es?|emes?|nds?|ndes?)?|"
    r"(?P<word>premier|deuxieme|second|troisieme|quatrieme))"
)
_QUARTER = re.compile(rf"(?:{_RANK} ?(?:trimestre|trim\.?)|t(?:rim\.? ?)?(?P<short>[1-4]))(?![a-z0-9])")
_SEMESTER = re.compile(rf"{_RANK} ?semestre(?![a-z0-9])")
_WEEK = re.compile(r"(?:(?:semaine|sem)\.? ?(?:n° ?)?|[sw])(?P<number>\d{1,2})(?![\da-z])")
_WORD_RANKS = {"premier": 1, "deuxieme": 2, "second": 2, "troisieme": 3, "quatrieme": 4}
_THIS_MONTH = re.compile(
    r"(?:crt|ct|courant|de ce mois|du mois(?: courant| present)?(?! d[e'])|du present mois)(?![a-z])\.?"
)
# "2e semaine de mars", "première quinzaine": a rank that says no day.
_NTH = re.compile(
    r"(?:\d ?(?:ere?s?|res?|es?|emes?|nde?)|premiere?|deuxieme|seconde?|troisieme|quatrieme|derniere?) "
    r"(?=(?:semaine|quinzaine|moitie|dizaine|jours?|week[- ]end|partie)\b)"
)
_QUALIFIERS = frozenset(
    "debut deb fin mi milieu courant annee annees an de du d l la le les des en au et premiere derniere dernier "
    "semaine quinzaine moitie partie mois jour jours nuit matin soir vers avant apres pendant depuis ans er eme e t "
    "veille lendemain vacances entre date samedi rentree scolaire week end cours periode epoque decennie "
    "temps environ dans moment lors".split()
)
_OPENINGS = ("a", "aux")  # "à la mi-mai", "aux Rameaux"; "à" ahead of a number is none of these
# Months that no other word begins with: "sept" is a number too.
_MONTHS = frozenset(MONTH_OF) - numerals.NUMBER_WORDS
_BARS = frozenset("|!")  # what a scanner makes of letters
_RUN_ON = _BARS | frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a mention; `kind` is one letter.

    N digits, X number in words, O "1er", M month, R roman month, W weekday, S season, F feast, K week, Q quarter, H
    half of a year, C the current month, L anything else. `value` is the number meant, −1 for a weekday that could be
    two. `mended` is the word that a scanner broke; `name` the name of a feast.
    """

    kind: str
    text: str
    value: int = 0
    mended: str = ""
    name: str = ""
    english: bool = False


def tokens(text: str, *, as_march: bool = False) -> list[Token] | None:
    """Cut a mention into tokens that cover it; None if one of its words means nothing here.

    "mar" ahead of two figures is Tuesday where they can be a day of the month, March with `as_march`.
    """
    if _FIGURES.fullmatch(text) is not None:
        pieces = _PIECE.findall(text)
        return [Token("N", piece, int(piece)) if piece.isdecimal() else Token("L", piece) for piece in pieces]
    plain = _SCANNED.sub(lambda match: match.group().translate(_MEND), _keep_initial(text, fold_line(text)))
    english = not ENGLISH_WORDS.isdisjoint(re.findall("[a-z]+", plain))
    found: list[Token] = []
    position = 0
    while position < len(plain):
        token = _next(plain, text, position, english)
        if token is None:
            return None
        found.append(token)
        position += len(token.text)
    return _settled(found, as_march)


def _keep_initial(text: str, plain: str) -> str:
    """Return `plain` with a weekday's initial as a capital, unlike any scanned digit."""
    return text[0] + plain[1:] if _INITIAL.match(text) else plain


def _next(plain: str, text: str, at: int, english: bool) -> Token | None:
    if at == 0 and plain[0] in _INITIALS:
        value = _INITIALS[plain[0]]
        return Token("W", text[0], -1 if value is None else value)
    piece = _PIECE.match(plain, at)
    if piece is None:
        return None
    word, raw = piece.group(), text[at : piece.end()]
    if plain[piece.end() : piece.end() + 1] not in _RUN_ON:  # a word or number that is whole
        if len(word) > 1 and word.isdecimal():
            return Token("N", word, int(word))
        if not english and word in _MONTHS:
            return Token("M", raw, MONTH_OF[word])
    if not word[0].isalnum() and word[0] not in _BARS:
        return Token("L", raw)
    if at == 0 or not plain[at - 1].isalpha():
        phrase = _phrase(plain, text, at, word)
        if phrase is not None:
            return phrase
    if at == 0 or not (plain[at - 1].isalnum()):
        broken = _broken(plain, text, at)
        if broken is not None:
            return broken
    if word.isdecimal():
        return _number(plain, text, at, word)
    if not word.isalpha() or (at == 0 and word in _OPENINGS and plain[piece.end() + 1 : piece.end() + 2].isalpha()):
        return Token("L", raw)
    return _english(word, raw) if english else _word(word, raw)


def _phrase(plain: str, text: str, at: int, word: str) -> Token | None:
    """Read a token of several words; `word` is the first one."""
    for kind, pattern in (("Q", _QUARTER), ("H", _SEMESTER)):
        if (ranked := pattern.match(plain, at)) is not None:
            said = ranked.groupdict()
            number = int(said["rank"] or said.get("short") or _WORD_RANKS[said["word"]])
            return Token(kind, text[at : ranked.end()], number)
    if (week := _WEEK.match(plain, at)) is not None:
        return Token("K", text[at : week.end()], int(week["number"]))
    for kind, pattern in (("C", _THIS_MONTH), ("L", _NTH)):
        if (found := pattern.match(plain, at)) is not None and (kind == "L" or at > 0):
            return Token(kind, text[at : found.end()])
    if (feast := feasts.match_feast(plain, at)) is not None:
        return Token("F", text[at : feast[0]], name=feast[1])
    return _spoken(plain, text, at) if word in numerals.NUMBER_WORDS else None


def _spoken(plain: str, text: str, at: int) -> Token | None:
    """Read the longest number in words that begins there: "quatre quatre" is two."""
    spoken = _SPOKEN.match(plain, at)
    if spoken is None:
        return None
    words = list(re.finditer("[a-z]+", spoken.group()))
    for last in range(len(words), 0, -1):
        value = numerals.read_number([word.group() for word in words[:last]])
        if value is not None and words[last - 1].group() != "et":
            return Token("X", text[at : at + words[last - 1].end()], value)
    return None


def _broken(plain: str, text: str, at: int) -> Token | None:
    """Read a month, weekday, season or part of one broken by a scanner: "ml-mars" is "mi-mars"."""
    run = run_at(plain, at)
    word = run if run.isalpha() else ""
    if run.isdecimal() or word in MONTH_OF or word in WEEKDAY_OF or word in ENGLISH_WORDS or word in _QUALIFIERS:
        return None
    mended, raw = mended_calendar_word(run), text[at : at + len(run)]
    if mended is None:
        return _broken_part(run, raw)
    if mended in MONTH_OF:
        return Token("M", raw, MONTH_OF[mended], mended=mended)
    return Token("W", raw, WEEKDAY_OF[mended], mended=mended)


def _broken_part(run: str, raw: str) -> Token | None:
    part = None if run in SEASON_OF or run.isdecimal() else _PARTS.mended(run)
    if part is None:
        return None
    return Token("S", raw, SEASON_OF[part], mended=part) if part in SEASON_OF else Token("L", raw)


def _number(plain: str, text: str, at: int, digits: str) -> Token:
    end = at + len(digits)
    if digits == "1" and plain.startswith("er", end) and not plain[end + 2 : end + 3].isalpha():
        return Token("O", text[at : end + 2], 1)
    return Token("N", digits, int(digits))


def _word(word: str, raw: str) -> Token | None:
    if word == "premier":
        return Token("X", raw, 1)
    for kind, table in (("M", MONTH_OF), ("W", WEEKDAY_OF), ("S", SEASON_OF)):
        if word in table:
            return Token(kind, raw, table[word])
    if word in ROMAN_OF and (raw.isupper() or raw.islower()):
        return Token("R", raw, ROMAN_OF[word])
    return Token("L", raw) if word in _QUALIFIERS else None


def _english(word: str, raw: str) -> Token | None:
    for kind, table in (("M", ENGLISH_MONTH_OF), ("W", ENGLISH_WEEKDAY_OF)):
        if word in table:
            return Token(kind, raw, table[word], english=True)
    return Token("L", raw) if word in ("of", "the", "th", "st", "nd", "rd", "on") else None


def _settled(found: list[Token], as_march: bool) -> list[Token]:
    """Settle two ambiguous words by the tokens around: "mar" (mars, mardi) and "sept" (7, September)."""
    start = next((index for index, token in enumerate(found) if token.kind != "L"), 0)
    others = found[start + 1 :]
    if fold_line(found[start].text) == "mar" and any(
        one.kind == "M" or fold_line(one.text) == "sept" for one in others
    ):
        found[start] = Token("W", found[start].text, 1)
    for index, token in enumerate(found):
        if token.kind != "X" or fold_line(token.text) != "sept" or any(one.kind == "M" for one in found):
            continue
        if found[-1].kind == "N" or any(one.kind != "L" for one in found[:index]):
            found[index] = Token("M", token.text, 9)
    kinds = [token.kind for token in found if token.kind != "L"]
    if len(kinds) > 1 and kinds[0] == "M" and kinds[1] == "N":
        first = next(index for index, token in enumerate(found) if token.kind == "M")
        numbers = [token for token in found if token.kind == "N"]
        may_be_day = len(numbers[0].text) <= 2 and 1 <= numbers[0].value <= 31
        if fold_line(found[first].text) == "mar" and (len(numbers) > 1 or (may_be_day and not as_march)):
            found[first] = Token("W", found[first].text, 1)
    return found
