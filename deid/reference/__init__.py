"""Reference tables as detection and substitution read them: communes, names, organisations."""

from deid.reference.communes import Commune, CommuneTable, Establishment

__all__ = ["Commune", "CommuneTable", "Establishment"]
