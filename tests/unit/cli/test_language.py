"""The command line in French and in English: every message is translated, and none is in both."""

from __future__ import annotations

import re

import pytest
from babel.messages.catalog import Catalog
from typer.testing import CliRunner

from deid.cli import app, main
from deid.cli.language import french, translated_error
from deid.domain.errors import ContractBroken, InputRefused
from deid.source.links import FAULTS, FaultKind, QueryFault
from docs import messages

PLACES = re.compile(r"\{(\w+)\}")
ENGLISH = re.compile(r"\b(the|is|are|was|of|with|which|cannot|does|give|see|run)\b")
FRENCH = re.compile(r"\b(le|la|les|est|une|des|dans|avec|qui|ne|pas|voir|donner|lancer)\b")


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    return messages.catalogue()


@pytest.mark.slow  # reads the syntax of the whole library
def test_every_message_has_its_french(catalogue: Catalog) -> None:
    said = set(messages.messages())
    known = {entry.id for entry in catalogue if entry.id}
    assert (said - known, known - said) == (set(), set()), "run `make messages`, and translate"
    assert [entry.id for entry in catalogue if entry.id and (not entry.string or entry.fuzzy)] == []


def test_the_places_of_a_message_are_those_of_its_french(catalogue: Catalog) -> None:
    wrong = [entry.id for entry in catalogue if set(PLACES.findall(entry.id)) != set(PLACES.findall(entry.string))]
    assert [one for one in wrong if one] == []


def test_what_is_read_is_what_is_written(catalogue: Catalog) -> None:
    assert messages.PO.with_suffix(".mo").read_bytes() == messages.compiled(catalogue)


def test_each_message_is_recognised_by_its_words(catalogue: Catalog) -> None:
    """With values that say nothing, no message is taken for another."""
    taken = {}
    for entry in catalogue:
        names = PLACES.findall(entry.id or "")
        if not names or sum(map(str.isalpha, PLACES.sub("", entry.id))) < 3:
            continue
        values = {name: f"x{number}" for number, name in enumerate(dict.fromkeys(names), start=1)}

        def fill(text: str, values: dict[str, str] = values) -> str:
            return PLACES.sub(lambda place: values[place[1]], text).replace("{{", "{").replace("}}", "}")

        if french(fill(entry.id)) != fill(entry.string):
            taken[entry.id] = french(fill(entry.id))
    assert taken == {}


def commands() -> list[list[str]]:
    groups = [(group.name or "", group.typer_instance) for group in app.registered_groups]
    return [[], *([name] for name, _ in groups)] + [
        [*([name] if name else []), command.name or command.callback.__name__.replace("_", "-")]
        for name, group in [("", app), *groups]
        for command in (group.registered_commands if group else [])
        if command.callback
    ]


@pytest.mark.parametrize(("lang", "foreign"), [("fr", ENGLISH), ("en", FRENCH)])
def test_help_is_in_one_language(monkeypatch: pytest.MonkeyPatch, lang: str, foreign: re.Pattern[str]) -> None:
    monkeypatch.setenv("NOCTURNE_LANG", lang)
    mixed = {}
    for command in commands():
        shown = CliRunner().invoke(app, [*command, "--help"], prog_name="python -m deid")
        assert shown.exit_code == 0, command
        text = re.sub(r"`[^`]*`|“[^”]*”|«[^»]*»|\{[^}]*\}|--?[\w-]+|[\w.]+/[\w./-]+|\bdeid\.\w+", " ", shown.output)
        if found := foreign.findall(text):
            mixed[" ".join(command)] = found
    assert mixed == {}


@pytest.mark.parametrize(
    ("arguments", "french_words", "english_words"),
    [
        (["night"], "Erreur : Il manque l'argument 'JOUR'.", "Error: Missing argument 'DAY'."),
        (["nigth"], "Erreur : Il n'y a pas de commande", "Error: No such command"),
        (
            ["night", "2026-10-03", "--batch-size", "0"],
            "doit être supérieure ou égale à 1",
            "greater than or equal to 1",
        ),
        (
            ["night", "2026-10-03", "2026-10-01"],
            "le dernier jour précède le premier",
            "the last day is before the first",
        ),
        (["night", "2026-10-03"], "deid : NOCTURNE_SECRET n'est pas donné", "deid: NOCTURNE_SECRET is not set"),
        (
            ["policy", "validate", "nowhere.yaml"],
            "politique nowhere.yaml : fichier ou dossier absent.",
            "policy nowhere",
        ),
        (["detect", "nowhere.jsonl"], "nowhere.jsonl : fichier ou dossier absent.", "nowhere.jsonl: No such file"),
        (["source", "check", "--source", "nowhere"], "aucune source ne s'appelle 'nowhere'", "no source is called"),
    ],
)
def test_errors(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    french_words: str,
    english_words: str,
) -> None:
    told = {}
    for lang, words in (("", french_words), ("en", english_words)):
        if lang:
            monkeypatch.setenv("NOCTURNE_LANG", lang)
        assert main(arguments) == 2
        told[lang] = capsys.readouterr().err
        assert words in told[lang]
    assert not ENGLISH.search(re.sub(r"`[^`]*`|python -m deid.*", "", told[""]))
    assert not FRENCH.search(told["en"])


@pytest.mark.parametrize("kind", FaultKind)
def test_faults_of_a_query_are_in_one_language_alone_and_together(kind: FaultKind) -> None:
    """As a night names them, each with its file and line."""
    details = ["CSV, line 3", "CSV, another encoding", "no such file"] if kind is FaultKind.FILE else ["text"]
    for detail in details:
        fault = QueryFault(kind, "" if kind is FaultKind.FILE else "rpps", detail)
        for told in (f"chu/staff.sql:3: {fault}", f"chu/plan.sql: {fault}; chu/staff.sql:3: {fault}"):
            said = translated_error(
                ContractBroken(f"source chu: {told}.", FAULTS[kind]["remedy"].replace("{file}", "staff.sql"))
            )
            assert said.startswith("source chu : chu/")
            assert not ENGLISH.search(said)


def test_an_error_that_has_no_french_stays_english_as_a_whole() -> None:
    assert translated_error(InputRefused("nobody translated this.", "Give a new file.")) == (
        "nobody translated this. Give a new file."
    )
    assert (
        translated_error(InputRefused("/a is not empty.", "Give a new file."))
        == "/a n'est pas vide. Donner un fichier neuf."
    )


def test_another_language_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("NOCTURNE_LANG", "de")
    assert main(["night"]) == 2
    assert "Écrire fr ou en." in capsys.readouterr().err
