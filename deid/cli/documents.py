"""`detect` and `deidentify`: documents in JSON Lines, without a database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deid.cli.guarding import REFUSED
from deid.cli.lines import PIPE, Refusals, in_batches, progress, records, written
from deid.domain.errors import InputRefused
from deid.domain.outcomes import Refused

if TYPE_CHECKING:
    from deid.config.policy import Policy
    from deid.detection.staff import Staff
    from deid.substitution import Substitutor

BATCH = 64

Input = Annotated[
    Path, typer.Argument(metavar="ENTREE", help="Fichier JSON Lines, ou - pour l'entrée standard.", show_default=False)
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FICHIER", help="Résultat ; - : sortie standard.")]
PolicyFile = Annotated[
    Path | None,
    typer.Option("--policy", metavar="FICHIER", help="Politique YAML ; sinon NOCTURNE_POLICY, sinon celle fournie."),
]
StaffFile = Annotated[
    Path | None,
    typer.Option(
        "--staff",
        metavar="FICHIER",
        help='Personnel de l\'hôpital, en JSON Lines : {"last_name", "first_names", "role", "rpps"}.',
        show_default=False,
    ),
]
FromDatabase = Annotated[
    bool,
    typer.Option(
        "--database", help="Référentiels en service dans la base (NOCTURNE_WORKER_DSN), au lieu de ceux livrés."
    ),
]


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(detect)
    app.command()(deidentify)


def detect(
    source: Input = PIPE,
    output: Output = PIPE,
    annotators: Annotated[
        str | None,
        typer.Option(metavar="A,B…", help="Annotateurs à employer au lieu de ceux de la politique."),
    ] = None,
    policy: PolicyFile = None,
    staff: StaffFile = None,
    database: FromDatabase = False,
) -> None:
    """Trouve ce qui identifie une personne dans des documents.

    Chaque ligne lue est {"id": …, "text": …} ; "patient" (ce que l'entrepôt sait de lui), "reference_date", "type",
    "title" et "format" (text/html) peuvent s'y ajouter. Chaque ligne écrite est {"id": …, "mentions": [{"start", "end",
    "label", "score", "votes"}]} ; les positions comptent les caractères Unicode du texte.
    """
    from deid import pipeline
    from deid.cli.records import detected_line, incoming
    from deid.config.settings import settings
    from deid.detection import Detector
    from deid.formats.opening import open_document
    from deid.nightly import runtime

    refusals = Refusals()
    if database:
        runtime.use_lookup()
    detector = Detector(_with_annotators(_policy(policy), annotators), _staff(staff))
    limit = settings().max_document_bytes
    with written(output) as write:
        for batch in in_batches(progress(records(source, incoming, refusals)), BATCH):
            opened = [open_document(item, max_bytes=limit) for item in batch]
            for outcome in pipeline.detect(opened, detector):
                if isinstance(outcome, Refused):
                    _tell(outcome, refusals)
                else:
                    write(detected_line(outcome))
    _leave(refusals)


def deidentify(
    source: Input = PIPE,
    output: Output = PIPE,
    policy: PolicyFile = None,
    staff: StaffFile = None,
    database: FromDatabase = False,
    refused: Annotated[
        Path | None,
        typer.Option(metavar="FICHIER", help="Où écrire, en JSON Lines, les documents retenus et leurs raisons."),
    ] = None,
) -> None:
    """Désidentifie des documents, et contrôle avant d'écrire.

    L'entrée est celle de « detect ». Chaque ligne écrite est {"id", "text", "mentions", "budget", "verdict"}. Un
    document que le contrôle retient n'est pas écrit : la sortie d'erreur dit lequel et pourquoi, et le code de
    retour est 1. Le secret NOCTURNE_SECRET est nécessaire : avec le même secret, un même patient garde les mêmes
    substituts d'un document et d'un jour à l'autre.
    """
    from deid.config.settings import settings

    key = settings().key  # before anything that takes time: without it there is nothing to do
    from deid import pipeline
    from deid.cli.records import deidentified_line, incoming, refused_line
    from deid.detection import Detector

    chosen, refusals = _policy(policy), Refusals()
    if chosen.substitution.max_epsilon_per_patient is not None:
        raise InputRefused(
            f"policy {chosen.name}: max_epsilon_per_patient needs the ledger, which this command does not keep.",
            "Use `night`, or a policy without that limit.",
        )
    substitutor = _substitutor(chosen, key, database=database)
    detector = Detector(chosen, _staff(staff))
    limit = settings().max_document_bytes
    held: list[Refused] = []
    with written(output) as write:
        for batch in in_batches(progress(records(source, incoming, refusals)), BATCH):
            for outcome in pipeline.deidentify(batch, detector, substitutor, max_bytes=limit):
                if isinstance(outcome, Refused):
                    _tell(outcome, refusals)
                    held.append(outcome)
                else:
                    write(deidentified_line(outcome))
    if refused is not None:
        with written(refused) as write:
            for outcome in held:
                write(refused_line(outcome))
    _leave(refusals)


def _substitutor(policy: Policy, key: bytes, *, database: bool) -> Substitutor:
    """Make the substitutor of the shipped tables, or of the reference versions in use in the database.

    Detection then reads the names of the same versions.
    """
    from deid.nightly import runtime
    from deid.reference.tables import packaged_tables
    from deid.substitution import Substitutor

    if database:
        runtime.use_lookup()
    tables = runtime.tables() if database else packaged_tables()
    return Substitutor(policy, key, tables.communes, tables.names)


def _policy(path: Path | None) -> Policy:
    from deid.config.policy import load
    from deid.config.settings import settings

    return load(path or settings().policy)


def _staff(path: Path | None) -> Staff:
    from deid.detection.staff import NO_STAFF, read_staff

    return NO_STAFF if path is None else read_staff(path)


def _with_annotators(policy: Policy, names: str | None) -> Policy:
    """The policy with other annotators, each keeping the options that the policy gives it."""
    from deid.config.policy import AnnotatorChoice

    if names is None:
        return policy
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if not wanted:
        raise typer.BadParameter("donner au moins un nom d'annotateur", param_hint="--annotators")
    known = {choice.name: choice for choice in policy.detection.annotators}
    choices = tuple(known.get(name, AnnotatorChoice(name=name)) for name in wanted)
    return policy.model_copy(update={"detection": policy.detection.model_copy(update={"annotators": choices})})


def _tell(outcome: Refused, refusals: Refusals) -> None:
    from deid.quality.reasons import FRENCH

    reasons = " ; ".join(f"{FRENCH[reason].title} [{reason}]" for reason in outcome.reasons)
    detail = f" ({outcome.detail})" if outcome.detail else ""
    refusals.tell(f"document {outcome.document_id} : {reasons}{detail}")


def _leave(refusals: Refusals) -> None:
    if refusals.count:
        typer.echo(f"deid : {refusals.count} refusé(s), voir ci-dessus.", err=True)
        raise typer.Exit(REFUSED)
