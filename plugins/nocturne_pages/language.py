"""French unless English is asked for, and the words of each area in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import yaml
from fastapi import Request

LANGUAGES = ("fr", "en")
COOKIE = "nocturne_lang"
WORDING = Path(__file__).parent / "wording"


def chosen(request: Request) -> str:
    """The language of a request: asked in the address, kept in the cookie, else French."""
    for asked in (request.query_params.get("lang"), request.cookies.get(COOKIE)):
        if asked in LANGUAGES:
            return asked
    return LANGUAGES[0]


@cache
def words(area: str, lang: str) -> Mapping[str, str]:
    """The words of `wording/<area>.yaml` in one language, those of `common.yaml` beside them.

    Each entry of a file is `key: {fr: …, en: …}`.
    """
    both = _read("common") | (_read(area) if area != "common" else {})
    return MappingProxyType({key: entry[lang] for key, entry in both.items()})


def _read(area: str) -> dict[str, dict[str, str]]:
    return dict(yaml.safe_load((WORDING / f"{area}.yaml").read_text(encoding="utf-8")))
