"""Files as the national servers publish them, with made-up content."""

from __future__ import annotations

import gzip
from collections.abc import Iterable

BAN_HEADER = (
    "id;id_fantoir;numero;rep;nom_voie;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;"
    "nom_ancienne_commune;x;y;lon;lat;type_position;alias;nom_ld;libelle_acheminement;nom_afnor;source_position;"
    "source_nom_voie;certification_commune;cad_parcelles"
)
DIRECTORY_HEADER = (
    "Type d'identifiant PP|Identifiant PP|Identification nationale PP|Code civilité|Libellé civilité|Nom d'exercice|"
    "Prénom d'exercice|Code profession|Libellé profession|Numéro FINESS site|Code commune (coord. structure)|"
    "Téléphone (coord. structure)|"
)
KINDS = ("Rue", "Avenue", "Place", "Impasse", "Chemin", "Allée", "Route", "Quai", "Cours", "Boulevard", "Sentier")


def ban(streets: int = 5200, *, columns: int = 23, insee: str = "25056") -> str:
    """A BAN file of two addresses per street; the 22-column editions lack `cad_parcelles`."""
    lines = [";".join(BAN_HEADER.split(";")[:columns])]
    for number in range(streets):
        name = f"{KINDS[number % len(KINDS)]} du Bois {number} l’Évêque"
        for house in (1, 2):
            cells = [f"{insee}_{number:04}_{house:05}", "", str(house), "", name, "25000", insee, "Besançon", "", ""]
            cells += ["928000.10", "6686000.20", "6.012", "47.26", "entrée", "", "", "BESANCON", name.upper()]
            lines.append(";".join([*cells, "commune", "commune", "1", f"{insee}000AB0001"][:columns]))
    return "\n".join(lines) + "\n"


def directory(professionals: int = 1100) -> str:
    """The public extraction of the Health Directory: a `|` at the end of every line, a lone quote in a name."""
    lines = [DIRECTORY_HEADER]
    for number in range(professionals):
        rpps, name = f"1{number:010}", f'NOM{number:04} D"{"ABCDEFGH"[number % 8]}'
        for commune in ("25056", ""):
            lines.append(f"8|{rpps}|8{rpps}|MME|Madame|{name}|ANNE|10|Médecin|250000015|{commune}|0100000000|")
    return "\n".join(lines) + "\n"


def finess(establishments: int = 3100) -> str:
    """The FINESS stock file: no header, one line on the file itself, lines of another kind among the others."""
    lines = ["finess;etalab;81;2026-11-01"]
    for number in range(establishments):
        department, commune = ("25", "056") if number % 2 else ("9A", "101")
        kind = "Centre Hospitalier (C.H.)" if number % 3 else "Pharmacie d'Officine"
        cells = ["structureet", f"25{number:07}", "250000010", "CH", f"CENTRE HOSPITALIER Nº{number}", "", "", "1", "R"]
        cells += ["DU BOIS", "", "", commune, department, "DOUBS", "25000 BESANCON", "", "", "355", kind]
        lines.append(";".join(cells + [""] * 11))
        lines.append(f"geolocalisation;25{number:07};928000.1;6686000.2;1,ATLASANTE,100,IGN;2026-11-01")
    return "\n".join(lines) + "\n"


def packed(text: str | Iterable[str]) -> bytes:
    """gzip, as the address base is published."""
    return gzip.compress("".join(text).encode(), mtime=0)
