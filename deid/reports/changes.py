"""Changes of the policy from one release to the next, key by key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from deid.warehouse.queries import Cursor, query


def policy_changes(cursor: Cursor, before: str, now: str) -> list[dict[str, Any]] | None:
    """Keys ("detection.recall.CITY") whose values differ between two policies named by their hashes.

    Each is `key`, `before` and `now`, as YAML would have them in a line; None for a key that the policy lacks. None in
    all if a policy was planned with before policies were kept.
    """
    contents = [_content(cursor, digest) for digest in (before, now)]
    if before == now:
        return []
    if contents[0] is None or contents[1] is None:
        return None
    old, new = (_flat(content) for content in contents if content is not None)
    return [
        {"key": key, "before": old.get(key), "now": new.get(key)}
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    ]


def _content(cursor: Cursor, digest: str) -> dict[str, Any] | None:
    cursor.execute(query("deid", "policy", "read"), {"policy_hash": digest})
    found = cursor.fetchone()
    return None if found is None else dict(found[0])


def _flat(content: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in content.items():
        if isinstance(value, Mapping) and value:
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return flat
