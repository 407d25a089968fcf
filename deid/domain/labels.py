"""The label scheme of the annotation guide, and its mappings to published schemes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Label(StrEnum):
    """Kind of information in a mention. The values are the names of the annotation guide."""

    PATIENT = "PATIENT"
    DOCTOR = "DOCTOR"
    PERSON = "PERSON"
    DATE = "DATE"
    RELDATE = "RELDATE"
    AGE = "AGE"
    STREET = "STREET"
    ZIP = "ZIP"
    CITY = "CITY"
    LOC = "LOC"
    ORG = "ORG"
    PHONE = "PHONE"
    EMAIL = "EMAIL"
    URL = "URL"
    NIR = "NIR"
    IPP = "IPP"
    NDA = "NDA"
    RPPS = "RPPS"
    ID = "ID"
    PROFESSION = "PROFESSION"
    NATIONALITY = "NATIONALITY"
    FAMILY = "FAMILY"
    RELIGION = "RELIGION"
    ETHNICITY = "ETHNICITY"
    COORDINATES = "COORDINATES"
    TIME = "TIME"


# Found only where a policy names an annotator that gives them (TIME: where it replaces times of day); no tagger that
# ships has a class for them.
OPTIONAL = frozenset(
    {
        Label.PROFESSION,
        Label.NATIONALITY,
        Label.FAMILY,
        Label.RELIGION,
        Label.ETHNICITY,
        Label.COORDINATES,
        Label.TIME,
    }
)
# Labels of the taggers, in the order of their classes. Another label or order makes another model necessary.
TAGGED: tuple[Label, ...] = tuple(label for label in Label if label not in OPTIONAL)

NAMES = frozenset({Label.PATIENT, Label.DOCTOR, Label.PERSON})
PLACES = frozenset({Label.STREET, Label.ZIP, Label.CITY, Label.LOC})
TEMPORAL = frozenset({Label.DATE, Label.RELDATE, Label.AGE})
IDENTIFIERS = frozenset({Label.NIR, Label.IPP, Label.NDA, Label.RPPS, Label.ID})
CONTACT = frozenset({Label.PHONE, Label.EMAIL, Label.URL})

# Direct identifiers point at one person alone; quasi-identifiers (the rest) do so in combination.
DIRECT = NAMES | CONTACT | IDENTIFIERS | {Label.STREET, Label.COORDINATES}
QUASI = frozenset(Label) - DIRECT


def _scheme(**classes: str) -> Mapping[Label, str | None]:
    """Return a scheme label → class from `CLASS="LABEL LABEL"`; other labels have no class, None."""
    table: dict[Label, str | None] = dict.fromkeys(Label)
    for name, labels in classes.items():
        table.update(dict.fromkeys(map(Label, labels.split()), name))
    return MappingProxyType(table)


# Tchouka et al. 2022, table 2
_T22 = {
    "PER": "PATIENT DOCTOR PERSON",
    "LOC": "STREET ZIP CITY LOC",
    "ORG": "ORG",
    "DATE": "DATE",
    "AGE": "AGE",
    "PHONE": "PHONE",
}
_NUMBERS = " ".join(sorted(IDENTIFIERS))

# Scheme name → (label → class, or None where the scheme has no such class).
SCHEMES: Mapping[str, Mapping[Label, str | None]] = MappingProxyType(
    {
        "nocturne": MappingProxyType({label: str(label) for label in Label}),
        # One class per kind of information, without roles and parts of addresses
        "coarse": _scheme(**_T22, NET="EMAIL URL", ID=_NUMBERS),
        "t22": _scheme(**_T22),
        # Tchouka et al. 2023, table 1: QID is any other identifying sequence; e-mail and URL have no class
        "t23": _scheme(
            PER=_T22["PER"],
            DATE="DATE RELDATE",
            LOC=_T22["LOC"],
            ORG="ORG",
            AGE="AGE",
            TEL="PHONE",
            REF="NIR IPP NDA RPPS",
            QID="ID",
        ),
        # El Azzouzi et al. 2024, table 1
        "e24": _scheme(
            **{name: name for name in ("PATIENT", "DOCTOR", "ZIP", "DATE", "EMAIL", "PHONE")},
            STR="STREET",
            VILLE="CITY",
        ),
        # AP-HP, eds-pseudo: DATE_NAISSANCE, NOM and PRENOM are finer than this scheme and stay unsplit.
        "aphp": _scheme(
            **{name: name for name in ("DATE", "ZIP", "IPP", "NDA")},
            NOM=_T22["PER"],
            ADRESSE="STREET",
            VILLE="CITY",
            HOPITAL="ORG",
            TEL="PHONE",
            MAIL="EMAIL",
            SECU="NIR",
        ),
        # PARHAF-pseudo-annotated (Tannier et al. 2026), where a label of ours corresponds; names by role, unsplit
        "parhaf": _scheme(
            PATIENT="PATIENT",
            CARER="DOCTOR",
            OTHER="PERSON",
            DATE="DATE",
            ADDRESS="STREET",
            CITY="CITY",
            COUNTRY="LOC",
            PHONE_NUMBER="PHONE",
            URL="URL",
            FAMILY_STATUS="FAMILY",
            PATIENT_NATIONALITY="NATIONALITY",
            PATIENT_SOCIAL_IDENTITY="PROFESSION RELIGION ETHNICITY",
        ),
        # The 18 kinds of 45 CFR 164.514(b)(2)(i), by their letter
        "hipaa": _scheme(
            A=_T22["PER"],
            B="STREET ZIP CITY LOC ORG COORDINATES",
            C="DATE RELDATE AGE",
            D="PHONE",
            F="EMAIL",
            G="NIR",
            H="IPP NDA",
            K="RPPS",
            N="URL",
            R="ID",
        ),
    }
)
