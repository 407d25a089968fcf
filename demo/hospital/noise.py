"""Noise of typing, scanners and old systems: case, accents, typos, OCR, abbreviations."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from demo.hospital.prose.grammar import Piece, in_capitals
from demo.hospital.rendering import Block, Cell

# Keyboard neighbours (azerty) of the letters that slip most.
_NEIGHBOURS = {
    "a": "zq", "e": "rz", "i": "uo", "o": "ip", "u": "yi", "r": "et", "t": "ry", "s": "qd", "n": "b", "l": "km",
    "d": "sf", "c": "xv", "m": "l", "p": "o",
}  # fmt: skip
_OCR = {"l": "1", "1": "l", "0": "O", "O": "0", "é": "e", "è": "e", "m": "rn", "5": "S", "ç": "c", "I": "l", "'": "’"}
_ABBREVIATIONS = {
    "antécédents": "atcd", "avec": "avec", "sans": "ss", "dans": "ds", "pour": "pr", "traitement": "ttt",
    "patiente": "pte",
    "patient": "pt", "hospitalisation": "hospit", "depuis": "dps", "toujours": "tjrs", "température": "T",
    "douleur": "dlr", "gauche": "G", "droite": "Dte", "droit": "Dt", "consultation": "cs", "radiographie": "Rx",
    "scanner": "TDM", "échographie": "écho", "bilatéral": "bilat", "médecin": "méd", "quelques": "qq", "même": "m",
    "beaucoup": "bcp", "rendez-vous": "RDV", "contrôle": "ctrl", "infirmière": "IDE", "pas de": "pas de",
    "jamais": "jms",
    "examen": "ex", "pansement": "pst", "fracture": "fract", "diabète": "diab", "anticoagulation": "antico",
}  # fmt: skip
_WORD = re.compile("|".join(rf"\b{word}\b" for word in _ABBREVIATIONS))

Change = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise of one document; `literal` changes the text outside mentions, `everything` the whole text."""

    name: str
    literal: Change | None
    everything: Change | None

    def apply(self, block: Block) -> Block:
        """Return the block after the noise; a mention never vanishes."""
        return block.map(self._cell)

    def _cell(self, cell: Cell) -> Cell:
        return [self._piece(piece) for piece in cell]

    def _piece(self, piece: Piece) -> Piece:
        text = piece.text
        if self.literal is not None and piece.label is None:
            text = self.literal(text)
        if self.everything is not None and text != "\n":
            text = self.everything(text)
        return Piece(text if text.strip() or piece.label is None else piece.text, piece.label)


def unaccented(text: str) -> str:
    """Drop accents and spell out ligatures; the length may change."""
    spelled = text.replace("œ", "oe").replace("Œ", "OE").replace("æ", "ae")
    return "".join(mark for mark in unicodedata.normalize("NFD", spelled) if not unicodedata.combining(mark))


def abbreviated(text: str) -> str:
    """Abbreviate words as in telegraphic notes."""
    return _WORD.sub(lambda match: _ABBREVIATIONS[match[0]], text)


def _typos(rng: random.Random, rate: float) -> Change:
    def change(text: str) -> str:
        return "".join(_slip(rng, letter) if letter.isalpha() and rng.random() < rate else letter for letter in text)

    return change


def _slip(rng: random.Random, letter: str) -> str:
    draw = rng.random()
    if draw < 0.3:
        return ""
    if draw < 0.55:
        return letter * 2
    near = _NEIGHBOURS.get(letter.lower())
    return rng.choice(near) if near else letter


def _ocr(rng: random.Random, rate: float) -> Change:
    def change(text: str) -> str:
        out = []
        for letter in text:
            if letter in _OCR and rng.random() < rate * 4:
                out.append(_OCR[letter])
            elif letter == " " and rng.random() < rate:
                out.append("  ")
            else:
                out.append(letter + (" " if letter.isalpha() and rng.random() < rate / 6 else ""))
        return "".join(out)

    return change


def _doubled_spaces(rng: random.Random) -> Change:
    def change(text: str) -> str:
        return "".join(letter + " " if letter == " " and rng.random() < 0.03 else letter for letter in text)

    return change


def _chain(*changes: Change) -> Change:
    def change(text: str) -> str:
        for one in changes:
            text = one(text)
        return text

    return change


def draw(rng: random.Random, *, terse: bool, scanned: bool) -> Noise:
    """Draw the noise of one document; `scanned` allows OCR errors, `terse` favours abbreviations and lower case."""
    literal = abbreviated if terse and rng.random() < 0.8 else None
    share = rng.random()
    if scanned and share < 0.05:
        return Noise("ocr", literal, _ocr(rng, rng.uniform(0.002, 0.012)))
    if share < 0.08:
        return Noise("capitals", literal, _chain(unaccented, in_capitals))
    if share < (0.20 if terse else 0.11):
        return Noise("lower case", literal, str.lower if rng.random() < 0.5 else _chain(unaccented, str.lower))
    if share < 0.28:
        return Noise("no accents", literal, unaccented)
    if share < 0.42:
        return Noise("typos", literal, _typos(rng, rng.uniform(0.002, 0.012)))
    if share < 0.50:
        return Noise("double spaces", _doubled_spaces(rng), None)
    return Noise("clean", literal, None)
