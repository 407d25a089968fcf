"""AGE: another number in the same unit, sometimes in another form."""

from __future__ import annotations

import re

from deid.french import numerals
from deid.french.shapes import sentence_case_of
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.rates import Rates
from deid.substitution.temporal import ages
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.values import Unit

# Least and greatest number that people usually write in each unit.
_RANGES = {Unit.YEAR: (1, 99), Unit.MONTH: (1, 35), Unit.WEEK: (1, 20), Unit.DAY: (1, 45), Unit.DECADE: (3, 8)}
_NO_TOP = 1000
_RARE = 0.02  # of ages are past the usual range
_YEARS = re.compile(r"\d{1,3} ?ans?", re.IGNORECASE)
_FORMS = ("{} ans", "{}ans", "{}a", "{} a", "{} a.", "{} ANS", "{}A")


def other(original: str, chance: Chance, rates: Rates) -> str:
    """Another age; what is not understood stays."""
    age = ages.parse(original)
    if age is None:
        return original
    low, high = _RANGES[age.unit]
    value = chance.randint(low, high) if not chance.once(_RARE) else high + chance.randint(1, 5)
    if _YEARS.fullmatch(original) and value > 1 and chance.once(rates.reformed_age):
        if chance.once(0.4):
            return sentence_case_of(original, f"{numerals.write_number(value, hyphens=chance.once(0.5))} ans")
        return chance.choice(_FORMS).format(value)
    return ages.write(age, _stepped(age, value, chance), _NO_TOP)


def _stepped(age: Age, value: int, chance: Chance) -> int:
    """The value in the steps that the age is counted in; halves stay halves."""
    if age.kind == "months":
        return chance.randint(1, 9) * 12 + chance.randint(1, 11)
    if age.step == 1:
        return value
    return min(value, 20) * age.step + (1 if age.step == 2 else chance.randrange(age.step))
