"""Communes that a document names, each with the one that was published for it."""

from __future__ import annotations

import re

from deid.domain.document import Document, Substitution
from deid.domain.labels import Label
from deid.french.folding import comparable
from deid.reference import Commune, CommuneTable


def towns_of(
    document: Document, published: Substitution, communes: CommuneTable
) -> list[tuple[Commune, Commune | None]]:
    """Return the communes that a document names, in order, each with the published one; None where that is none."""
    text = document.text
    own = [(one.mention.label, text[one.mention.start : one.mention.end], one.text) for one in published.surrogates]
    zips = [frozenset(comparable(said[at]) for said in own if said[0] is Label.ZIP) for at in (1, 2)]
    towns = (
        (true, _commune(drawn, zips[1], communes))
        for label, original, drawn in own
        if label is Label.CITY and (true := _commune(original, zips[0], communes)) is not None
    )
    return list(dict.fromkeys(towns))


def _commune(name: str, zips: frozenset[str], communes: CommuneTable) -> Commune | None:
    """Return the commune of a name, "d'Avignon" too: by a postal code in its text, else the most populous."""
    readable = (name, name.partition(" ")[2], re.split("['’]", name, maxsplit=1)[-1])
    found = next((some for one in readable if one and (some := communes.find(one))), ())
    return next((one for one in found if zips & set(one.zips)), found[0] if found else None)
