"""Handling of the library's errors by every command: a line on standard error, and an exit status by kind."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from deid.domain.errors import InputRefused, NocturneError, PolicyError, SettingsError

REFUSED = 1
UNUSABLE = 2


class Guarded(TyperGroup):
    """A group of commands whose `NocturneError`s become messages."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command asked for."""
        try:
            return super().invoke(ctx)
        except NocturneError as error:
            typer.echo(f"deid : {error}", err=True)
            cannot_begin = isinstance(error, (SettingsError, PolicyError, InputRefused))
            raise typer.Exit(UNUSABLE if cannot_begin else REFUSED) from None
