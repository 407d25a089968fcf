"""Documents, mentions, labels, outcomes and errors; the zone of the hospital's nights; files of words and lists."""

import tomllib
from datetime import time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

PARIS = ZoneInfo("Europe/Paris")  # of nights, days and releases, whatever the machine's zone
WORDING = Path(__file__).parents[1] / "wording"
NIGHT_TURNS = time(3, 30)  # in Paris: a day's interval ends, the next begins, and the schedule processes the former


def read_lists(module: str) -> dict[str, Any]:
    """Return the lists of the TOML file that has a module's name; `module` is its `__file__`."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def read_entries(area: str, folder: Path = WORDING) -> dict[str, Any]:
    """Return the entries of the file `<area>.yaml`."""
    import yaml

    entries: dict[str, Any] = yaml.load((folder / f"{area}.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return entries
