"""Refining of merged mentions: filters, overlaps, boundaries, missed names, roles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deid.config.policy import Detection
from deid.detection.refining.addresses import complete_addresses, join_lines
from deid.detection.refining.boundaries import (
    announced_in_other_scripts,
    complete_last_signs,
    complete_names,
    complete_organisations,
)
from deid.detection.refining.clinical_values import drop_values
from deid.detection.refining.durations import drop_durations
from deid.detection.refining.exports import settle_exports
from deid.detection.refining.filters import drop_allowed, drop_lookalikes
from deid.detection.refining.halves import complete_halves
from deid.detection.refining.missed_names import (
    find_glued,
    find_initials,
    find_shared_names,
    find_short_names,
    repeat_names,
)
from deid.detection.refining.overlaps import connect_entities, resolve_overlaps
from deid.detection.refining.roles import settle_roles
from deid.detection.refining.trimming import trim_civilities
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import DIRECT, OPTIONAL, Label


def refine(reading: Reading, mentions: Sequence[Mention], policy: Detection) -> tuple[Mention, ...]:
    """Return the mentions of a document after all steps, sorted and disjoint.

    The steps are: filters, durations, clinical values, overlaps, connected entities, boundaries of names and
    addresses, repetitions, initials, names without blanks, roles, last signs of numbers and initials, values found by
    half, cells of exports, line breaks.
    """
    refined = drop_allowed(reading, trim_civilities(reading, drop_lookalikes(reading, mentions)), policy.allow)
    refined = drop_values(reading, drop_durations(reading, refined))
    announced = [*announced_in_other_scripts(reading), *find_short_names(reading)]
    refined = resolve_overlaps(reading, [*refined, *announced])
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
    # A number of which a part was found is known as a value once it is whole.
    refined = drop_values(reading, complete_last_signs(reading, sorted(refined)))
    refined = complete_organisations(reading, refined)
    refined = settle_exports(reading, complete_halves(reading, refined))
    return tuple(join_lines(reading, refined))


def share_names(
    readings: Sequence[Reading], mentions: Sequence[tuple[Mention, ...]], policy: Detection
) -> list[tuple[Mention, ...]]:
    """Return refined `mentions` and occurrences of names that are sure in other documents of the same patient."""
    result = []
    for reading, old, added in zip(readings, mentions, find_shared_names(readings, mentions), strict=True):
        if added:
            refined = resolve_overlaps(reading, drop_allowed(reading, [*old, *added], policy.allow))
            refined = complete_names(reading, refined)
            old = tuple(sorted(settle_roles(reading, refined) if policy.settle_roles else refined))
        result.append(old)
    return result


def add_optional(
    reading: Reading, mentions: Sequence[Mention], optional: Sequence[Mention], policy: Detection
) -> tuple[Mention, ...]:
    """Return `mentions` and the `optional` ones beside them that the policy does not allow, sorted and disjoint.

    An optional mention never changes another, or a leak could follow from looking for occupations. Only those
    of direct identifiers take the place of what they hold whole: a phone's number seen in coordinates; and a date ends
    before the time of day that was seen as a part of it.
    """
    kept = _without_times(reading, mentions, [one for one in optional if one.label is Label.TIME])
    for mention in sorted(
        drop_allowed(reading, optional, policy.allow), key=lambda one: (-one.score, one.start - one.end, one)
    ):
        met = [one for one in kept if one.overlaps(mention)]
        if mention.label in DIRECT and all(
            one.label not in OPTIONAL and mention.start <= one.start and one.end <= mention.end for one in met
        ):
            kept = [one for one in kept if one not in met]
        elif met:
            continue
        kept.append(mention)
    return tuple(sorted(kept))


def _without_times(reading: Reading, mentions: Sequence[Mention], times: Sequence[Mention]) -> list[Mention]:
    """Return the mentions, dates cut before a time of day that they end in, and those that are but a time left out."""
    kept = []
    for mention in mentions:
        within = [one for one in times if one.overlaps(mention) and mention.end <= one.end]
        if mention.label not in (Label.DATE, Label.RELDATE) or not within:
            kept.append(mention)
        elif date := reading.text[mention.start : max(mention.start, within[0].start)].rstrip(" ,;:–-("):
            kept.append(replace(mention, end=mention.start + len(date)))
    return kept
