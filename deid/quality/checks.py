"""The checks of a document: the number judged, its bounds, its severity and its meaning for a steward."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from deid.config.policy import Hiding, Quality
from deid.domain.errors import Reason
from deid.domain.outcomes import Severity
from deid.domain.wording import read_wording

COUNTED = 1e9  # bound of a number that is counted, and never too great


@dataclass(frozen=True, slots=True)
class Check:
    """A rule on one number of `deid.quality.measures`, which fails outside [`least`, `most`].

    `reason` is the reason of quarantine of a critical failure. `REQUIREMENTS` states the rule in one sentence.
    """

    name: str
    severity: Severity
    reason: Reason | None
    least: float = 0.0
    most: float = 0.0


def _rules(
    severity: Severity, reason: Reason | None, names: str, *, least: float = 0.0, most: float = 0.0
) -> Iterator[Check]:
    """Yield checks, named in words, that share a severity, a reason and bounds."""
    return (Check(name, severity, reason, least, most) for name in names.split())


_critical = partial(_rules, Severity.CRITICAL)

# In the order of the reasons given: the first critical failure names the reason of a document in quarantine.
CHECKS: tuple[Check, ...] = (
    *_critical(Reason.EMPTY, "output_empty"),
    *_critical(Reason.INCONSISTENT, "unmeasured"),
    *_critical(Reason.NOT_FRENCH, "language_foreign"),
    *_critical(Reason.UNCHANGED, "text_unchanged"),
    *_critical(
        Reason.RESIDUAL_IDENTITY,
        "identity_name identity_number identity_birth_date identity_contact identity_address identity_fuzzy",
    ),
    *_critical(
        Reason.RESIDUAL_PATTERN,
        "residual_nir residual_phone residual_email residual_url residual_iban residual_date residual_digits "
        "residual_encoded residual_script order_overridden",
    ),
    *_critical(Reason.RESIDUAL_PATTERN, "contact_unmarked", most=COUNTED),
    *_critical(Reason.ORIGINAL_KEPT, "original_kept drawn_all_kept"),
    *_critical(Reason.DATE_IMPOSSIBLE, "unparsed_unmasked dates_impossible"),
    *_critical(Reason.DATE_ORDER, "dates_disordered"),
    *_critical(Reason.INCONSISTENT, "spans_broken mentions_lost context_altered lines_changed"),
    *_critical(Reason.INCONSISTENT, "length_ratio", least=1 / 3, most=3.0),
    *_critical(Reason.INCONSISTENT, "markup_differs markup_unsafe"),
    *_critical(Reason.CLINICAL_CONTENT_CHANGED, "clinical_content_changed"),
    *_rules(
        Severity.WARNING,
        None,
        "clinical_value_changed identity_ordinary_word identity_unknown residual_month dates_unread words_cut "
        "mentions_none unique_person",
    ),
    *_rules(Severity.INFO, None, "drawn_kept names_disagree articles_disagree"),
    *_rules(Severity.INFO, None, "clinical_items", most=COUNTED),
)


def checks_within(limits: Quality, hiding: Hiding) -> tuple[Check, ...]:
    """Return the checks with the policy's limits on clinical values that changed; natural contacts bear no mark."""
    most = {
        "contact_unmarked": 0.0 if hiding == "marked" else COUNTED,
        "clinical_content_changed": float(limits.max_clinical_changes),
        "clinical_value_changed": float(limits.warn_clinical_changes - 1),
    }
    return tuple(replace(check, most=most.get(check.name, check.most)) for check in CHECKS)


# Language → check of a document, or rule on an interval → what it demands, in one sentence
REQUIREMENTS: Mapping[str, Mapping[str, str]] = read_wording("checks")
BY_NAME: Mapping[str, Check] = {check.name: check for check in CHECKS}
