"""`annotations`: documents to and from annotation tools, agreement, adjudication, and what reviewers marked."""

from __future__ import annotations

import getpass
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from deid.cli import lines
from deid.cli.console import REFUSED, chosen_policy, command_group, read_settings, served_policy
from deid.cli.documents import BATCH, PolicyFile, StaffFile, read_staff_file, refusal_message
from deid.cli.scoring import AsJson, Scheme, print_figures
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused, NocturneError
from deid.domain.labels import Label
from deid.domain.outcomes import Detected, Opened, Refused
from deid.domain.private import private_files

if TYPE_CHECKING:
    from deid.detection import Detector
    from deid.detection.staff import Staff
    from deid.evaluation.corpus import GoldDocument
    from deid.learning.distant.corpus import Rename
    from deid.learning.exchange.documents import Checked, Problem
    from deid.learning.exchange.formats import Format

Sources = tuple[Iterable[Document], "Staff", "Rename | None"]

app = command_group("Échange des annotations, mesure leur accord.")

ToolFormat = Literal["prodigy", "prodigy-lines", "doccano", "brat", "conll", "webanno", "parhaf"]  # of `FORMATS`
WrittenFormat = Literal["prodigy", "prodigy-lines", "doccano", "brat", "conll", "webanno"]  # those with a writer
Aggregated = Literal["agreement", "label-model"]
Method = Literal["random", "stratified", "uncertain"]

FormatArgument = Annotated[ToolFormat, typer.Argument(metavar="FORMAT", help="Format de l'outil.", show_default=False)]
FormatOption = Annotated[WrittenFormat, typer.Option("--format", help="Format de l'outil d'annotation.")]
Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="CORPUS...", help="Fichiers de « annotations import » : un par annotateur.", show_default=False
    ),
]
Source = Annotated[Path, typer.Argument(metavar="SOURCE", help="Fichier ou dossier de l'outil.", show_default=False)]
LabelMapFile = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        metavar="FICHIER",
        help="YAML « étiquette de l'outil : étiquette d'ici », ou null pour ne pas la marquer.",
        show_default=False,
    ),
]
AcceptUnmarked = Annotated[
    bool, typer.Option("--accept-unmarked", help="Accepter un annotateur qui n'a rien marqué du tout.")
]


@app.command()
def export(
    out: Annotated[
        Path,
        typer.Argument(metavar="SORTIE.jsonl", help="Fichier à écrire ; lisible de vous seul.", show_default=False),
    ],
) -> None:
    """Écrit les documents relus, corrigés par leurs relecteurs, sous une forme que « deid train » sait lire.

    Ne prend que les relectures closes et les documents lus par tous ceux qui le devaient. Le fichier contient les
    textes d'origine : il ne doit pas quitter l'hôpital. Lit l'entrepôt (NOCTURNE_READER_DSN) et les annotations
    (NOCTURNE_STEWARD_DSN) ; l'export est inscrit au journal. Un document qui a changé depuis sa relecture est laissé
    de côté et nommé ; le code de sortie vaut alors 1.
    """
    from deid.reviews.annotations import gold_records
    from deid.warehouse import audit
    from deid.warehouse.connection import open_cursor

    refusals: list[NocturneError] = []
    actor, exported = getpass.getuser(), 0
    with private_files(), open_cursor("steward", "nocturne annotations") as cursor, lines.open_writer(out) as write:
        for record in gold_records(cursor, actor, refusals):
            write(record)
            exported += 1
        audit.write(cursor, actor, audit.Action.EXPORT, "annotations", documents=exported, left_out=len(refusals))
    for refusal in refusals:
        typer.echo(f"laissé de côté : {refusal}", err=True)
    typer.echo(f"{exported} documents annotés", err=True)
    if refusals:
        raise typer.Exit(REFUSED)


@app.command()
def published(
    out: Annotated[Path, typer.Argument(metavar="SORTIE", help="Fichier à écrire, ou dossier (brat, webanno).")],
    reason: Annotated[str, typer.Option("--reason", metavar="MOTIF", help="10 caractères au moins ; pas de nom.")],
    name: FormatOption = "prodigy",
    size: Annotated[int, typer.Option("--size", min=1, help="Nombre de documents au plus, tirés au hasard.")] = 500,
    seed: Annotated[int, typer.Option("--seed", help="Graine ; la même donne le même choix.")] = 2026,
) -> None:
    """Écrit des textes publiés, leurs substituts marqués d'avance, pour les annoter hors de l'hôpital.

    Seuls sortent des textes que la recherche lit, si « release.training_export » le permet dans la politique en vigueur
    et dans celle de leur publication. Un identifiant que la détection a manqué y reste, et s'y voit mieux : ce qui
    n'est pas marqué n'a pas été remplacé. Inscrit au journal avec le motif (NOCTURNE_STEWARD_DSN).
    """
    from deid.evaluation.corpus import GoldDocument
    from deid.stewardship.training_export import export_published
    from deid.warehouse.connection import open_cursor

    with open_cursor("steward", "nocturne annotations") as cursor:
        found = export_published(cursor, getpass.getuser(), reason, chosen_policy(None), size=size, seed=seed)
    documents = [
        GoldDocument(Document(one.document_id, one.text, type=one.document_type), one.mentions, "")
        for one in found.documents
    ]
    with private_files():
        _write(name, out, documents)
    if found.held:
        typer.echo(f"{found.held} documents publiés sous une politique qui les garde ici", err=True)
    typer.echo(
        "Attention : un identifiant manqué par la détection reste dans ces textes, et ce qui n'est pas marqué n'a"
        " jamais été remplacé. Relire un échantillon avant que le fichier sorte.",
        err=True,
    )
    _conclude(len(documents), f"documents écrits, sur {found.permitted} qui peuvent sortir", lines.Refusals())


_FAULTS = {
    "unreadable": "ligne ou fichier illisible dans ce format ; l'exporter à nouveau",
    "not_accepted": "rejeté, passé ou ignoré par l'annotateur ; le lui redonner, ou l'écarter",
    "unknown_document": "absent des documents donnés ; donner --documents tel qu'il a servi à l'échantillon",
    "other_version": "le texte n'est pas celui du document ; donner --documents, ou annoter la version présente",
    "duplicate": "en double pour cet annotateur ; n'en garder qu'un",
    "unknown_label": "étiquette inconnue ; la corriger, ou la traduire par --labels",
    "outside": "marque vide ou hors du texte ; la poser à nouveau",
    "misplaced": "le texte de la marque n'est pas à ses positions ; corriger l'export de l'outil",
    "discontinuous": "marque en plusieurs morceaux ; en faire une marque par morceau",
    "overlap": "marques qui se chevauchent ; n'en garder qu'une",
    "nothing_marked": "son annotateur n'a rien marqué nulle part ; vérifier, puis --accept-unmarked",
}


@app.command("import")
def import_(
    name: FormatArgument,
    source: Source,
    out: Annotated[Path, typer.Argument(metavar="CORPUS.jsonl", help="Fichier à écrire ; lisible de vous seul.")],
    documents: Annotated[
        Path | None,
        typer.Option(
            "--documents",
            metavar="FICHIER",
            help="Documents donnés à annoter (JSON Lines) : les textes doivent être les mêmes.",
            show_default=False,
        ),
    ] = None,
    annotator: Annotated[str, typer.Option("--annotator", help="Annotateur, là où le fichier ne le dit pas.")] = "",
    labels: LabelMapFile = None,
    accept_unmarked: AcceptUnmarked = False,
) -> None:
    """Lit et vérifie des annotations ; écrit celles qui sont saines, pour « train », « agreement » et « adjudicate ».

    Une ligne d'erreur par document laissé de côté : le document, l'annotateur, l'endroit et le remède, jamais le
    texte ; le code de sortie vaut alors 1. Les formats sont décrits dans docs/annotation.md.
    """
    from deid.evaluation.corpus import gold_record

    refusals = lines.Refusals()
    checked = _read(name, source, documents, labels, refusals, annotator, accept_unmarked=accept_unmarked)
    with private_files(), lines.open_writer(out) as write:
        for gold in checked.documents:
            write(gold_record(gold))
    _conclude(len(checked.documents), "documents annotés", refusals)


@app.command()
def convert(
    corpus: Annotated[
        Path, typer.Argument(metavar="CORPUS", help="Dossier de .txt annotés [[LABEL|texte]], ou .jsonl.")
    ],
    out: Annotated[Path, typer.Argument(metavar="SORTIE", help="Fichier à écrire, ou dossier (brat, webanno).")],
    name: FormatOption = "prodigy",
) -> None:
    """Écrit un corpus annoté dans le format d'un outil, pour le corriger ou le compléter."""
    from deid.evaluation.corpus import load_corpus

    documents = load_corpus(corpus)
    with private_files():
        _write(name, out, documents)
    _conclude(len(documents), "documents écrits", lines.Refusals())


@app.command()
def sample(
    source: Annotated[Path, typer.Argument(metavar="DOCUMENTS", help="JSON Lines, comme pour « detect ».")],
    out: Annotated[Path, typer.Argument(metavar="DOSSIER", help="Dossier : un fichier par annotateur.")],
    name: FormatOption = "prodigy",
    size: Annotated[int, typer.Option("--size", min=1, help="Nombre de documents.")] = 50,
    method: Annotated[
        Method, typer.Option("--method", help="Au hasard, par strates, ou les plus incertains.")
    ] = "random",
    by: Annotated[
        list[str] | None,
        typer.Option("--by", metavar="CHAMP", help="Champ qui fait les strates (type, service…) ; répétable."),
    ] = None,
    annotators: Annotated[str, typer.Option("--annotators", metavar="A,B…", help="Annotateurs.")] = "annotateur",
    shared: Annotated[int, typer.Option("--shared", min=0, help="Documents que tous annotent, pour l'accord.")] = 0,
    seed: Annotated[int, typer.Option("--seed", help="Graine ; la même donne le même choix.")] = 2026,
    annotate: Annotated[
        bool, typer.Option("--pre-annotate/--blank", help="Marquer d'avance ce que la détection trouve, ou rien.")
    ] = True,
    policy: PolicyFile = None,
    staff: StaffFile = None,
) -> None:
    """Choisit des documents à annoter, les marque d'avance et les partage entre des annotateurs.

    « uncertain » prend ceux dont les annotateurs appris de la politique sont le moins sûrs. Les documents communs
    (--shared) vont à tous ; les autres sont distribués. Les fichiers contiennent les textes d'origine.
    """
    refusals = lines.Refusals()
    given = list(given_documents(source, by or ["type"], refusals))
    chosen = _choose(given, method, size, seed, policy)
    people = [one.strip() for one in annotators.split(",") if one.strip()]
    if not people:
        raise typer.BadParameter("donner au moins un annotateur", param_hint="--annotators")
    marked = (
        _pre_annotate(chosen, policy, staff, refusals) if annotate else {one.opened.document.id: () for one in chosen}
    )
    order = [one.opened.document for one in chosen if one.opened.document.id in marked]
    with private_files():
        for place, person in enumerate(people):
            mine = [*order[:shared], *order[shared + place :: len(people)]]
            documents = [_gold(one, marked[one.id], person) for one in mine]
            _write(name, out / f"{person}{_format(name).suffix}", documents)
    _conclude(len(order), "documents à annoter", refusals)


@app.command()
def evaluate(
    name: FormatArgument,
    source: Source,
    scheme: Annotated[
        Scheme | None, typer.Option("--scheme", help="Jeu de classes ; « parhaf » pour ce corpus, sinon nocturne.")
    ] = None,
    as_json: AsJson = False,
    labels: LabelMapFile = None,
    policy: PolicyFile = None,
    staff: StaffFile = None,
) -> None:
    """Détecte dans des documents annotés au format d'un outil, et note le résultat : bornes exactes et le reste.

    Avec PARHAF : « annotations evaluate parhaf DOSSIER ». Mêmes chiffres que « evaluate ».
    """
    from deid.evaluation.scoring import Judged

    refusals = lines.Refusals()
    checked = _read(name, source, None, labels, refusals, accept_unmarked=True)
    gold = {one.document.id: one for one in checked.documents}
    found = _pre_annotate([_Given(Opened(one.document), ()) for one in gold.values()], policy, staff, refusals)
    judged = [
        Judged(key, one.document.text, one.mentions, found.get(key, ()), one.document.type) for key, one in gold.items()
    ]
    print_figures(judged, scheme or ("parhaf" if name == "parhaf" else "nocturne"), None, as_json=as_json)
    _conclude(len(judged), "documents notés", refusals)


@app.command()
def agreement(
    files: Files,
    as_json: AsJson = False,
    seed: Annotated[int, typer.Option("--seed", help="Graine des intervalles.")] = 2026,
) -> None:
    """Mesure l'accord entre annotateurs : κ de Fleiss et par paire, par étiquette et par type de document.

    L'unité est le mot, sa catégorie l'étiquette ou aucune (El Azzouzi et al. 2024, tableaux 6 et 7). Les intervalles à
    95 % viennent d'un bootstrap par document. Seuls comptent les documents qu'au moins deux personnes ont annotés.
    """
    from deid.learning.exchange.agreement import measure_agreement
    from deid.learning.exchange.agreement_tables import as_record, as_tables

    found = measure_agreement(_corpora(files), seed)
    typer.echo(json.dumps(as_record(found), ensure_ascii=False, indent=2) if as_json else as_tables(found))


@app.command()
def adjudicate(
    files: Files,
    out: Annotated[
        Path, typer.Option("--out", metavar="FICHIER", help="Fichier JSON Lines à écrire.", show_default=False)
    ],
    decisions: Annotated[
        Path | None,
        typer.Option("--decisions", metavar="FICHIER", help="Désaccords avec leur « decision » remplie."),
    ] = None,
) -> None:
    """Écrit les désaccords entre annotateurs ; puis, avec leurs décisions, le corpus fusionné.

    Chaque ligne de désaccord porte ses options ; « decision » reçoit le numéro de l'une (à partir de 0), ou une liste
    de mentions. Un document dont un désaccord n'est pas décidé est laissé de côté et nommé. Ce que les relecteurs ont
    marqué (« annotations export ») se donne comme un fichier de plus.
    """
    from deid.evaluation.corpus import gold_record
    from deid.learning.exchange.adjudication import find_passages, merge_annotations, passage_record

    documents = list(_corpora(files))
    refusals = lines.Refusals()
    with private_files(), lines.open_writer(out) as write:
        if decisions is None:
            texts = {one.document.id: one.document.text for one in documents}
            passages = find_passages(documents)
            for passage in passages:
                write(passage_record(passage, texts[passage.document]))
            return _conclude(len(passages), "désaccords", refusals)
        merged = merge_annotations(documents, _decisions(decisions))
        for gold in merged.documents:
            write(gold_record(gold))
    for document, start, end in merged.undecided:
        refusals.tell(f"document {document}, [{start}, {end}) : pas de décision utilisable ; laissé de côté")
    return _conclude(len(merged.documents), "documents fusionnés", refusals)


@app.command()
def distant(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="DOCUMENTS",
            help="JSON Lines, comme pour « detect » ; ou rien, avec --warehouse.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DOSSIER", help="Dossier du corpus ; lisible de vous seul.")
    ] = Path("corpus-distant"),
    since: Annotated[
        datetime | None,
        typer.Option("--warehouse", metavar="DATE", help="Documents de l'entrepôt arrivés depuis ce jour."),
    ] = None,
    method: Annotated[
        Aggregated, typer.Option("--aggregation", help="Accord pondéré, ou modèle d'étiquettes appris des votes.")
    ] = "agreement",
    policy: PolicyFile = None,
    staff: StaffFile = None,
) -> None:
    """Étiquette les documents par ce que l'hôpital en sait déjà, sans annotateur : un corpus Parquet pour « train ».

    Identité du patient, personnel, communes, voies, formes et contexte votent sur chaque mot (El Azzouzi et al. 2024) ;
    aucun modèle appris n'y prend part. 80 % des patients vont à l'apprentissage, 10 % à la validation, 10 % au test.
    Avec --warehouse, lit l'entrepôt (NOCTURNE_READER_DSN) sous les numéros du registre (NOCTURNE_WORKER_DSN). Le
    dossier contient les textes d'origine : il ne doit pas quitter l'hôpital. Un document sans patient connu est laissé
    de côté et nommé ; le code de sortie vaut alors 1. Voir docs/training.md.
    """
    from deid.learning.distant import statistics
    from deid.learning.distant.corpus import build_corpus

    refusals = lines.Refusals()
    if source is not None and since is None:
        documents, people, rename = _of_file(source, staff, refusals)
    elif since is not None and source is None:
        documents, people, rename = _of_warehouse(since, staff, refusals)
    else:
        raise typer.BadParameter("donner un fichier de documents, ou --warehouse", param_hint="DOCUMENTS")
    built = build_corpus(lines.progress(documents), out, chosen_policy(policy).detection, people, method, rename)
    typer.echo(statistics.as_tables(built.splits))
    for document_id in built.without_patient:
        refusals.tell(f"document {document_id} : patient inconnu (key, ipp ou nir) ; laissé de côté")
    for label in statistics.labels_without_example(built.splits):
        typer.echo(f"aucun exemple de {label} : un modèle ne peut pas l'apprendre de ce corpus", err=True)
    _conclude(sum(one.numbers["documents"] for one in built.splits.values()), "documents étiquetés", refusals)


def _of_file(source: Path, staff: Path | None, refusals: lines.Refusals) -> Sources:
    documents = (one.opened.document for one in given_documents(source, (), refusals))
    return documents, read_staff_file(staff), None


def _of_warehouse(since: datetime, staff: Path | None, refusals: lines.Refusals) -> Sources:
    """Return documents and staff of the warehouse, and the ledger's ids; detects with the references in use."""
    from deid.nightly.runtime import use_current_lookup
    from deid.warehouse.batches import read_staff
    from deid.warehouse.history import read_history
    from deid.warehouse.identity import Translator

    use_current_lookup()
    name = read_settings().source
    people = read_staff(name) if staff is None else read_staff_file(staff)
    documents = read_history(name, since, read_settings().limits(), lambda one: refusals.tell(refusal_message(one)))
    return documents, people, Translator("worker").to_ledger


# Documents in and out
@dataclass(frozen=True, slots=True)
class _Given:
    """A document given for annotation, in plain text, and its stratum."""

    opened: Opened
    stratum: tuple[str, ...]


def given_documents(source: Path, fields: Sequence[str], refusals: lines.Refusals) -> Iterator[_Given]:
    """Yield the documents of a file in plain text; those that cannot be opened are told."""
    from deid import pipeline

    strata: dict[str, tuple[str, ...]] = {}

    def read(record: Mapping[str, Any]) -> Any:
        incoming = lines.read_incoming(record)
        strata[incoming.document.id] = tuple(str(record.get(name) or "") for name in fields)
        return incoming

    size, limits = read_settings().max_document_bytes, read_settings().limits()
    for batch in lines.in_batches(lines.read_lines(source, read, refusals), BATCH):
        for outcome in pipeline.open_documents(batch, max_bytes=size, limits=limits):
            if isinstance(outcome, Refused):
                refusals.tell(refusal_message(outcome))
            else:
                yield _Given(outcome, strata[outcome.document.id])


def _choose(given: Sequence[_Given], method: Method, size: int, seed: int, policy: Path | None) -> list[_Given]:
    from deid.learning.exchange import sampling

    by_id = {one.opened.document.id: one for one in given}
    if method == "random":
        ids = sampling.draw_random(by_id, size, seed)
    elif method == "stratified":
        ids = sampling.draw_stratified({key: one.stratum for key, one in by_id.items()}, size, seed)
    else:
        documents = [one.opened.document for one in by_id.values()]
        doubts = sampling.measure_uncertainty(documents, served_policy(policy))
        ids = sampling.draw_uncertain(dict(zip(by_id, doubts, strict=True)), size)
    return [by_id[key] for key in sampling.draw_random(ids, size, seed)]  # so that each part is like the whole


def _pre_annotate(
    given: Sequence[_Given], policy: Path | None, staff: Path | None, refusals: lines.Refusals
) -> dict[str, tuple[Mention, ...]]:
    """Return what detection finds in each document; those that it refuses are told and left out."""
    from deid import pipeline
    from deid.detection import Detector

    detector: Detector = Detector(served_policy(policy), read_staff_file(staff))
    found: dict[str, tuple[Mention, ...]] = {}
    for batch in lines.in_batches(lines.progress(given), BATCH):
        for outcome in pipeline.detect([one.opened for one in batch], detector, limits=read_settings().limits()):
            if isinstance(outcome, Detected):
                found[outcome.document.id] = outcome.mentions
            else:
                refusals.tell(refusal_message(outcome))
    return found


def _read(
    name: ToolFormat,
    source: Path,
    documents: Path | None,
    labels: Path | None,
    refusals: lines.Refusals,
    annotator: str = "",
    *,
    accept_unmarked: bool,
) -> Checked:
    """Return the sound documents of a tool's file; tell the others."""
    from deid.learning.exchange.documents import check

    originals = None
    if documents is not None:
        originals = {one.opened.document.id: one.opened.document for one in given_documents(documents, (), refusals)}
    texts = {key: one.text for key, one in (originals or {}).items()}
    form = _format(name)
    table = form.labels if labels is None else _label_map(labels)
    found = form.read(source, texts)
    checked = check(found, originals, table, annotator=annotator, accept_unmarked=accept_unmarked)
    for problem in checked.problems:
        refusals.tell(_told(problem))
    return checked


def _told(problem: Problem) -> str:
    by = f", annotateur {problem.annotator}" if problem.annotator else ""
    place = f" ({problem.place})" if problem.place else ""
    shift = f" [décalage {problem.shift:+d}]" if problem.shift else ""
    return f"document {problem.document}{by}{place} : {_FAULTS[problem.fault]}{shift}"


def _label_map(path: Path) -> dict[str, Label | None]:
    """Return the labels of a tool by ours.

    Raises:
        InputRefused: the file is no such table.
    """
    import yaml

    try:
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
        mapped = {str(name): None if label is None else Label(label) for name, label in table.items()}
    except (OSError, ValueError, AttributeError, yaml.YAMLError):
        raise InputRefused(f"{path.name} is no table of labels.", f"The labels are {', '.join(Label)}.") from None
    return {str(label): label for label in Label} | mapped


def _format(name: ToolFormat) -> Format:
    from deid.learning.exchange.formats import FORMATS

    return FORMATS[name]


def _write(name: WrittenFormat, out: Path, documents: Sequence[GoldDocument]) -> None:
    write = _format(name).write
    if write is None:
        raise InputRefused(f"{name} can only be read.", "Choose another format.")
    write(out, documents)


def _gold(document: Document, mentions: tuple[Mention, ...], annotator: str) -> GoldDocument:
    from deid.evaluation.corpus import GoldDocument

    return GoldDocument(document, mentions, "", annotator)


def _corpora(files: Iterable[Path]) -> Iterator[GoldDocument]:
    """Yield the documents of corpora; one that names no annotator is of the person whom its file is named after."""
    from deid.evaluation.corpus import load_corpus

    for file in files:
        for gold in load_corpus(file):
            yield gold if gold.annotator else replace(gold, annotator=file.stem)


def _decisions(path: Path) -> list[Mapping[str, Any]]:
    """Return the objects of a file of decisions.

    Raises:
        InputRefused: the file cannot be read, or a line is no object.
    """
    found: list[Mapping[str, Any]] = []
    with lines.open_input(path) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                record = json.loads(line) if line.strip() else None
            except ValueError:
                record = ()
            if isinstance(record, dict):
                found.append(record)
            elif record is not None:
                raise InputRefused(f"{path.name}, line {number}: not a JSON object.", "Mend the line.")
    return found


def _conclude(count: int, what: str, refusals: lines.Refusals) -> None:
    typer.echo(f"{count} {what}", err=True)
    if refusals.count:
        raise typer.Exit(REFUSED)
