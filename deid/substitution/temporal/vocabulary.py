"""Words of the calendar: months, weekdays and seasons in French, months and weekdays in English; what each means."""

from __future__ import annotations

MONTHS = (
    "janvier", "février", "mars", "avril", "mai", "juin",
    "juillet", "août", "septembre", "octobre", "novembre", "décembre",
)  # fmt: skip
SHORT_MONTHS = ("janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov", "déc")
THREE_LETTER_MONTHS = ("jan", "fév", "mar", "avr", "mai", "jun", "jul", "aoû", "sep", "oct", "nov", "déc")
ROMAN_MONTHS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")

WEEKDAYS = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")

# Folded forms of each month; "mar" is also mardi, which the parser settles by position.
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

# Season number within a year: winter is December to February, named after its January.
SEASONS = ("hiver", "printemps", "été", "automne")
SEASON_OF = {"hiver": 0, "printemps": 1, "print": 1, "ete": 2, "automne": 3, "aut": 3}

ENGLISH_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
ENGLISH_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ENGLISH = {name.lower()[:length] for name in (*ENGLISH_MONTHS, *ENGLISH_WEEKDAYS) for length in (3, 10)}
_FRENCH = {*MONTH_OF, *WEEKDAY_OF}
# What is English only: a mention that has one of these words is in English.
ENGLISH_WORDS = frozenset(_ENGLISH - _FRENCH - {"sun", "mon"}) | {"tues", "thurs"}
ENGLISH_MONTH_OF = {name.lower()[:length]: at for at, name in enumerate(ENGLISH_MONTHS, 1) for length in (3, 10)}
ENGLISH_MONTH_OF |= {"sept": 9}
ENGLISH_WEEKDAY_OF = {name.lower()[:length]: at for at, name in enumerate(ENGLISH_WEEKDAYS) for length in (3, 10)}
ENGLISH_WEEKDAY_OF |= {"tues": 1, "thurs": 3}
