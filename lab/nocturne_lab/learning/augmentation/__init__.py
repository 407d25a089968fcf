"""Altered copies of annotated documents: other entities, other layouts, the noise of typing and scanning."""

from nocturne_lab.learning.augmentation.multiplying import multiply
from nocturne_lab.learning.augmentation.rates import RATES, Rates

__all__ = ["RATES", "Rates", "multiply"]
