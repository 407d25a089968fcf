"""`truncate`: the department of a post code, the zone of a telephone number, the year of a date."""

from __future__ import annotations

import re
from functools import cached_property

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.substitution.context import Dossier
from deid.substitution.drafts import Draft, mask, tag
from deid.substitution.temporal.agenda import Agenda, read
from deid.substitution.temporal.values import Unit, years_between

_FIGURE = re.compile(r"\d")
_ZIP_DIGITS, _DEPARTMENT = 5, 2
# "+33 3", "0033 (0)3" or "03" before the rest of a whole national number.
_ZONE = re.compile(r"\s*(?:(?:\+|00)\s*33[\s.()]*(?:0\)?)?\s*|0)[1-9](?=(?:\D*\d){8}\D*$)")
_FINE = frozenset({Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.SEASON})


class Truncation:
    """Keeps the beginning and writes x for every other digit; of a date, its true year and nothing else.

    What has nothing to cut gets its label: a year alone, digits in words, a short number. So does the year of a day
    that is further back than the policy's top-coded age, since it would tell such an age (45 CFR 164.514(b)).
    The true beginning is published: no ε bounds what it tells.
    """

    def __init__(self, dossier: Dossier) -> None:
        self._dossier = dossier

    def write(self, mention: Mention, attempt: int) -> Draft:  # noqa: ARG002 - there is one beginning
        """The beginning of the mention, or its label."""
        original = self._dossier.text(mention)
        if mention.label is Label.DATE:
            return self._year(mention, original)
        kept = self._kept(mention.label, original)
        if kept is None:
            return tag(mention.label, original)
        return Draft(original[:kept] + _FIGURE.sub("x", original[kept:]), "truncate")

    @staticmethod
    def _kept(label: Label, original: str) -> int | None:
        """How many characters stay; None where what is left would say nothing, or all."""
        if re.search(r"[^\W\d_]", original):
            return None
        if label is Label.ZIP:
            figures = [match.end() for match in _FIGURE.finditer(original)]
            return figures[_DEPARTMENT - 1] if len(figures) == _ZIP_DIGITS else None
        zone = _ZONE.match(original)
        return zone.end() if zone else None

    @cached_property
    def _agenda(self) -> Agenda:
        return read(self._dossier)

    def _year(self, mention: Mention, original: str) -> Draft:
        instant = self._agenda.instants.get(mention)
        if instant is None:
            return mask(Label.DATE, original)
        eldest = self._dossier.policy.ages.top_code
        if instant.unit not in _FINE or years_between(instant.first, self._agenda.anchor) >= eldest:
            return tag(Label.DATE, original)
        return Draft(str(instant.middle.year), "truncate")
