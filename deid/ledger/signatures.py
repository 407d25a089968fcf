"""Signatures of the audit trail's last line, and what they show of a trail that was cut, rewritten or restored.

The hash chain needs no secret: whoever owns the database can cut its end off, or compute it anew. A signature is an
HMAC-SHA-256 of the last line under a key derived from the secret. Each planning and each publication writes one into
`deid.audit_signature`, the file `audit-signatures.jsonl` of NOCTURNE_HOME and the log. A copy of the database that
lacks lines, or holds others, does not match the file. Lines written after the last signature are not covered.
"""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from deid.config.keys import Key, Keyring
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import Cursor, execute
from deid.domain.errors import InputRefused
from deid.ledger import audit

FILE = "audit-signatures.jsonl"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TrailSignature:
    """One signature: the last line's number and digest, the number of lines, the time (ISO 8601, UTC), and the key."""

    seq: int
    digest: str
    lines: int
    at: str
    key_version: int
    key_fingerprint: str
    hmac: str = ""

    def hmac_under(self, key: Key) -> str:
        """Return the HMAC of the other values under a key, in hexadecimal."""
        values = [getattr(self, one.name) for one in fields(self) if one.name != "hmac"]
        own = hmac.digest(key.secret, b"signatures of the audit trail of Nocturne", "sha256")
        return hmac.digest(own, json.dumps(values).encode(), "sha256").hex()


class FaultKind(StrEnum):
    """Faults of a trail. The wording is the command line's."""

    BROKEN = "broken"  # a line does not follow from the one before it
    CUT = "cut"  # a signature names a line after the last one
    REWRITTEN = "rewritten"  # a signature names another content of its line, or another number of lines
    RESTORED = "restored"  # the table lacks a signature that a file holds
    FORGED = "forged"  # a signature is not what the key that it names gives
    UNKNOWN_KEY = "unknown_key"  # a signature was signed under a key that is not held: it proves nothing here
    UNSIGNED = "unsigned"  # there are lines, and no signature that proves any


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, and the number of the line that it is about (0: of none)."""

    kind: FaultKind
    seq: int


@dataclass(frozen=True, slots=True)
class Verification:
    """Outcome: number of lines and of signatures, last line that a sound signature proves, its time, and the faults."""

    lines: int
    signatures: int
    signed_to: int
    signed_at: str
    faults: tuple[Fault, ...]


def sign_trail(role: str) -> TrailSignature | None:
    """Sign the last line as `role`, "worker" or "publisher"; None for an empty trail.

    Raises:
        SettingsError: the secret is missing.
    """
    key = settings().keyring.current
    with open_cursor(role, "nocturne signature") as cursor:
        head = execute(cursor, "deid", "audit_signature", "head").fetchone()
        if head is None:
            return None
        seq, digest, lines = head
        bare = TrailSignature(seq, digest, lines, datetime.now(UTC).isoformat(), key.version, key.fingerprint)
        signature = replace(bare, hmac=bare.hmac_under(key))
        execute(cursor, "deid", "audit_signature", "insert", asdict(signature))
    line = json.dumps(asdict(signature))
    log.info("audit trail signed: %s", line)
    _keep(settings().home / FILE, line)
    return signature


def read_signatures(path: Path) -> list[TrailSignature]:
    """Read a file of signatures; an absent one holds none.

    Raises:
        InputRefused: a line is no signature.
    """
    if not path.exists():
        return []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [TrailSignature(**json.loads(line)) for line in lines if line.strip()]
    except (ValueError, TypeError):
        raise InputRefused(f"{path} is no file of signatures.", f"Give a {FILE} that Nocturne wrote.") from None


def verify_trail(cursor: Cursor, kept: Iterable[TrailSignature], keyring: Keyring) -> Verification:
    """Check the trail's chain, and each signature of the table and of `kept` against it.

    Raises:
        WarehouseError: the role may not read the trail.
    """
    stored = [TrailSignature(*row) for row in execute(cursor, "deid", "audit_signature", "list").fetchall()]
    elsewhere = list(dict.fromkeys(kept).keys() - set(stored))
    signatures = [*stored, *elsewhere]
    keys = {key.fingerprint: key for key in keyring.keys}
    unknown = [one for one in signatures if one.key_fingerprint not in keys]
    known = [one for one in signatures if one.key_fingerprint in keys]
    sound = [one for one in known if hmac.compare_digest(one.hmac, one.hmac_under(keys[one.key_fingerprint]))]
    faults = [Fault(FaultKind.FORGED, one.seq) for one in known if one not in sound]
    faults += [Fault(FaultKind.RESTORED, one.seq) for one in elsewhere if one in sound]
    head = audit.read_head(cursor)
    if (broken := audit.find_first_break(cursor)) is not None:
        faults.append(Fault(FaultKind.BROKEN, broken))
    held, disproved = _compare(cursor, sound, head.seq)
    if head.seq and not sound:
        disproved.append(Fault(FaultKind.UNSIGNED, 0))
    last = max(held, key=lambda one: (one.seq, one.at), default=None)
    borne_out, _ = _compare(cursor, unknown, head.seq)
    for one in unknown:  # of a destroyed key, say: a later signature proves the same lines
        if last is None or one.seq > last.seq or one not in borne_out:
            faults.append(Fault(FaultKind.UNKNOWN_KEY, one.seq))
    return Verification(
        lines=head.seq,
        signatures=len(signatures),
        signed_to=last.seq if last else 0,
        signed_at=last.at if last else "",
        faults=tuple(sorted({*faults, *disproved}, key=lambda fault: (fault.seq, fault.kind))),
    )


def _compare(
    cursor: Cursor, signatures: Sequence[TrailSignature], last: int
) -> tuple[list[TrailSignature], list[Fault]]:
    """Return the signatures that the lines bear out, and the faults that the others show."""
    execute(cursor, "deid", "audit_signature", "lines", {"seqs": sorted({one.seq for one in signatures})})
    now = {seq: (digest, lines) for seq, digest, lines in cursor.fetchall()}
    held = [one for one in signatures if now.get(one.seq) == (one.digest, one.lines)]
    faults = [
        Fault(FaultKind.CUT if one.seq > last else FaultKind.REWRITTEN, one.seq)
        for one in signatures
        if one not in held
    ]
    return held, faults


def _keep(path: Path, line: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as sink:
            sink.write(line + "\n")
    except OSError as error:  # the log and the table hold the signature; a night does not stop for its copy
        log.warning("%s: %s; the signature is in the log and the table only.", path, error.strerror)
