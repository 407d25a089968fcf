"""Distil open data into the compact tables of this folder: `python -m nocturne_lab.learning.packaging SOURCE`.

SOURCE is a folder of downloads with the layout of `docs/reference-data.md` (geo/, health/, names/, directory/,
medvocab/, lexicon/). A maintainer runs this module when a source has a new edition; no nightly run calls it.
"""

from __future__ import annotations

import gzip
import json
import lzma
import re
import sys
from collections import Counter
from pathlib import Path

import pandas as pd

from deid.french.folding import fold, key
from deid.reference.communes import CommuneTable
from deid.reference.names import name_key
from deid.reference.packaged import DATA
from deid.reference.place_names import place_key, without_article
from deid.refresh.sources.communes import flagged_communes, read_raw_csv

# A surname or first name borne less often than this identifies a person, and may be a misspelling.
SURNAME_FLOOR = 15
FIRST_NAME_FLOOR = 30
# Arcep, decision 2018-0881 modified, annex 1: numbers for audiovisual works, and of technical platforms.
_FICTION = frozenset({"019900", "026191", "035301", "046571", "053649", "063998"})
_NAME = re.compile("[A-ZÀÂÄÇÉÈÊËÎÏÔÖÙÛÜ][a-zàâäçéèêëîïñôöùûü]{2,}")
_PLATFORMS = frozenset("0162 0163 0270 0271 0377 0378 0424 0425 0568 0569 0947 0948 0949".split())


def _write(table: pd.DataFrame, name: str) -> None:
    # mtime=0: the same input gives the same bytes, so a rebuild shows no difference.
    table.to_csv(
        DATA / f"{name}.csv.gz",
        index=False,
        lineterminator="\n",
        compression={"method": "gzip", "compresslevel": 9, "mtime": 0},
    )
    print(f"{name}: {len(table)} rows, {(DATA / f'{name}.csv.gz').stat().st_size // 1024} KiB")


def communes(source: Path) -> pd.DataFrame:
    """Return the shipped commune table: `flagged_communes` without the flags, which no reader uses."""
    return flagged_communes(source).drop(columns="imputed")


def former_communes(source: Path) -> pd.DataFrame:
    """Return former names of communes (merged, renamed, delegated), which birth places still use.

    `insee` is the present commune: by the list of delegated communes, else by the code if it continues under a new
    name, else by a line of La Poste with the old name; empty if no source gives it.
    """
    table = read_raw_csv(source, "geo/communes_2024.csv.gz")
    # A commune without a postal code of its own was merged after the date of the list.
    served = (table["codes_postaux"] != "") | table["code_insee"].isin(table["commune_parente"])
    today = table[(table["type"] == "COM") & served]
    old = read_raw_csv(source, "geo/communes_depuis_1943_insee.csv.gz")[["COM", "LIBELLE"]]
    delegated = read_raw_csv(source, "geo/communes_deleguees_associees_2024.csv.gz")
    names = pd.concat([delegated[["COM", "LIBELLE"]], old]).rename(columns={"LIBELLE": "name"})
    names["department"] = names["COM"].map(_department)
    names["key"] = names["name"].map(place_key).map(without_article)
    post = read_raw_csv(source, "geo/codes_postaux_laposte_2025.csv.gz")
    post = post[post["ligne_5"] != ""]
    lines = {
        (_department(code), without_article(place_key(line))): code
        for code, line in zip(post["code_commune_insee"], post["ligne_5"], strict=True)
    }
    parents = dict(zip(delegated["COM"], delegated["COMPARENT"], strict=True))
    codes = set(today["code_insee"])
    names["insee"] = [
        parents.get(code) or (code if code in codes else lines.get((department, place), ""))
        for code, department, place in zip(names["COM"], names["department"], names["key"], strict=True)
    ]
    borne = set(zip(today["dep"], today["nom"], strict=True))
    gone = [pair not in borne for pair in zip(names["department"], names["name"], strict=True)]
    names = names[gone].sort_values("insee", ascending=False, kind="stable")
    return names.drop_duplicates(["department", "name"])[["insee", "name"]].sort_values(["insee", "name"])


def _department(insee: str) -> str:
    return insee[:3] if insee.startswith("97") else insee[:2]


def first_names(source: Path) -> pd.DataFrame:
    """Return first names with sex and births per generation (INSEE, 1900-2022)."""
    table = read_raw_csv(source, "names/prenoms_insee_1900_2022.csv.gz")
    table = table[table["n_total"].astype(int) >= FIRST_NAME_FLOOR]
    return table.rename(columns={"prenom": "name", "sexe": "sex", "n_total": "births"})


def accented_names(source: Path) -> pd.DataFrame:
    """Return first names and surnames that are usually written with accents.

    By INSEE, whose surnames have none; where it has none, by the most frequent spelling with a capital on the web.
    """
    told: dict[str, str] = {}
    keys = source / "lexicon/vectors_fr_cc0.keys.tsv.xz"
    with lzma.open(keys, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            word = line.partition("\t")[0]
            if _NAME.fullmatch(word):
                told.setdefault(name_key(word), word)
    rows = []
    for sort, table in (("first name", first_names(source)), ("surname", surnames(source))):
        # The most frequent spelling of a key counts: "HÉLÈNE" before "HELENE".
        counted = table.assign(births=table["births"].astype(int)).sort_values("births", ascending=False, kind="stable")
        spelt: dict[str, str] = {}
        for written in counted["name"].map(str.capitalize):
            spelt.setdefault(name_key(written), written if _NAME.fullmatch(written) else "")
        rows += [(sort, told.get(name, written) if written.isascii() else written) for name, written in spelt.items()]
    names = pd.DataFrame(rows, columns=["sort", "name"])
    return names[~names["name"].map(str.isascii)].sort_values(["sort", "name"])


def unassigned_numbers(source: Path) -> pd.DataFrame:
    """Return, by the first four digits, the next two of the telephone numbers that no operator has (Arcep, MAJNUM).

    `territory` is empty for metropolitan and national numbers. Left out: four digits that no operator has numbers of,
    which look odd, ranges for fiction, and those of technical platforms, which people know for canvassing.
    """
    table = pd.read_csv(source / "numbering/MAJNUM.csv", sep=";", encoding="latin-1", dtype=str)
    table = table[table["Tranche_Debut"].str.fullmatch(r"0[1-9]\d{8}")]
    taken: dict[str, set[str]] = {}
    where: dict[str, str] = {}
    for start, end, territory in zip(table["Tranche_Debut"], table["Tranche_Fin"], table["Territoire"], strict=True):
        name = territory.partition(",")[0].partition(" - ")[0]
        where[start[:4]] = "" if name in ("Métropole", "National") else name
        for block in range(int(start) // 10_000, int(end) // 10_000 + 1):
            taken.setdefault(f"{block:06d}"[:4], set()).add(f"{block:06d}"[4:])
    rows = []
    for start in sorted(taken.keys() - _PLATFORMS):
        every = {f"{two:02d}" for two in range(100)} - {block[4:] for block in _FICTION if block.startswith(start)}
        free = sorted(every - taken[start])
        if free or where[start]:
            rows.append((start, where[start], " ".join(free)))
    return pd.DataFrame(rows, columns=["start", "territory", "blocks"])


def surnames(source: Path) -> pd.DataFrame:
    """Return surnames with the births of 1891-2000 (INSEE)."""
    table = read_raw_csv(source, "names/noms_insee_1891_2000.csv.gz")
    table = table[table["n_total"].astype(int) >= SURNAME_FLOOR]
    return table.rename(columns={"nom": "name", "n_total": "births"})[["name", "births"]]


def streets(source: Path) -> pd.DataFrame:
    """Return distinct street names of two departments of the national address base, with their numbers of addresses."""
    both = pd.concat(
        read_raw_csv(source, f"geo/ban_adresses-{code}_2024.csv.gz", sep=";", usecols=["nom_voie", "code_insee"])
        for code in ("05", "75")
    )
    counted = both.groupby("nom_voie").agg(addresses=("code_insee", "size")).reset_index()
    return counted.rename(columns={"nom_voie": "name"}).sort_values(["addresses", "name"], ascending=[False, True])


def establishments(source: Path) -> pd.DataFrame:
    """Return hospitals and clinics (SAE 2022), and care homes, pharmacies and laboratories (FINESS)."""
    hospitals = read_raw_csv(source, "directory/etablissements_sante_sae_2022.csv.gz")
    hospitals = pd.DataFrame(
        {"finess": hospitals["fi"], "name": hospitals["rs"], "insee": hospitals["COMINSEE"], "kind": "hospital"}
    )
    others = read_raw_csv(source, "directory/finess_occitanie.csv.gz")
    others = pd.DataFrame(
        {
            "finess": others["nofinesset"],
            "name": others["raison_sociale"],
            "insee": others["code_insee"],
            "kind": others["categorie"],
        }
    )
    both = pd.concat([hospitals, others])
    # FINESS numbers the overseas departments 9A to 9F: 9A101 is the commune 97101.
    both["insee"] = both["insee"].str.replace(r"^9[A-F](\d{3})$", r"97\1", regex=True)
    return both[both["name"] != ""].drop_duplicates("finess").sort_values("finess")


# INSEE codes of the seats of the centres hospitaliers universitaires and régionaux (CHU, CHR), by name in the table.
_SEATS = frozenset(
    "80021 49007 25056 33063 29019 14118 63113 21231 38185 59350 87085 69123 13055 34172 54395 44109 06088 30189 75056 "
    "86194 51454 35238 76540 42218 67482 31555 37261 45234 57463 57672 97105 97120 97101 97209 97302 97411 "
    "97416".split()
)
# FINESS categories of public hospitals: centre hospitalier, former hôpital local, centre hospitalier régional.
_PUBLIC = ("355", "106", "101")


def hospital_towns(source: Path) -> pd.DataFrame:
    """Return the communes that have a public hospital: "university" for the seat of a CHU or CHR, else "general"."""
    hospitals = read_raw_csv(source, "directory/etablissements_sante_sae_2022.csv.gz")
    hospitals = hospitals[hospitals["cat"].isin(_PUBLIC)]
    codes = hospitals["COMINSEE"].str.replace(r"^9[A-F](\d{3})$", r"97\1", regex=True)
    found = {CommuneTable.code_of_today(code) for code in codes} | _SEATS
    rows = [(code, "university" if code in _SEATS else "general") for code in sorted(found)]
    return pd.DataFrame(rows, columns=["insee", "kind"])


def territories(source: Path) -> pd.DataFrame:
    """Return the departments, regions and countries, labelled LOC."""
    departments = read_raw_csv(source, "geo/departements_2024.csv.gz")
    regions = read_raw_csv(source, "geo/regions_2024.csv.gz")
    countries = read_raw_csv(source, "geo/pays_insee_2024.csv.gz")
    parts = [
        pd.DataFrame({"kind": "department", "code": departments["DEP"], "name": departments["LIBELLE"]}),
        pd.DataFrame({"kind": "region", "code": regions["REG"], "name": regions["LIBELLE"]}),
        pd.DataFrame({"kind": "country", "code": countries["COG"], "name": countries["LIBCOG"]}),
    ]
    return pd.concat(parts).drop_duplicates(["kind", "name"])


def collectivities(source: Path) -> pd.DataFrame:
    """Return the communes of the overseas collectivities outside departments: Polynesia, New Caledonia…"""
    table = read_raw_csv(source, "geo/collectivites_outremer.csv.gz")
    table = table[(table["code_postal"] != "") & (table["population"] != "")]
    columns = ["code_commune", "nom_commune", "code_collectivite", "code_postal"]
    return table[columns].set_axis(["insee", "name", "collectivity", "zip"], axis="columns")


# ISO code of a French territory → None where the commune table has it, else INSEE's code of the collectivity.
_FRENCH = {"FR": None, "GP": None, "MQ": None, "GF": None, "RE": None, "YT": None} | {
    "PM": "975", "BL": "977", "MF": "978", "WF": "986", "PF": "987", "NC": "988",
}  # fmt: skip
# Towns below this population are listed under their own name only, not under names in other languages.
_KNOWN_ABROAD = 100_000
_NO_NAME = re.compile(r"[^\x00-\u024f\u1e00-\u1eff’]|[\d,(]")
_TRANSLITERATED = re.compile(r"['’]|-(?:[a-z]|$)")


def towns_abroad(source: Path) -> pd.DataFrame:
    """Map names of towns outside France of 15,000 inhabitants or more to INSEE's code of the country.

    A name of several towns is that of the most populous one. Names of present and former communes of France are
    excluded.
    """
    countries = read_raw_csv(source, "geo/pays_insee_2024.csv.gz")
    # The first row of an ISO code is the country, the next ones its dependencies.
    code_of = countries.drop_duplicates("CODEISO2").set_index("CODEISO2")["COG"].to_dict() | _FRENCH
    taken = {
        without_article(place_key(name)) for table in (communes, former_communes) for name in table(source)["name"]
    }
    best: dict[str, tuple[int, str]] = {}
    for town in json.loads((source / "geo/geonames_cities15000.json").read_text(encoding="utf-8")).values():
        country, population = code_of.get(town["countrycode"]), int(town["population"])
        others = town.get("alternatenames", ()) if population >= _KNOWN_ABROAD else ()
        for name in (town["name"], *filter(_is_proper, others)):
            place = place_key(name)
            if country is None or _NO_NAME.search(name) or len(place) < 3 or without_article(place) in taken:
                continue
            best[place] = max(best.get(place, (0, "")), (population, country))
    named = sorted((place, country) for place, (_, country) in best.items())
    return pd.DataFrame(named, columns=["name", "country"])


def _is_proper(name: str) -> bool:
    """Return whether an alternative name is plausible in French text: no code, no transliteration."""
    cased = name[:1].isupper() and not name.isupper()
    return len(name) > 3 and cased and not _TRANSLITERATED.search(name) and len(name.split()) < 5


def drugs(source: Path) -> pd.DataFrame:
    """Return brand names and substances (BDPM 2026), which never denote a person."""
    brands = read_raw_csv(source, "medvocab/bdpm_noms_commerciaux_derives.csv.gz")["nom_commercial"]
    substances = read_raw_csv(source, "medvocab/bdpm_substances_2026.csv.gz")["substance"]
    names = pd.concat([brands, substances]).str.strip()
    return pd.DataFrame({"name": sorted(set(names[names.str.len() > 2]))})


def eponyms(source: Path) -> pd.DataFrame:
    """Return names within names of diseases, signs and scores, with an example of each."""
    table = read_raw_csv(source, "medvocab/eponymes_derives.csv.gz")
    return table.rename(columns={"terme": "name", "exemple": "example"})[["name", "example"]]


def common_words(source: Path) -> pd.DataFrame:
    """Return common French words with part of speech and frequency per million (Lexique 3.83)."""
    table = read_raw_csv(source, "lexicon/lexique383_ortho_cgram_freq.csv.gz")
    table = table[table["ortho"].str.fullmatch(r"[a-zà-öø-ÿœæ'-]+")]
    table["freq"] = table["freq"].astype(float)
    kept = table.groupby(["ortho"]).agg(
        parts=("cgram", lambda parts: "|".join(sorted({part.split(":")[0] for part in parts if part}))),
        per_million=("freq", "sum"),
    )
    kept = kept[kept["per_million"] >= 0.05].reset_index()
    kept["per_million"] = kept["per_million"].round(2)
    return kept.rename(columns={"ortho": "word"})


def medical_words(source: Path) -> pd.DataFrame:
    """Return medical words absent from general French, from CIM-10 and CCAM labels (ATIH, CNAM) and published cases.

    Only words in lower case in the source are kept, since these are not names.
    """
    labels = " ".join(read_raw_csv(source, "medvocab/cim10_fr_atih_edsnlp.csv.gz")["libelle"])
    labels += " " + " ".join(read_raw_csv(source, "medvocab/ccam_v81_2026.csv.gz")["libelle"])
    with lzma.open(source / "text/medical_cases_pamj_ccby.jsonl.xz", "rt", encoding="utf-8") as lines:
        cases = " ".join(json.loads(line)["text"] for line in lines)
    lower = re.compile(r"(?<![\w-])[a-zà-öø-ÿœæ]{3,}(?!\w)")
    counted = Counter(lower.findall(cases))
    known = set(common_words(source)["word"])
    kept = {word for word, times in counted.items() if times >= 3} | set(lower.findall(labels))
    return pd.DataFrame({"word": sorted(kept - known)})


_WORD = re.compile(r"(?<![\w-])[a-zà-öø-ÿœæ]{3,}(?!\w)")
_ACRONYM = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]{1,6}(?!\w)")
_BINOMIAL = re.compile(r"(?<![\w-])([A-Z][a-z]{3,}) ([a-z]{4,}(?:us|a|um|is|ii|ae|i|ans|ens|es|se|er|ex|ix|os))(?!\w)")
# Published texts whose licence lets their words be kept. Case reports are left out: detection is judged on them.
_MEDICAL_TEXTS = ("medical_abstracts_morfitt_ccbysa", "medical_mcqa_apache2")


def clinical_terms(source: Path) -> pd.DataFrame:
    """Return folded words that have a clinical reading, one row a word and kind: drug, germ, acronym, word.

    Drugs are words of substances (BDPM, ATC) and the first words of brands; germs both parts of a Latin binomial;
    acronyms those of the list and those written twice or more; words those of abstracts and examination questions
    written in lower case twice or more, outside general French.
    """
    labels = [
        *read_raw_csv(source, "medvocab/cim10_fr_atih_edsnlp.csv.gz")["libelle"],
        *read_raw_csv(source, "medvocab/ccam_v81_2026.csv.gz")["libelle"],
        *read_raw_csv(source, "medvocab/loinc_fr_synthea.csv.gz")["libelle_fr"],
    ]
    for name in _MEDICAL_TEXTS:
        with lzma.open(source / f"text/{name}.txt.xz", "rt", encoding="utf-8") as lines:
            labels.append(lines.read())
    text = "\n".join(labels)
    general = {fold(word) for word in common_words(source)["word"]}
    written = Counter(_ACRONYM.findall(text))
    listed = read_raw_csv(source, "medvocab/abreviations_medicales_wikipedia.csv.gz")["abreviation"]
    lower = Counter(map(fold, _WORD.findall(text)))
    binomials = [pair for pair in _BINOMIAL.findall(text) if not general & {fold(pair[0]), pair[1]}]
    kinds = {
        "drug": _drug_words(source) - general,
        "germ": {fold(part) for pair in binomials for part in pair},
        "acronym": {fold(word) for word in (*listed, *(word for word, times in written.items() if times > 1))},
        "word": {word for word, times in lower.items() if times > 1} - general,
    }
    rows = [
        (word, kind) for kind, found in kinds.items() for word in sorted(found) if re.fullmatch(r"[^\W_]{2,}", word)
    ]
    return pd.DataFrame(rows, columns=["term", "kind"])


def _drug_words(source: Path) -> set[str]:
    """Return the folded words of substances and the first word of each brand, of four letters or more."""
    with gzip.open(source / "medvocab/edsnlp_drugs_atc.json.gz", "rt", encoding="utf-8") as lines:
        by_code = json.load(lines)
    names = [name for listed in by_code.values() for name in listed]
    names += read_raw_csv(source, "medvocab/bdpm_substances_2026.csv.gz")["substance"].to_list()
    brands = read_raw_csv(source, "medvocab/bdpm_noms_commerciaux_derives.csv.gz")["nom_commercial"]
    found = [word for name in names for word in key(name).split()] + [
        key(name).split()[0] for name in brands if key(name)
    ]
    return {word for word in found if len(word) > 3 and word.isalpha()}


def main(argv: list[str]) -> int:
    if len(argv) != 2 or not Path(argv[1]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    source = Path(argv[1])
    for distil in (
        communes,
        former_communes,
        first_names,
        surnames,
        accented_names,
        unassigned_numbers,
        streets,
        establishments,
        hospital_towns,
        territories,
        collectivities,
        towns_abroad,
        drugs,
        eponyms,
        common_words,
        medical_words,
        clinical_terms,
    ):
        _write(distil(source), distil.__name__)
    print("then: python -m deid.detection.lookup && python -m deid.reference.tables")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
