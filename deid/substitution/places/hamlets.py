"""Hamlets and places of the land register: one name drawn for each, however it is written and labelled."""

from __future__ import annotations

import re
from collections.abc import Container
from functools import cached_property

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.articles import of_place
from deid.french.folding import comparable, in_case_of, words
from deid.substitution.context import DocumentContext

HAMLETS = (
    "Les Grands Champs", "La Croix Verte", "Le Petit Bois", "Les Quatre Vents", "La Noue", "Le Vieux Four",
    "Les Essarts", "La Haute Borne", "Le Pré Long", "Les Sablons", "La Tuilerie", "Le Champ du Puits", "Les Brosses",
    "La Vigne Haute", "Le Gué", "Les Chaumes", "La Roche Plate", "Le Clos Neuf", "Les Marais", "La Combe",
    "Le Poirier", "Les Vernes", "La Bergerie", "Le Grand Chêne", "Les Fougères", "La Sablière", "Le Breuil",
    "Les Ormeaux", "La Lande", "Le Buisson",
)  # fmt: skip

HAMLET_HEADS = frozenset({"hameau", "ham"})
_TRIES = 40
# What stands ahead of the name: "12 lieu-dit La", "hameau de la", "au lieu dit", "la".
_HEAD = re.compile(
    r"\s*(?:\d+\s*(?:bis|ter)?[\s,]*)?(?:(?:au )?(?P<said>lieu[ -]?dit|ham(?:eau|\.)?)\b[\s:«\"-]*)?"
    r"(?P<of>d[eu]s? |d['’])?(?:l[ea]s? |l['’])?",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s*[,;–—]\s*|\s+-\s+")
_SMALL = frozenset({"les", "petit", "grand"})


class Hamlets:
    """Names of the hamlets of one document; `plain` are the words of addresses that name none by themselves."""

    def __init__(self, context: DocumentContext, plain: Container[str]) -> None:
        self._context = context
        self._plain = plain

    def name(self, written: str, attempt: int) -> str:
        """Return the name drawn for a hamlet; one that says a word of this document's places and names if all do."""
        stream = self._context.stream("hamlet", _core(written), str(attempt))
        for _ in range(_TRIES):
            name = stream.choice(HAMLETS)
            if not self._context.brings_back(name, _SMALL):
                break
        return name

    def rewritten(self, written: str, attempt: int) -> tuple[str, bool]:
        """Return a hamlet with another name behind the words that say what it is, and whether there are any."""
        found, name = _HEAD.match(written), self.name(written, attempt)
        if found is None or not found["said"]:
            return in_case_of(written, name), False
        ahead = written[: found.end("said")]
        cased = in_case_of(written[found.end() :], of_place(name) if found["of"] else name)
        return f"{ahead} {cased}", True

    def is_known(self, mention: Mention) -> bool:
        """Return whether a mention is a hamlet: it says so, or another of the same name does."""
        written = self._context.text(mention)
        return _says(written) or _core(written) in self._said

    @cached_property
    def _said(self) -> frozenset[str]:
        """Return the comparable names of what says somewhere that it is a hamlet, or stands as a whole address."""
        context = self._context
        parts = [part for one in context.labelled(Label.STREET) for part in _PARTS.split(context.text(one))]
        others = [context.text(one) for one in context.of((Label.LOC, Label.CITY))]
        return frozenset(
            [_core(one) for one in (*parts, *others) if _says(one)]
            + [_core(one) for one in parts if self._is_bare(one)]
        )

    def _is_bare(self, part: str) -> bool:
        found = _HEAD.match(part)
        named = words(part[found.end() :] if found else part)
        return bool(named) and named[0] not in self._plain and not any(map(str.isdigit, part))


def _says(written: str) -> bool:
    found = _HEAD.match(written)
    return found is not None and found["said"] is not None


def _core(written: str) -> str:
    """Return the comparable name of a hamlet without the words ahead of it."""
    found = _HEAD.match(written)
    return comparable(written[found.end() :] if found else written)
