"""Shared parts of the commands: groups that turn the library's errors into messages, exit statuses, JSON lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from deid.domain.errors import InputRefused, NocturneError, PolicyError, SettingsError

if TYPE_CHECKING:
    from deid.config.policy import Policy
    from deid.config.settings import Settings

REFUSED = 1
UNUSABLE = 2


class Guarded(TyperGroup):
    """A group of commands that prints each `NocturneError` on standard error and exits by its kind."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command asked for."""
        try:
            return super().invoke(ctx)
        except NocturneError as error:
            typer.echo(f"deid : {error}", err=True)
            cannot_begin = isinstance(error, (SettingsError, PolicyError, InputRefused))
            raise typer.Exit(UNUSABLE if cannot_begin else REFUSED) from None


def command_group(description: str) -> typer.Typer:
    """Return an empty group of commands; `description` is its help, in French."""
    return typer.Typer(cls=Guarded, no_args_is_help=True, rich_markup_mode=None, help=description)


def say(record: Mapping[str, Any]) -> None:
    """Write one object as a line of JSON on standard output."""
    typer.echo(json.dumps(record, ensure_ascii=False, default=str))


def settings() -> Settings:
    """Return `deid.config.settings.settings()`, imported at the first call."""
    from deid.config.settings import settings

    return settings()


def chosen_policy(path: Path | None) -> Policy:
    """Load the policy of `path`, else of NOCTURNE_POLICY, else the one that ships.

    Raises:
        PolicyError: see `deid.config.policy.load`.
    """
    from deid.config.policy import load

    return load(path or settings().policy)
