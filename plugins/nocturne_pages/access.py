"""Who asks for a page, and with what powers: as Airflow's auth manager grants them.

FAB, Keycloak and any other manager are asked for a permission on a custom resource (docker/roles.sh makes the roles).
Airflow's simple manager, which the demo runs with, knows four words only: they are mapped here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.simple.simple_auth_manager import SimpleAuthManager
from airflow.api_fastapi.core_api.security import GetUserDep
from fastapi import HTTPException, Request

from nocturne_pages.language import chosen
from nocturne_pages.powers import ROLES, Power
from nocturne_pages.security import check_owner

# What the demo's accounts are: Airflow's simple auth manager knows these four words only.
SIMPLE_ROLES: Mapping[str, str] = MappingProxyType(
    {"viewer": "NocturneViewer", "op": "NocturneOperator", "user": "DataSteward", "admin": "SeniorDataSteward"}
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
        return ROLES.get(SIMPLE_ROLES.get(str(user.role or "").casefold(), ""), frozenset())
    asked = {power: (power.method, power.resource) for power in Power}
    return frozenset(
        power
        for power, (method, resource) in asked.items()
        if manager.is_authorized_custom_view(method=method, resource_name=resource, user=user)
    )
