"""The density grid, counts and indicators of health as their producers publish them, with made-up content."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from xml.sax.saxutils import escape

import openpyxl

from deid.reference.packaged import packaged_rows
from deid.refresh.configuration import DEPARTMENTS

GRID_HEADER = ("CODGEO", "LIBGEO", "DENS", "LIBDENS", "PMUN21", "P1", "P2")
COUNTS_HEADER = (
    "annee;patho_niv1;patho_niv2;patho_niv3;top;cla_age_5;sexe;region;dept;Ntop;Npop;prev;Niveau prioritaire;"
    "libelle_classe_age;libelle_sexe;tri"
)
AGES = (*(f"{first:02}-{first + 4:02}" for first in range(0, 95, 5)), "95et+")
PATHOLOGIES = {"CAN_CAT_CAT": "Cancers", "DIA_CAT_CAT": "Diabète"}
Cells = Sequence[str | int]
# Parts of a workbook (ECMA-376, parts 1 and 2)
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MEDIA = "application/vnd.openxmlformats-officedocument.spreadsheetml"
SHEETS = {1: "Lisez-moi", 2: "Table"}
PARTS = "".join(
    f'<Override PartName="/xl/{name}.xml" ContentType="{MEDIA}.{kind}+xml"/>'
    for name, kind in {
        **{"workbook": "sheet.main", "sharedStrings": "sharedStrings"},
        **{f"worksheets/sheet{number}": "worksheet" for number in SHEETS},
    }.items()
)


def levels(without: Iterable[str] = ()) -> dict[str, int]:
    """A level for every commune that ships but those of `without`: dense where people are many."""
    left_out = set(without)
    known = {}
    for row in packaged_rows("communes"):
        if row["kind"] == "COM" and row["insee"] not in left_out:
            people = int(row["population"])
            bounds = (200_000, 60_000, 20_000, 5_000, 2_000, 300)
            known[row["insee"]] = 1 + sum(people < bound for bound in bounds)
    return known


def grid(known: dict[str, int]) -> Iterator[Cells]:
    """Header and rows of the grid."""
    yield GRID_HEADER
    for insee, level in known.items():
        yield insee, f"Commune d'« {insee} » & alentour", level, "Rural à habitat dispersé", 100, "0.5", ""


def as_csv(table: Iterable[Cells]) -> bytes:
    """The grid saved as text."""
    return "".join(",".join(map(str, row)) + "\n" for row in table).encode()


def workbook(table: Iterable[Cells], *, titles: int = 4) -> bytes:
    """The grid as INSEE gives it: a sheet of explanations, then one with lines of a title above the header."""
    strings: dict[str, int] = {}
    body = [
        _row(number, ["Grille communale de densité"] if number == 1 else [], strings) for number in range(1, titles + 1)
    ]
    body += [_row(number, cells, strings) for number, cells in enumerate(table, start=titles + 1)]
    return packed_workbook("".join(body), strings)


def packed_workbook(body: str, strings: Iterable[str] = (), *, doctype: str = "", raw: str = "") -> bytes:
    """A workbook whose second sheet has these rows; `raw` is markup among its shared strings."""
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    inner = "".join(f"<si><r><t>{escape(text[:3])}</t></r><r><t>{escape(text[3:])}</t></r></si>" for text in strings)
    note = '<row r="1"><c r="A1" t="inlineStr"><is><t>Lisez-moi</t></is></c></row>'
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{PACKAGE}/content-types">{PARTS}</Types>')
        sheets = "".join(f'<sheet name="{name}" sheetId="{at}" r:id="r{at}"/>' for at, name in SHEETS.items())
        archive.writestr(
            "xl/workbook.xml", f'<workbook {space} xmlns:r="{OFFICE}"><sheets>{sheets}</sheets></workbook>'
        )
        related = "".join(
            f'<Relationship Id="r{at}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{at}.xml"/>' for at in SHEETS
        )
        relations = f'<Relationships xmlns="{PACKAGE}/relationships">{related}</Relationships>'
        archive.writestr("xl/_rels/workbook.xml.rels", relations)
        archive.writestr("xl/sharedStrings.xml", f"{doctype}<sst {space}>{raw}{inner}</sst>")
        for number, content in ((1, note), (2, body)):
            sheet = f"<worksheet {space}><sheetData>{content}</sheetData></worksheet>"
            archive.writestr(f"xl/worksheets/sheet{number}.xml", sheet)
    return box.getvalue()


def _row(number: int, cells: Cells, strings: dict[str, int]) -> str:
    """Texts are shared, numbers stand for themselves, empty cells are left out, as Excel does."""
    written = []
    for at, cell in enumerate(cells):
        place = f"{chr(ord('A') + at)}{number}"
        if isinstance(cell, int):
            written.append(f'<c r="{place}"><v>{cell}</v></c>')
        elif cell:
            written.append(f'<c r="{place}" t="s"><v>{strings.setdefault(cell, len(strings))}</v></c>')
    return f'<row r="{number}">{"".join(written)}</row>'


def patients(department: str, code: str, sex: int, age: int) -> tuple[int | None, int]:
    """A made-up count and population of the latest year: older people are ill more often, small counts are masked."""
    at = DEPARTMENTS.index(department)
    people = 10 * (200 + 37 * at % 900 + (20 - age) * 30 + (at * age) % 70)
    ill = people * (age + 1) * (age + 1) * (3 if code == "CAN_CAT_CAT" else 2) * (100 + at % 9 + sex) // 600_000
    return (None if ill <= 10 else round(ill, -1)), people


def counts(years: Sequence[int] = (2022, 2023), departments: Sequence[str] = DEPARTMENTS) -> Iterator[str]:
    """Lines of `effectifs.csv`: every year, pathology, sex and age class, and the lines that sum them."""
    yield "\ufeff" + COUNTS_HEADER
    for year in years:
        for code, label in PATHOLOGIES.items():
            for department in departments:
                for sex in (1, 2):
                    for at, age in enumerate(AGES):
                        ill, people = patients(department, code, sex, at)
                        if year != max(years):
                            ill = 20
                        yield _count(year, code, label, age, sex, department, ill, people)
                yield _count(year, code, label, "tsage", 9, department, 99_999, 99_999)
            yield _count(year, code, label, "tsage", 9, "999", 99_999, 99_999)


def _count(year: int, code: str, label: str, age: str, sex: int, department: str, ill: int | None, people: int) -> str:
    number = "" if ill is None else str(ill)
    share = "" if ill is None else f"{100 * ill / people:.3f}"
    head = f"{year};{label};;;{code};{age};{sex};27;{department};{number};{people};{share}"
    return f"{head};1,2,3;{age};{'tous sexes' if sex == 9 else sex};1"


# Health indicators: each producer's layout, made-up values


def few_communes() -> list[dict[str, str]]:
    """Rows of the commune table that ships: the first two of each department, and the cities that checks ask for."""
    chosen: dict[str, list[dict[str, str]]] = {}
    cities = {"75056", "13055", "69123", "2A004", "97411", "25056"}
    for row in packaged_rows("communes"):
        if row["kind"] == "COM":
            of_department = chosen.setdefault(row["department"], [])
            if len(of_department) < 2 or row["insee"] in cities:
                of_department.append(row)
    return [row for rows in chosen.values() for row in rows]


def accessibility(values: Mapping[str, float | str], *, title: int = 8, unit: bool = True) -> bytes:
    """DREES: a sheet to read first, then one per year, of which the last is the latest; titles, header, units."""
    book = openpyxl.Workbook()
    book.active.append(["Lisez-moi"])
    for year, shift in ((2023, 1), (2024, 0)):
        sheet = book.create_sheet(f"APL {year}")
        for _ in range(title):
            sheet.append([f"Indicateur d'accessibilité potentielle localisée (APL) {year}"])
        sheet.append(
            [
                "Code commune INSEE",
                "Commune",
                "APL aux médecins généralistes",
                "APL aux médecins généralistes de 65 ans et moins ",
                "Population totale 2022",
            ]
        )
        if unit:
            sheet.append([None, None, "En nombre de consultations", "En nombre de consultations", "En habitants"])
        for insee, value in values.items():
            shown = value if isinstance(value, str) else value + shift
            sheet.append([insee, "Commune", shown, shown, 100])
    box = io.BytesIO()
    book.save(box)
    return box.getvalue()


def access_everywhere() -> Iterator[Cells]:
    """Header and rows of one sheet of DREES for every commune: 2.5 consultations, in Besançon 4.5."""
    name = "APL aux médecins généralistes"
    yield "Code commune INSEE", "Commune", name, f"{name} de 65 ans et moins "
    for insee in levels():
        yield insee, "Commune", *(["4.5" if insee == "25056" else "2.5"] * 2)


def mortality(values: Mapping[str, float], year: int = 2024) -> bytes:
    """CépiDc's portal: metadata, then a sheet of every year, sex, cause and measure."""
    book = openpyxl.Workbook()
    book.active.title = "Métadonnées"
    book.active.append(["Source", "Inserm-CépiDc"])
    sheet = book.create_sheet("Données")
    sheet.append("annee_de_deces departement_de_domicile sexe cause_initiale_de_deces indicateur valeur".split())
    rate = "Taux standardisé de mortalité par âge et sexe pour 100 000 habitants"
    for department, value in values.items():
        for cause, more in (("2. Tumeurs", 0), ("7. Maladies de l’appareil circulatoire", 10), ("Toutes causes", 500)):
            sheet.append([year, department, "Tous sexes", cause, rate, value + more])
            sheet.append([year, department, "Hommes", cause, rate, 1])
            sheet.append([year - 1, department, "Tous sexes", cause, rate, 2])
            sheet.append([year, department, "Tous sexes", cause, "Effectif de décès", 3])
    box = io.BytesIO()
    book.save(box)
    return box.getvalue()


def deaths(counts: Mapping[str, Sequence[int | None]], last: int = 2025) -> bytes:
    """INSEE's Melodi: a zip of data and metadata; the departments are among the communes."""
    lines = ['"GEO";"GEO_OBJECT";"EC_MEASURE";"FREQ";"OBS_STATUS";TIME_PERIOD;OBS_VALUE']
    for insee, years in counts.items():
        for ago, count in enumerate(reversed(years)):
            status, value = ("M", "") if count is None else ("A", str(count))
            lines.append(f'"{insee}";"COM";"DTH";"A";"{status}";{last - ago};{value}')
    lines += [f'"{code}";"DEP";"DTH";"A";"A";{last};9999' for code in DEPARTMENTS]
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("DS_ETAT_CIVIL_DECES_COMMUNES_data.csv", "\ufeff" + "\n".join(lines) + "\n")
        archive.writestr("DS_ETAT_CIVIL_DECES_COMMUNES_metadata.csv", '"COD_VAR";"LIB_VAR"\n"GEO";"Géographie"\n')
    return box.getvalue()


def air(values: Mapping[str, float], years: Sequence[int] = (2014, 2015)) -> bytes:
    """Ineris: a zip of a file per year in Windows-1252, a title above the header; the latest has the values."""
    columns = ["COM Insee", "Commune", "Population"]
    columns += [f"Moyenne annuelle de concentration de {one} (ug/m3)" for one in ("NO2", "PM10", "O3", "PM25")]
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED) as archive:
        for year in years:
            lines = [f"Indicateurs de qualité de l'air par commune, {year}", ",".join(columns)]
            for insee, value in values.items():
                shown = value + years[-1] - year
                lines.append(f"{insee},Saint-Émilion,100,{shown},{shown + 1},{shown + 2},{shown + 3}")
            name = f"Indicateurs_QualiteAir_France_Commune_{year}_Ineris_v.Sep2020.csv"
            archive.writestr(name, ("\r\n".join(lines) + "\r\n").encode("cp1252"))
    return box.getvalue()


def radon(classes: Mapping[str, int], twice: Mapping[str, int]) -> bytes:
    """IRSN: names before the code; merged communes are there twice."""
    lines = ["nom_comm;nom_dept;insee_com;classe_potentiel;reg"]
    lines += [f"Châtel;DEPT;{insee};{level};Reg" for table in (classes, twice) for insee, level in table.items()]
    return ("\n".join(lines) + "\n").encode("cp1252")


def incomes(values: Mapping[str, int | str]) -> bytes:
    """INSEE's Filosofi: a zip of a file per level, decimal commas, “s” and “nd” where it is secret."""
    box = io.BytesIO()
    lines = ["CODGEO;NBMENFISC21;MED21;TP6021", *(f"{insee};346;{value};17,0" for insee, value in values.items())]
    with zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("cc_filosofi_2021_COM.csv", "\n".join(lines) + "\n")
        archive.writestr("cc_filosofi_2021_DEP.csv", "CODGEO;MED21\n01;25000\n")
        archive.writestr("meta_cc_filosofi_2021_COM.csv.txt", "COD_VAR;LIB_VAR\n")
    return box.getvalue()


def stroke(values: Mapping[str, float]) -> bytes:
    """A table of a portal of open data (Opendatasoft), one line per department: decimal commas, a name beside."""
    lines = ["\ufeffdep;libelle;taux standardisé AVC", "999;France;999,0"]
    lines += [f"{code};Département;{str(value).replace('.', ',')}" for code, value in values.items()]
    return ("\n".join(lines) + "\n").encode()
