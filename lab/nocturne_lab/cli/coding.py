"""`coding`: stays for human coders, blind; figures of their sheets; statistics of stays; comparison of policies."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TextIO

import typer

from deid.cli import lines
from deid.cli.console import REFUSED, command_group
from deid.cli.language import colon, tell, translated
from nocturne_lab.cli.annotation import given_documents
from nocturne_lab.cli.scoring import AsJson, translated_table
from nocturne_lab.hospital.private import private_files

if TYPE_CHECKING:
    from deid.domain.document import Document
    from nocturne_lab.evaluation.coding.blind import Problem
    from nocturne_lab.evaluation.coding.human import Human
    from nocturne_lab.evaluation.coding.stays import CodedStay
    from nocturne_lab.evaluation.intervals import Interval

app = command_group("ICD-10 coding of stays, by people or by a model.")

CodesOf = Literal["structured_abstract", "suggested_scenario"]  # of `nocturne_lab.learning.exchange.parhaf`
ChosenLevel = Literal["code", "category", "block", "chapter"]  # of `nocturne_lab.evaluation.coding.icd10.LEVELS`
ChosenCoder = Literal["classical", "neural"]  # of `nocturne_lab.evaluation.coding.comparison.CODERS`

StaysFile = Annotated[
    Path,
    typer.Argument(
        metavar="STAYS",
        help='JSON Lines: {"id": stay, "documents": [id…], "codes": [the principal one first…]}.',
        show_default=False,
    ),
]
DocumentsFile = Annotated[
    Path, typer.Option("--documents", metavar="FILE", help="Original texts, as for “detect”.", show_default=False)
]

_FAULTS = {
    "unknown_item": "absent from the key; give the sheet of this export",
    "duplicate": "coded several times; keep only one line",
    "not_a_code": "a code is not of ICD-10; correct it",
    "missing": "not coded; write its codes, or “aucun”",
}
_LEVELS = {"code": "code", "category": "category (3 characters)", "block": "family (block)", "chapter": "chapter"}
_PARTS = {"all": "all", "main": "principal", "associated": "associated"}
_ARMS = {"original": "original", "published": "published"}


@app.command()
def export(
    stays: StaysFile,
    out: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="New folder: one subfolder per coder.", show_default=False)
    ],
    documents: DocumentsFile,
    published: Annotated[
        Path, typer.Option("--published", metavar="FILE", help="What “deidentify” wrote of them.", show_default=False)
    ],
    coders: Annotated[str, typer.Option("--coders", metavar="A,B…", help="Coders.")] = "codeur1,codeur2",
    size: Annotated[int, typer.Option("--size", min=2, help="Most stays, drawn at random.")] = 64,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Seed of the draw, which the coders must not know.")
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="FILE", help="Key to write; else FOLDER.cle.jsonl.", show_default=False),
    ] = None,
) -> None:
    """Write for each coder both texts of each stay, original and published, blind and at random.

    Each coder reads every stay twice, in an order of their own; between the two readings of a stay come those of at
    least half of the others. The folder holds original texts: it must not leave the hospital. The key tells which text
    is which: do not give it to the coders. A stay without codes, or with a document that is not published, is left out
    and named; the exit status is then 1. See docs/utility.md.
    """
    from nocturne_lab.evaluation.coding import blind

    people = [one.strip() for one in coders.split(",") if one.strip()]
    if not people or not all(re.fullmatch(r"[\w-]+", one) for one in people):
        raise typer.BadParameter("names of letters, digits and hyphens", param_hint="--coders")
    key = key or out.with_name(f"{out.name}.cle.jsonl")
    if key.resolve().is_relative_to(out.resolve()):
        raise typer.BadParameter("the key must not be in the coders' folder", param_hint="--key")
    seed = secrets.randbits(64) if seed is None else seed
    refusals = lines.Refusals()
    found = _arms(stays, documents, {"published": published}, refusals, size, seed)
    arms = {arm: found[arm] for arm in blind.ARMS}
    items = blind.deal(arms["original"], people, seed)
    with private_files():
        blind.write_folders(items, arms, out)
        blind.write_key(items, key)
    _conclude(f"{len(arms['original'])} stays, {len(items)} texts to code; key: {key.name}", refusals)


@app.command()
def score(
    key: Annotated[Path, typer.Argument(metavar="KEY", help="Key that “coding export” wrote.", show_default=False)],
    sheets: Annotated[
        list[Path], typer.Argument(metavar="SHEET...", help="Sheets filled in, one per coder.", show_default=False)
    ],
    level: Annotated[
        ChosenLevel | None, typer.Option("--level", help="One level of ICD-10; else all.", show_default=False)
    ] = None,
    as_json: AsJson = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the intervals.")] = 2026,
) -> None:
    """Score the sheets filled in: each coder and each text, the loss, the agreement of coders.

    Precision, recall, F1 and Jaccard index against the codes of the stay; paired difference original − published;
    agreement by the Jaccard index, Cohen's κ and Krippendorff's α. Intervals of 95 % by a bootstrap of stays. An item
    that cannot count is named; the exit status is then 1.
    """
    from nocturne_lab.evaluation.coding import blind, human
    from nocturne_lab.evaluation.coding.icd10 import LEVELS

    refusals = lines.Refusals()
    items = blind.read_key(key)
    filled = []
    for path in sheets:
        filled.append(blind.read_sheet(path, items))
        for problem in filled[-1].problems:
            refusals.tell(_told(path, problem))
    found = [human.judge(items, filled, one, seed) for one in ([level] if level else LEVELS)]
    typer.echo(_as_json(found) if as_json else "\n\n".join(_as_tables(one) for one in found))
    _tell_few(found[0].everybody.stays)
    _conclude(f"{found[0].everybody.stays} stays coded in both of their texts", refusals)


@app.command()
def compare(
    stays: StaysFile,
    documents: DocumentsFile,
    published: Annotated[
        list[str],
        typer.Option(
            "--published", metavar="NAME=FILE", help="What “deidentify” wrote of them by a policy; can be repeated."
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="New folder of the page and its plot.", show_default=False)
    ],
    coder: Annotated[ChosenCoder, typer.Option("--coder", help="What learns the codes.")] = "classical",
    encoder: Annotated[
        Path | None,
        typer.Option(
            "--encoder",
            metavar="FOLDER",
            help="Encoder of “--coder neural”; else the one that ships.",
            show_default=False,
        ),
    ] = None,
    level: Annotated[ChosenLevel, typer.Option("--level", help="One level of ICD-10.")] = "code",
) -> None:
    """Compare what a coder finds in original and in published texts of the same stays, by policy.

    The coder learns from the stays of other patients, in five folds that all texts share. The page, coding.md, holds
    figures and no text: precision, recall, F1 and loss with intervals of 95 %, P@k, Jaccard index, by chapter; what
    each further policy gains over the first; a plot. A stay without codes, or with a document that a policy does not
    publish, is left out and named; the exit status is then 1.
    """
    from nocturne_lab.evaluation.coding import comparison, tables

    if out.exists():
        raise typer.BadParameter(f"{out.name} exists; give a new folder", param_hint="FOLDER")
    if encoder and coder != "neural":
        raise typer.BadParameter("without effect on the classical coder", param_hint="--encoder")
    make = comparison.coder_of(coder, encoder)
    refusals = lines.Refusals()
    arms = _arms(stays, documents, _named(published), refusals)
    first, *others = [name for name in arms if name != comparison.ORIGINAL]
    found = comparison.compare(arms, make, level)
    out.mkdir(parents=True)
    further, plot = {name: found[name] for name in others}, out / "coding.svg"
    told = tables.section(
        f"{make().name}, {level}", found, chapters=level != "chapter", others=further, against=first, plot=plot
    )
    page = f"{tables.head(arms[comparison.ORIGINAL])}\n{told}\n"
    (out / "coding.md").write_text(page, encoding="utf-8")
    number = len(arms[comparison.ORIGINAL])
    _tell_few(number)
    _conclude(f"{number} stays compared; page: {out.name}/coding.md", refusals)


@app.command()
def statistics(stays: StaysFile, documents: DocumentsFile) -> None:
    """Describe coded stays: lengths, codes, categories, families, chapters; principal and associated."""
    from nocturne_lab.evaluation.coding.icd10 import LEVELS
    from nocturne_lab.evaluation.coding.stays import PARTS, statistics

    refusals = lines.Refusals()
    found = list(_gathered(_read_stays(stays, refusals), _originals(documents, refusals), refusals))
    own = statistics(found)
    tell(f"{own.stays} stays, {own.documents} documents, {own.words} words")
    tell(f"words per stay: {own.length:.0f} on average, {own.longest} at most\n")
    head = "level", "diagnostics", "assigned", "per stay", "distinct", "under 10 stays", "100 and more", "density"
    rows = []
    for level in LEVELS:
        for part in PARTS:
            one = statistics(found, level, part)
            few = str(one.rare), str(one.frequent), f"{one.density:.4f}"
            told = str(one.assigned), f"{one.per_stay:.1f}", str(one.classes)
            rows.append([translated(_LEVELS[level]), translated(_PARTS[part]), *told, *few])
    typer.echo(translated_table(head, rows))
    _conclude(f"{own.stays} stays described", refusals)


@app.command()
def parhaf(
    data: Annotated[
        Path, typer.Argument(metavar="PARHAF", help="Folder “data” of the PARHAF set.", show_default=False)
    ],
    out: Annotated[Path, typer.Argument(metavar="FOLDER", help="New folder.", show_default=False)],
    codes_of: Annotated[
        CodesOf, typer.Option("--codes", help="Column of diagnoses: the case as written, or the scenario given.")
    ] = "structured_abstract",
) -> None:
    """Read the invented stays of PARHAF and their codes: sejours.jsonl and documents.jsonl, for the other commands.

    A stay without a document or a code is left out and named; the exit status is then 1.
    """
    from nocturne_lab.learning.exchange.parhaf import read_coded_cases

    if out.exists():
        raise typer.BadParameter(f"{out.name} exists; give a new folder", param_hint="FOLDER")
    refusals = lines.Refusals()
    cases = list(read_coded_cases(data, codes_of))
    out.mkdir(parents=True)
    number = 0
    with (
        (out / "sejours.jsonl").open("w", encoding="utf-8") as stays,
        (out / "documents.jsonl").open("w", encoding="utf-8") as documents,
    ):
        for case in cases:
            if not case.documents or not case.codes:
                what = "codes" if case.documents else "documents"
                refusals.tell(f"stay {case.id}: without {what}; left out")
                continue
            number += 1
            ids = [f"{case.id}-{at}" for at in range(1, len(case.documents) + 1)]
            _write_line(stays, {"id": case.id, "documents": ids, "codes": list(case.codes)})
            for name, (kind, text) in zip(ids, case.documents, strict=True):
                _write_line(documents, {"id": name, "text": text, "type": kind})
    _conclude(f"{number} stays written to {out.name}", refusals)


def _write_line(stream: TextIO, record: Mapping[str, Any]) -> None:
    stream.write(json.dumps(record, ensure_ascii=False) + "\n")


@dataclass(frozen=True, slots=True)
class _Stay:
    id: str
    documents: tuple[str, ...]
    codes: tuple[str, ...]


def _read_stays(path: Path, refusals: lines.Refusals) -> list[_Stay]:
    def read(record: Mapping[str, Any]) -> _Stay:
        parts = {name: record.get(name) for name in ("documents", "codes")}
        for name, value in parts.items():
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                raise lines.BadLine(f"“{name}” is missing or is not a list of texts")
        return _Stay(lines.required_text(record, "id"), tuple(parts["documents"] or ()), tuple(parts["codes"] or ()))

    return list(lines.read_lines(path, read, refusals))


def _originals(path: Path, refusals: lines.Refusals) -> dict[str, Document]:
    return {one.opened.document.id: one.opened.document for one in given_documents(path, (), refusals)}


def _gathered(
    stays: list[_Stay], originals: Mapping[str, Document], refusals: lines.Refusals, known: frozenset[str] | None = None
) -> Iterator[CodedStay]:
    """Yield the stays with codes whose documents are all there; tell the others."""
    from nocturne_lab.evaluation.coding.stays import gather, sound

    for stay in stays:
        codes, wrong = sound(stay.codes)
        absent = [one for one in stay.documents if one not in originals]
        held = [one for one in stay.documents if known is not None and one not in known]
        if wrong:
            refusals.tell(f"stay {stay.id}: {wrong} codes outside ICD-10, left out")
        if not codes:
            refusals.tell(f"stay {stay.id}: without codes; left out")
        elif not stay.documents or absent:
            refusals.tell(f"stay {stay.id}: document absent from --documents; left out")
        elif held:
            refusals.tell(f"stay {stay.id}: document not published; left out")
        else:
            yield from gather([(stay.id, originals[one]) for one in stay.documents], {stay.id: codes})


def _named(published: Sequence[str]) -> dict[str, Path]:
    """Return the file of each arm from NAME=FILE."""
    pairs = [one.partition("=") for one in published]
    files = {name: Path(file) for name, _, file in pairs}
    if len(files) < len(pairs) or not all(re.fullmatch(r"[\w. -]+", name) and file for name, _, file in pairs):
        raise typer.BadParameter("give NAME=FILE, each name once", param_hint="--published")
    if "original" in files:
        raise typer.BadParameter("“original” is the name of the original texts", param_hint="--published")
    return files


def _arms(
    stays: Path,
    documents: Path,
    published: Mapping[str, Path],
    refusals: lines.Refusals,
    size: int | None = None,
    seed: int = 0,
) -> dict[str, list[CodedStay]]:
    """Return the same stays from original texts and from each file of published ones: all, or `size` of them drawn."""
    from nocturne_lab.evaluation.coding.comparison import ORIGINAL
    from nocturne_lab.evaluation.coding.stays import gather
    from nocturne_lab.learning.exchange.sampling import draw_random

    originals = _originals(documents, refusals)
    texts = {name: dict(lines.read_lines(file, _read_published, refusals)) for name, file in published.items()}
    known = frozenset.intersection(
        *(frozenset(name for name, text in own.items() if text is not None) for own in texts.values())
    )
    given = _read_stays(stays, refusals)
    coded = {one.stay: one for one in _gathered(given, originals, refusals, known)}
    chosen = frozenset(coded if size is None else draw_random(coded, size, seed))
    pairs = [(one.id, originals[name]) for one in given if one.id in chosen for name in one.documents]
    codes = {name: coded[name].codes for name in chosen}
    texts[ORIGINAL] = {name: one.text for name, one in originals.items()}
    return {name: gather(pairs, codes, partial(_text, texts[name])) for name in (ORIGINAL, *published)}


def _text(own: Mapping[str, str | None], document: Document) -> str:
    return own[document.id] or ""


def _read_published(record: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return id and text; None for a document that was held back."""
    return lines.required_text(record, "id"), None if "text" not in record else lines.required_text(record, "text")


def _told(path: Path, problem: Problem) -> str:
    place = "" if problem.line is None else translated(f", line {problem.line}")
    return f"{path.name}{place}, item {problem.item}{colon()}{translated(_FAULTS[problem.fault])}"


def _as_json(found: list[Human]) -> str:
    def record(one: Human) -> dict[str, Any]:
        pairs = [
            {"coders": list(pair), "arms": {arm: asdict(own) for arm, own in arms.items()}}
            for pair, arms in one.agreement.items()
        ]
        return asdict(one) | {"agreement": pairs}

    return json.dumps([record(one) for one in found], ensure_ascii=False, indent=2)


def _as_tables(found: Human) -> str:
    from nocturne_lab.evaluation.coding.human import TENTHS

    people = {**found.coders, translated("together"): found.everybody}
    scored = [
        [name, translated(_ARMS[arm]), str(one.stays), f"{own.micro.precision:.3f}", f"{own.micro.recall:.3f}",
         *(_cell(value) for value in (own.f1, own.jaccard, own.main))]
        for name, one in people.items() for arm, own in one.arms.items()
    ]  # fmt: skip
    lost = [[name, _cell(one.f1_loss), _cell(one.jaccard_loss)] for name, one in people.items()]
    same = [
        [name, *(f"{value:.3f}" for value in (one.same.precision, one.same.recall, one.same.f1)),
         _cell(one.same_jaccard), *(f"{100 * one.cumulative[TENTHS.index(at)]:.0f} %" for at in (0.4, 0.7, 1.0))]
        for name, one in people.items()
    ]  # fmt: skip
    agreed = [
        [" – ".join(pair), translated(_ARMS[arm]), str(own.stays), _cell(own.jaccard),
         "–" if own.kappa is None else f"{own.kappa:.3f}", _cell(own.alpha)]
        for pair, arms in found.agreement.items() for arm, own in arms.items()
    ]  # fmt: skip
    parts = [
        translated(f"## {_LEVELS[found.level]}: {found.classes} distinct"),
        translated_table(["coder", "text", "stays", "precision", "recall", "F1", "Jaccard", "principal"], scored),
        translated_table(["coder", "loss of F1 (original − published)", "loss of Jaccard"], lost),
        translated("The published text against the original, by the same coder:"),
        translated_table(["coder", "precision", "recall", "F1", "Jaccard", "≥ 0.4", "≥ 0.7", "equal"], same),
    ]
    head = ["coders", "text", "stays", "Jaccard", "Cohen's κ", "Krippendorff's α"]
    return "\n\n".join([*parts, *([translated_table(head, agreed)] if agreed else [])])


def _cell(one: Interval | None) -> str:
    return "–" if one is None else f"{one.value:.3f} [{one.low:.3f} ; {one.high:.3f}]"


def _tell_few(stays: int) -> None:
    from nocturne_lab.evaluation.coding.comparison import FEWEST_STAYS

    if stays < FEWEST_STAYS:
        tell(f"under {FEWEST_STAYS} stays: the intervals say little", err=True)


def _conclude(what: str, refusals: lines.Refusals) -> None:
    tell(what, err=True)
    if refusals.count:
        raise typer.Exit(REFUSED)
