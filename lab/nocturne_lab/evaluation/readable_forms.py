"""Search of a value in every form in which a person or a simple program can still read it in an output.

The forms undo characters that are not seen, look-alike letters, encodings, markup, spelling and reversal. Nothing is
shared with detection or with the checks: a form that they do not know must still be found here.
"""

from __future__ import annotations

import base64
import binascii
import html
import quopri
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

GAP = "\ufffc"  # stands for a surrogate
_LEAST = 5  # letters or digits of a value that is sought across blanks and signs
_PART = 3  # characters of a value that tell when they stand beside a surrogate

_LOOKALIKE = dict(
    zip(
        "абвегіјкмнорсѕтухьԁгпуАВЕЅІЈКМНОРСТУХЗαβεζηικμνορτυχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧꓐꓑꓓꓔꓖꓗꓜꓝꓟꓠꓡꓢꓣꓪꓫꓬꓮꓰꓲꓳꓴ",
        "abbeгijkmhopcstyxbdгпyabesijkmhopctyx3abeznikmvoptuxyabezhikmnoptyxbpdtgkzfmnlsrwxyaeiou",
        strict=True,
    )
)
_FOLDED = str.maketrans(_LOOKALIKE | {"ꓚ": "c", "œ": "oe", "Œ": "oe", "æ": "ae", "Æ": "ae", "г": "r", "п": "n"})
_ENCLOSED = {chr(first + at): chr(97 + at) for first in (0x1F1E6, 0x1F170) for at in range(26)}
_LEET = (str.maketrans("01345789@$!", "oieastbgasi"), str.maketrans("013456789@$!", "oleasgtbgasl"))
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")
_TAG = re.compile(r"<[^<>]*>")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{12,}={0,2}")
_HEXADECIMAL = re.compile(r"(?:\b[0-9a-fA-F]{2}[ :]){3,}[0-9a-fA-F]{2}\b")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_TWICE = re.compile(r"[\u00c2-\u00c5][\u0080-\u00bf]")
_SPELT = re.compile(r"\b([a-z]) comme \w+")
_CODE_WORDS = dict(
    zip(
        "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec "
        "romeo sierra tango uniforme victor whiskey xray yankee zoulou".split(),
        "abcdefghijklmnopqrstuvwxyz",
        strict=True,
    )
)


def is_readable(value: str, text: str) -> bool:
    """Return whether `value` can still be read in `text`, wholly or as a telling part beside a surrogate (`GAP`)."""
    sought = _squeezed(_plain(value))
    alone = f" {_spaced(_plain(value))} "
    for decoded in _decoded(text):
        plain = _plain(decoded)
        if alone.strip() and alone in f" {_spaced(plain)} ":
            return True
        if len(sought) >= _LEAST and any(_holds(sought, form) for form in _joined(plain, sought)):
            return True
    return False


def _plain(text: str) -> str:
    """Return `text` in lower case, without marks, unseen characters or look-alike and enclosed letters."""
    shown = "".join(_ENCLOSED.get(one, one) for one in text if one not in _FILLERS)
    apart = unicodedata.normalize("NFKD", shown.translate(_FOLDED))
    kept = "".join(one for one in apart if unicodedata.category(one) not in ("Cf", "Mn", "Me"))
    return kept.casefold().translate(_FOLDED)


def _spaced(plain: str) -> str:
    return " ".join(re.findall(r"\w+", plain.replace("_", " ")))


def _squeezed(plain: str) -> str:
    return "".join(one for one in plain if one.isalnum() or one == GAP)


def _decoded(text: str) -> Iterator[str]:
    """Yield the text, and its readings under the encodings that leave remains in hospital documents."""
    yield text
    shown = html.unescape(html.unescape(text))
    yield _TAG.sub("", shown)
    yield _TAG.sub("", text)
    yield unquote(text)
    yield quopri.decodestring(text.encode("utf-8", "replace")).decode("utf-8", "replace")
    yield _ESCAPED.sub(lambda match: chr(int(match[1] or match[2], 16)), text)
    yield _TWICE.sub(lambda match: match.group().encode("latin-1").decode("utf-8", "replace"), text)
    for run in _BASE64.findall(text):
        try:
            yield base64.b64decode(run + "=" * (-len(run) % 4)).decode("utf-8")
        except (binascii.Error, ValueError):
            continue
    for run in _HEXADECIMAL.findall(text):
        yield bytes.fromhex(run.replace(":", " ")).decode("latin-1")


def _joined(plain: str, sought: str) -> Iterator[str]:
    """Yield the letters and digits of a text run together, as written and under spelling, reversal and substitution."""
    run = _squeezed(plain)
    yield run
    yield run[::-1]
    yield "".join(_SPELT.findall(plain))
    yield "".join(_CODE_WORDS.get(word, " ") for word in _spaced(plain).split())
    if sought.isalpha():
        for table in _LEET:
            yield _squeezed(plain.replace("|)", "d").translate(table))
        if (single := re.sub(r"(.)\1+", r"\1", sought)) and len(single) >= _LEAST:
            yield re.sub(r"(.)\1+", r"\1", run).replace(single, sought)


def _holds(sought: str, run: str) -> bool:
    if sought in run:
        return True
    least = max(_PART, (len(sought) + 1) // 2)
    return any(sought[:cut] + GAP in run or GAP + sought[-cut:] in run for cut in range(least, len(sought)))
