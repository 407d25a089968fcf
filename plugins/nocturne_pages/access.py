"""Visitors of the pages, with the permissions that Airflow's auth manager grants.

FAB, Keycloak and any other manager are asked for a permission on a custom resource (docker/roles.sh creates the roles).
Airflow's simple manager, used by the demo, has four fixed roles: they are mapped here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.simple.simple_auth_manager import SimpleAuthManager
from airflow.api_fastapi.core_api.security import GetUserDep
from fastapi import HTTPException, Request

from nocturne_pages.language import chosen
from nocturne_pages.permissions import ROLES, Permission
from nocturne_pages.security import check_owner

# Roles of Airflow's simple auth manager.
SIMPLE_ROLES: Mapping[str, str] = {
    "viewer": "NocturneViewer",
    "op": "NocturneOperator",
    "user": "DataSteward",
    "admin": "SeniorDataSteward",
}


@dataclass(frozen=True, slots=True)
class Visitor:
    """The person who requests a page: account id, displayed name, permissions, language ("fr" or "en")."""

    id: str
    name: str
    permissions: frozenset[Permission]
    lang: str

    def may(self, permission: Permission) -> bool:
        """Return whether the person has a permission."""
        return permission in self.permissions


def needs(permission: Permission) -> Callable[..., Visitor]:
    """Return a dependency that yields the visitor, or refuses with 401 (not signed in) or 403 (permission missing)."""

    def visitor(request: Request, user: GetUserDep) -> Visitor:
        permissions = permissions_of(user)
        if permission not in permissions:
            raise HTTPException(403, permission.name)
        found = Visitor(str(user.get_id()), str(user.get_name()), permissions, chosen(request))
        check_owner(request, found.id)
        request.state.visitor = found
        return found

    visitor.permission = permission  # type: ignore[attr-defined]  # read by the permission tests
    return visitor


def permissions_of(user: Any) -> frozenset[Permission]:
    """Return what the auth manager lets an account do on the pages."""
    manager = get_auth_manager()
    if isinstance(manager, SimpleAuthManager):
        return ROLES.get(SIMPLE_ROLES.get(str(user.role or "").casefold(), ""), frozenset())
    asked = {permission: (permission.method, permission.resource) for permission in Permission}
    return frozenset(
        permission
        for permission, (method, resource) in asked.items()
        if manager.is_authorized_custom_view(method=method, resource_name=resource, user=user)
    )
