"""Distilling of open data into the tables that ship, on files of a few rows."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest

from nocturne_lab.learning import packaging

FILES: Mapping[str, str] = {
    "names/prenoms_insee_1900_2022.csv.gz": "prenom,sexe,n_total\nCLAIRE,F,1200\nZOLTAN,M,12\n",
    "names/noms_insee_1891_2000.csv.gz": "nom,n_total\nMARTIN,20000\nRARISSIME,14\n",
    "geo/ban_adresses-05_2024.csv.gz": "nom_voie;code_insee\nRue Haute;05061\nRue Haute;05061\nRue Basse;05061\n",
    "geo/ban_adresses-75_2024.csv.gz": "nom_voie;code_insee\nRue Haute;75101\n",
    "directory/etablissements_sante_sae_2022.csv.gz": (
        "fi,rs,COMINSEE,cat\n970100001,CHU ILES,9A101,101\n050000002,,05061,355\n"
    ),
    "directory/finess_occitanie.csv.gz": (
        "nofinesset,raison_sociale,code_insee,categorie\n970100001,DOUBLE,97101,ehpad\n310000003,OFFICINE,31555,pharma\n"
    ),
    "geo/departements_2024.csv.gz": "DEP,LIBELLE\n05,Hautes-Alpes\n",
    "geo/regions_2024.csv.gz": "REG,LIBELLE\n93,Provence-Alpes-Côte d'Azur\n",
    "geo/pays_insee_2024.csv.gz": "COG,LIBCOG,CODEISO2\n99109,Allemagne,DE\n99109,Allemagne,DE\n",
    "geo/collectivites_outremer.csv.gz": (
        "code_commune,nom_commune,code_collectivite,code_postal,population\n"
        "98735,Papeete,987,98714,26000\n98799,Vide,987,,10\n"
    ),
    "medvocab/bdpm_noms_commerciaux_derives.csv.gz": "nom_commercial\nDOLIPRANE\nXY\n",
    "medvocab/bdpm_substances_2026.csv.gz": "substance\nPARACETAMOL\nDOLIPRANE\n",
    "medvocab/eponymes_derives.csv.gz": "terme,exemple,source\nCharcot,maladie de Charcot,x\n",
    "lexicon/lexique383_ortho_cgram_freq.csv.gz": (
        "ortho,cgram,freq\nfort,ADJ:m,1.5\nfort,NOM,0.25\nrare,ADJ,0.01\nParis,NOM,9\n"
    ),
    "medvocab/cim10_fr_atih_edsnlp.csv.gz": "libelle\ncardiomyopathie dilatée\n",
    "medvocab/ccam_v81_2026.csv.gz": "libelle\nposé fort\n",
    "medvocab/loinc_fr_synthea.csv.gz": "libelle_fr\nTroponine cardiaque\n",
    "medvocab/abreviations_medicales_wikipedia.csv.gz": "abreviation\nECBU\n",
    "medvocab/edsnlp_drugs_atc.json.gz": '{"A02BC": ["omeprazole"]}',
    "geo/communes_2024.csv.gz": (
        "code_insee,nom,type,dep,codes_postaux,commune_parente\n"
        "05061,Gap,COM,05,05000,\n05139,Dévoluy,COM,05,05250,\n05999,Sans Code,COM,05,,\n"
    ),
    "geo/communes_depuis_1943_insee.csv.gz": "COM,LIBELLE\n05020,Agnières-en-Dévoluy\n05061,Gap-Vieille\n05888,Perdue",
    "geo/communes_deleguees_associees_2024.csv.gz": "COM,LIBELLE,COMPARENT\n05042,La Cluse,05139\n",
    "geo/codes_postaux_laposte_2025.csv.gz": (
        "code_commune_insee,ligne_5\n05139,AGNIERES EN DEVOLUY\n05061,\n"
    ),
}  # fmt: skip

NUMBERS = (
    "EZABPQM;Tranche_Debut;Tranche_Fin;Mnémo;Territoire;Date_Attribution",
    *(f"03{block};0380{block}0000;0380{block}9999;FRTE;Métropole;x" for block in range(10, 98)),
    "0262;0262000000;0262989999;FRTE;La Réunion - Océan indien;x",
    "0639;0639000000;0639969999;SRR;Mayotte;x",
    "0162;0162000000;0162009999;FRTE;Métropole;x",
    "08;0810000000;0810000999;FRTE;National;x",
    "court;3900;3900;FRTE;National;x",
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content.encode()))
    (tmp_path / "text").mkdir()
    with lzma.open(tmp_path / "lexicon/vectors_fr_cc0.keys.tsv.xz", "wt", encoding="utf-8") as lines:
        lines.write("Émile\t1\nEmile\t2\nzoé\t3\nZoe\t4\nZoé\t5\nLefèvre\t6\nLEFEVRE\t7\n</s>\t8\n")
    (tmp_path / "numbering").mkdir()
    (tmp_path / "numbering/MAJNUM.csv").write_text("\n".join(NUMBERS), encoding="latin-1")
    with lzma.open(tmp_path / "text/medical_cases_pamj_ccby.jsonl.xz", "wt", encoding="utf-8") as lines:
        lines.write('{"text": "toux toux toux rhinite Martin Martin Martin"}\n')
    for name in packaging._MEDICAL_TEXTS:
        with lzma.open(tmp_path / f"text/{name}.txt.xz", "wt", encoding="utf-8") as text:
            text.write("Escherichia coli sous CRP. La troponine, la CRP et la troponine.\n")
    return tmp_path


def rows(table: pd.DataFrame) -> list[tuple[object, ...]]:
    return [tuple(row) for row in table.itertuples(index=False)]


def test_rare_names_are_left_out(source: Path) -> None:
    assert rows(packaging.first_names(source)) == [("CLAIRE", "F", "1200")]
    assert rows(packaging.surnames(source)) == [("MARTIN", "20000")]


def test_accents_are_those_of_births_else_of_the_most_frequent_spelling(source: Path) -> None:
    names = "prenom,sexe,n_total\nHÉLÈNE,F,900\nHELENE,F,40\nEMILE,M,800\nZOE,F,700\nJEAN,M,600\n"
    (source / "names/prenoms_insee_1900_2022.csv.gz").write_bytes(gzip.compress(names.encode()))
    (source / "names/noms_insee_1891_2000.csv.gz").write_bytes(gzip.compress(b"nom,n_total\nLEFEVRE,99\nMARTIN,98\n"))
    assert rows(packaging.accented_names(source)) == [
        ("first name", "Hélène"),
        ("first name", "Émile"),
        ("surname", "Lefèvre"),
    ]


def test_unassigned_numbers_are_beside_those_that_operators_have(source: Path) -> None:
    found = {
        start: (territory, blocks.split()) for start, territory, blocks in rows(packaging.unassigned_numbers(source))
    }
    assert found["0380"] == ("", ["00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "98", "99"])
    assert found["0262"] == ("La Réunion", ["99"])
    assert found["0639"] == ("Mayotte", ["97", "99"])  # 06 39 98 is for fiction
    assert "00" not in found["0810"][1]
    assert len(found["0810"][1]) == 99
    assert set(found) == {"0380", "0262", "0639", "0810"}  # no platform, no short number


def test_streets_are_counted_over_both_departments(source: Path) -> None:
    assert rows(packaging.streets(source)) == [("Rue Haute", 3), ("Rue Basse", 1)]


def test_establishments_have_a_name_one_number_and_an_insee_code(source: Path) -> None:
    assert rows(packaging.establishments(source)) == [
        ("310000003", "OFFICINE", "31555", "pharma"),
        ("970100001", "CHU ILES", "97101", "hospital"),
    ]


def test_hospital_towns_are_those_of_public_hospitals_and_seats(source: Path) -> None:
    towns = dict(rows(packaging.hospital_towns(source)))
    assert (towns["05061"], towns["97101"], towns["21231"]) == ("general", "university", "university")


def test_territories_and_collectivities(source: Path) -> None:
    assert [row[0] for row in rows(packaging.territories(source))] == ["department", "region", "country"]
    assert rows(packaging.collectivities(source)) == [("98735", "Papeete", "987", "98714")]


def test_former_communes_lead_to_the_present_one_where_a_source_says_so(source: Path) -> None:
    assert rows(packaging.former_communes(source)) == [
        ("", "Perdue"),
        ("05061", "Gap-Vieille"),
        ("05139", "Agnières-en-Dévoluy"),
        ("05139", "La Cluse"),
    ]


def test_towns_abroad_have_their_french_names_and_no_name_of_a_commune(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packaging, "communes", lambda _source: pd.DataFrame({"name": ["Gap"]}))
    towns = {
        "1": ("Köln", "DE", 963395, ["Cologne", "CGN", "Kel'n", "Кёльн", "cologne"]),
        "2": ("Gap", "DE", 20000, []),
        "3": ("La Cluse", "DE", 20000, []),
        "4": ("Nirgends", "XX", 20000, []),
        "5": ("Kleinstadt", "DE", 20000, ["Petite Ville"]),
        "6": ("Papeete", "PF", 26357, []),
    }
    keys = ("name", "countrycode", "population", "alternatenames")
    content = {number: dict(zip(keys, town, strict=True)) for number, town in towns.items()}
    (source / "geo/geonames_cities15000.json").write_text(json.dumps(content), encoding="utf-8")
    germany = "99109"
    assert rows(packaging.towns_abroad(source)) == [
        ("cologne", germany),
        ("kleinstadt", germany),
        ("koln", germany),
        ("papeete", "987"),
    ]


def test_words_of_medicine_and_of_the_language(source: Path) -> None:
    assert rows(packaging.drugs(source)) == [("DOLIPRANE",), ("PARACETAMOL",)]
    assert rows(packaging.eponyms(source)) == [("Charcot", "maladie de Charcot")]
    assert rows(packaging.common_words(source)) == [("fort", "ADJ|NOM", 1.75)]
    medical = [word for (word,) in rows(packaging.medical_words(source))]
    assert medical == ["cardiomyopathie", "dilatée", "posé", "toux"]  # no name, no common or single word


def test_a_table_is_written_the_same_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaging, "DATA", tmp_path)
    written = []
    for _ in range(2):
        packaging._write(pd.DataFrame({"name": ["a", "b"]}), "essai")
        written.append((tmp_path / "essai.csv.gz").read_bytes())
    assert written[0] == written[1]
    assert gzip.decompress(written[0]) == b"name\na\nb\n"


@pytest.mark.parametrize("arguments", [[], ["/nowhere"], ["a", "b"]])
def test_the_command_needs_one_folder(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert packaging.main(["packaging", *arguments]) == 2
    assert "SOURCE" in capsys.readouterr().err


def test_words_with_a_clinical_reading_have_their_kind(source: Path) -> None:
    found = rows(packaging.clinical_terms(source))
    assert {("omeprazole", "drug"), ("ecbu", "acronym"), ("crp", "acronym"), ("troponine", "word")} <= set(found)
    assert ("fort", "word") not in found


def test_the_command_writes_every_table(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tmp_path / "made"
    made.mkdir()
    monkeypatch.setattr(packaging, "DATA", made)
    nothing = pd.DataFrame({"name": ["x"]})
    for name in ("communes", "towns_abroad"):  # made of files that other tests read whole
        stand_in = lambda _source: nothing  # noqa: E731
        stand_in.__name__ = name
        monkeypatch.setattr(packaging, name, stand_in)
    assert packaging.main(["packaging", str(source)]) == 0
    assert len(list(made.glob("*.csv.gz"))) == 17
