"""Digest of the code of this process: two of one version, whose files differ, are not the same code."""

from __future__ import annotations

import hashlib
from functools import cache

from deid.database.queries import PACKAGE, SQL

_SUFFIXES = frozenset({".py", ".sql", ".toml", ".yaml"})


@cache
def code_digest() -> str:
    """Return the SHA-256, in hexadecimal digits, over names and contents of the library's code, statements and maps.

    A checkout and an installed distribution of the same files have the same digest. Models, tables of reference and
    the policy in force have digests of their own. A process reads its files once.
    """
    whole = hashlib.sha256()
    files = [
        (f"{name}/{path.relative_to(root).as_posix()}", path)
        for name, root in (("deid", PACKAGE), ("sql", SQL))
        for path in root.rglob("*")
        if path.suffix in _SUFFIXES and not (name == "deid" and path.is_relative_to(SQL))
    ]
    for name, path in sorted(files):
        whole.update(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}\n".encode())
    return whole.hexdigest()
