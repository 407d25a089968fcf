"""Language of a request (French by default), and the wording of each area in both languages."""

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
    """Return the language of a request: from its address, else from the cookie, else French."""
    for asked in (request.query_params.get("lang"), request.cookies.get(COOKIE)):
        if asked in LANGUAGES:
            return asked
    return LANGUAGES[0]


@cache
def words(area: str, lang: str) -> Mapping[str, str]:
    """Return the words of `wording/<area>.yaml` and `common.yaml` in one language.

    Each entry of a file is `key: {fr: …, en: …}`.
    """
    both = _read("common") | (_read(area) if area != "common" else {})
    return MappingProxyType({key: entry[lang] for key, entry in both.items()})


def _read(area: str) -> dict[str, dict[str, str]]:
    return dict(yaml.safe_load((WORDING / f"{area}.yaml").read_text(encoding="utf-8")))
