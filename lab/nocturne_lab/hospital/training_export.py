"""Published texts that leave the hospital for training, with the spans of their surrogates (Tchouka et al. 2023).

What leaves is what researchers read: surrogates, and the identifiers that detection missed. The spans tell which words
were replaced, and so, of the others, that they never were.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from deid.config.policy import Policy
from deid.database.queries import Cursor, execute, one
from deid.domain.document import Mention
from deid.domain.errors import PolicyError, ReleaseRefused
from deid.domain.labels import Label
from deid.stewardship.opt_outs import check_reason


@dataclass(frozen=True, slots=True)
class TrainingDocument:
    """A text that researchers read and that may leave, its surrogates as mentions; the id is research's."""

    document_id: str
    document_type: str | None
    text: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class TrainingExport:
    """Documents that leave; `permitted` could leave, `held` are published under a policy that keeps them here."""

    documents: Sequence[TrainingDocument]
    permitted: int
    held: int


def export_published(
    cursor: Cursor, actor: str, reason: str, policy: Policy, *, size: int, seed: int
) -> TrainingExport:
    """Return at most `size` published texts that may leave, and write their export to the audit trail for `actor`.

    A text may leave if researchers read it now, and both the policy in force and the one that it was published under
    have `release.training_export`. A seed chooses the same texts as long as the same may leave.

    Raises:
        PolicyError: the policy in force lets no text leave.
        OptOutRefused: see `check_reason`.
        ReleaseRefused: an opt-out waits to be applied, so that its patient's texts may still be there.
    """
    if not policy.release.training_export:
        raise PolicyError(
            f"policy {policy.name} lets no published text leave as a training document.",
            "Decide on release.training_export: true, which docs/annotation.md explains.",
        )
    reason = check_reason(reason)
    (waiting,) = one(execute(cursor, "deid", "training_document", "waiting_opt_outs"))
    if waiting:
        raise ReleaseRefused(f"{waiting} opt-outs are not applied yet.", "Run apply_oppositions, then export again.")
    permitted, held = one(execute(cursor, "deid", "training_document", "counts"))
    details = json.dumps({"left_out": held, "policy": policy.digest, "reason": reason})
    asked = {"seed": str(seed), "size": size, "steward": actor, "details": details}
    execute(cursor, "deid", "training_document", "chosen", asked)
    return TrainingExport([_document(*row) for row in cursor.fetchall()], permitted, held)


def _document(
    document_id: str, document_type: str | None, text: str, spans: Sequence[tuple[int, int, str]]
) -> TrainingDocument:
    mentions = sorted(Mention(start, end, Label(label)) for start, end, label in spans if start < end)
    return TrainingDocument(document_id, document_type, text, tuple(mentions))
