"""Words of the French calendar: months, weekdays, seasons, feasts, with what each means."""

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
    "janvier janv jan jr", "fevrier fevr fev", "mars mar mrs", "avril avr", "mai", "juin jun",
    "juillet juil jul jui", "aout aou ao", "septembre sept sep", "octobre octo oct", "novembre nov",
    "decembre dec",
)  # fmt: skip
MONTH_OF = {form: number for number, forms in enumerate(_MONTH_FORMS, 1) for form in forms.split()}
ROMAN_OF = {form.lower(): number for number, form in enumerate(ROMAN_MONTHS, 1)}

_WEEKDAY_FORMS = (
    "lundi lun lu", "mardi mar ma", "mercredi mercr merc mer me", "jeudi jeu je", "vendredi vend ven ve",
    "samedi sam sa", "dimanche dim di",
)  # fmt: skip
WEEKDAY_OF = {form: number for number, forms in enumerate(_WEEKDAY_FORMS) for form in forms.split()}

# Season number within a year: winter is December to February, named after its January.
SEASONS = ("hiver", "printemps", "été", "automne")
SEASON_OF = {"hiver": 0, "printemps": 1, "ete": 2, "automne": 3}

# Feasts and customs that date by themselves: folded name → month they fall in. Movable ones take their usual month;
# lunar ones, which wander through the year, are not here.
FEASTS = {
    "nouvel an": 1, "jour de l'an": 1, "premier de l'an": 1, "epiphanie": 1, "fete des rois": 1,
    "galette des rois": 1, "nouvel an chinois": 2, "tet": 2, "chandeleur": 2, "saint-valentin": 2, "mardi gras": 2,
    "carnaval": 2, "careme": 3, "mi-careme": 3, "mercredi des cendres": 2, "saint-joseph": 3, "norouz": 3, "rameaux": 4,
    "vendredi saint": 4, "samedi saint": 4, "paques": 4, "paques orthodoxe": 4, "lundi de paques": 4,
    "semaine sainte": 4, "dimanche de paques": 4, "fete du travail": 5, "ascension": 5, "jeudi d'ascension": 5,
    "jeudi de l'ascension": 5, "fete des meres": 5, "pont de l'ascension": 5, "liberation": 5, "armistice": 11,
    "pentecote": 6, "lundi de pentecote": 6, "saint-jean": 6, "sant joan": 6, "fete de la musique": 6,
    "fete des peres": 6, "fete nationale": 7, "estive": 7, "grandes vacances": 7, "assomption": 8,
    "moisson": 8, "moissons": 8, "rentree": 9, "rentree scolaire": 9, "vendanges": 9, "saint-michel": 9,
    "saint-luc": 10, "toussaint": 11, "saint-martin": 11, "sainte-catherine": 11, "beaujolais nouveau": 11,
    "avent": 12, "saint-nicolas": 12, "noel": 12, "reveillon": 12, "saint-sylvestre": 12, "fetes": 12,
    "fetes de fin d'annee": 12, "veille de noel": 12, "michel": 9,
}  # fmt: skip
# What a surrogate feast is called, month by month.
FEAST_OF_MONTH = (
    "Épiphanie", "Chandeleur", "mi-carême", "Pâques", "Ascension", "Saint-Jean",
    "fête nationale", "Assomption", "rentrée", "Saint-Luc", "Toussaint", "Noël",
)  # fmt: skip
