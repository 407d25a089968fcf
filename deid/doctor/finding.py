"""Findings of a diagnosis: a check, its level, a sentence and the remedy. No secret and no patient data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from deid.config.settings import settings
from deid.domain.errors import NocturneError


class Level(StrEnum):
    """Level of a finding; only an error gives the exit status 1."""

    OK = "ok"
    ATTENTION = "warning"
    ERROR = "error"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of a check; `remedy` is one line, empty if nothing is to be done."""

    check: str
    level: Level
    message: str
    remedy: str = ""


Check = Callable[[], Iterable[Finding]]


def ok(check: str, message: str) -> Finding:
    """Return the finding of a check that passed."""
    return Finding(check, Level.OK, message)


def attention(check: str, message: str, remedy: str) -> Finding:
    """Return a finding that a person should look at."""
    return Finding(check, Level.ATTENTION, message, remedy)


def error(check: str, message: str, remedy: str) -> Finding:
    """Return a finding that prevents or endangers the work."""
    return Finding(check, Level.ERROR, message, remedy)


def not_applicable(check: str, message: str) -> Finding:
    """Return the finding of a check that has nothing to look at here."""
    return Finding(check, Level.NOT_APPLICABLE, message)


def given_roles(roles: Iterable[str]) -> list[str]:
    """Return the roles whose connection string this process is given, in order."""
    return [role for role in roles if getattr(settings(), f"{role}_dsn") is not None]


def why(refusal: NocturneError) -> str:
    """Return the message of an error without its remedy, which a finding holds apart."""
    return str(refusal).removesuffix(refusal.remedy).rstrip(" .")
