"""`coding`: stays for human coders, blind; the figures of their sheets; statistics of coded stays."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from deid.cli import lines
from deid.cli.annotation import given_documents
from deid.cli.console import REFUSED, command_group
from deid.cli.scoring import AsJson
from deid.domain.private import private_files

if TYPE_CHECKING:
    from deid.domain.document import Document
    from deid.evaluation.coding.blind import Problem
    from deid.evaluation.coding.human import Human
    from deid.evaluation.coding.scores import Interval
    from deid.evaluation.coding.stays import CodedStay

app = command_group("Codage CIM-10 en aveugle, et ses chiffres.")

ChosenLevel = Literal["code", "category", "block", "chapter"]  # of `deid.evaluation.coding.icd10.LEVELS`

StaysFile = Annotated[
    Path,
    typer.Argument(
        metavar="SEJOURS",
        help='JSON Lines : {"id": séjour, "documents": [id…], "codes": [le principal d\'abord…]}.',
        show_default=False,
    ),
]
DocumentsFile = Annotated[
    Path,
    typer.Option("--documents", metavar="FICHIER", help="Textes d'origine, comme pour « detect ».", show_default=False),
]

_FAULTS = {
    "unknown_item": "absent de la clé ; donner la feuille de cet export",
    "duplicate": "codé plusieurs fois ; n'en garder qu'une ligne",
    "not_a_code": "un code n'est pas de la CIM-10 ; le corriger",
    "missing": "pas codé ; écrire ses codes, ou « aucun »",
}
_LEVELS = {"code": "code", "category": "catégorie (3 caractères)", "block": "famille (bloc)", "chapter": "chapitre"}
_PARTS = {"all": "tous", "main": "principal", "associated": "associés"}
_ARMS = {"original": "origine", "published": "publié"}
_FEW = 30  # stays; below, intervals tell little


@app.command()
def export(
    stays: StaysFile,
    out: Annotated[
        Path, typer.Argument(metavar="DOSSIER", help="Dossier neuf : un sous-dossier par codeur.", show_default=False)
    ],
    documents: DocumentsFile,
    published: Annotated[
        Path,
        typer.Option("--published", metavar="FICHIER", help="Ce que « deidentify » en a écrit.", show_default=False),
    ],
    coders: Annotated[str, typer.Option("--coders", metavar="A,B…", help="Codeurs.")] = "codeur1,codeur2",
    size: Annotated[int, typer.Option("--size", min=2, help="Nombre de séjours au plus, tirés au hasard.")] = 64,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Graine du tirage, que les codeurs ne doivent pas connaître.")
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="FICHIER", help="Clé à écrire ; sinon DOSSIER.cle.jsonl.", show_default=False),
    ] = None,
) -> None:
    """Écrit pour chaque codeur les deux textes de chaque séjour, d'origine et publié, en aveugle et au hasard.

    Chaque codeur lit tous les séjours deux fois, dans un ordre à lui ; entre les deux lectures d'un séjour viennent
    celles d'au moins la moitié des autres. Le dossier contient des textes d'origine : il ne doit pas quitter
    l'hôpital. La clé dit quel texte est lequel : ne pas la donner aux codeurs. Un séjour sans codes, ou dont un
    document n'est pas publié, est laissé de côté et nommé ; le code de sortie vaut alors 1. Voir docs/utility.md.
    """
    from deid.evaluation.coding import blind

    people = [one.strip() for one in coders.split(",") if one.strip()]
    if not people or not all(re.fullmatch(r"[\w-]+", one) for one in people):
        raise typer.BadParameter("des noms de lettres, de chiffres et de tirets", param_hint="--coders")
    key = key or out.with_name(f"{out.name}.cle.jsonl")
    if key.resolve().is_relative_to(out.resolve()):
        raise typer.BadParameter("la clé ne doit pas être dans le dossier des codeurs", param_hint="--key")
    seed = secrets.randbits(64) if seed is None else seed
    refusals = lines.Refusals()
    arms = dict(zip(blind.ARMS, _arms(stays, documents, published, size, seed, refusals), strict=True))
    items = blind.deal(arms["original"], people, seed)
    with private_files():
        blind.write_folders(items, arms, out)
        blind.write_key(items, key)
    _conclude(f"{len(arms['original'])} séjours, {len(items)} textes à coder ; clé : {key.name}", refusals)


@app.command()
def score(
    key: Annotated[Path, typer.Argument(metavar="CLE", help="Clé que « coding export » a écrite.", show_default=False)],
    sheets: Annotated[
        list[Path], typer.Argument(metavar="FEUILLE...", help="Feuilles remplies, une par codeur.", show_default=False)
    ],
    level: Annotated[
        ChosenLevel | None, typer.Option("--level", help="Un niveau de la CIM-10 ; sinon tous.", show_default=False)
    ] = None,
    as_json: AsJson = False,
    seed: Annotated[int, typer.Option("--seed", help="Graine des intervalles.")] = 2026,
) -> None:
    """Note les feuilles remplies : chaque codeur et chaque texte, la perte, l'accord entre codeurs.

    Précision, rappel, F1 et indice de Jaccard contre les codes du séjour ; différence appariée origine − publié ;
    accord par l'indice de Jaccard, le κ de Cohen et l'α de Krippendorff. Intervalles à 95 % par bootstrap des séjours.
    Un item qui ne peut pas compter est nommé ; le code de sortie vaut alors 1.
    """
    from deid.evaluation.coding import blind, human
    from deid.evaluation.coding.icd10 import LEVELS

    refusals = lines.Refusals()
    items = blind.read_key(key)
    filled = []
    for path in sheets:
        filled.append(blind.read_sheet(path, items))
        for problem in filled[-1].problems:
            refusals.tell(_told(path, problem))
    found = [human.judge(items, filled, one, seed) for one in ([level] if level else LEVELS)]
    typer.echo(_as_json(found) if as_json else "\n\n".join(_as_tables(one) for one in found))
    if found[0].everybody.stays < _FEW:
        typer.echo(f"moins de {_FEW} séjours : les intervalles disent peu", err=True)
    _conclude(f"{found[0].everybody.stays} séjours codés dans leurs deux textes", refusals)


@app.command()
def statistics(stays: StaysFile, documents: DocumentsFile) -> None:
    """Décrit des séjours codés : longueurs, codes, catégories, familles, chapitres ; principal et associés."""
    from deid.evaluation.coding.icd10 import LEVELS
    from deid.evaluation.coding.stays import PARTS, statistics
    from deid.evaluation.score_tables import markdown

    refusals = lines.Refusals()
    found = list(_gathered(_read_stays(stays, refusals), _originals(documents, refusals), refusals))
    own = statistics(found)
    typer.echo(f"{own.stays} séjours, {own.documents} documents, {own.words} mots")
    typer.echo(f"mots par séjour : {own.length:.0f} en moyenne, {own.longest} au plus\n")
    head = "niveau", "diagnostics", "posés", "par séjour", "distincts", "moins de 10 séjours", "100 et plus", "densité"
    rows = []
    for level in LEVELS:
        for part in PARTS:
            one = statistics(found, level, part)
            few = str(one.rare), str(one.frequent), f"{one.density:.4f}"
            told = str(one.assigned), f"{one.per_stay:.1f}", str(one.classes)
            rows.append([_LEVELS[level], _PARTS[part], *told, *few])
    typer.echo(markdown(head, rows))
    _conclude(f"{own.stays} séjours décrits", refusals)


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
                raise lines.BadLine(f"« {name} » manque ou n'est pas une liste de textes")
        return _Stay(lines.required_text(record, "id"), tuple(parts["documents"] or ()), tuple(parts["codes"] or ()))

    return list(lines.read_lines(path, read, refusals))


def _originals(path: Path, refusals: lines.Refusals) -> dict[str, Document]:
    return {one.opened.document.id: one.opened.document for one in given_documents(path, (), refusals)}


def _gathered(
    stays: list[_Stay], originals: Mapping[str, Document], refusals: lines.Refusals, known: frozenset[str] | None = None
) -> Iterator[CodedStay]:
    """Yield the stays with codes whose documents are all there; tell the others."""
    from deid.evaluation.coding.stays import gather, sound

    for stay in stays:
        codes, wrong = sound(stay.codes)
        absent = [one for one in stay.documents if one not in originals]
        held = [one for one in stay.documents if known is not None and one not in known]
        if wrong:
            refusals.tell(f"séjour {stay.id} : {wrong} codes hors de la CIM-10, laissés de côté")
        if not codes:
            refusals.tell(f"séjour {stay.id} : sans codes ; laissé de côté")
        elif not stay.documents or absent:
            refusals.tell(f"séjour {stay.id} : document absent de --documents ; laissé de côté")
        elif held:
            refusals.tell(f"séjour {stay.id} : document non publié ; laissé de côté")
        else:
            yield from gather([(stay.id, originals[one]) for one in stay.documents], {stay.id: codes})


def _arms(
    stays: Path, documents: Path, published: Path, size: int, seed: int, refusals: lines.Refusals
) -> tuple[list[CodedStay], list[CodedStay]]:
    """Return the same stays from original and from published texts."""
    from deid.evaluation.coding.stays import gather
    from deid.learning.exchange.sampling import draw_random

    originals = _originals(documents, refusals)
    texts = dict(lines.read_lines(published, _read_published, refusals))
    known = frozenset(name for name, text in texts.items() if text is not None)
    given = _read_stays(stays, refusals)
    own = {one.stay: one for one in _gathered(given, originals, refusals, known)}
    chosen = frozenset(draw_random(own, size, seed))
    pairs = [(one.id, originals[name]) for one in given if one.id in chosen for name in one.documents]
    codes = {name: own[name].codes for name in chosen}
    return gather(pairs, codes), gather(pairs, codes, lambda document: texts[document.id] or "")


def _read_published(record: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return id and text; None for a document that was held back."""
    return lines.required_text(record, "id"), None if "text" not in record else lines.required_text(record, "text")


def _told(path: Path, problem: Problem) -> str:
    place = "" if problem.line is None else f", ligne {problem.line}"
    return f"{path.name}{place}, item {problem.item} : {_FAULTS[problem.fault]}"


def _as_json(found: list[Human]) -> str:
    def record(one: Human) -> dict[str, Any]:
        pairs = [
            {"coders": list(pair), "arms": {arm: asdict(own) for arm, own in arms.items()}}
            for pair, arms in one.agreement.items()
        ]
        return asdict(one) | {"agreement": pairs}

    return json.dumps([record(one) for one in found], ensure_ascii=False, indent=2)


def _as_tables(found: Human) -> str:
    from deid.evaluation.coding.human import TENTHS
    from deid.evaluation.score_tables import markdown

    people = {**found.coders, "ensemble": found.everybody}
    scored = [
        [name, _ARMS[arm], str(one.stays), f"{own.micro.precision:.3f}", f"{own.micro.recall:.3f}",
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
        [" – ".join(pair), _ARMS[arm], str(own.stays), _cell(own.jaccard),
         "–" if own.kappa is None else f"{own.kappa:.3f}", _cell(own.alpha)]
        for pair, arms in found.agreement.items() for arm, own in arms.items()
    ]  # fmt: skip
    parts = [
        f"## {_LEVELS[found.level]} : {found.classes} distincts",
        markdown(["codeur", "texte", "séjours", "précision", "rappel", "F1", "Jaccard", "principal"], scored),
        markdown(["codeur", "perte de F1 (origine − publié)", "perte de Jaccard"], lost),
        "Le texte publié contre l'original, par le même codeur :",
        markdown(["codeur", "précision", "rappel", "F1", "Jaccard", "≥ 0,4", "≥ 0,7", "égal"], same),
    ]
    head = ["codeurs", "texte", "séjours", "Jaccard", "κ de Cohen", "α de Krippendorff"]
    return "\n\n".join([*parts, *([markdown(head, agreed)] if agreed else [])])


def _cell(one: Interval | None) -> str:
    return "–" if one is None else f"{one.value:.3f} [{one.low:.3f} ; {one.high:.3f}]"


def _conclude(what: str, refusals: lines.Refusals) -> None:
    typer.echo(what, err=True)
    if refusals.count:
        raise typer.Exit(REFUSED)
