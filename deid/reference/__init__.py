"""Reference tables as detection and substitution read them: communes, names, organisations."""

from deid.reference.commune import Commune, Establishment
from deid.reference.communes import CommuneTable

__all__ = ["Commune", "CommuneTable", "Establishment"]
