"""Tables of docs/policy.md: every key of the policy, with its values and default, beside what its section says."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from deid.config.policy import Policy

# Pydantic's own words for a limit → the sign that documents use.
_LIMITS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


def policy() -> str:
    """Return the sections of the policy in order: meaning, then a table of keys, values and defaults."""
    return "\n\n".join(section(path, model) for path, model in sections("", Policy))


def sections(path: str, model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield the path and the model of a section, then those of the sections in it."""
    yield path, model
    for name, field in model.model_fields.items():
        for inner in _models(field.annotation):
            mark = "[]" if typing.get_origin(field.annotation) is tuple else ".NAME" if _maps(field) else ""
            yield from sections(f"{path}.{name}{mark}".lstrip("."), inner)


def section(path: str, model: type[BaseModel]) -> str:
    """Return one section: heading, meaning, table."""
    rows = [
        f"| `{field.alias or name}` | {values(field)} | {default(field)} |"
        for name, field in model.model_fields.items()
        if (not _models(field.annotation) or _maps(field)) and not name.endswith("_digest")  # computed
    ]
    heading = f"### `{path}`" if path else "### The whole"
    table = ["| Key | Values | Default |", "|---|---|---|", *rows] if rows else []
    return "\n".join([heading, "", meaning(model), "", *table]).rstrip()


def meaning(model: type[BaseModel]) -> str:
    """Return the docstring of a model, one paragraph a line."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.cleandoc(model.__doc__ or ""))


def default(field: FieldInfo) -> str:
    """Return the default of a field as YAML has it."""
    if field.is_required():
        return "none: it must be given"
    value = field.get_default(call_default_factory=True)
    return f"`{_written(value)}`" if value not in (None, "") else "–"


def values(field: FieldInfo) -> str:
    """Return the values of a field: a type's plain name, the words of a choice, and its limits."""
    limits = [
        f"{sign} {getattr(one, name):,}".replace(",", " ")
        for one in _constraints(field)
        for name, sign in _LIMITS.items()
        if getattr(one, name, None) is not None
    ]
    return ", ".join([_plain(field.annotation), *limits])


def _constraints(field: FieldInfo) -> Iterator[Any]:
    yield from field.metadata
    for inner in typing.get_args(field.annotation):
        yield from getattr(inner, "__metadata__", ())


def _plain(annotation: Any) -> str:
    """Return the plain name of a type: "number", "text", `marked` or `natural`."""
    origin, given = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _plain(given[0])
    if origin is typing.Literal:
        return " or ".join(f"`{_written(one)}`" for one in given)
    if origin in (dict, tuple) or annotation is dict:
        kind = "list" if origin is tuple else "map"
        parts = [_plain(one) for one in given if one is not Ellipsis]
        return f"{kind} of {' → '.join(parts)}" if parts else kind
    if given:  # X | None
        return " or ".join(_plain(one) for one in given if one is not type(None))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return "label"
    names = {bool: "`true` or `false`", int: "whole number", float: "number", Path: "path"}
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "section"
    return names.get(annotation, "text")


def _models(annotation: Any) -> list[type[BaseModel]]:
    """Return the sections in a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in typing.get_args(annotation) for model in _models(inner)]


def _maps(field: FieldInfo) -> bool:
    return typing.get_origin(field.annotation) is dict


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_written(one)}" for key, one in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_written(one) for one in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)
