"""Refining of merged mentions, in order; each step is a module of its own."""

from __future__ import annotations

from collections.abc import Sequence

from deid.config.policy import Detection
from deid.detection.reading import Reading
from deid.detection.refining.addresses import complete_addresses
from deid.detection.refining.allowing import drop_allowed
from deid.detection.refining.boundaries import complete_names
from deid.detection.refining.connecting import connect
from deid.detection.refining.glued import find_glued
from deid.detection.refining.guarding import drop_lookalikes, trim_civilities
from deid.detection.refining.initials import find_initials
from deid.detection.refining.line_breaks import join_lines
from deid.detection.refining.overlaps import resolve
from deid.detection.refining.repetitions import repeat_names
from deid.detection.refining.roles import settle_roles
from deid.detection.refining.sharing import shared_names
from deid.detection.refining.wholes import complete_wholes
from deid.domain.document import Mention


def refine(reading: Reading, mentions: Sequence[Mention], policy: Detection) -> tuple[Mention, ...]:
    """Lookalikes, allow-list, overlaps, connected entities, boundaries, addresses, missed repetitions, initials and
    names without blanks, roles, the last signs of numbers and initials, and what a line break cuts."""
    refined = drop_allowed(reading, trim_civilities(reading, drop_lookalikes(reading, mentions)), policy.allow)
    refined = resolve(reading, refined)
    refined = connect(reading, refined, policy.connectors)
    refined = complete_addresses(reading, complete_names(reading, refined))
    if policy.repeat_names:
        refined = repeat_names(reading, refined)
        refined = resolve(reading, drop_allowed(reading, refined, policy.allow))
        refined = complete_names(reading, refined)
        refined = find_initials(reading, refined)
        if glued := find_glued(reading):
            refined = resolve(reading, [*refined, *glued])
    if policy.settle_roles:
        refined = settle_roles(reading, sorted(refined))
    return tuple(join_lines(reading, complete_wholes(reading, sorted(refined))))


def share_names(
    readings: Sequence[Reading], mentions: Sequence[tuple[Mention, ...]], policy: Detection
) -> list[tuple[Mention, ...]]:
    """Refined `mentions` with the names that a patient's other documents of the batch are sure of."""
    result = []
    for reading, old, added in zip(readings, mentions, shared_names(readings, mentions), strict=True):
        if added:
            refined = resolve(reading, drop_allowed(reading, [*old, *added], policy.allow))
            refined = complete_names(reading, refined)
            old = tuple(sorted(settle_roles(reading, refined) if policy.settle_roles else refined))
        result.append(old)
    return result
