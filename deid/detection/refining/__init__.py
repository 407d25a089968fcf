"""Refining of merged mentions, in order; each step is a module of its own."""

from __future__ import annotations

from collections.abc import Sequence

from deid.config.policy import Detection
from deid.detection.reading import Reading
from deid.detection.refining.addresses import complete_addresses, join_lines
from deid.detection.refining.boundaries import complete_names, complete_wholes
from deid.detection.refining.filters import drop_allowed, drop_lookalikes, trim_civilities
from deid.detection.refining.missed_names import find_glued, find_initials, find_shared_names, repeat_names
from deid.detection.refining.overlaps import connect_entities, resolve_overlaps
from deid.detection.refining.roles import settle_roles
from deid.domain.document import Mention


def refine(reading: Reading, mentions: Sequence[Mention], policy: Detection) -> tuple[Mention, ...]:
    """Lookalikes, allow-list, overlaps, connected entities, boundaries, addresses, missed repetitions, initials and
    names without blanks, roles, the last signs of numbers and initials, and what a line break cuts."""
    refined = drop_allowed(reading, trim_civilities(reading, drop_lookalikes(reading, mentions)), policy.allow)
    refined = resolve_overlaps(reading, refined)
    refined = connect_entities(reading, refined, policy.connectors)
    refined = complete_addresses(reading, complete_names(reading, refined))
    if policy.repeat_names:
        refined = repeat_names(reading, refined)
        refined = resolve_overlaps(reading, drop_allowed(reading, refined, policy.allow))
        refined = complete_names(reading, refined)
        refined = find_initials(reading, refined)
        if glued := find_glued(reading):
            refined = resolve_overlaps(reading, [*refined, *glued])
    if policy.settle_roles:
        refined = settle_roles(reading, sorted(refined))
    return tuple(join_lines(reading, complete_wholes(reading, sorted(refined))))


def share_names(
    readings: Sequence[Reading], mentions: Sequence[tuple[Mention, ...]], policy: Detection
) -> list[tuple[Mention, ...]]:
    """Refined `mentions` with the names that a patient's other documents of the batch are sure of."""
    result = []
    for reading, old, added in zip(readings, mentions, find_shared_names(readings, mentions), strict=True):
        if added:
            refined = resolve_overlaps(reading, drop_allowed(reading, [*old, *added], policy.allow))
            refined = complete_names(reading, refined)
            old = tuple(sorted(settle_roles(reading, refined) if policy.settle_roles else refined))
        result.append(old)
    return result
