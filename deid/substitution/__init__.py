"""Surrogates of mentions, drawn from a secret, that keep the text useful and coherent."""

from deid.privacy.stream import pseudonym
from deid.substitution.substitutor import Substitutor

__all__ = ["Substitutor", "pseudonym"]
