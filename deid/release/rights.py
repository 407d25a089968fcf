"""Rights to decide on releases that an administrator of the database grants, for installations without Airflow."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from deid.database.connection import open_cursor
from deid.database.queries import execute
from deid.domain.errors import InputRefused
from deid.ledger import audit
from deid.ledger.audit import Action
from deid.release.decisions import MAX_REASON


@dataclass(frozen=True, slots=True)
class GrantedRight:
    """The last grant or revocation of an account: whether it may decide, who said so, why and when."""

    account: str
    may_decide: bool
    granted_by: str
    reason: str
    at: datetime


def change_right(actor: str, account: str, reason: str, *, may_decide: bool) -> None:
    """Grant an account the right to decide from a command line, or revoke it, as the owner of the database.

    A grant holds until it is revoked, or until Airflow's auth manager says that the account may not decide. The audit
    trail has a line of it.

    Raises:
        InputRefused: no account, no reason, or either is too long.
        SettingsError, WarehouseUnreachable, WarehouseError: nothing was recorded.
    """
    account, reason = account.strip(), " ".join(reason.split())
    if not account or len(account) > MAX_REASON:
        raise InputRefused("that is no account.", "Give the name of the system's account that decides.")
    if not reason or len(reason) > MAX_REASON:
        raise InputRefused("a right is granted for a reason.", f"Give one of at most {MAX_REASON} characters.")
    row = {"account": account, "may_decide": may_decide, "granted_by": actor, "reason": reason}
    with open_cursor("owner", "nocturne rights") as cursor:
        execute(cursor, "deid", "answer_right", "grant", row)
        action = Action.GRANT_RIGHT if may_decide else Action.REVOKE_RIGHT
        audit.write(cursor, actor, action, f"account {account}", reason=reason)


def list_rights() -> list[GrantedRight]:
    """Return the last grant or revocation of each account, by account.

    Raises:
        SettingsError, WarehouseUnreachable, WarehouseError: they could not be read.
    """
    with open_cursor("owner", "nocturne rights", readonly=True) as cursor:
        return [GrantedRight(*row) for row in execute(cursor, "deid", "answer_right", "granted").fetchall()]
