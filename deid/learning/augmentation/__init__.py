"""Altered copies of annotated documents: other entities, other layouts, the noise of typing and scanning."""

from deid.learning.augmentation.multiplying import multiply
from deid.learning.augmentation.rates import RATES, Rates

__all__ = ["RATES", "Rates", "multiply"]
