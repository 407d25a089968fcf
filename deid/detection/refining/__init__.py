"""Refining of merged mentions: one list of passes, each with its purpose and what it keeps."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from deid.config.policy import Detection
from deid.detection.refining.accompanied_dates import find_accompanied_dates
from deid.detection.refining.addresses import complete_addresses, join_lines
from deid.detection.refining.boundaries import announced_in_other_scripts, complete_last_signs, complete_names
from deid.detection.refining.boxed_digits import settle_boxes
from deid.detection.refining.clinical_values import drop_values
from deid.detection.refining.countries import settle_countries
from deid.detection.refining.durations import drop_durations
from deid.detection.refining.events import find_dated_events
from deid.detection.refining.exports import settle_exports
from deid.detection.refining.filters import drop_allowed
from deid.detection.refining.framed_values import find_framed_values, trim_days
from deid.detection.refining.frames import find_framed_names, without_beds, without_nouns
from deid.detection.refining.halves import complete_halves
from deid.detection.refining.initials import find_initials
from deid.detection.refining.lookalikes import drop_lookalikes
from deid.detection.refining.namesakes import as_people, find_short_names
from deid.detection.refining.organisations import complete_organisations, settle_organisations
from deid.detection.refining.overlaps import connect_entities, resolve_overlaps
from deid.detection.refining.repeated_names import repeat_names
from deid.detection.refining.roles import settle_roles
from deid.detection.refining.spelt_and_glued_names import find_glued, split_spelt_names
from deid.detection.refining.towns import complete_towns
from deid.detection.refining.trimming import trim_civilities, trim_nets, trim_things
from deid.detection.refining.whole_dates import settle_dates
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import DIRECT, IDENTIFIERS, OPTIONAL, Label
from deid.french.calendar import DETECTED_MONTHS

Step = Callable[[Reading, Sequence[Mention], Detection], Sequence[Mention]]


class Keeps(Enum):
    """Invariants of a pass, over the offsets of the mentions that it is given."""

    GIVEN = "each result is a mention that was given, with its label or another"
    MENTIONS = "each mention that was given is a result"
    COVERAGE = "each character that was covered is covered"
    WITHIN = "each character that is covered was covered"
    NOTHING = "nothing for sure"


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass of refining: mentions in, mentions out; `policy` says whether and how it runs."""

    name: str
    run: Step
    purpose: str
    keeps: Keeps


def _always(step: Callable[[Reading, Sequence[Mention]], Sequence[Mention]]) -> Step:
    return lambda reading, given, _: step(reading, given)


_SURE_AGE = 0.97  # score of an age behind the word for a person or for an age
_TOLD = 0.75  # score of a number behind the word for one
_DAY_AND_MONTH = re.compile(rf"\d{{1,2}}(?:{'|'.join(sorted(DETECTED_MONTHS, key=len, reverse=True))})\.?")
_NUMBER = 6  # digits from which such a number is no value


def _disjoint(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    sure = [one for one in reading.found.get("patterns", ()) if _is_told(reading, one)]
    mentions = without_nouns(reading, mentions)
    announced = [
        *announced_in_other_scripts(reading), *find_short_names(reading), *find_framed_names(reading, mentions),
        *find_framed_values(reading, mentions),
        *drop_values(reading, drop_durations(reading, [one for one in sure if not any(map(one.overlaps, mentions))])),
    ]  # fmt: skip
    return as_people(reading, resolve_overlaps(reading, [*mentions, *announced]))


def _is_told(reading: Reading, one: Mention) -> bool:
    """Return whether words ahead announce an age for sure, or a number of six digits or more; or a day is "2nov."."""
    if one.label is Label.DATE:
        day = _DAY_AND_MONTH.fullmatch(reading.folded, one.start, one.end)
        return day is not None and not reading.text[one.start : one.end].isupper()  # "2OCT": two tomographies
    if one.label is Label.AGE:
        return one.score >= _SURE_AGE
    digits = sum(map(str.isdigit, reading.digits[one.start : one.end]))
    return one.label in IDENTIFIERS and one.score >= _TOLD and digits >= _NUMBER


def _repeated(reading: Reading, mentions: Sequence[Mention], policy: Detection) -> Sequence[Mention]:
    if not policy.repeat_names:
        return mentions
    repeated = resolve_overlaps(reading, drop_allowed(reading, repeat_names(reading, mentions), policy.allow))
    return find_initials(reading, complete_names(reading, repeated))


def _unglued(reading: Reading, mentions: Sequence[Mention], policy: Detection) -> Sequence[Mention]:
    glued = find_glued(reading) if policy.repeat_names else ()
    return resolve_overlaps(reading, [*mentions, *glued]) if glued else mentions


def _settled(reading: Reading, mentions: Sequence[Mention], policy: Detection) -> Sequence[Mention]:
    return settle_roles(reading, sorted(mentions)) if policy.settle_roles else sorted(mentions)


# In this order. A number of which a part was found is known as a clinical value once it is whole: hence twice.
PASSES: Sequence[Pass] = (
    Pass("lookalikes", _always(drop_lookalikes),
         "results, settings and public numbers that look like dates, addresses or phones go", Keeps.GIVEN),
    Pass("nets", _always(trim_nets),
         "an address of the net goes without the word glued behind it, a telephone without a name", Keeps.WITHIN),
    Pass("civilities", _always(trim_civilities),
         "a name goes without its civility or rank, an organisation without the article of its place", Keeps.WITHIN),
    Pass("days", _always(trim_days),
         "a day alone goes without the word behind that is none of the calendar", Keeps.WITHIN),
    Pass("allowed", lambda reading, given, policy: drop_allowed(reading, given, policy.allow),
         "eponyms, drugs, ordinary words and the policy's own terms go", Keeps.GIVEN),
    Pass("durations", _always(drop_durations),
         "durations taken for ages go, and times that are not the document's", Keeps.GIVEN),
    Pass("values", _always(drop_values),
         "numbers that clinical writing explains go", Keeps.GIVEN),
    Pass("countries", _always(settle_countries),
         "a country is a place, and ends the town before it", Keeps.WITHIN),
    Pass("overlaps", _always(_disjoint),
         "names that a field or their frame announces and sure ages come in; from here on no two mentions share a "
         "character", Keeps.NOTHING),
    Pass("boxes", _always(settle_boxes),
         "digits in the boxes of a form are the dates and numbers that they spell", Keeps.NOTHING),
    Pass("connectors", lambda reading, given, policy: connect_entities(reading, given, policy.connectors),
         "two parts of one name or place with a connector between them are one", Keeps.COVERAGE),
    Pass("names", _always(complete_names),
         "a name extends over compounds, particles and initials, to whole words", Keeps.COVERAGE),
    Pass("addresses", _always(complete_addresses),
         "an address extends from the word that opens it to flat, floor and post-box", Keeps.COVERAGE),
    Pass("repetitions", _repeated,
         "a name found once is found everywhere, and its initials and logins", Keeps.NOTHING),
    Pass("glued", _unglued,
         "a name without a blank before or after it comes in", Keeps.COVERAGE),
    Pass("things", _always(trim_things),
         "words go that stand for a disease, a part of the body or a thing at their place", Keeps.WITHIN),
    Pass("roles", _settled,
         "a name is a patient's, a professional's or another person's, the same in the whole document", Keeps.GIVEN),
    Pass("spelt", _always(split_spelt_names),
         "letters that spell the name before them are a mention of their own", Keeps.NOTHING),
    Pass("last signs", _always(complete_last_signs),
         "numbers and initials extend over the signs that belong to them", Keeps.COVERAGE),
    Pass("whole values", _always(drop_values),
         "numbers that clinical writing explains, now that they are whole, go", Keeps.GIVEN),
    Pass("announced organisations", _always(settle_organisations),
         "what a word for a kind of organisation announces is one, whatever else it was taken for", Keeps.COVERAGE),
    Pass("organisations", _always(complete_organisations),
         "an organisation has the word for its kind, or leaves it out, as the annotation guide asks", Keeps.NOTHING),
    Pass("halves", _always(complete_halves),
         "a value of which a part was found, or that a line cuts, is found whole", Keeps.COVERAGE),
    Pass("dates", _always(settle_dates),
         "a complete date that a mention touches is whole, and a date rather than a number", Keeps.NOTHING),
    Pass("company", _always(find_accompanied_dates),
         "days and months that sure dates of the same weeks accompany are dates, values before a month none",
         Keeps.NOTHING),
    Pass("towns", _always(complete_towns),
         "numbers of departments behind a town, inhabitants and acronyms of hospitals come in", Keeps.NOTHING),
    Pass("rooms", _always(without_beds),
         "a name goes without the room or bed ahead of it", Keeps.WITHIN),
    Pass("exports", _always(settle_exports),
         "coded cells of tables and messages go, of a timestamp all but the day; a writer's initials come in",
         Keeps.NOTHING),
    Pass("events", _always(find_dated_events),
         "a storm, attack or disaster that the text names or dates is one relative date", Keeps.COVERAGE),
    Pass("lines", _always(join_lines),
         "a name or address goes on after a line break, with a mention on each line", Keeps.COVERAGE),
)  # fmt: skip


def refine(reading: Reading, mentions: Sequence[Mention], policy: Detection) -> tuple[Mention, ...]:
    """Return the mentions of a document after all `PASSES`, sorted and disjoint."""
    for one in PASSES:
        mentions = one.run(reading, mentions, policy)
    return tuple(mentions)


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
