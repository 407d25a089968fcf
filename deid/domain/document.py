"""Document, patient, professional, mention, surrogate: the types that the whole library exchanges."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import total_ordering
from typing import Any, NamedTuple

from deid.domain.labels import Label

# Kinds of identifiers that the annotators that ship tell apart.
SUBTYPES = frozenset({"IBAN", "IP", "MAC", "plate", "uid"})
# Codes of a person's sex, in lower case: words and letters of warehouses, ISO 5218 and INSEE, OMOP.
_SEXES: Mapping[str, str] = {
    **dict.fromkeys(("m", "h", "1", "masculin", "homme", "male", "8507"), "M"),
    **dict.fromkeys(("f", "2", "féminin", "feminin", "femme", "female", "8532"), "F"),
}
# Year, or year and month, of an ISO date; some warehouses fill what they do not know with zeros.
_PART_OF_DATE = re.compile(r"(?P<year>(?:18|19|20)\d\d)(?:-(?P<month>0[1-9]|1[0-2])|-00)?(?:-00)?", re.ASCII)


PATIENT_LISTS = frozenset({"first_names", "addresses", "phones", "emails", "identifiers"})


def _compose(record: Patient | Professional, fields: tuple[str, ...]) -> None:
    """Write letters and accents of these fields as one character each, as texts are read."""
    for name in fields:
        value = getattr(record, name)
        if value and not (value if isinstance(value, str) else "".join(value)).isascii():
            values = [unicodedata.normalize("NFC", one) for one in ((value,) if isinstance(value, str) else value)]
            object.__setattr__(record, name, values[0] if isinstance(value, str) else tuple(values))


def sex_of_code(code: object) -> str | None:
    """Return "M" or "F" of a warehouse's code ("H", "2", "féminin", 8532), None of another."""
    return _SEXES.get(str(code).strip().lower())


@dataclass(frozen=True, slots=True)
class Patient:
    """Identity of a document's patient in the warehouse; any field may be unknown.

    `key` is the warehouse's own identifier of the patient. It seeds the surrogates and is never shown.
    """

    key: str | None = None
    last_name: str | None = None
    birth_name: str | None = None
    first_names: tuple[str, ...] = ()
    sex: str | None = None  # "M", "F" or None
    birth_date: date | None = None
    birth_period: str | None = None  # "1961" or "1961-05" where the day of birth is unknown
    addresses: tuple[str, ...] = ()
    zip: str | None = None
    city: str | None = None
    phones: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    ipp: str | None = None
    nda: str | None = None
    nir: str | None = None
    identifiers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _compose(self, ("last_name", "birth_name", "first_names", "addresses", "city"))

    @classmethod
    def from_json(cls, record: Mapping[str, Any] | None) -> Patient:
        """Read the `patient` object of a JSON line; unknown keys are ignored, nulls are unknowns.

        A `birth_date` of a year, or of a year and a month ("1961-05", "1961-05-00"), gives `birth_period`. A code of
        the sex that is not known gives None.

        Raises:
            ValueError: `birth_date` is neither an ISO date nor a part of one, or a field has the wrong shape.
        """
        known: dict[str, Any] = {}
        for name, value in (record or {}).items():
            if name not in cls.__dataclass_fields__ or value in (None, "", []):
                continue
            if name in PATIENT_LISTS:
                known[name] = (value,) if isinstance(value, str) else tuple(map(str, value))
            elif name == "birth_date" and (part := _PART_OF_DATE.fullmatch(str(value))):
                known["birth_period"] = "-".join(filter(None, part.groups()))
            elif name == "birth_date":
                known[name] = value if isinstance(value, date) else date.fromisoformat(value)
            elif name == "sex":
                known[name] = sex_of_code(value)
            else:
                known[name] = str(value)
        return cls(**known)

    def as_json(self) -> dict[str, Any]:
        """Return what is known as the `patient` object of a JSON line, which `from_json` gives back."""
        told = {one: value for one in self.__dataclass_fields__ if (value := getattr(self, one)) not in (None, (), "")}
        if self.birth_period:
            told["birth_date"] = told.pop("birth_period")
        if self.birth_date:
            told["birth_date"] = self.birth_date.isoformat()
        return told

    @property
    def names(self) -> tuple[str, ...]:
        """Return every name of the patient, surnames first."""
        return tuple(name for name in (self.last_name, self.birth_name, *self.first_names) if name)


@dataclass(frozen=True, slots=True)
class Professional:
    """Member of the hospital's staff, as in its directory; `role` is the directory's own word."""

    last_name: str
    first_names: tuple[str, ...] = ()
    rpps: str | None = None
    role: str | None = None

    def __post_init__(self) -> None:
        _compose(self, ("last_name", "first_names"))


@dataclass(frozen=True, slots=True)
class Stay:
    """First and last day of a patient's stay in the hospital; `last` is None while it lasts."""

    first: date
    last: date | None = None


class DateBounds(NamedTuple):
    """Last day that a document's own episode may be published on, and the patient's birth date; both are public."""

    until: date
    born: date


@dataclass(frozen=True, slots=True)
class Document:
    """Text to de-identify. Offsets into `text` count Unicode code points. Without `bounds`, dates have no end."""

    id: str
    text: str
    patient: Patient = field(default_factory=Patient)
    reference_date: date | None = None
    type: str | None = None
    stay: Stay | None = None
    service: str | None = None
    bounds: DateBounds | None = None


@dataclass(frozen=True, slots=True, order=True)
class Vote:
    """Label and score in [0, 1] that one annotator gave to a mention."""

    annotator: str
    label: Label
    score: float


@total_ordering
@dataclass(frozen=True, slots=True)
class Mention:
    """Span `[start, end)` of a document's text that identifies, with the votes for it.

    `score` is in [0, 1]; `subtype` refines a label: IBAN, plate… of ID, or an own type of the policy. Mentions sort by
    position in the text.
    """

    start: int
    end: int
    label: Label
    score: float = 1.0
    subtype: str | None = None
    votes: tuple[Vote, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"a mention needs 0 <= start < end, not [{self.start}, {self.end})")

    def __lt__(self, other: Mention) -> bool:
        return self._order < other._order

    @property
    def _order(self) -> tuple[int, int, str, float, str, tuple[Vote, ...]]:
        # None, of a missing subtype, does not compare with a string.
        return self.start, self.end, self.label, self.score, self.subtype or "", self.votes

    def __hash__(self) -> int:
        # Mentions are keys of most tables of substitution; within a document, their starts tell nearly all apart.
        return self.start

    def overlaps(self, other: Mention) -> bool:
        """Return whether both spans share a character."""
        return self.start < other.end and other.start < self.end


class Surrogate(NamedTuple):
    """Text that replaces a mention.

    `strategy` names the mechanism of the draw; `parsed` is False if the value was not understood and was masked instead
    of replaced in kind.
    """

    mention: Mention
    text: str
    strategy: str
    parsed: bool = True


@dataclass(frozen=True, slots=True)
class Spend:
    """Line of the budget: cost of a category of elements of a document, in nats of ε."""

    category: str  # "date", "age", "place"
    mechanism: str
    epsilon: float
    elements: int


@dataclass(frozen=True, slots=True)
class Substitution:
    """Candidate text of a document, not proven yet.

    `spans` holds the `[start, end)` of each surrogate in `text`, in the order of `surrogates`.
    """

    text: str
    surrogates: tuple[Surrogate, ...]
    spans: tuple[tuple[int, int], ...]
    spends: tuple[Spend, ...] = ()
    reference_date: date | None = None  # the document's own date, moved with the others
    age_class: str | None = None  # of the patient at that date, from the surrogate birth date
    birth_year: int | None = None  # of the surrogate birth date, where the text tells birth or age
