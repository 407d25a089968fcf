"""A night of the small hospital, staged by its public steps, for pages to show."""

from __future__ import annotations

import os
import tempfile

from deid.config.settings import settings
from tests.conftest import Database
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import PAGE, open_hospital, put

HOSTILE = (
    "Compte rendu de consultation\n\n<script>document.title='pris'</script> <iframe src=//ailleurs></iframe> "
    "&lt;b&gt; Madame Maëlys VASSEROT, née le 14/05/1961, est vue en consultation de cardiologie pour un contrôle "
    "tensionnel. L'examen est normal, le traitement est poursuivi et un contrôle biologique est demandé dans un mois. "
    "Le tracé électrocardiographique est sans particularité et la patiente ne décrit aucun symptôme nouveau."
)
UNREADABLE = "Compte rendu \udce9".encode("utf-8", "surrogateescape")


def stage_night(database: Database, trigger: str = "nuit-1") -> None:
    """Put four documents in the warehouse and run a night up to staging, as this deployment."""
    open_hospital(database)
    put(database, "D000001")
    put(database, "D000002", PAGE, patient="P000002", stay_id="S000002", format="text/html")
    put(database, "D000003", HOSTILE)
    put(database, "D000004", UNREADABLE)
    with as_deployed(database):
        process(trigger)


class as_deployed:
    """Within the block, `deid.config.settings` points at the database through every role."""

    def __init__(self, database: Database) -> None:
        self._wanted = {**database.environment, "NOCTURNE_HOME": tempfile.mkdtemp(prefix="nocturne-home-")}
        self._before: dict[str, str | None] = {}

    def __enter__(self) -> None:
        self._before = {name: os.environ.get(name) for name in self._wanted}
        os.environ.update(self._wanted)
        settings.cache_clear()

    def __exit__(self, *_: object) -> None:
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        settings.cache_clear()
