"""Check digits and numbers in letters."""

from __future__ import annotations

import pytest

from deid.detection import Detector
from deid.domain.document import Document
from deid.french.check_digits import iban_holds, luhn_holds, nir_holds
from deid.french.folding import fold, spaced
from deid.french.numerals import read_loosely


@pytest.mark.parametrize("nir", ["148052919501218", "171052A00411239", "171052B00411266"])
def test_nir_keys(nir: str) -> None:
    body = nir[:13].replace("2A", "19").replace("2B", "18")
    right = nir[:13] + f"{97 - int(body) % 97:02d}"
    assert nir_holds(right)
    assert not nir_holds(right[:-1] + str((int(right[-1]) + 1) % 10))
    assert not nir_holds(right[:-1])


def test_luhn_and_iban() -> None:
    assert [luhn_holds(f"1000384721{digit}") for digit in range(10)].count(True) == 1
    assert iban_holds("FR76 3000 6000 0112 3456 7890 189")
    assert not iban_holds("FR76 3000 6000 0112 3456 7890 188")


def test_a_wrong_key_lowers_the_score_and_keeps_the_mention(rules: Detector) -> None:
    body = "1480529195012"
    right, wrong = f"{97 - int(body) % 97:02d}", f"{96 - int(body) % 97:02d}"
    (good,), (bad,) = rules.detect([Document("a", f"NIR {body}{right}"), Document("b", f"NIR {body}{wrong}")])
    assert good.label == bad.label
    assert good.score > bad.score


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("soixante douze", 72),
        ("quatre vingt dix huit", 98),
        ("quatre vingts", 80),
        ("mille neuf cent quarante huit", 1948),
        ("deux mille douze", 2012),
        ("vingt et un", 21),
        ("nonante deux", 92),
        ("premier", 1),
        ("maison", None),
        ("et", None),
    ],
)
def test_numbers_in_letters(words: str, value: int | None) -> None:
    assert read_loosely(words.split()) == value


@pytest.mark.parametrize(
    "text", ["Éclaté à l’ÎLE – œdème", "İstanbul", "ﬁèvre", "Straße", "ÆSCHYLE", "日本", "e\u0301"]
)
def test_folding_keeps_length(text: str) -> None:
    assert len(fold(text)) == len(text)
    assert len(spaced(fold(text))) == len(text)


def test_folding_removes_case_accents_and_typography() -> None:
    assert fold("L’Île-d’Élé\u00a0–\u202fÇa") == "l'ile-d'ele - ca"
