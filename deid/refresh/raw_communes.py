"""Communes with their health features, joined from the raw national files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

RAW = (
    "geo/communes_2024.csv.gz",
    "health/radon_irsn_communes.csv.gz",
    "health/territoires_sante_apl_filosofi.csv.gz",
    "health/mortalite_standardisee_2023_departement.csv.gz",
)


def read_csv(source: Path, name: str, **options: object) -> pd.DataFrame:
    """A raw file, every value as text."""
    return pd.read_csv(source / name, dtype=str, keep_default_na=False, **options)  # type: ignore[call-overload,no-any-return]


def flagged_communes(source: Path) -> pd.DataFrame:
    """Communes with coordinates, population and health features; one row per INSEE code.

    Features: apl_gen (general-practice consultations per inhabitant and year, DREES 2023), median_income
    (€ per consumption unit and year, INSEE Filosofi 2021), radon (class 1-3, IRSN 2019), cancer_mortality and
    circulatory_mortality (standardised deaths per 100,000, CépiDc 2023, of the department), density
    (inhabitants per km²). A feature that is secret or missing for a commune is the median of its department,
    else of the country. `imputed` names those of a row, and those that only departments have.
    """
    table = read_csv(source, RAW[0])
    # Paris, Lyon and Marseille have their postal codes and inhabitants on their arrondissements only.
    districts = table[table["commune_parente"] != ""].groupby("commune_parente")
    joined = districts["codes_postaux"].agg("|".join).to_dict()
    summed = districts["population"].agg(lambda column: str(column.astype(int).sum())).to_dict()
    zips, inhabitants = (table["code_insee"].map(lambda code, by=by: by.get(code, "")) for by in (joined, summed))
    table["codes_postaux"] = table["codes_postaux"].where(table["codes_postaux"] != "", zips)
    table["population"] = table["population"].where(table["population"] != "", inhabitants)
    table = table[table["codes_postaux"] != ""]
    # Mayotte and communes split in 2024 have no population in the source: 0, and features of their surroundings.
    counted = pd.to_numeric(table["population"].replace("", None))
    table["population"] = table["population"].where(table["population"] != "", "0")
    radon = read_csv(source, RAW[1]).set_index("code_insee")["radon_classe"]
    areas = read_csv(source, RAW[2])
    # Zero inhabitants and zero consultations: nothing was measured. (Arrondissements have no count, but are measured.)
    unmeasured = (pd.to_numeric(areas["pmun2022"]) == 0) & (pd.to_numeric(areas["apl_gen"]) == 0)
    local = areas[(areas["niveau"] == "commune") & ~unmeasured]
    local = local.drop_duplicates("code").set_index("code")
    deaths = read_csv(source, RAW[3])
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
