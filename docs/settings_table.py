"""Table of settings in docs/operators.md: variable, values, default, and what stands below each in `Settings`."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise

from deid.config.settings import REFERENCE_SOURCES, Settings
from docs import policy_keys

_LOCATIONS = (
    "where one source is read, before that file: `NOCTURNE_STREETS_LOCATION=/srv/opendata/ban`. Sources: "
    + ", ".join(f"`{name}`" for name in REFERENCE_SOURCES)
)


def table() -> str:
    """Return the table, in the order of the class; locations of sources are one row, behind `references`."""
    rows = ["| Variable | Values | Default | Meaning |", "|---|---|---|---|"]
    for name, meaning in meanings().items():
        field = Settings.model_fields[name]
        told = policy_keys.values(field), policy_keys.default(field), meaning
        rows.append(f"| `NOCTURNE_{name.upper()}` | {' | '.join(told)} |")
        if name == "references":
            rows.append(f"| `NOCTURNE_<SOURCE>_LOCATION` | text | – | {_LOCATIONS} |")
    return "\n".join(rows)


def meanings() -> dict[str, str]:
    """Return the meaning of each setting, one line, from the source: read as it runs, it would slow every process."""
    (made,) = (one for one in ast.parse(inspect.getsource(Settings)).body if isinstance(one, ast.ClassDef))
    return {
        one.target.id: " ".join(below.value.value.split())
        for one, below in pairwise(made.body)
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)
    }
