"""Rates of the alterations, and the seeded generator that draws them."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rates:
    """Probabilities in [0, 1], drawn once per copy under "Copies", once per candidate place elsewhere.

    The values are choices, not measurements: most copies stay ordinary documents, as in a nightly run, and each
    difficulty is frequent enough to be learnt.
    """

    # Copies
    substituted: float = 0.9  # the other copies keep their mentions and receive noise only
    lowered: float = 0.07  # whole text without capitals, as typed by nurses
    unaccented: float = 0.1  # whole text without accents, as printed by old systems
    shouted: float = 0.02  # whole text in capitals
    shouted_lines: float = 0.08  # some lines in capitals, as in titles and address blocks
    mistyped: float = 0.2
    scanned: float = 0.12
    wrapped: float = 0.2
    unwrapped: float = 0.1
    spaced: float = 0.15
    tightened: float = 0.1  # blank lines removed
    fields_joined: float = 0.1  # a header of short lines put on one line
    fields_split: float = 0.08
    squeezed: float = 0.06  # no blank after a dot or colon: "Dr.DUPONT", "né le:12/03"
    respelt_negatives: float = 0.6  # eponyms, drugs and brands exchanged

    # Surnames: the other draws are uniform over the table of surnames, so that rare and common ones are equally likely
    invented: float = 0.17  # names in no table: foreign, misspelt, extinct
    town_surname: float = 0.05
    word_surname: float = 0.06  # "Petit", "Boucher": also a common word, recognisable by position only
    calendar_surname: float = 0.01  # "Avril", "Noël"
    eponym_surname: float = 0.03  # patients named like an eponym: "Mme Parkinson"
    first_name_surname: float = 0.06  # "Martin", "Thomas"

    accented_surname: float = 0.5  # accents added: the table has none
    reshaped_name: float = 0.15  # order, capitals or the first name's length otherwise than in the original
    lowered_name: float = 0.03  # a name typed without capitals in a text that has them

    # Towns: the other draws are uniform over all communes, most of which are villages
    large_town: float = 0.2
    ambiguous_town: float = 0.15  # also a surname, a first name or a word
    former_town: float = 0.06
    unknown_town_kept: float = 0.5  # originals that are foreign or misspelt stay
    saint_shortened: float = 0.25  # "St-Malo"

    # Streets and organisations
    respelt_street: float = 0.25  # "av." for "avenue", a comma after the number
    other_kind: float = 0.15  # "CH" for "CHU", "polyclinique" for "clinique"

    # Numbers and dates
    relaid_number: float = 0.2  # an identifier in the layout of another hospital
    letters_kept: float = 0.6  # letters that denote a ward or a kind of number, shared between identifiers
    relaid_phone: float = 0.4
    reformed_date: float = 0.45  # a date in another form; the other dates are shifted in their own form
    shortened_date: float = 0.08  # a date that loses its year or its day
    reformed_age: float = 0.15
    other_domain: float = 0.6

    # Places in a copy
    dropped_civility: float = 0.06  # a name without civility or other cue before it
    swapped_eponym: float = 0.6
    eponym_from_surnames: float = 0.25  # "maladie de Durand": to be learnt by the cue "maladie de", not by the name
    swapped_drug: float = 0.3
    swapped_brand: float = 0.2  # any other capitalised word inside a sentence that is in a table of names
    shouted_line: float = 0.12
    typo: float = 0.02  # per word of a mistyped copy
    misread: float = 0.012  # per character of a scanned copy
    doubled_space: float = 0.04
    squeezed_space: float = 0.3
    hyphenated: float = 0.05  # per line break of a wrapped copy


RATES = Rates()


class SeededRandom(random.Random):
    """Mersenne Twister seeded by a name, with the same draws on any machine; the draws are not secret."""

    def __init__(self, name: str) -> None:
        super().__init__(name)

    def once(self, rate: float) -> bool:
        """Return True with probability `rate`."""
        return self.random() < rate

    def digits(self, count: int) -> str:
        """Draw `count` decimal digits uniformly."""
        return f"{self.randrange(10**count):0{count}d}"
