"""Errors of the library, as one tree. A message names the id, the failure and the remedy, never a value.

NocturneError
├── SettingsError            the deployment lacks a setting (a secret, a DSN, a port)
│   └── KeyServiceUnreachable the service of the other shares does not answer: worth a retry
├── DiskFull                 a disk of this machine has no room left: worth a retry
├── PolicyError              the policy file names something unknown
├── WarehouseError
│   ├── WarehouseUnreachable the database does not answer: worth a retry
│   └── ContractBroken       a source's query no longer gives the columns of the contract
├── ReferenceRefused         a reference file is unreachable, malformed or too small
├── ReferencesOld            a source in use is older than the policy allows
├── ReleaseRefused           an aggregate check or a person stopped a release
├── ReviewRefused            a text of a review cannot be read, marked or settled now
├── RunAlive                 a run that is to be taken over shows signs of life
├── InputRefused             a line or file given to the command line cannot be used
└── DocumentRefused          one document goes to quarantine; the batch goes on
"""

from __future__ import annotations

from enum import StrEnum


class NocturneError(Exception):
    """Root of the tree: what failed, and the `remedy`, which advises a person. Both together are the text."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message} {remedy}".strip())
        self.message = message
        self.remedy = remedy

    def __reduce__(self) -> tuple[object, ...]:  # pickled without `__init__`, whose arguments differ by class
        return type(self).__new__, (type(self), *self.args), self.__dict__


class SettingsError(NocturneError):
    """The deployment lacks a setting, or has one that cannot be used."""


class KeyServiceUnreachable(SettingsError):
    """The service that holds the other shares of the secret does not answer; retrying later is sensible."""


class PolicyError(NocturneError):
    """The policy cannot be read, or names an annotator, strategy or label that does not exist."""


class DiskFull(NocturneError):
    """A disk of this machine has no room left; retrying later, or on another machine, is sensible."""


class WarehouseError(NocturneError):
    """A statement failed. Carries SQLSTATE and constraint name only."""


class WarehouseUnreachable(WarehouseError):
    """The database does not answer; retrying later is sensible."""


class ContractBroken(WarehouseError):
    """A source contract does not return the columns or types that extraction needs."""


class ReferenceRefused(NocturneError):
    """A reference file is unreachable, malformed or too small; the version in use stays."""


class ReferencesOld(NocturneError):
    """Reference data in use, which stay in use, are older than the policy allows."""


class ReleaseRefused(NocturneError):
    """Publication of an interval was stopped, by an aggregate check or by a person."""


class ReviewRefused(NocturneError):
    """A step of a review is impossible; `why`, a `deid.reviews.Why`, decides the wording."""

    def __init__(self, why: str, message: str, remedy: str = "") -> None:
        super().__init__(message, remedy)
        self.why = why


class RunAlive(NocturneError):
    """A run that is to be taken over showed a recent sign of life."""


class InputRefused(NocturneError):
    """A file or line given to the command line cannot be used."""


class Reason(StrEnum):
    """Reason for a document's quarantine. `deid.quality.reasons` holds the French wording and the remedy."""

    EMPTY = "empty"
    UNDECODABLE = "undecodable"
    NOT_TEXT = "not_text"
    DOUBLE_ENCODED = "double_encoded"
    CHARACTERS_LOST = "characters_lost"
    WRONG_CHARSET = "wrong_charset"
    MIXED_SCRIPTS = "mixed_scripts"
    MALFORMED = "malformed"
    TOO_LARGE = "too_large"
    TOO_COSTLY = "too_costly"
    NOT_FRENCH = "not_french"
    NO_PATIENT = "no_patient"
    REPEATED = "repeated"
    BIRTH_DATE = "birth_date"
    UNSUPPORTED_FORMAT = "unsupported_format"
    ENCRYPTED = "encrypted"
    EXPANDS = "expands_too_much"
    SCANNED = "scanned"
    PICTURES = "pictures"
    NO_CONVERTER = "no_converter"
    PATIENT_MISMATCH = "patient_mismatch"
    FILE_OUTSIDE = "file_outside"
    FILE_MISSING = "file_missing"
    FILE_CHANGED = "file_changed"
    FILE_UNREADABLE = "file_unreadable"
    DETECTION_FAILED = "detection_failed"
    SUBSTITUTION_FAILED = "substitution_failed"
    BUDGET_EXCEEDED = "budget_exceeded"
    RESIDUAL_PATTERN = "residual_pattern"
    RESIDUAL_IDENTITY = "residual_identity"
    CLINICAL_CONTENT_CHANGED = "clinical_content_changed"
    DATE_ORDER = "date_order"
    DATE_IMPOSSIBLE = "date_impossible"
    ORIGINAL_KEPT = "original_kept"
    UNCHANGED = "unchanged"
    INCONSISTENT = "inconsistent"
    PATIENT_DISAGREES = "patient_disagrees"


class DocumentRefused(NocturneError):
    """One document goes to quarantine. `reason` decides the wording shown to stewards."""

    def __init__(self, document_id: str, reason: Reason, detail: str = "") -> None:
        super().__init__(f"document {document_id}: {reason}{': ' + detail if detail else ''}")
        self.document_id = document_id
        self.reason = reason
        self.detail = detail
