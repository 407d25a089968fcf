"""Countries and overseas collectivities drawn for those of a document: one each, whatever calls it."""

from __future__ import annotations

from deid.domain.labels import Label
from deid.french.folding import comparable
from deid.reference import Commune
from deid.substitution.context import DocumentContext
from deid.substitution.places.abroad import CALLED, World, world
from deid.substitution.places.areas import area, area_names, countries
from deid.substitution.places.gazette import Gazette

_TRIES = 60


class Countries:
    """Draws of one document, by INSEE's code: a name and the calling code of a number agree."""

    def __init__(self, context: DocumentContext, gazette: Gazette) -> None:
        self._context = context
        self._gazette = gazette

    def drawn_abroad(self, country: str) -> Commune | None:
        """Return the town drawn for the document's first place in a country or collectivity, or None."""
        place = next((one for one in self._gazette.places.values() if one.country == country), None)
        return None if place is None else self._gazette.surrogate(place)

    def surrogate(self, kind: str, code: str, attempt: int = 0) -> str:
        """Return the code of the drawn town's country, else of another of the same part of the world by the key.

        `kind` is "country" or "collectivity", or "continent", whose `code` is a part of the world.
        """
        if kind == "continent":
            return self._other(countries(World(code)), code, attempt)
        drawn = self.drawn_abroad(code)
        names = area_names(kind)
        if drawn is not None and not attempt and drawn.region in names:
            return drawn.region
        like = countries(world(code)) if kind == "country" else tuple(names)
        return self._other(like, names.get(code, code), attempt)

    def _other(self, codes: tuple[str, ...], original: str, attempt: int) -> str:
        """Draw a code uniformly, of another name than the original that brings nothing back."""
        stream = self._context.stream("area", comparable(original), str(attempt))
        names = {**area_names("collectivity"), **area_names("country")}
        for _ in range(_TRIES):
            code = stream.choice(codes)
            if comparable(names[code]) != comparable(original) and not self._context.brings_back(names[code]):
                break
        return code

    def calling_code(self, original: str) -> str:
        """Return the calling code of the country drawn for one of a code: the country named here, else its greatest.

        A code of none, or of a territory of France ("262"), stays.
        """
        bearers = CALLED.get(original)
        if bearers is None:
            return original
        named = {area(self._context.text(one)) for one in self._context.of((Label.LOC, Label.CITY))}
        here = {place.country for place in self._gazette.places.values()}
        told = next((code for code in bearers if code in here or ("country", code) in named), bearers[0])
        drawn = self.surrogate("country", told)
        return next((code for code, of in CALLED.items() if drawn in of), original)
