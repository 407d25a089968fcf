"""Language of a request (French by default), and the wording of each area in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from fastapi import Request

from deid.domain.wording import LANGUAGES, read_wording

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
    """Return the words of `wording/<area>.yaml` and `common.yaml` in one language."""
    return MappingProxyType({**read_wording("common", WORDING)[lang], **read_wording(area, WORDING)[lang]})
