"""Commands of nocturne-lab where it is not installed: each answers what to install."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import typer

from deid.domain.unforeseen import lab_missing

# Group, or "" → its commands and groups that `nocturne_lab.cli` adds.
OF_THE_LAB: Mapping[str, tuple[str, ...]] = {
    "": ("evaluate", "score", "train", "annotations", "benchmark", "coding"),
    "policy": ("weights",),
    "budget": ("example",),
    "references": ("map",),
    "models": ("register", "evaluate", "check", "membership", "export"),
}
# Whatever is asked, options and help too, is answered by the same words.
_ANYTHING = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


def name_missing(app: typer.Typer, groups: Mapping[str, typer.Typer]) -> None:
    """Add, hidden, each command of the laboratory that an application and its groups lack."""
    for group, names in OF_THE_LAB.items():
        place = groups[group] if group else app
        held = {command_name(one) for one in place.registered_commands}
        held |= {command_name(one) for one in place.registered_groups}
        for name in names:
            if name not in held:
                place.command(name, hidden=True, context_settings=_ANYTHING)(_missing)


def command_name(held: typer.models.CommandInfo | typer.models.TyperInfo) -> str:
    """Return the name of a command or group; a command without one is named after its function."""
    called: Callable[..., object] | None = getattr(held, "callback", None)
    return held.name or (called.__name__.replace("_", "-") if called else "")


def _missing() -> None:
    """Refuse, by the error that says what to install."""
    raise lab_missing()
