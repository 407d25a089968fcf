"""Files as the national servers publish them, with made-up content."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Iterable

from deid.reference.packaged import packaged_rows

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


CENTRES = {row["insee"]: (float(row["lon"]), float(row["lat"])) for row in packaged_rows("communes")}


def place(insee: str, number: int) -> tuple[str, str]:
    """Longitude and latitude of a street or place, within 4 km of the centre of its commune."""
    lon, lat = CENTRES[insee]
    return f"{lon + (number % 60 - 30) / 1000:.6f}", f"{lat + (number // 60 % 60 - 30) / 1000:.6f}"


def ban(streets: int = 5200, *, columns: int = 23, insee: str = "25056") -> str:
    """A BAN file of two addresses per street; the 22-column editions lack `cad_parcelles`."""
    lines = [";".join(BAN_HEADER.split(";")[:columns])]
    for number in range(streets):
        name = f"{KINDS[number % len(KINDS)]} du Bois {number} l’Évêque"
        for house in (1, 2):
            cells = [f"{insee}_{number:04}_{house:05}", "", str(house), "", name, "25000", insee, "Besançon", "", ""]
            lon, lat = place(insee, number)
            cells += ["928000.10", "6686000.20", lon, lat, "entrée", "", "", "BESANCON", name.upper()]
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
        category, kind = ("355", "Centre Hospitalier (C.H.)") if number % 3 else ("620", "Pharmacie d'Officine")
        cells = ["structureet", f"25{number:07}", "250000010", "CH", f"CENTRE HOSPITALIER Nº{number}", "", "", "1", "R"]
        cells += ["DU BOIS", "", "", commune, department, "DOUBS", "25000 BESANCON", "", "", category, kind]
        lines.append(";".join(cells + [""] * 11))
        lines.append(f"geolocalisation;25{number:07};928000.1;6686000.2;1,ATLASANTE,100,IGN;2026-11-01")
    return "\n".join(lines) + "\n"


def finess_structures(establishments: int = 3100, *, indent: int | None = 2) -> str:
    """FINESS since 2026: the JSON of structures, legal entities with their establishments, some of them closed."""
    entities = []
    for number in range(establishments):
        name = f"CENTRE HOSPITALIER Nº{number}"
        about = {"egeId": str(number), "nomEgeCourt": "CH   ", "nomEgeLong": name, "numFinessEge": f"25{number:07}"}
        address = {"usageAdresse": "03", "cogCommune": "25056" if number % 2 else "9A101", "codePostal": "25000"}
        place = {"categorieentiteGeographiqueExercice": "365" if number % 3 else "620", "adresse": [address]}
        open_one = {"informationsGeneralesEGE": about, **place, "etatObjet": "A"}
        closed = {**open_one, "etatObjet": "I", "informationsGeneralesEGE": {**about, "numFinessEge": "x"}}
        entities.append({"informationsGeneralesPMEJ": {"denominationPm": '{["'}, "ege": [open_one, closed]})
    head = {"schemaVersion": "v1.0.0", "gcc": [{"pmejDuGcc": [{"pmSmsseId": "1"}]}], "gco": []}
    return json.dumps({**head, "pmej": entities}, ensure_ascii=False, indent=indent, separators=(",", " : "))


def finess_structures_of_schema(establishments: int = 3100) -> str:
    """The same as the published schema writes it: a coding for a code, and another case in a name."""
    entities = json.loads(finess_structures(establishments))
    for entity in entities["pmej"]:
        for one in entity["ege"]:
            code = {
                "system": "https://mos.esante.gouv.fr/NOS/tre_r397",
                "code": one.pop("categorieentiteGeographiqueExercice"),
            }
            one |= {"categorieEntiteGeographiqueExercice": code, "etatObjet": {"code": one["etatObjet"]}}
    return json.dumps(entities, ensure_ascii=False)


def finess_table(establishments: int = 3100) -> str:
    """The geocoded extract of FINESS, with a header, and a name that it has in its short form alone."""
    lines = ["nofinesset;nofinessej;rs;rslongue;departement;cog;categetab;libcategetab;coordx"]
    for number in range(establishments):
        long_name = f"CENTRE HOSPITALIER Nº{number}" if number else ""
        category, kind = ("355", "Centre Hospitalier (C.H.)") if number % 3 else ("620", "Pharmacie d'Officine")
        commune = "25056" if number % 2 else "97101"
        lines.append(f"25{number:07};250000010;CENTRE HOSPITALIER Nº0;{long_name};25;{commune};{category};{kind};1")
    return "\n".join(lines) + "\n"


def packed(text: str | Iterable[str]) -> bytes:
    """gzip, as the address base is published."""
    return gzip.compress("".join(text).encode(), mtime=0)


LIEUX_DITS_HEADER = (
    "id;nom_lieu_dit;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;nom_ancienne_commune;x;y;lon;lat;"
    "source_position;source_nom_voie"
)
CHANGES_HEADER = (
    "MOD,DATE_EFF,TYPECOM_AV,COM_AV,TNCC_AV,NCC_AV,NCCENR_AV,LIBELLE_AV,"
    "TYPECOM_AP,COM_AP,TNCC_AP,NCC_AP,NCCENR_AP,LIBELLE_AP"
)


def lieux_dits(places: int = 600, insee: str = "05001", postcode: str = "05460") -> str:
    """A BAN file of lieux-dits; one in ten has no position, the last has no name."""
    lines = [LIEUX_DITS_HEADER]
    for number in range(places):
        at = "" if number % 10 == 0 else ";".join(("1010832.86", "6417719.23", *place(insee, number)))
        at = at or ";;;"
        lines.append(f"{insee}_{number};Le Clos {number};{postcode};{insee};Abriès-Ristolas;;;{at};commune;commune")
    lines.append(f"{insee}_x;;{postcode};{insee};Abriès-Ristolas;;;;;;;commune;commune")
    return "\n".join(lines) + "\n"


def hexasmal(communes: int = 31_000) -> str:
    """La Poste's file as its portal gives it; Paris 2e and Saint-Denis of Réunion are there."""
    lines = ["#Code_commune_INSEE;Nom_de_la_commune;Code_postal;Libellé_d_acheminement;Ligne_5"]
    lines += [
        "75102;PARIS 02;75002;PARIS;",
        "97411;ST DENIS;97400;ST DENIS;",
        "97411;ST DENIS;97417;ST DENIS;LA MONTAGNE",
    ]
    departments = [f"{number:02}" for number in range(1, 96) if number != 20] + ["2A", "2B"]
    for number in range(communes):
        department, rank = departments[number % 96], number // 96
        postcode = f"{'20' if department[0] == '2' and department[1] in 'AB' else department}{rank % 1000:03}"
        lines.append(f"{department}{rank + 500:03};VILLE {number};{postcode};VILLE {number};")
    return "\n".join(lines) + "\n"


def insee_first_names(names: int = 10_100, *, edition: int = 2023) -> str:
    """The national file of first names: a line per year, “XXXX” where it is not said."""
    lines = ["sexe;preusuel;annais;nombre" if edition < 2024 else "sexe;prenom;periode;valeur;rang"]
    end = "" if edition < 2024 else ";1"
    for sex, name in (
        ("1", "JEAN"),
        ("2", "MARIE"),
        ("1", "MARIE"),
        *(("2", f"ÉLISE-{_letters(n)}") for n in range(names)),
    ):
        lines += [f"{sex};{name};1944;20{end}", f"{sex};{name};1946;5{end}", f"{sex};{name};2001;7{end}"]
        lines.append(f"{sex};{name};XXXX;3{end}")
    lines += [f"1;_PRENOMS_RARES;1900;1249{end}", f"2;UNIQUE;1900;3{end}"]
    return "\n".join(lines) + "\n"


def insee_surnames(names: int = 50_100) -> str:
    """The national file of surnames: a tab between columns, a decade each."""
    lines = ["\t".join(["NOM", *(f"_{first}_{first + 9}" for first in range(1891, 2000, 10))])]
    for name in ("MARTIN", "BERNARD", "DUBOIS", *(f"NOM-{_letters(number)}" for number in range(names))):
        lines.append("\t".join([name, *["2"] * 11]))
    lines += ["\t".join(["SEUL", *["1"] * 11]), "\t".join(["AUTRES NOMS", *["1000"] * 11])]
    return "\n".join(lines) + "\n"


def commune_changes(others: int = 3_100) -> str:
    """The COG's list of changes: chains, a commune that came back, and many plain renamings."""
    lines = [CHANGES_HEADER]

    def change(kind: int, day: str, before: tuple[str, str], after: tuple[str, str]) -> None:
        cells = [("COM", code, "0", name.upper(), name, name) for code, name in (before, after)]
        lines.append(",".join([str(kind), day, *cells[0], *cells[1]]))

    for name, code in (("Cherbourg", "50129"), ("Octeville", "50383")):
        change(32, "2000-03-01", (code, name), ("50129", "Cherbourg-Octeville"))
    for name, code in (("Cherbourg-Octeville", "50129"), ("Tourlaville", "50602")):
        change(32, "2016-01-01", (code, name), ("50129", "Cherbourg-en-Cotentin"))
    change(33, "1973-01-01", ("39001", "Revenue"), ("39002", "Mère"))
    change(21, "1995-01-01", ("39002", "Mère"), ("39001", "Revenue"))
    change(21, "1995-01-01", ("39002", "Mère"), ("39002", "Mère"))
    for number in range(others):
        code = f"{number // 900 + 21}{number % 900 + 100}"
        change(10, "1990-01-01", (code, f"Vieux-Prés-{number}"), (code, f"Neuf-{number}"))
    return "\n".join(lines) + "\n"


def zipped(name: str, text: str) -> bytes:
    """A zip with one file, as INSEE publishes."""
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return box.getvalue()


def _letters(number: int) -> str:
    return "".join(chr(ord("A") + int(digit)) for digit in str(number))
