"""Create the four roles of the pages in a deployment whose auth manager is FAB: `python -m nocturne_pages.fab_roles`.

Each role gets the permissions of `permissions.ROLES` on custom resources, and the permissions of Airflow that the
pages need. Run again after an upgrade: existing roles keep every permission that an administrator added. Requires
`airflow sync-perm --include-dags` first, which creates the permissions on single DAGs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nocturne_pages.permissions import ROLES

READ, EDIT, CREATE, MENU = "can_read", "can_edit", "can_create", "menu_access"
_ANYONE = (
    *((READ, resource) for resource in ("Website", "DAGs", "DAG Runs", "Task Instances", "Plugins", "My Profile")),
    *((EDIT, resource) for resource in ("My Password",)),
    *((MENU, resource) for resource in ("DAGs", "Browse")),
)
# A steward answers releases, without logs, XCom or starting runs. Answering requires both edit permissions.
_STEWARD = (
    *((action, "DAG:release_dataset") for action in (READ, EDIT)),
    *((action, "HITL Detail") for action in (READ, EDIT, MENU)),
)
# An operator starts and repairs runs, and reads their logs; answers nothing: has no permission on HITL Detail.
_OPERATOR = (
    *((READ, resource) for resource in ("Task Logs", "Pools", "ImportError", "Assets", "Backfills", "DAG Versions")),
    *((action, "DAG Runs") for action in (CREATE, EDIT)),
    *((action, "Backfills") for action in (CREATE, EDIT)),
    (EDIT, "Task Instances"),
    *(
        (action, f"DAG:{dag}")
        for dag in (
            *("deidentify_documents", "release_dataset", "evaluate_release"),
            *("refresh_references", "apply_oppositions", "ask_again"),
        )
        for action in (READ, EDIT)
    ),
)
AIRFLOW: Mapping[str, tuple[tuple[str, str], ...]] = {
    "NocturneViewer": _ANYONE,
    "NocturneOperator": (*_ANYONE, *_OPERATOR),
    "DataSteward": (*_ANYONE, *_STEWARD),
    "SeniorDataSteward": (*_ANYONE, *_STEWARD),
}


def permissions(role: str) -> Iterator[tuple[str, str]]:
    """Yield FAB's (action, resource) pairs of a role."""
    yield from AIRFLOW[role]
    for permission in ROLES[role]:
        yield (READ if permission.method == "GET" else EDIT), permission.resource


def make(manager: Any) -> dict[str, int]:
    """Add the missing permissions of each role through FAB's security manager; return their number by role."""
    given = {}
    for name in ROLES:
        role = manager.add_role(name)
        held = {(permission.action.name, permission.resource.name) for permission in role.permissions}
        missing = sorted(set(permissions(name)) - held)
        for action, resource in missing:
            manager.add_permission_to_role(role, manager.create_permission(action, resource))
        given[name] = len(missing)
    return given


if __name__ == "__main__":
    from airflow.providers.fab.auth_manager.cli_commands.utils import get_application_builder

    with get_application_builder() as builder:
        for name, count in make(builder.sm).items():
            print(f"{name}: {count} permissions added")
