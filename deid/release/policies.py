"""When a release needs a person, and when nothing may let it out."""

from __future__ import annotations

from typing import Literal

from deid.domain.errors import ReleaseRefused

Approval = Literal["always", "on_warning", "never"]


def approval_needed(approval: Approval, *, critical: int, warnings: int) -> bool:
    """Whether a person must decide, given how many run-level rules failed.

    With a critical failure nobody is asked: no answer could let the interval out.
    """
    if critical:
        return False
    return approval == "always" or (approval == "on_warning" and warnings > 0)


def check_publishable(interval_key: str, *, judged: bool, critical: int) -> None:
    """Refuse an interval that was not judged, or that failed a critical rule.

    Raises:
        ReleaseRefused: with what to do about it.
    """
    if not judged:
        raise ReleaseRefused(f"{interval_key} was never judged as a whole.", "Run the step `summarise` on it first.")
    if critical:
        raise ReleaseRefused(
            f"{interval_key}: {critical} critical run-level checks failed; nothing was published.",
            "Read the checks in its report, mend their cause (detection, source or policy) and run the interval again.",
        )


def publishable(interval_key: str, *, judged: bool, critical: int) -> bool:
    """Whether `check_publishable` lets the interval through."""
    try:
        check_publishable(interval_key, judged=judged, critical=critical)
    except ReleaseRefused:
        return False
    return True
