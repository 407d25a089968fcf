"""CITY and ZIP: written as the document writes its own, with the commune that was drawn."""

from __future__ import annotations

import re

from deid.document import Mention
from deid.labels import Label
from deid.reference import Commune
from deid.substitution import numerals
from deid.substitution.characters import redraw, redraw_digits
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
        cedex = _CEDEX.search(original)
        base = original[: cedex.start()] if cedex else original
        name = accented_like(base, in_case_of(base, commune.name), self._dossier.accented)
        if cedex is None:
            return name
        stream = self._dossier.stream("cedex", comparable(original))
        return name + cedex["gap"] + cedex["word"] + redraw_digits(cedex["rest"], stream)

    def _code(self, original: str, commune: Commune, strategy: str) -> Draft:
        if not commune.zips:  # a town abroad: its country's form of code
            return Draft(redraw(original, self._dossier.stream("code abroad", comparable(original))), strategy)
        known = re.sub(r"\D", "", original)
        stream = self._dossier.stream("zip", commune.insee)
        others = [code for code in commune.zips if code != known]
        if not others:
            return mask(Label.ZIP, original)
        code = stream.choice(others)
        places = len(_DIGIT.findall(original))
        if places == len(code):
            digits = iter(code)
            return Draft(_DIGIT.sub(lambda _: next(digits), original), strategy)
        if places == 0:
            thousands, rest = divmod(int(code), _SPOKEN_WIDTH)
            said = f"{numerals.write(thousands)} mille {numerals.write(rest) if rest else ''}".strip()
            return Draft(in_case_of(original, said if "-" in original else said.replace("-", " ")), strategy)
        return Draft(code, strategy)
