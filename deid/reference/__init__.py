"""Reference tables: communes with health features, streets, establishments, health professionals."""

from deid.reference.communes import Commune, CommuneTable, Establishment

__all__ = ["Commune", "CommuneTable", "Establishment"]
