"""Words of the French calendar, folded, and numbers written in letters."""

from __future__ import annotations

from datetime import date

# Years that a hospital's calendar can hold.
FIRST_YEAR, LAST_YEAR = 1850, 2150

MONTHS = {
    word: number
    for number, spellings in enumerate(
        (
            "janvier janv jan jnv janvie",
            "fevrier fevr fev fevrie",
            "mars",
            "avril avr",
            "mai",
            "juin",
            "juillet juil juill jul",
            "aout",
            "septembre sept sep septemb",
            "octobre oct octob",
            "novembre nov novemb",
            "decembre dec decemb",
        ),
        start=1,
    )
    for word in spellings.split()
}
# Abbreviations that mean something else when no number stands beside them.
SHORT_MONTHS = frozenset(
    {"jan", "jnv", "fev", "avr", "jul", "sept", "sep", "oct", "nov", "dec", "janv", "fevr", "juil"}
)
WEEKDAYS = frozenset("lundi mardi mercredi jeudi vendredi samedi dimanche lun mar mer jeu ven sam dim".split())
FULL_WEEKDAYS = frozenset("lundi mardi mercredi jeudi vendredi samedi dimanche".split())
SEASONS = frozenset({"printemps", "ete", "automne", "hiver"})
FEASTS = (
    "noel",
    "paques",
    "toussaint",
    "pentecote",
    "ascension",
    "assomption",
    "epiphanie",
    "chandeleur",
    "mardi gras",
    "rameaux",
    "carnaval",
    "nouvel an",
    "jour de l'an",
    "saint-sylvestre",
    "saint sylvestre",
    "la saint-jean",
    "la saint-michel",
    "ramadan",
    "ramadhan",
    "aid el kebir",
    "l'aid",
    "yom kippour",
    "hanouka",
    "armistice",
    "reveillon",
)
PARTS_OF_PERIOD = frozenset({"debut", "fin", "mi", "courant"})

_SIMPLE = {
    word: value
    for value, word in enumerate(
        "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize".split()
    )
}
_TENS = {
    "vingt": 20,
    "trente": 30,
    "quarante": 40,
    "cinquante": 50,
    "soixante": 60,
    "septante": 70,
    "huitante": 80,
    "octante": 80,
    "nonante": 90,
}
NUMBER_WORDS = frozenset({*_SIMPLE, *_TENS, "une", "vingts", "cent", "cents", "mille", "mil", "premier", "et"})


def number(words: list[str]) -> int | None:
    """The value of a French number in letters, given its folded words; None if they are not one.

    Belgian and Swiss tens are known; `premier` is 1.
    """
    total = 0
    group = 0
    seen = False
    for word in words:
        if word in ("et", "-"):
            continue
        seen = True
        if word in ("une", "premier"):
            group += 1
        elif word in _SIMPLE:
            group += _SIMPLE[word]
        elif word in ("vingt", "vingts") and group % 100 == 4:
            group += 76
        elif word in _TENS:
            group += _TENS[word]
        elif word in ("cent", "cents"):
            group = max(group, 1) * 100
        elif word in ("mille", "mil"):
            total += max(group, 1) * 1000
            group = 0
        else:
            return None
    return total + group if seen else None


def is_plausible(day: date) -> bool:
    """Whether the year of a day is one that a hospital's calendar can hold."""
    return FIRST_YEAR <= day.year <= LAST_YEAR
