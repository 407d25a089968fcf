"""Alter text outside mentions: hard negatives, civilities before names, prepositions before names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.detection.lookup.lexicon import lexicon
from deid.detection.text.vocabulary import EPONYM_CUES
from deid.domain.labels import NAMES, Label
from deid.french.folding import fold_line, in_case_of, titled
from nocturne_lab.learning.augmentation import pools
from nocturne_lab.learning.augmentation.pieces import Piece
from nocturne_lab.learning.augmentation.rates import Rates, SeededRandom

_VOWELS = "aeiouy"
_MEDICAL = 0.6  # exchanged brands become eponyms at this rate, else surnames
_CUED = re.compile(
    r"(?<![^\W\d_])(?P<cue>[^\W\d_]{4,}) (?P<of>de |d['’]|DE |D['’])(?P<name>[A-ZÀ-Ý][^\W\d_]+(?:-[A-ZÀ-Ý][^\W\d_]+)*)"
)
_INSIDE = re.compile(r"(?<=[a-zà-ÿ0-9,(] )[A-ZÀ-Ý][a-zà-ÿ]{3,}(?![^\W\d_])")
_CAPITAL = re.compile(r"(?<![^\W\d_'’-])[A-ZÀ-Ý][^\W\d_]{4,}(?![^\W\d_])")


def exchange_hard_negatives(pieces: Sequence[Piece], rng: SeededRandom, rates: Rates) -> list[Piece]:
    """Exchange eponyms, drugs and brands outside mentions; digits stay."""

    def eponym(match: re.Match[str]) -> str:
        cue = fold_line(match["cue"])
        if cue not in EPONYM_CUES or not rng.once(rates.swapped_eponym) or not _is_eponym(match["name"]):
            return match.group()
        if rng.once(rates.eponym_from_surnames):
            name = rng.choice(pools.surname_pool().real)
        else:
            name = rng.choice(pools.eponym_pool().get(cue.rstrip("s")) or pools.eponym_pool()[""])
        name = in_case_of(match["name"], name)
        of = "d'" if fold_line(name[0]) in _VOWELS else "de "
        return f"{match['cue']} {of.upper() if match['of'].isupper() else of}{name}"

    def drug(match: re.Match[str]) -> str:
        word = match.group()
        if fold_line(word) not in lexicon().drugs or not rng.once(rates.swapped_drug):
            return word
        return in_case_of(word, titled(rng.choice(pools.drug_pool())))

    def brand(match: re.Match[str]) -> str:
        word = match.group()
        if not rng.once(rates.swapped_brand) or not _could_be_a_name(fold_line(word)):
            return word
        name = rng.choice(pools.eponym_pool()[""] if rng.once(_MEDICAL) else pools.surname_pool().real)
        # Words before a name that depend on its initial, vowel or consonant: "de", "l'".
        return name if (fold_line(name[0]) in _VOWELS) is (fold_line(word[0]) in _VOWELS) else word

    return [
        piece
        if piece.label is not None
        else Piece(_INSIDE.sub(brand, _CAPITAL.sub(drug, _CUED.sub(eponym, piece.text))))
        for piece in pieces
    ]


def _could_be_a_name(word: str) -> bool:
    """Return whether a word is a name in some table, or in no table at all; a drug is neither."""
    words = lexicon()
    return word not in words.drugs and (
        word in words.eponyms or words.is_unknown(word) or words.is_first_name(word) or words.is_surname(word)
    )


def _is_eponym(name: str) -> bool:
    eponyms = lexicon().eponyms
    return any(part in eponyms for part in fold_line(name).split("-"))


# Civilities
_CIVILITY = re.compile(
    r"(?<![^\W\d_])(?:(?:le |la |au )?(?:dr|docteure?|pr|professeure?)|m|mr|mme|mlle|monsieur|madame|mademoiselle)"
    r"\.? +$",
    re.IGNORECASE,
)


def drop_civilities(pieces: Sequence[Piece], rng: SeededRandom, rates: Rates) -> list[Piece]:
    """Drop some of the civilities before names."""
    result = list(pieces)
    for index, piece in enumerate(result[1:], start=1):
        before = result[index - 1]
        if piece.label in NAMES and before.label is None and rng.once(rates.dropped_civility):
            result[index - 1] = Piece(_CIVILITY.sub("", before.text))
    return result


# Agreement of a preposition with the new name: "d'Agen", "de Lyon", "du Mans".
_BEFORE = re.compile(r"(?<![^\W\d_])(d['’]|de |du |des |à |a |au |aux |qu['’]|que )$", re.IGNORECASE)
_ARTICLE = re.compile(r"(le|les) (?=\S)", re.IGNORECASE)
_CONTRACTED = {("de", "le"): "du ", ("de", "les"): "des ", ("a", "le"): "au ", ("a", "les"): "aux "}
_EXPANDED = {"du": "de", "des": "de", "au": "à", "aux": "à"}


def agree(before: str, name: str, label: Label) -> tuple[str, str]:
    """Return the text before a name, and the name, after elision and contraction (before towns only)."""
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
