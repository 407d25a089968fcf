"""Files that parse and mislead: damaged characters, moved places and doubled rows are refused; real changes are not."""

from __future__ import annotations

import csv
import gzip
import io
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from deid.domain.errors import ReferenceRefused
from deid.reference.packaged import DATA
from deid.refresh.refreshing import refresh
from tests.conftest import Database
from tests.database.refresh import formats

Commune = dict[str, str]
DAMAGE: dict[str, Callable[[str], str]] = {
    "UTF-8 read as Latin-1": lambda text: text.encode().decode("latin-1"),
    "UTF-8 read as Windows-1252": lambda text: text.encode().decode("cp1252", "replace"),
    "twice": lambda text: text.encode().decode("latin-1").encode().decode("latin-1"),
    "UTF-8 read as Mac Roman": lambda text: text.encode().decode("mac_roman"),
    "UTF-8 read as DOS": lambda text: text.encode().decode("cp850"),
    "Latin-1 read as UTF-8": lambda text: text.encode("latin-1").decode(errors="replace"),
    "Latin-1 read as Mac Roman": lambda text: text.encode("latin-1").decode("mac_roman"),
    "Mac Roman read as Windows-1252": lambda text: text.encode("mac_roman").decode("cp1252", "replace"),
    "DOS read as Windows-1252": lambda text: text.encode("cp850").decode("cp1252", "replace"),
    "question marks": lambda text: text.encode("ascii", "replace").decode(),
    "entities": lambda text: text.encode("ascii", "xmlcharrefreplace").decode(),
    "letters left out": lambda text: text.encode("ascii", "ignore").decode(),
}


@pytest.fixture
def dsn(postgres: Database) -> str:
    return postgres.dsn("refresher")


@pytest.fixture(scope="module")
def shipped() -> list[Commune]:
    text = gzip.decompress((DATA / "communes.csv.gz").read_bytes()).decode()
    return list(csv.DictReader(io.StringIO(text)))


def written(path: Path, rows: list[Commune]) -> str:
    with path.open("w", encoding="utf-8", newline="") as sink:
        table = csv.DictWriter(sink, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    return str(path)


def copied(rows: list[Commune], *codes: str) -> tuple[list[Commune], list[Commune]]:
    """The rows to change, and those of some codes among them."""
    found = [dict(row) for row in rows]
    return found, [row for row in found if row["insee"] in codes]


def move(row: Commune, lon: float, lat: float) -> None:
    row["lon"], row["lat"] = f"{float(row['lon']) + lon:.3f}", f"{float(row['lat']) + lat:.3f}"


def streets(tmp_path: Path, text: str) -> str:
    path = tmp_path / "adresses-25.csv.gz"
    path.write_bytes(formats.packed(text))
    return str(path)


def assert_refused(postgres: Database, dsn: str, source: str, location: str, message: str) -> None:
    before = postgres.rows("SELECT release_id, state FROM ref.release ORDER BY 1")
    with pytest.raises(ReferenceRefused, match=message):
        refresh(source, dsn=dsn, location=location)
    assert postgres.rows("SELECT release_id, state FROM ref.release ORDER BY 1") == before


@pytest.mark.parametrize("fault", DAMAGE)
def test_a_file_saved_in_another_encoding_is_refused(postgres: Database, dsn: str, tmp_path: Path, fault: str) -> None:
    message = {
        "letters left out": "one name in a hundred has an accent",
        "entities": "lines are not as they should be",  # “;” is a delimiter here
    }.get(fault, "another encoding left behind")
    text = DAMAGE[fault](formats.ban().replace("’", "'"))
    assert_refused(postgres, dsn, "streets", streets(tmp_path, text), message)


@pytest.mark.parametrize("fault", ["UTF-8 read as Latin-1", "UTF-8 read as Windows-1252", "question marks", "entities"])
def test_one_damaged_commune_is_one_too_many(
    postgres: Database, dsn: str, tmp_path: Path, shipped: list[Commune], fault: str
) -> None:
    rows, [orleans] = copied(shipped, "45234")
    orleans["name"] = DAMAGE[fault](orleans["name"])
    assert_refused(postgres, dsn, "communes", written(tmp_path / "communes.csv", rows), r": 1 of \d+ rows have char")


@pytest.mark.parametrize("encoding", ["mac_roman", "cp850"])
def test_a_second_encoding_of_a_source_does_not_let_others_through(
    postgres: Database, dsn: str, tmp_path: Path, encoding: str
) -> None:
    """Bytes that are not UTF-8 are read as Windows-1252 where the producer once wrote it."""
    path = tmp_path / "finess.csv"
    path.write_bytes(formats.finess().replace("HOSPITALIER Nº", "Hôpital d'été ").encode(encoding))
    assert_refused(postgres, dsn, "establishments", str(path), "another encoding|not text")


def test_one_damaged_street_in_a_thousand_is_left_out(postgres: Database, dsn: str, tmp_path: Path) -> None:
    text = formats.ban().replace("Rue du Bois 11 l’Évêque", "Rue de l'Ã‰vÃªque")
    result = refresh("streets", dsn=dsn, location=streets(tmp_path, text))
    assert (result["rows"], result["skipped"]) == (5199, 1)
    assert postgres.rows("SELECT count(*) FROM ref.street WHERE name LIKE '%%Ã%%'") == [(0,)]


def test_names_that_look_damaged_and_are_not(dsn: str, tmp_path: Path) -> None:
    names = ["Rue João Ñandú", "Impasse L’Haÿ-les-Roses", "Chemin Mac'Orlan n°8", "Rue “Œuvre” d’Å"]
    names += ["Cours «Aÿ»", "Rue Col·legi", "Place 1ère D.F.L.", "Quai St-Exupéry & Fils", "Rue ÇA – là…", "Où ?"]
    text = formats.ban()
    for number, name in enumerate(names):
        text = text.replace(f"{formats.KINDS[number]} du Bois {number} l’Évêque", name)
    result = refresh("streets", dsn=dsn, location=streets(tmp_path, text))
    assert (result["rows"], result["skipped"]) == (5200, 0)


def moved_far(rows: list[Commune]) -> list[Commune]:
    changed, [gap] = copied(rows, "05061")
    move(gap, 0.6, 0)
    return changed


def moved_a_little(rows: list[Commune]) -> list[Commune]:
    changed, _ = copied(rows)
    for row in changed:
        move(row, 0, 0.012)
    return changed


def moved_in_part(rows: list[Commune]) -> list[Commune]:
    changed, _ = copied(rows)
    for row in changed[::10]:
        move(row, 0.06, 0)
    return changed


def at_one_place(rows: list[Commune]) -> list[Commune]:
    changed, [paris] = copied(rows, "75056")
    for row in changed:
        row["lon"], row["lat"] = paris["lon"], paris["lat"]
    return changed


def one_line_down(rows: list[Commune]) -> list[Commune]:
    """Names that slipped by one line, as a spreadsheet sorts one column."""
    changed, _ = copied(rows)
    for row, before in zip(changed[1:], rows, strict=False):
        row["name"] = before["name"] if row["insee"] not in {"75056", "13055", "2A004", "97411"} else row["name"]
    return changed


def new_at_the_other_end(rows: list[Commune]) -> list[Commune]:
    changed, [dijon] = copied(rows, "21231")
    return [*changed, {**dijon, "insee": "05998", "name": "Neuve", "department": "05", "region": "93"}]


MOVED = {
    moved_far: r"communes more than 30 km .* from where they were \(1\)",
    moved_a_little: "half of the communes are more than 1 km",
    moved_in_part: "more than 3 km from where they were, beyond one in twenty",
    at_one_place: "communes at the place of another one",
    one_line_down: "with another name than before, beyond one in fifty",
    new_at_the_other_end: r"half a degree outside of their department \(1\)",
}


@pytest.mark.parametrize("fault", MOVED)
def test_communes_that_are_not_where_they_were_are_refused(
    postgres: Database,
    dsn: str,
    tmp_path: Path,
    shipped: list[Commune],
    fault: Callable[[list[Commune]], list[Commune]],
) -> None:
    assert_refused(postgres, dsn, "communes", written(tmp_path / "communes.csv", fault(shipped)), MOVED[fault])


def test_communes_are_compared_with_those_in_use(
    postgres: Database, dsn: str, tmp_path: Path, shipped: list[Commune]
) -> None:
    """A first move of 20 km is a correction; the same once more is 40 km from what ships, 20 from what is in use."""
    first, [gap] = copied(shipped, "05061")
    move(gap, 0.25, 0)
    refresh("communes", dsn=dsn, location=written(tmp_path / "first.csv", first))
    second, [gap] = copied(first, "05061")
    move(gap, 0.25, 0)
    assert refresh("communes", dsn=dsn, location=written(tmp_path / "second.csv", second))["state"] == "loaded"
    assert_refused(postgres, dsn, "communes", written(tmp_path / "third.csv", shipped), r"more than 30 km .* \(1\)")


def test_a_year_of_changes_is_loaded(dsn: str, tmp_path: Path, shipped: list[Commune]) -> None:
    """Mergers beyond the most of any year (2016), communes that part, corrected centres and new counts."""
    draw = random.Random(0)  # noqa: S311 - invented changes
    rows, _ = copied(shipped)
    whole = [row for row in rows if row["kind"] == "COM" and row["insee"] not in {"75056", "13055", "2A004", "97411"}]
    merged = draw.sample(whole, 1_000)
    for kept in merged[:350]:
        kept["name"] = f"{kept['name']}-les-Neuves"
        move(kept, draw.uniform(-0.05, 0.05), draw.uniform(-0.05, 0.05))
    gone = {row["insee"] for row in merged[350:]}
    for row in draw.sample(whole, len(whole) // 50):
        move(row, draw.uniform(-0.03, 0.03), draw.uniform(-0.03, 0.03))
    for row in whole:
        row["population"] = str(round(int(row["population"]) * draw.uniform(0.95, 1.05)))
    parted = [{**row, "insee": f"{row['insee'][:2]}9{n:02}"} for n, row in enumerate(whole[:20000:1000])]
    for row in parted:
        move(row, 0.02, 0.02)
    taken = {row["insee"] for row in rows}
    edition = [row for row in rows if row["insee"] not in gone] + [row for row in parted if row["insee"] not in taken]
    refresh("communes", dsn=dsn)
    result = refresh("communes", dsn=dsn, location=written(tmp_path / "communes.csv", edition))
    assert (result["state"], result["skipped"]) == ("loaded", sum(row["kind"] == "ARM" for row in rows))


COLUMNS = {name: number for number, name in enumerate(formats.BAN_HEADER.split(";"))}


def rewritten(text: str, change: Callable[[list[str]], None]) -> str:
    header, *lines = text.splitlines()
    table = [line.split(";") for line in lines]
    for cells in table:
        change(cells)
    return "\n".join([header, *map(";".join, table)]) + "\n"


def placed(lon: Callable[[float], float], lat: Callable[[float], float]) -> Callable[[list[str]], None]:
    def change(cells: list[str]) -> None:
        x, y = COLUMNS["lon"], COLUMNS["lat"]
        cells[x], cells[y] = f"{lon(float(cells[x])):.6f}", f"{lat(float(cells[y])):.6f}"

    return change


ADDRESSES = {
    "exchanged": (lambda text: text.replace(";lon;lat;", ";lat;lon;", 1), "lines are not as they should be"),
    "in the United States": (lambda text: rewritten(text, placed(lambda _: -90.1, lambda _: 29.9)), "lines are not"),
    "at null": (lambda text: rewritten(text, placed(lambda _: 0.0, lambda _: 0.0)), "lines are not"),
    "at one place": (
        lambda text: rewritten(text, placed(lambda _: 6.012, lambda _: 47.26)),
        "fewer than one place for ten streets",
    ),
    "one degree east": (
        lambda text: rewritten(text, placed(lambda lon: lon + 1, lambda lat: lat)),
        "streets more than 30 km",
    ),
    "a tenth of a degree north": (
        lambda text: rewritten(text, placed(lambda lon: lon, lambda lat: lat + 0.1)),
        "half of the streets are more than 8 km",
    ),
    "of another commune": (lambda text: text.replace(";25056;", ";25057;").replace(";25057;", ";39300;"), "more than"),
    "twice": (lambda text: text + text.partition("\n")[2], "50% of the lines are given twice"),
    "each line twice": (
        lambda text: "".join(line * 2 for line in text.splitlines(keepends=True)[1:]).join(
            [text.splitlines(keepends=True)[0], ""]
        ),
        "lines are not as they should be|given twice",
    ),
    "one identifier in twenty twice": (
        lambda text: text + "".join(f"{line[:-1]}9\n" for line in text.splitlines(keepends=True)[1::20]),
        "identifiers given twice",
    ),
}


@pytest.mark.parametrize("fault", ADDRESSES)
def test_addresses_that_moved_or_are_doubled_are_refused(
    postgres: Database, dsn: str, tmp_path: Path, fault: str
) -> None:
    change, message = ADDRESSES[fault]
    assert_refused(postgres, dsn, "streets", streets(tmp_path, change(formats.ban())), message)


def test_addresses_that_were_corrected_are_loaded(dsn: str, tmp_path: Path) -> None:
    refresh("streets", dsn=dsn, location=streets(tmp_path, formats.ban(6000)))
    draw = random.Random(0)  # noqa: S311 - invented changes
    corrected = placed(lambda lon: lon + draw.gauss(0, 0.003), lambda lat: lat + draw.gauss(0, 0.002))
    edition = rewritten(formats.ban(6100), lambda cells: corrected(cells) if draw.random() < 0.02 else None)
    result = refresh("streets", dsn=dsn, location=streets(tmp_path, edition))
    assert (result["state"], result["rows"]) == ("loaded", 6100)


def test_streets_of_paris_are_compared_with_paris(dsn: str, tmp_path: Path) -> None:
    paris = formats.ban().replace(";25056;", ";75102;").replace("Rue du Bois 0 l’Évêque", "Rue de la Paix")
    with pytest.raises(ReferenceRefused, match="streets more than 30 km"):
        refresh("streets", dsn=dsn, location=streets(tmp_path, paris))
    here = placed(lambda lon: lon - 6.012 + 2.35, lambda lat: lat - 47.26 + 48.86)
    assert refresh("streets", dsn=dsn, location=streets(tmp_path, rewritten(paris, here)))["state"] == "loaded"


PLACES = {
    "twice": (lambda text: text + text.partition("\n")[2], "given twice"),
    "identifiers": (lambda text: text.replace("05001_7", "05001_8"), "identifiers given twice"),
    "far": (lambda text: text.replace(";6.", ";4."), "places more than 30 km"),
}


@pytest.mark.parametrize("fault", PLACES)
def test_lieux_dits_that_moved_or_are_doubled_are_refused(
    postgres: Database, dsn: str, tmp_path: Path, fault: str
) -> None:
    change, message = PLACES[fault]
    path = tmp_path / "lieux-dits-05-beta.csv"
    path.write_text(change(formats.lieux_dits()), encoding="utf-8")
    assert_refused(postgres, dsn, "localities", str(path), message)


DOUBLED = {
    "first_names": ("prenoms.csv", formats.insee_first_names, "given twice"),
    "surnames": ("noms.txt", formats.insee_surnames, "given twice"),
    "former_communes": ("v_mvtcommune.csv", formats.commune_changes, "given twice"),
    "postal_codes": ("hexasmal.csv", formats.hexasmal, "given twice"),
    "establishments": ("finess.csv", formats.finess, "given twice"),
}


@pytest.mark.parametrize("source", DOUBLED)
def test_a_file_joined_to_itself_is_refused(postgres: Database, dsn: str, tmp_path: Path, source: str) -> None:
    name, content, message = DOUBLED[source]
    text = content()
    (tmp_path / name).write_text(text + text.partition("\n")[2], encoding="utf-8")
    assert_refused(postgres, dsn, source, str(tmp_path / name), message)


def test_births_of_one_year_counted_twice_are_refused(postgres: Database, dsn: str, tmp_path: Path) -> None:
    """The second count differs from the first: no line is repeated."""
    path = tmp_path / "prenoms.csv"
    path.write_text(formats.insee_first_names() + "2;MARIE;1944;21\n", encoding="utf-8")
    assert_refused(postgres, dsn, "first_names", str(path), r"counts given twice \(1\)")
