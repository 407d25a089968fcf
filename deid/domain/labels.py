"""The label scheme of the annotation guide, and its mappings to published schemes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from deid.domain import read_lists


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
    {Label.PROFESSION, Label.NATIONALITY, Label.FAMILY, Label.RELIGION, Label.ETHNICITY, Label.COORDINATES, Label.TIME}
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


_CLASSES = read_lists(__file__)
# Scheme name → (label → class, or None where the scheme has no such class).
SCHEMES: Mapping[str, Mapping[Label, str | None]] = {
    "nocturne": {label: str(label) for label in Label},
    # One class per kind of information, without roles and parts of addresses
    "coarse": _scheme(**_CLASSES["t22"], NET="EMAIL URL", ID=" ".join(sorted(IDENTIFIERS))),
    **{name: _scheme(**classes) for name, classes in _CLASSES.items()},
}
