"""What substitution reads, in one compact file: communes and their territories, streets, establishments, names."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path

from deid.reference import stamped
from deid.reference.communes import CommuneTable
from deid.reference.names import NameTables
from deid.reference.packaged import table
from deid.reference.packaged_data import DATA, rows
from deid.reference.tables import people, places
from deid.reference.tables.sections import Draft, Sections

__all__ = ["SHIPPED", "Tables", "build", "find", "packaged", "shipped", "stamp", "write"]

SHIPPED = Path(__file__).parents[1] / "packaged_data" / "tables"
SUFFIX = ".tables"
# Raised whenever the same tables give another file.
FORMAT = 1
_MADE_OF = ("communes", "former_communes", "territories", "streets", "establishments", "first_names", "surnames")


class Tables:
    """An open file of tables; nothing of it is read before somebody asks."""

    def __init__(self, sections: Sections) -> None:
        self._sections = sections
        self.digest, self.path = sections.digest, sections.path

    @cached_property
    def communes(self) -> CommuneTable:
        """Communes, territories, streets and establishments."""
        return places.MappedCommunes(self._sections)

    @cached_property
    def names(self) -> NameTables:
        """First names and surnames."""
        return people.read(self._sections)


def build(communes: CommuneTable, names: NameTables) -> bytes:
    """The file of these tables; the same tables give the same bytes."""
    draft = Draft()
    places.put(draft, communes)
    people.put(draft, names)
    return draft.content()


def shipped() -> bytes:
    """The file of the tables that ship, made of their compact form."""
    return build(table(), NameTables.of(rows("surnames"), rows("first_names")))


def stamp(releases: Mapping[str, str] | None = None) -> str:
    """16 hexadecimal digits that name what a file is made of: format, what ships, and release versions by source."""
    digest = hashlib.sha256(_shipped_digest())
    for source, version in sorted((releases or {}).items()):
        digest.update(f"{source}={version}\n".encode())
    return digest.hexdigest()[:16]


def find(folder: Path, wanted: str) -> Tables | None:
    """The tables of that stamp in a folder; None when there are none that are whole."""
    return stamped.find(folder, wanted, SUFFIX, lambda path, digest: Tables(Sections(path, digest)))


def write(folder: Path, wanted: str, content: bytes) -> Tables:
    """Keep tables under that stamp in a folder.

    Raises:
        OSError: the folder cannot be written.
    """
    return Tables(Sections(stamped.write(folder, wanted, SUFFIX, content)))


@cache
def packaged() -> Tables:
    """The tables that ship, opened once per process."""
    # A table was edited and the file not built again: what the table says counts, at the cost of some seconds.
    return find(SHIPPED, stamp()) or Tables(Sections.of(shipped()))


@cache
def _shipped_digest() -> bytes:
    digest = hashlib.sha256(f"{FORMAT}\n".encode())
    for name in _MADE_OF:
        digest.update(hashlib.sha256((DATA / f"{name}.csv.gz").read_bytes()).digest())
    return digest.digest()
