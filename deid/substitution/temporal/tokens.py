"""Cut a DATE mention into tokens that mean something: numbers, months, weekdays, seasons, feasts, and the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from deid.substitution import numerals
from deid.substitution.folding import flat
from deid.substitution.temporal.vocabulary import FEASTS, MONTH_OF, ROMAN_OF, SEASON_OF, WEEKDAY_OF

_PIECE = re.compile(r"\d+|[a-z]+|[^a-z\d]+")
# Scanned documents write 0 and 1 as O, l, I; only runs that cannot be words are mended.
_SCANNED = re.compile(r"(?<![a-z])(?=[oil|]*\d)[0-9oil|]+(?![a-z])|(?<![a-z])[olI]{2}(?=[ ./-])|(?<=[/.-])lo(?![a-z])")
_MEND = str.maketrans("oil|", "0111")
_FEAST = re.compile(
    "|".join(
        re.escape(name).replace(r"\-", "[- ]").replace(r"\ ", "[- ]").replace("'", "[' ]")
        for name in sorted(FEASTS, key=len, reverse=True)
    )
)
_SPOKEN = re.compile(
    rf"(?:{'|'.join(sorted(numerals.NUMBER_WORDS, key=len, reverse=True))})(?![a-z])"
    rf"(?:(?: et | et-|-et-|[ -])(?:{'|'.join(sorted(numerals.NUMBER_WORDS, key=len, reverse=True))})(?![a-z]))*"
)
_QUALIFIERS = frozenset(
    "debut fin mi milieu courant annee annees an de du d l la le les des en au et premiere derniere semaine quinzaine "
    "mois jour nuit matin soir vers avant apres pendant depuis ans er eme e t veille lendemain".split()
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a mention; `kind` is one letter.

    N digits, X number in words, O "1er", M month, R roman month, W weekday, S season, F feast, L anything
    that only dresses the others. `value` is the number meant.
    """

    kind: str
    text: str
    value: int = 0


def tokens(text: str) -> list[Token] | None:
    """The tokens of a mention, covering it; None when a word of it means nothing here."""
    plain = _SCANNED.sub(lambda match: match.group().translate(_MEND), flat(text))
    found: list[Token] = []
    position = 0
    while position < len(plain):
        token = _next(plain, text, position)
        if token is None:
            return None
        found.append(token)
        position += len(token.text)
    return _settled(found)


def _next(plain: str, text: str, at: int) -> Token | None:
    previous_is_letter = at > 0 and plain[at - 1].isalpha()
    if not previous_is_letter:
        if feast := _FEAST.match(plain, at):
            end = feast.end()
            if end == len(plain) or not plain[end].isalpha():
                name = feast.group()
                month = FEASTS.get(name) or FEASTS.get(name.replace(" ", "-")) or FEASTS.get(name.replace("-", " "))
                return Token("F", text[at:end], month or _loose_feast(name))
        if (spoken := _SPOKEN.match(plain, at)) is not None:
            value = numerals.read(re.findall("[a-z]+", spoken.group()))
            if value is not None:
                return Token("X", text[at : spoken.end()], value)
    piece = _PIECE.match(plain, at)
    if piece is None:
        return None
    word, raw = piece.group(), text[at : piece.end()]
    if word.isdecimal():
        return _number(plain, text, at, word)
    if not word.isalpha():
        return Token("L", raw)
    return _word(word, raw)


def _loose_feast(name: str) -> int:
    squeezed = re.sub("[^a-z]", "", name)
    return next(month for known, month in FEASTS.items() if re.sub("[^a-z]", "", known) == squeezed)


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


def _settled(found: list[Token]) -> list[Token]:
    """Tokens with two words settled by what stands around them: "mar" (mars, mardi) and "sept" (7, September)."""
    for index, token in enumerate(found):
        before = [one for one in found[:index] if one.kind != "L"]
        month_said = any(one.kind == "M" for one in found)
        if token.kind == "X" and flat(token.text) == "sept" and not month_said and (before or found[-1].kind == "N"):
            found[index] = Token("M", token.text, 9)
    kinds = [token.kind for token in found if token.kind != "L"]
    if len(kinds) > 1 and kinds[0] == "M" and kinds[1] == "N":
        first = next(index for index, token in enumerate(found) if token.kind == "M")
        numbers = [token for token in found if token.kind == "N"]
        if flat(found[first].text) == "mar" and (len(numbers) > 1 or len(numbers[0].text) <= 2):
            found[first] = Token("W", found[first].text, 1)
    return found


def core(found: list[Token]) -> Iterator[tuple[int, Token]]:
    """The tokens that carry a value, with their place."""
    return ((index, token) for index, token in enumerate(found) if token.kind != "L")
