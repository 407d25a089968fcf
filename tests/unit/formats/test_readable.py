"""Damaged text is refused with its reason by every door; ordinary French clinical writing is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.domain.document import Document
from deid.domain.errors import Reason
from deid.domain.outcomes import Incoming, Opened, Refused
from deid.formats import open_document

LETTER = (
    "Le patient a été réadmis à l'hôpital où il était déjà suivi. L'état général est altéré, l'anémie sévère, la "
    "créatinine élevée. Un traitement a été débuté ; le contrôle a été prévu à la sortie."
)
CYRILLIC = str.maketrans("aeopcx", "\u0430\u0435\u043e\u0440\u0441\u0445")


def opened(text: str, door: str) -> Opened | Refused:
    if door == "json":
        return open_document(Incoming(Document("d", text)), max_bytes=1_000_000)
    kind = {"file": "text/plain", "page": "text/html"}[door]
    return open_document(Incoming(Document("d", ""), kind, text.encode()), max_bytes=1_000_000)


def reason(text: str, door: str = "json") -> Reason | None:
    outcome = opened(text, door)
    return outcome.reasons[0] if isinstance(outcome, Refused) else None


def misread(text: str, written: str, read: str) -> str:
    return text.encode(written, "ignore").decode(read, "ignore")


DAMAGED = {
    "double": (misread(LETTER, "utf-8", "cp1252"), Reason.DOUBLE_ENCODED),
    "double as latin-1": (misread(LETTER, "utf-8", "latin-1"), Reason.DOUBLE_ENCODED),
    "double as 850": (misread(LETTER, "utf-8", "cp850"), Reason.DOUBLE_ENCODED),
    "double as mac": (misread(LETTER, "utf-8", "mac-roman"), Reason.DOUBLE_ENCODED),
    "three of many": (LETTER * 5 + " HÃ©lÃ¨ne est rentrÃ©e.", Reason.DOUBLE_ENCODED),
    "lost": (LETTER.encode("ascii", "replace").decode().replace("?", "\ufffd"), Reason.CHARACTERS_LOST),
    "three lost of many": (LETTER * 5 + " H\ufffdl\ufffdne est rentr\ufffde.", Reason.CHARACTERS_LOST),
    "question marks": (LETTER.encode("ascii", "replace").decode(), Reason.CHARACTERS_LOST),
    "mac as windows": (misread(LETTER, "mac-roman", "cp1252"), Reason.WRONG_CHARSET),
    "windows as mac": (misread(LETTER, "cp1252", "mac-roman"), Reason.WRONG_CHARSET),
    "850 as windows": (misread(LETTER, "cp850", "cp1252"), Reason.WRONG_CHARSET),
    "windows as 850": (misread(LETTER, "cp1252", "cp850"), Reason.WRONG_CHARSET),
    "mac as 850": (misread(LETTER, "mac-roman", "cp850"), Reason.WRONG_CHARSET),
    "cyrillic": (LETTER.translate(CYRILLIC), Reason.MIXED_SCRIPTS),
    "rtf": ("{\\rtf1\\ansi\\deff0 {\\fonttbl Times;}" + LETTER + "}", Reason.NOT_TEXT),
    "pdf": ("%PDF-1.7\n1 0 obj << /Length 44 >> stream " + LETTER, Reason.NOT_TEXT),
}


@pytest.mark.parametrize("door", ["json", "file", "page"])
@pytest.mark.parametrize("name", DAMAGED)
def test_damage_has_its_reason_whatever_the_door(name: str, door: str) -> None:
    text, expected = DAMAGED[name]
    assert reason(text, door) is expected


def test_mac_roman_read_as_latin_1_is_refused_in_json() -> None:
    assert reason(misread(LETTER, "mac-roman", "latin-1")) is Reason.WRONG_CHARSET


def test_binary_controls_are_no_text() -> None:
    assert reason("compte rendu \x01\x02\x03\x04\x05\x06 fin") is Reason.NOT_TEXT


def test_the_detail_holds_no_word_of_the_text() -> None:
    for text, _ in DAMAGED.values():
        outcome = opened(text, "json")
        assert isinstance(outcome, Refused)
        assert not any(word in outcome.detail for word in ("patient", "créatinine", "Times"))


ORDINARY = [
    "β-bloquant arrêté, α1-antitrypsine normale, γGT 45 UI/L, ΔPP 14 %, 3 kΩ, κ et λ libres, IFNγ, NF-κB, TNFα.",
    "5 μg et 5 µg, 37,2 °C, H₂O, CO₂, HCO₃⁻, Na⁺, m², 10⁹/L, ½ cp, ≥ 3, ≤ 2, ± 1, ① repos ② glace, → contrôle.",
    "Œdème, cœur, œsophage, ﬁbrose et ﬂuide de PDF, naïf, Noël, ambiguë, aiguë, où, çà, maïs, Loÿs, ÆSOPHAGE.",
    "Du grec κνήμη, la jambe ; εγκέφαλος, le cerveau.",
    "La patiente, Мария Иванова, est russophone. Le père, محمد, est présent.",
    "Bien dormi 😀, douleur 😢 5/10. TA 12/8 – pouls 80 — T 37… « stable » “sic” ‘idem’ ™ ® €",
    "Dušan Žižek et Łukasz Kowalski, João Ângelo, SÃO PAULO, Åse, Müller, Nuñez, Øystein.",
    "CHU DE LILLE - SERVICE DE CARDIOLOGIE. LE PATIENT A ETE VU. ETAT GENERAL CONSERVE. DOULEUR ? FIEVRE ?",
    "Le patient va bien",
    "Allergie ? Tabac ? alcool?non drogues?non",
    "un {accolade} et \\rtf dans une phrase ; %PDF aussi",
]


@pytest.mark.parametrize("door", ["json", "file", "page"])
@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_writing_is_read(text: str, door: str) -> None:
    assert reason(text, door) is None


@given(st.lists(st.sampled_from(LETTER.split() + ORDINARY), min_size=1, max_size=40).map(" ".join))
def test_no_mixture_of_ordinary_writing_is_refused(text: str) -> None:
    assert reason(text) is None
