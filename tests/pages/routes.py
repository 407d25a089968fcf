"""Every route of the pages with the permission that it asks for, and which of them answer wrongly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fastapi.routing import APIRoute
from nocturne_pages.app import app
from nocturne_pages.permissions import Permission

from tests.pages.serving import Server


def _routes() -> Iterator[tuple[str, str, Permission]]:
    for route in app.routes:
        if isinstance(route, APIRoute):
            calls = [dependency.call for dependency in route.dependant.dependencies]
            (permission,) = {call.permission for call in calls if hasattr(call, "permission")}
            for method in sorted(route.methods):
                yield method, route.path, permission


ROUTES = list(_routes())
HOSTILE = (
    "%00",
    "a%00b",
    "9223372036854775808",
    "9" * 40,
    "%F0%9F%98%80",
    "2026-13-45",
    "..%2F..",
    "-1",
    "'",
    "a" * 2000,
)


def hostile_addresses() -> Iterator[str]:
    """Every address that is read, with something made by hand in place of its parts, then of each of its filters."""
    for route in app.routes:
        if isinstance(route, APIRoute) and "GET" in route.methods:
            for value in HOSTILE:
                yield re.sub(r"\{[^}]*\}", value, route.path)
                yield from (f"{addressed(route.path)}?{one.name}={value}" for one in route.dependant.query_params)


def whole_numbers() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Method, path and name of every whole number of a query, a form or JSON, with its schema."""
    described = app.openapi()
    for path, operations in described["paths"].items():
        for method, asked in operations.items():
            for one in asked.get("parameters", ()):
                if one["in"] == "query":
                    yield from ((method, path, one["name"], found) for found in _integers(one["schema"]))
            for body in asked.get("requestBody", {}).get("content", {}).values():
                model = described["components"]["schemas"][body["schema"]["$ref"].rpartition("/")[2]]
                for name, schema in model["properties"].items():
                    yield from ((method, path, name, found) for found in _integers(schema))


def _integers(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The whole numbers that a field may be, or hold."""
    if schema.get("type") == "integer":
        yield schema
    for inner in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
        yield from _integers(inner)


def addressed(path: str) -> str:
    """A route's path with something in place of each parameter."""
    return re.sub(r"\{[^}]*\}", "0", path)


def wrong_answers(server: Server, token: str | None, permissions: frozenset[Permission]) -> list[tuple[str, str, int]]:
    """Routes that let in somebody without their permission, or keep out somebody who has it; no token is nobody.

    A change is sent without the form that it needs: it is let through to its own checks, or refused before them.
    """
    wrong = []
    for method, path, permission in ROUTES:
        signed = {} if token is None else {"Authorization": f"Bearer {token}"}
        status = server.ask(method, addressed(path), None, headers=signed).status_code
        if token is None:
            right = status == 401
        elif permission in permissions:
            right = status not in (401, 403) and status < 500
        else:
            right = status == 403
        if not right:
            wrong.append((method, path, status))
    return wrong
