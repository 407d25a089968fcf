"""Shared parts of the commands: groups that turn the library's errors into messages, exit statuses, JSON lines."""

from __future__ import annotations

import json
import logging
import os
import pwd
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer._click.exceptions import ClickException
from typer.core import TyperGroup

from deid.cli.language import complain, localise, tell_usage, translated_error
from deid.domain.errors import InputRefused, NocturneError, PolicyError, SettingsError

if TYPE_CHECKING:
    from deid.config.policy import Policy
    from deid.config.settings import Settings

REFUSED = 1
UNUSABLE = 2
DAY = ["%Y-%m-%d"]  # form of a day on the command line


class Guarded(TyperGroup):
    """A group of commands that speaks the language asked for: its help, usage errors, and each `NocturneError`."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for command in (self, *self.commands.values()):
            localise(command)

    def make_context(self, *arguments: Any, **keywords: Any) -> Any:
        """Read the arguments; a usage error is told, and exits."""
        try:
            return super().make_context(*arguments, **keywords)
        except ClickException as wrong:
            tell_usage(wrong)
            raise typer.Exit(wrong.exit_code) from None

    def invoke(self, ctx: Any) -> Any:
        """Run the command asked for; an error is told on standard error, and exits by its kind."""
        try:
            return super().invoke(ctx)
        except ClickException as wrong:
            tell_usage(wrong)
            raise typer.Exit(wrong.exit_code) from None
        except NocturneError as error:
            complain(translated_error(error))
            cannot_begin = isinstance(error, (SettingsError, PolicyError, InputRefused))
            raise typer.Exit(UNUSABLE if cannot_begin else REFUSED) from None


def command_group(description: str) -> typer.Typer:
    """Return an empty group of commands; `description` is its help."""
    return typer.Typer(cls=Guarded, no_args_is_help=True, rich_markup_mode=None, help=description)


def say(record: Mapping[str, Any]) -> None:
    """Write one object as a line of JSON on standard output."""
    typer.echo(json.dumps(record, ensure_ascii=False, default=str))


class JsonLines(logging.Formatter):
    """A log record as one JSON object: time, level, logger, event; of an exception its type, never its message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False)


def write_json_logs() -> None:
    """Write the log records of this process, from level INFO, on standard error as JSON Lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("deid").setLevel(logging.INFO)


def read_settings() -> Settings:
    """Return `deid.config.settings.settings()`, imported at the first call."""
    from deid.config.settings import settings

    return settings()


def served_policy(path: Path | None, *, ledger: bool = True) -> Policy:
    """Load the policy as `chosen_policy`, with the models that serve in the place of `model: registry`.

    Raises:
        PolicyError: see `deid.config.policy.load`; or a model is missing or was altered.
        InputRefused: the policy needs a ledger, and the command keeps none.
        SettingsError, WarehouseError: the policy asks the registry, and the ledger cannot be read.
    """
    from deid.ledger.models import serving_models
    from deid.models.directories import with_models

    policy = chosen_policy(path)
    if not ledger and policy.substitution.max_epsilon_per_patient is not None:
        raise InputRefused(
            f"policy {policy.name}: max_epsilon_per_patient needs the ledger, which this command does not keep.",
            "Use `night`, or a policy without that limit.",
        )
    return with_models(policy, serving_models(policy))


def chosen_policy(path: Path | None) -> Policy:
    """Load the policy of `path`, else of NOCTURNE_POLICY, else the one that ships.

    Raises:
        PolicyError: see `deid.config.policy.load`.
    """
    from deid.config.policy import load

    return load(path or read_settings().policy)


def system_account() -> str:
    """Return the account of this process as the system knows it: `getpass` believes the environment."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
