"""Permissions of the pages, and the roles that have them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Literal


class Permission(Enum):
    """A permission: the HTTP method and resource checked by the auth manager.

    In FAB, GET is `can_read` and PUT is `can_edit`.
    """

    READ = ("GET", "Nocturne Releases")  # figures, releases, exports: counts and ids
    DECIDE = ("PUT", "Nocturne Releases")  # approve, reject, send back
    REVIEW = ("PUT", "Nocturne Reviews")  # read de-identified samples and quarantined texts, mark them
    ADJUDICATE = ("PUT", "Nocturne Adjudications")  # settle disagreements of readers
    ORIGINALS = ("GET", "Nocturne Originals")  # read source texts
    RETRY = ("PUT", "Nocturne Quarantine")  # retry or discard a quarantined document, resume a release that stopped
    WAIVE = ("PUT", "Nocturne Waivers")  # release a quarantined document with a justification
    WITHDRAW = ("PUT", "Nocturne Oppositions")  # search a patient, withdraw from every release
    PROMOTE = ("PUT", "Nocturne Models")  # promote, refuse, roll back a trained model
    AUDIT = ("GET", "Nocturne Audit")  # read and export the audit trail

    @property
    def method(self) -> Literal["GET", "PUT"]:
        """HTTP method checked by the auth manager."""
        return "GET" if self.value[0] == "GET" else "PUT"

    @property
    def resource(self) -> str:
        """Resource checked by the auth manager."""
        return self.value[1]


_STEWARD = frozenset(
    {
        *(Permission.READ, Permission.RETRY, Permission.DECIDE, Permission.REVIEW, Permission.WITHDRAW),
        *(Permission.PROMOTE, Permission.AUDIT),
    }
)

# Names as FAB shows them. Only the senior steward sees originals, settles readings and waives a check.
ROLES: Mapping[str, frozenset[Permission]] = {
    "NocturneViewer": frozenset({Permission.READ}),
    "NocturneOperator": frozenset({Permission.READ, Permission.RETRY}),
    "DataSteward": _STEWARD,
    "SeniorDataSteward": frozenset(Permission),
}
