"""The density grid of INSEE and the counts of CNAM as they are published, with made-up content."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from xml.sax.saxutils import escape

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
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", f"<workbook {space}/>")
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
