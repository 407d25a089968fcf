"""XCom that refuses anything long enough to be a text: Airflow's database is readable by every viewer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from airflow.sdk.bases.xcom import BaseXCom

MAX_STRING = 200
MAX_BYTES = 4096


class TextInXCom(ValueError):
    """A task returned more than ids and counts. The message never holds the value."""


class GuardedXCom(BaseXCom):
    """Keeps ids, counts and hashes; refuses a string over 200 characters or a value over 4 KB of JSON.

    A list is measured item by item: a night's plan is one small record per batch. Set it as
    `[core] xcom_backend = nocturne_airflow.xcom.GuardedXCom` in every component.
    """

    @staticmethod
    def serialize_value(  # type: ignore[override]
        value: Any,
        *,
        key: str | None = None,
        task_id: str | None = None,
        dag_id: str | None = None,
        run_id: str | None = None,
        map_index: int | None = None,
    ) -> str:
        """Serialise `value`.

        Raises:
            TextInXCom: it holds a long string, or a record that is too large.
        """
        for item in value if isinstance(value, list) else [value]:
            refuse_text(item, task_id=task_id or "?")
        return BaseXCom.serialize_value(
            value, key=key, task_id=task_id, dag_id=dag_id, run_id=run_id, map_index=map_index
        )


def refuse_text(item: Any, *, task_id: str) -> None:
    """Raise `TextInXCom` if a record could carry a text."""
    longest = max((len(string) for string in strings(item)), default=0)
    if longest > MAX_STRING:
        raise TextInXCom(f"task {task_id}: a string of {longest} characters may not enter XCom; return ids and counts.")
    size = len(json.dumps(item, default=str))
    if size > MAX_BYTES:
        raise TextInXCom(f"task {task_id}: a record of {size} bytes may not enter XCom; return ids and counts.")


def strings(value: Any) -> Iterator[str]:
    """Every string inside `value`, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings(key)
            yield from strings(inner)
    elif isinstance(value, list | tuple | set):
        for inner in value:
            yield from strings(inner)
