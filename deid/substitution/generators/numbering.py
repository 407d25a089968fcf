"""`tag`: the label and a number that tells values apart, such as EMAIL-0."""

from __future__ import annotations

from functools import cached_property

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.comparison import comparable
from deid.substitution.context import Dossier
from deid.substitution.drafts import Draft


class Numbering:
    """A number per label and value, equal but for case, accents and punctuation.

    Within a document the numbers are 0, 1, 2… in the order of first appearance, which the text shows anyway. In a
    wider scope no such order can be used: it would depend on which documents came first, and a number would tell
    when. There the number is drawn from the secret, below 10^`digits`: two of a patient's hundred values share
    one with probability below 1 %.
    """

    def __init__(self, dossier: Dossier, *, digits: int) -> None:
        self._dossier = dossier
        self._bound = 10**digits

    def write(self, mention: Mention, attempt: int) -> Draft:
        """The label and the number of the mention's value."""
        value = comparable(self._dossier.text(mention))
        if self._dossier.scope[0] == "document":
            number = self._order[mention.label, value]
        else:
            number = self._dossier.stream("tag", mention.label, value, str(attempt)).below(self._bound)
        return Draft(f"{mention.label}-{number}", "tag")

    @cached_property
    def _order(self) -> dict[tuple[Label, str], int]:
        numbers: dict[tuple[Label, str], int] = {}
        count: dict[Label, int] = {}
        for mention in self._dossier.mentions:
            value = (mention.label, comparable(self._dossier.text(mention)))
            if value not in numbers:
                numbers[value] = count.get(mention.label, 0)
                count[mention.label] = numbers[value] + 1
        return numbers
