"""Words that people read in French and in English: YAML files of entries `key: {fr: …, en: …}`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from deid.domain import WORDING as FOLDER
from deid.domain import read_entries as read_entries

LANGUAGES = ("fr", "en")


def read_wording(area: str, folder: Path = FOLDER) -> Mapping[str, Mapping[str, Any]]:
    """Return language → key → words of the file `<area>.yaml`.

    Raises:
        KeyError: an entry lacks a language.
    """
    entries = read_entries(area, folder)
    return MappingProxyType(
        {lang: MappingProxyType({key: entry[lang] for key, entry in entries.items()}) for lang in LANGUAGES}
    )
