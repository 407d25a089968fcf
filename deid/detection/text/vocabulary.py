"""Words that announce or continue mentions, folded; the long lists are in `vocabulary.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path

from deid.domain.labels import Label

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def word_list(title: str) -> frozenset[str]:
    """Return the word list of that title."""
    return frozenset(_LISTS[title].split())


DOCTOR_TITLES = frozenset("dr drs docteur docteurs pr prs professeur professeurs prof doc dresse dre".split())
CIVILITIES = word_list("civilities")
TITLES = CIVILITIES | DOCTOR_TITLES
PERSON_TITLES = word_list("person_titles")
BIRTH = frozenset("nee ne epouse ep epse veuve vve divorcee dite dit".split())
PROFESSIONS = word_list("professions")
KINSHIP = word_list("kinship")
# Words after which a list of names may have commas.
PLURAL = word_list("plural")
# Words that may stand between a profession or relationship and the name.
FILLERS = word_list("fillers")
# Words before a name ("vu par", "chère", "nommé"), which count only before a word that looks like a name.
LINKS = {
    word: (label, score)
    for label, score, listed in (
        (Label.DOCTOR, 0.62, "par merci bonjour salut"),
        (Label.DOCTOR, 0.7, "avis medecins"),
        (Label.DOCTOR, 0.75, "praticiens chirurgiens"),
        (Label.DOCTOR, 0.8, "cher chere presents presentes excuses excuse participants redacteurs biologistes"),
        (Label.DOCTOR, 0.9, "soussigne soussignee"),
        (Label.PERSON, 0.6, "appelle"),
        (Label.PERSON, 0.65, "prevenir"),
        (Label.PERSON, 0.75, "nomme nommee famille surnomme surnommee"),
        (Label.PERSON, 0.8, "prenomme prenommee"),
        (Label.PATIENT, 0.7, "bb alias"),
        (Label.PATIENT, 0.75, "pt pte concerne"),
        (Label.PATIENT, 0.8, "patient patiente pat"),
    )
    for word in listed.split()
}
# Last words of the labels of form fields, and the role of the name in the field.
NAME_FIELDS = {
    **dict.fromkeys(word_list("patient_fields"), Label.PATIENT),
    **dict.fromkeys("contact confiance prevenir accompagnant appelant conjoint tuteur mere pere".split(), Label.PERSON),
}
NOT_INITIALS = word_list("not_initials")
DOCUMENT_CODES = word_list("document_codes")
# Words before an address.
HOME_CUES = word_list("home_cues")
EPONYM_CUES = word_list("eponym_cues")
# Eponyms of signs, tests, devices and operations that the table of eponyms lacks; some are borne as surnames.
EPONYMS = word_list("eponyms")
# Words of reports that the tables of French and of medicine lack.
REPORT_WORDS = word_list("report_words")
# Eponyms of two people that the table of eponyms lacks.
DOUBLE_EPONYMS = word_list("double_eponyms")
# Germs that are written like a town or a person ("ulcère à Helicobacter").
GENERA = word_list("genera")

# Head words of organisations that need a continuation to name one.
ORG_HEADS = word_list("organisation_heads")
# Acronyms that name an organisation alone.
ORG_ACRONYMS = word_list("organisation_acronyms")
# Acronyms of services, bodies and allowances that exist everywhere: alone, they name none.
UNNAMED_BODIES = word_list("unnamed_bodies")
# Head words that are common nouns too; they need two words or a cue.
WEAK_HEADS = word_list("weak_heads")
# Kinds of organisations that are a part of the name, by the annotation guide, even in lower case.
KINDS_INCLUDED = word_list("kinds_included")
# Head words of generic services: with a mere town after them, only the town identifies.
SERVICE_HEADS = word_list("service_heads")
# Head words that a number may follow ("SDIS 29").
NUMBERED_HEADS = frozenset("sdis samu cnr lycee universite paris umg cmp crip udaf ase cpam caf mdph ado umd".split())
# Common words inside the name of an organisation.
ORG_FILLERS = word_list("organisation_fillers")
ORG_PARTICLES = frozenset("de du des d la le les l et en aux au a sur sous pour".split())
SPECIFYING_WORDS = ORG_FILLERS - ORG_PARTICLES
ADJECTIVE_ENDS = tuple("ique iques al ale ales aux aire aires if ive ives ee ees o iere ier".split())
# Words that never belong to the name of an organisation.
ORG_STOPS = word_list("organisation_stops")
