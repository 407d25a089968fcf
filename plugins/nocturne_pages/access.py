"""Who may do what on the pages: powers, and how Airflow's auth manager grants them.

FAB, Keycloak and any other manager are asked for a permission on a custom resource (docker/roles.sh makes the roles).
Airflow's simple manager, which the demo runs with, knows four roles only: they are mapped here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, Literal

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.simple.simple_auth_manager import SimpleAuthManager
from airflow.api_fastapi.core_api.security import GetUserDep
from fastapi import HTTPException, Request

from nocturne_pages.language import chosen
from nocturne_pages.security import check_owner


class Power(Enum):
    """Something that a person may be allowed to do: HTTP method and resource that the auth manager is asked about.

    FAB knows GET as `can_read` and PUT as `can_edit`.
    """

    READ = ("GET", "Nocturne Releases")  # figures, releases, exports: counts and ids
    DECIDE = ("PUT", "Nocturne Releases")  # approve, reject, send back
    REVIEW = ("PUT", "Nocturne Reviews")  # read de-identified samples and mark them
    ADJUDICATE = ("PUT", "Nocturne Adjudications")  # settle where readers disagree
    ORIGINALS = ("GET", "Nocturne Originals")  # read source texts
    RETRY = ("PUT", "Nocturne Quarantine")  # retry or discard a quarantined document
    WAIVE = ("PUT", "Nocturne Waivers")  # release a quarantined document with a justification
    WITHDRAW = ("PUT", "Nocturne Oppositions")  # search a patient, withdraw from every release
    AUDIT = ("GET", "Nocturne Audit")  # read and export the audit trail

    @property
    def method(self) -> Literal["GET", "PUT"]:
        """What is asked of the auth manager."""
        return "GET" if self.value[0] == "GET" else "PUT"

    @property
    def resource(self) -> str:
        """On what."""
        return self.value[1]


_OPERATOR = frozenset({Power.READ, Power.RETRY})
_STEWARD = _OPERATOR | {Power.DECIDE, Power.REVIEW, Power.WITHDRAW, Power.AUDIT}
SIMPLE_ROLES: Mapping[str, frozenset[Power]] = MappingProxyType(
    {
        "viewer": frozenset({Power.READ}),
        "op": _OPERATOR,
        "user": _STEWARD,
        "admin": frozenset(Power),  # the senior steward of a demo
    }
)


@dataclass(frozen=True, slots=True)
class Visitor:
    """The person who asks for a page: account id and shown name, powers, language ("fr" or "en")."""

    id: str
    name: str
    powers: frozenset[Power]
    lang: str

    def may(self, power: Power) -> bool:
        """Whether the person has a power."""
        return power in self.powers


def needs(power: Power) -> Callable[..., Visitor]:
    """A dependency that gives the visitor, or refuses with 401 (nobody is signed in) or 403 (no such power)."""

    def visitor(request: Request, user: GetUserDep) -> Visitor:
        powers = _powers(user)
        if power not in powers:
            raise HTTPException(403, power.name)
        found = Visitor(str(user.get_id()), str(user.get_name()), powers, chosen(request))
        check_owner(request, found.id)
        request.state.visitor = found
        return found

    visitor.power = power  # type: ignore[attr-defined]  # read by the truth table of the tests
    return visitor


def _powers(user: Any) -> frozenset[Power]:
    manager = get_auth_manager()
    if isinstance(manager, SimpleAuthManager):
        return SIMPLE_ROLES.get(str(user.role or "").casefold(), frozenset())
    asked = {power: (power.method, power.resource) for power in Power}
    return frozenset(
        power
        for power, (method, resource) in asked.items()
        if manager.is_authorized_custom_view(method=method, resource_name=resource, user=user)
    )
