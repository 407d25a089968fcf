"""Documents for tests, written as the annotation guide writes them: `[[LABEL|text]]`."""

from __future__ import annotations

from datetime import date
from typing import Any

from deid.config.policy import Policy, Section
from deid.domain.document import Document, Mention, Patient, Stay, Substitution
from nocturne_lab.evaluation.markup import parse_marked

KEY = bytes(range(32))
ANCHOR = date(2023, 5, 17)


def marked(
    markup: str,
    *,
    id: str = "d1",
    patient: Patient | None = None,
    reference_date: date | None = ANCHOR,
    stay: Stay | None = None,
) -> tuple[Document, list[Mention]]:
    """A document and its mentions out of inline markup; the patient has a key unless one is given."""
    text, mentions = parse_marked(markup, id)
    return Document(id, text, patient or Patient(key="p1"), reference_date, stay=stay), list(mentions)


def surrogates(result: Substitution) -> list[str]:
    """Texts of the surrogates, in order."""
    return [surrogate.text for surrogate in result.surrogates]


def changed(policy: Policy, **changes: Any) -> Policy:
    """`policy` with other values in its `substitution` part; nested parts are given as mappings."""
    part = policy.substitution
    update = {
        name: getattr(part, name).model_copy(update=value) if isinstance(getattr(part, name), Section) else value
        for name, value in changes.items()
    }
    return policy.model_copy(update={"substitution": part.model_copy(update=update)})
