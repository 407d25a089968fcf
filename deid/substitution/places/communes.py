"""CITY and ZIP: written as the document writes its own, with the commune that was drawn."""

from __future__ import annotations

import re
from functools import lru_cache

from deid.document import Mention
from deid.labels import Label
from deid.privacy import KeyedStream
from deid.reference import Commune
from deid.substitution import numerals
from deid.substitution.characters import digits_of, redraw, redraw_digits
from deid.substitution.dossier import Dossier
from deid.substitution.drafts import Draft, mask, tag
from deid.substitution.folding import comparable
from deid.substitution.places.gazette import Gazette
from deid.substitution.shapes import accented_like, in_case_of

_CEDEX = re.compile(r"(?P<gap>[\s-]*)(?P<word>cedex\b)(?P<rest>.*)$", re.IGNORECASE)
_DIGIT = re.compile(r"[0-9OolI]")
_SPOKEN_WIDTH = 1000


class Communes:
    """CITY and ZIP mentions of one document."""

    def __init__(self, dossier: Dossier, gazette: Gazette) -> None:
        self._dossier = dossier
        self._gazette = gazette

    def write(self, mention: Mention, attempt: int) -> Draft:
        """The surrogate commune's name or postal code."""
        original = self._dossier.text(mention)
        strategy = self._dossier.policy.places.strategy
        if strategy == "tag":
            return tag(mention.label, original)
        commune = self._gazette.surrogate(self._gazette.places[mention], attempt)
        if mention.label is Label.ZIP:
            return self._code(original, commune, strategy)
        return Draft(self._name(original, commune), strategy)

    def _name(self, original: str, commune: Commune) -> str:
        base, gap_and_word, rest = _before_cedex(original)
        name = accented_like(base, in_case_of(base, commune.name), self._dossier.accented)
        if not gap_and_word:
            return name
        return name + gap_and_word + redraw_digits(rest, self._dossier.stream("cedex", comparable(original)))

    def _code(self, original: str, commune: Commune, strategy: str) -> Draft:
        if not commune.zips:  # a town abroad: its country's form of code
            return Draft(redraw(original, self._dossier.stream("code abroad", comparable(original))), strategy)
        code = self._dossier.remembered(
            ("zip", commune.insee), lambda stream: _other_code(original, commune, stream), original
        )
        return Draft(code, strategy) if code else mask(Label.ZIP, original)


def _other_code(original: str, commune: Commune, stream: KeyedStream) -> str:
    """A postal code of a commune but the original's, in its manner; "" where there is none."""
    known = digits_of(original)
    others = [code for code in commune.zips if code != known]
    if not others:
        return ""
    code = stream.choice(others)
    places = len(_DIGIT.findall(original))
    if places == len(code):
        digits = iter(code)
        return _DIGIT.sub(lambda _: next(digits), original)
    if places == 0:
        thousands, rest = divmod(int(code), _SPOKEN_WIDTH)
        said = f"{numerals.write(thousands)} mille {numerals.write(rest) if rest else ''}".strip()
        return in_case_of(original, said if "-" in original else said.replace("-", " "))
    return code


@lru_cache(1 << 12)
def _before_cedex(city: str) -> tuple[str, str, str]:
    """A city without its "CEDEX 9", that word and the gap ahead of it, and what follows: "" where there is none."""
    cedex = _CEDEX.search(city)
    return (city[: cedex.start()], cedex["gap"] + cedex["word"], cedex["rest"]) if cedex else (city, "", "")
