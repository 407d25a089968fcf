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
from errno import EDQUOT, ENOSPC

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
from deid.cli.console import UNUSABLE, Guarded, write_json_logs
from deid.cli.language import check_language, complain, translated_error
from deid.domain.errors import SettingsError
from deid.domain.extensions import COMMANDS, find_extensions

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
for name, extension in find_extensions(COMMANDS).items():
    try:
        extension.load()(app)
    except ImportError as error:
        complain(f"the extension {name} cannot be loaded: {type(error).__name__}, {error.name}")
laboratory.name_missing(app, groups)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. An unforeseen error shows its stack, never its message."""
    if os.environ.get("NOCTURNE_LOG_FORMAT") == "json":
        write_json_logs()
    try:
        check_language()
        app(args=None if arguments is None else list(arguments), prog_name="python -m deid")
    except SettingsError as error:
        complain(translated_error(error))
        return UNUSABLE
    except OSError as error:
        if error.errno not in (ENOSPC, EDQUOT):
            return _tell_unforeseen(error)
        complain("the disk is full: make room (NOCTURNE_HOME, the folder of the result), then run the command again.")
        return 1
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 1
    except Exception as error:
        return _tell_unforeseen(error)
    return 0


def _tell_unforeseen(error: Exception) -> int:
    sys.stderr.write("".join(traceback.format_tb(error.__traceback__)))
    complain(f"unforeseen error, {type(error).__name__}. Nothing else is shown: its message could quote a document.")
    return 1
