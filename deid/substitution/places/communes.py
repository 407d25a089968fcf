"""CITY and ZIP: the drawn commune, in the form of the original."""

from __future__ import annotations

import re

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.articles import TOWN
from deid.french.folding import accented_like, case_of, comparable
from deid.reference import Commune
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, mask, redraw, redraw_digits, tag
from deid.substitution.places.areas import is_abroad
from deid.substitution.places.gazette import Gazette
from deid.substitution.places.regions import Regions, Short

_CEDEX = re.compile(r"(?P<gap>[\s-]*)(?P<word>cedex\b)(?P<rest>.*)$", re.IGNORECASE)


class Communes:
    """Generator of CITY and ZIP for one document."""

    def __init__(self, context: DocumentContext, gazette: Gazette, regions: Regions, short: Short) -> None:
        self._context = context
        self._gazette = gazette
        self._regions = regions
        self._short = short
        self._strategy = context.policy.places.strategy

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return the surrogate commune's name or postal code."""
        context, gazette, strategy = self._context, self._gazette, self._strategy
        original = context.document.text[mention.start : mention.end]
        if strategy == "tag":
            return tag(mention.label, original)
        place = gazette.places[mention.start]
        unknown = place.commune is None and place.world is None
        if unknown and is_abroad(original):
            return self._regions.write(mention, attempt)  # a country that was taken for a town
        # "Le Plessis" beside "EHPAD Le Plessis" is no Le Plessis-Lastelle.
        named = place.commune is not None and comparable(place.commune.name) == comparable(_before_cedex(original)[0])
        if not named and mention.label is Label.CITY and (site := self._short(mention, attempt)) is not None:
            return site
        if unknown and mention.label is Label.CITY and (hamlet := self._regions.hamlet(mention, attempt)) is not None:
            return hamlet
        commune, may_return = gazette.surrogate(place, attempt), gazette.may_return(place)
        if mention.label is Label.ZIP:
            return self._code(mention, original, commune, may_return)
        base, gap_and_word, rest = _before_cedex(original)
        name = accented_like(base, case_of(base)(commune.name), context.accented)
        if gap_and_word:
            name += gap_and_word + redraw_digits(rest, context.stream("cedex", comparable(original)))
        return Draft(name, strategy, may_return=may_return, noun=TOWN)

    def _code(self, mention: Mention, original: str, commune: Commune, may_return: bool) -> Draft:
        if not commune.zips:  # a town abroad: its country's form of code
            return Draft(redraw(original, self._context.stream("code abroad", comparable(original))), self._strategy)
        code = self._gazette.code(mention, original, commune)
        return Draft(code, self._strategy, may_return=may_return) if code else mask(Label.ZIP, original)


def _before_cedex(city: str) -> tuple[str, str, str]:
    """Split a city into its name, "CEDEX" with the gap ahead, and the rest (" 9"); the last two may be empty."""
    cedex = _CEDEX.search(city)
    return (city[: cedex.start()], cedex["gap"] + cedex["word"], cedex["rest"]) if cedex else (city, "", "")
