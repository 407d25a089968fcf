"""The command line, `python -m deid`: the same functions as the DAGs, for people and for pipes.

Help and messages are in French, for data stewards, or in English (`deid.cli.language`). Exit status: 0 done; 1
something was refused or failed, with the reason on standard error; 2 the command cannot be carried out as given.
Standard output carries results only. A command imports its part of the library when it runs, so that `--help` answers
at once. Other distributions add commands by the entry points of `nocturne.commands` (`deid.domain.extensions`).
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

import typer

from deid.cli import (
    deployment,
    documents,
    files,
    keys,
    laboratory,
    linking,
    models,
    nights,
    policies,
    service,
    sources,
    stewardship,
)
from deid.cli.console import REFUSED, UNUSABLE, Guarded, write_json_logs
from deid.cli.language import check_language, complain, translated_error
from deid.domain.errors import NocturneError, SettingsError
from deid.domain.extensions import COMMANDS, find_extensions
from deid.domain.unforeseen import foreseen, kind_and_place

app = typer.Typer(
    name="deid",
    cls=Guarded,
    help=(
        "Nocturne: de-identifies a hospital's documents every night.\n\nEach command explains its "
        "options: python -m deid COMMAND --help"
    ),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,  # they show local variables, which hold text of patients
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
for command in (
    *(documents.detect, documents.deidentify, files.file),
    *(deployment.provision, deployment.migrate, deployment.refresh, deployment.doctor),
    *(nights.night, nights.publish, nights.make_visible, nights.report, nights.catalogue, nights.dpo_annex),
    linking.link,
):
    app.command()(command)
groups = {
    "policy": policies.policy_app,
    "budget": policies.budget_app,
    "key": keys.app,
    "models": models.app,
    "runs": nights.runs_app,
    "source": sources.app,
    "service": service.app,
    "quarantine": stewardship.quarantine_app,
    "opt-outs": stewardship.opt_outs_app,
    "audit": stewardship.audit_app,
    "rights": stewardship.rights_app,
    "ids": stewardship.ids_app,
    "references": deployment.references_app,
}
for name, group in groups.items():
    app.add_typer(group, name=name)
_added = [held for one in (app, *groups.values()) for held in (one.registered_commands, one.registered_groups)]
for name, extension in find_extensions(COMMANDS).items():
    before = [len(held) for held in _added]
    try:
        extension.load()(app)
    except Exception as error:  # another distribution's mistake ends no command of this one
        for held, number in zip(_added, before, strict=True):
            del held[number:]
        ours = foreseen(error) or NocturneError(f"{kind_and_place(error)}.", "Mend or uninstall it.")
        what = f"the extension {name} is left out, it cannot be loaded: {ours.message}"
        complain(translated_error(NocturneError(what, ours.remedy)))
laboratory.name_missing(app, groups)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. An unforeseen error shows its stack, never its message."""
    if os.environ.get("NOCTURNE_LOG_FORMAT") == "json":
        write_json_logs()
    try:
        check_language()
        app(args=None if arguments is None else list(arguments), prog_name="python -m deid")
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else REFUSED
    except Exception as error:
        if ours := foreseen(error):
            complain(translated_error(ours))
            return UNUSABLE if isinstance(ours, SettingsError) else REFUSED
        sys.stderr.write("".join(traceback.format_tb(error.__traceback__)))
        what = kind_and_place(error)
        complain(f"unforeseen error, {what}. Nothing else is shown: its message could quote a document.")
        return REFUSED
    return 0
