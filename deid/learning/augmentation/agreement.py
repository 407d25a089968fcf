"""What French grammar asks of the word before a name that was exchanged: "d'Agen", "de Lyon", "du Mans"."""

from __future__ import annotations

import re

from deid.domain.labels import Label
from deid.french.folding import fold_line

_BEFORE = re.compile(r"(?<![^\W\d_])(d['’]|de |du |des |à |a |au |aux |qu['’]|que )$", re.IGNORECASE)
_ARTICLE = re.compile(r"(le|les) (?=\S)", re.IGNORECASE)
_CONTRACTED = {("de", "le"): "du ", ("de", "les"): "des ", ("a", "le"): "au ", ("a", "les"): "aux "}
_EXPANDED = {"du": "de", "des": "de", "au": "à", "aux": "à"}


def agree(before: str, name: str, label: Label) -> tuple[str, str]:
    """The text before a name, and the name, as they are written together; articles contract before towns only."""
    found = _BEFORE.search(before)
    if found is None:
        return before, name
    written = found.group()
    word = fold_line(written).rstrip("' ")
    if label is Label.CITY:
        word = fold_line(_EXPANDED.get(word, word))
        article = _ARTICLE.match(name)
        contracted = _CONTRACTED.get((word if word != "d" else "de", article.group(1).lower())) if article else None
        if article and contracted:
            return before[: found.start()] + _like(written, contracted), name[article.end() :]
    text = {"d": "de ", "de": "de ", "a": "à ", "qu": "que ", "que": "que "}.get(word)
    if text is None:
        return before, name
    if fold_line(name[:1]) in "aeiouy" and text[0] in "dq":
        text = text[:-2] + "'"
    elif text == "à ":
        text = written.lower()
    return before[: found.start()] + _like(written, text), name


def _like(written: str, text: str) -> str:
    letters = [char for char in written if char.isalpha()]
    return text.upper() if letters and all(char.isupper() for char in letters) else text
