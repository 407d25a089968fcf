"""Words of the calendar and of numbers, each set in one place: written forms, and the folded forms that are read.

Detection and substitution know different abbreviations: detection must not take a common word for a month, while
substitution reads what was already found to be a date. Both sets are kept here, side by side.
"""

from __future__ import annotations

import re
from datetime import date

from deid.french.folding import fold

# Years that a hospital's calendar can hold.
FIRST_YEAR, LAST_YEAR = 1850, 2150

# Written forms.

MONTHS = (
    "janvier", "février", "mars", "avril", "mai", "juin",
    "juillet", "août", "septembre", "octobre", "novembre", "décembre",
)  # fmt: skip
SHORT_MONTHS = ("janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov", "déc")
THREE_LETTER_MONTHS = ("jan", "fév", "mar", "avr", "mai", "jun", "jul", "aoû", "sep", "oct", "nov", "déc")
ROMAN_MONTHS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")

WEEKDAYS = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")
# Season number within a year: winter is December to February, named after its January.
SEASONS = ("hiver", "printemps", "été", "automne")

FOLDED_MONTHS = tuple(map(fold, MONTHS))
FOLDED_SEASONS = frozenset(map(fold, SEASONS))

# Folded forms of each month that substitution reads; "mar" is also mardi, which the parser settles by position.
_MONTH_FORMS = (
    "janvier janv jan jr", "fevrier fevr fev", "mars mar mrs", "avril avri avr", "mai", "juin jun",
    "juillet juil jul jui", "aout aou ao", "septembre septem sept sep", "octobre octo oct", "novembre novem nove nov",
    "decembre decem dece dec",
)  # fmt: skip
MONTH_OF = {form: number for number, forms in enumerate(_MONTH_FORMS, 1) for form in forms.split()}
ROMAN_OF = {form.lower(): number for number, form in enumerate(ROMAN_MONTHS, 1)}

_WEEKDAY_FORMS = (
    "lundi lun lu", "mardi mar ma", "mercredi mercr merc mer me", "jeudi jeu je", "vendredi vendr vend ven ve",
    "samedi sam sa", "dimanche dim di",
)  # fmt: skip
WEEKDAY_OF = {form: number for number, forms in enumerate(_WEEKDAY_FORMS) for form in forms.split()}

SEASON_OF = {"hiver": 0, "printemps": 1, "print": 1, "ete": 2, "automne": 3, "aut": 3}

ENGLISH_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
ENGLISH_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ENGLISH = {name.lower()[:length] for name in (*ENGLISH_MONTHS, *ENGLISH_WEEKDAYS) for length in (3, 10)}
_FRENCH = {*MONTH_OF, *WEEKDAY_OF}
# English words that are not French too: a mention that has one of them is in English.
ENGLISH_WORDS = frozenset(_ENGLISH - _FRENCH - {"sun", "mon"}) | {"tues", "thurs"}
ENGLISH_MONTH_OF = {name.lower()[:length]: at for at, name in enumerate(ENGLISH_MONTHS, 1) for length in (3, 10)}
ENGLISH_MONTH_OF |= {"sept": 9}
ENGLISH_WEEKDAY_OF = {name.lower()[:length]: at for at, name in enumerate(ENGLISH_WEEKDAYS) for length in (3, 10)}
ENGLISH_WEEKDAY_OF |= {"tues": 1, "thurs": 3}

# Folded forms that detection looks for.

_DETECTED_MONTH_FORMS = (
    "janvier janv jan jnv janvie", "fevrier fevr fev fevrie", "mars", "avril avr", "mai", "juin",
    "juillet juil juill jul", "aout", "septembre sept sep septemb", "octobre oct octob", "novembre nov novemb",
    "decembre dec decemb",
)  # fmt: skip
DETECTED_MONTHS = frozenset(form for forms in _DETECTED_MONTH_FORMS for form in forms.split())
# Abbreviations that mean something else when no number stands beside them.
DETECTED_SHORT_MONTHS = frozenset("jan jnv fev avr jul sept sep oct nov dec janv fevr juil".split())
DETECTED_WEEKDAYS = frozenset((*WEEKDAYS, *"lun mar mer jeu ven sam dim".split()))
FEASTS = (
    "noel|paques|toussaint|pentecote|ascension|assomption|epiphanie|chandeleur|mardi gras|rameaux|carnaval|nouvel an|"
    "jour de l'an|premier de l'an|fete cafre|fete kaf|fet kaf|fete nationale|fete du travail|fete des rois|tabaski|"
    "korite|saint-sylvestre|saint sylvestre|la saint-jean|la saint-michel|ramadan|ramadhan|aid el kebir|l'aid|"
    "yom kippour|hanouka|armistice|reveillon"
).split("|")
PARTS_OF_PERIOD = frozenset({"debut", "fin", "mi", "courant"})


def is_plausible(day: date) -> bool:
    """Return whether the year of a day is one that a hospital's calendar can hold."""
    return FIRST_YEAR <= day.year <= LAST_YEAR


# Bolus, rate and minutes between two of a pump that the patient presses: "PCA morphine 1/1/10".
_PUMP_BEFORE = re.compile(
    r"\bpce?a\b(?: (?:iv|sc|pd|mo|reglee?|reglage|bolus|"
    r"(?:morph|oxy|sufe|fenta|keta|ropi|naro|nalbu|trama|hydromo)\w*))*[ :=(]{1,3}\Z"
)
_PUMP = re.compile(r"(?!0\d)\d{1,2}(?P<sign> ?[/-] ?)(?!0\d)\d{1,2}(?P=sign)\d{1,2}")


def is_pump_setting(before: str, written: str) -> bool:
    """Return whether three numbers, folded, are the setting of a pump that the words ahead name, and no date."""
    return _PUMP.fullmatch(written) is not None and _PUMP_BEFORE.search(before) is not None
