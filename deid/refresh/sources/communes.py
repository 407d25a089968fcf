"""Communes with coordinates, population and health features: the compact table, or the raw national files."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from deid.domain.errors import ReferenceRefused
from deid.reference.commune import Commune
from deid.reference.packaged import FEATURES, parse_commune
from deid.reference.partition import partition_communes
from deid.refresh.sources.source import DEPARTMENTS, INSEE, ZIP, LineCounts, Row, is_within, read_records
from deid.refresh.unpack import text_lines

if TYPE_CHECKING:  # pandas takes a second to import, which only the raw national files need
    import pandas as pd

COLUMNS = ("insee", "name", "kind", "department", "region", "zips", "lon", "lat", "population", *FEATURES)
# Raw files, as `nocturne_lab.learning.packaging` reads them (docs/reference-data.md, “Rebuilding what ships”).
RAW = (
    "geo/communes_2024.csv.gz",
    "health/radon_irsn_communes.csv.gz",
    "health/territoires_sante_apl_filosofi.csv.gz",
    "health/mortalite_standardisee_2023_departement.csv.gz",
)
# INSEE, populations légales de Mayotte en 2017 (décret 2017-1688): the yearly census does not cover the department.
MAYOTTE = {
    "97601": 5_192, "97602": 13_989, "97603": 10_282, "97604": 6_189, "97605": 8_295, "97606": 8_920, "97607": 15_848,
    "97608": 17_831, "97609": 5_507, "97610": 32_156, "97611": 71_437, "97612": 7_705, "97613": 6_432, "97614": 10_203,
    "97615": 11_442, "97616": 11_156, "97617": 13_934,
}  # fmt: skip
RADON_CLASSES = {"1", "2", "3"}
LARGEST_RAW = 512 << 20


def assemble_communes(folder: Path) -> Iterator[str]:
    """Yield the lines of the compact table, with a column of imputed features, built from the raw national files.

    Raises:
        ReferenceRefused: a raw file is damaged, lacks a column, repeats a code or has an invalid number.
    """
    for name in RAW:
        _check_raw_file(folder / name, name)
    import pandas as pd

    try:
        table = flagged_communes(folder)
    except KeyError as error:
        raise ReferenceRefused(
            f"the raw files lack the column {error}.", "Download the edition that is named."
        ) from None
    except (ValueError, pd.errors.InvalidIndexError):
        raise ReferenceRefused(
            "the raw files cannot be joined: a code is given twice, or a number is none.", "Download them again."
        ) from None
    yield from table.to_csv(index=False, lineterminator="\n").splitlines(keepends=True)


def _check_raw_file(path: Path, name: str) -> None:
    """Refuse a raw file that is damaged, no text or a decompression bomb; check radon classes."""
    try:
        rows = csv.reader(text_lines(path, max_unpacked=LARGEST_RAW, encodings=("utf-8-sig",)))
        header = next(rows, [])
        position = header.index("radon_classe") if "radon_classe" in header else None
        for row in rows:
            if position is None or len(row) != len(header) or not INSEE.fullmatch(row[0]):
                continue
            if row[position] not in RADON_CLASSES:
                raise ReferenceRefused("a radon class is none of 1, 2 and 3.", "Download the file again.")
    except ReferenceRefused as refusal:
        raise ReferenceRefused(f"{name}: {refusal}") from None


def parse_communes(lines: Iterator[str], tally: LineCounts) -> Iterator[Row]:
    """Yield the communes of today with their territory and the names of imputed features; without arrondissements.

    Raises:
        ReferenceRefused: a column is missing, or there are too few communes for territories.
    """
    header = next(lines, "")
    flagged = header.rstrip().endswith(",imputed")
    found = list(_read_communes(chain([header], lines), tally, (*COLUMNS, "imputed") if flagged else COLUMNS))
    communes = [one for one, _ in found]
    territory_of = {insee: name for name, codes in partition_communes(communes).items() for insee in codes}
    for one, imputed in found:
        zips, features = ",".join(one.zips), json.dumps(dict(one.features), sort_keys=True)
        place = (one.insee, one.name, one.department, one.region, f"{{{zips}}}", one.lon, one.lat)
        yield *place, one.population, features, territory_of[one.insee], f"{{{imputed.replace('|', ',')}}}"


def _read_communes(lines: Iterator[str], tally: LineCounts, columns: Sequence[str]) -> Iterator[tuple[Commune, str]]:
    for number, values in read_records(lines, tally, columns, delimiter=","):
        row = dict(zip(columns, values, strict=True))
        if row["kind"] == "ARM":
            tally.skipped += 1
            continue
        try:
            one = parse_commune(row)
        except ValueError:
            tally.refuse_line(number)
            continue
        imputed = row.get("imputed", "")
        if _is_credible(one) and set(filter(None, imputed.split("|"))) <= set(FEATURES):
            yield one, imputed
        else:
            tally.refuse_line(number)


def _is_credible(one: Commune) -> bool:
    return (
        INSEE.fullmatch(one.insee) is not None
        and bool(one.name.strip())
        and all(ZIP.fullmatch(code) for code in one.zips)
        and is_within(one.lon, one.lat, DEPARTMENTS)
        and one.population >= 0
        and all(math.isfinite(value) and value >= 0 for value in one.features.values())
    )


def read_raw_csv(source: Path, name: str, **options: object) -> pd.DataFrame:
    """Return a raw file, every value as text."""
    import pandas as pd

    return pd.read_csv(source / name, dtype=str, keep_default_na=False, **options)  # type: ignore[call-overload,no-any-return]


def flagged_communes(source: Path) -> pd.DataFrame:
    """Return communes with coordinates, population and health features, joined from the raw files; one row per code.

    Features: apl_gen (general-practice consultations per inhabitant and year, DREES 2023), median_income
    (€ per consumption unit and year, INSEE Filosofi 2021), radon (class 1-3, IRSN 2019), cancer_mortality and
    circulatory_mortality (standardised deaths per 100,000, CépiDc 2023, of the department), density
    (inhabitants per km²). A feature that is secret or missing for a commune is the median of its department,
    else of the country. `imputed` names these features, and those published by department only.
    """
    import pandas as pd

    table = read_raw_csv(source, RAW[0])
    # Paris, Lyon and Marseille have their postal codes and inhabitants on their arrondissements only.
    districts = table[table["commune_parente"] != ""].groupby("commune_parente")
    joined = districts["codes_postaux"].agg("|".join).to_dict()
    summed = districts["population"].agg(lambda column: str(column.astype(int).sum())).to_dict()
    summed |= {insee: str(people) for insee, people in MAYOTTE.items()}
    zips, inhabitants = (table["code_insee"].map(lambda code, by=by: by.get(code, "")) for by in (joined, summed))
    table["codes_postaux"] = table["codes_postaux"].where(table["codes_postaux"] != "", zips)
    table["population"] = table["population"].where(table["population"] != "", inhabitants)
    table = table[table["codes_postaux"] != ""]
    # Communes split in 2024 have no population in the source: 0, and features of their surroundings.
    counted = pd.to_numeric(table["population"].replace("", None))
    table["population"] = table["population"].where(table["population"] != "", "0")
    radon = read_raw_csv(source, RAW[1]).set_index("code_insee")["radon_classe"]
    areas = read_raw_csv(source, RAW[2])
    # Zero inhabitants and zero consultations: nothing was measured. (Arrondissements have no count, but are measured.)
    unmeasured = (pd.to_numeric(areas["pmun2022"]) == 0) & (pd.to_numeric(areas["apl_gen"]) == 0)
    local = areas[(areas["niveau"] == "commune") & ~unmeasured]
    local = local.drop_duplicates("code").set_index("code")
    deaths = read_raw_csv(source, RAW[3])
    deaths = deaths[deaths["sexe"] == "Tous sexes"]
    result = pd.DataFrame(
        {
            "insee": table["code_insee"],
            "name": table["nom"],
            "kind": table["type"],
            "department": table["dep"],
            "region": table["reg"],
            "zips": table["codes_postaux"],
            "lon": table["lon"],
            "lat": table["lat"],
            "population": table["population"].astype(float).astype(int),
        }
    )
    access = pd.to_numeric(result["insee"].map(local["apl_gen"]), errors="coerce")
    of_districts = access.groupby(table["commune_parente"]).mean()
    access = access.where(~result["insee"].isin(of_districts.index), result["insee"].map(of_districts))
    numeric = {
        "apl_gen": access,
        "median_income": result["insee"].map(local["med21"]),
        "radon": result["insee"].map(radon),
        "density": counted / pd.to_numeric(table["superficie_km2"], errors="coerce").replace(0, float("nan")),
    }
    for name, cause in (("cancer_mortality", "2. "), ("circulatory_mortality", "7. ")):
        chosen = deaths[deaths["cause"].str.startswith(cause)].drop_duplicates("departement")
        numeric[name] = result["department"].map(chosen.set_index("departement")["valeur"])
    result["imputed"] = ""
    for name, values in numeric.items():
        column = pd.to_numeric(values, errors="coerce")
        result.loc[column.isna() | name.endswith("_mortality"), "imputed"] += f"{name}|"
        column = column.fillna(column.groupby(result["department"]).transform("median")).fillna(column.median())
        result[name] = column.round(3)
    result["imputed"] = result.pop("imputed").str.rstrip("|")
    return result.sort_values("insee")
