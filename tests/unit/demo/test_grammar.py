"""The template language."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from deid.domain.labels import Label
from demo.hospital.prose.grammar import Piece, TemplateError, expand, parse, plain
from demo.hospital.prose.library import pathologies, phrases, read
from demo.hospital.prose.scene import SLOTS
from demo.hospital.streams import Stream


class Places:
    """A scene whose slots are towns."""

    def __init__(self) -> None:
        self.rng = Stream("grammar")

    def fill(self, slot: str, argument: str) -> Iterable[Piece]:
        assert argument == ""
        return [Piece({"angers": "Angers", "mans": "Le Mans", "ulis": "Les Ulis"}[slot], Label.CITY)]


@pytest.mark.parametrize(
    ("template", "written"),
    [
        ("né à~{angers}", "né à Angers"),
        ("né à~{mans}", "né au Mans"),
        ("maire de~{angers}", "maire d'Angers"),
        ("maire de~{mans}", "maire du Mans"),
        ("maire de~{ulis}, loin de~{angers}", "maire des Ulis, loin d'Angers"),
        ("il dit que~{angers}", "il dit qu'Angers"),
        (r"\[x\] {angers}", "[x] Angers"),
    ],
)
def test_prepositions_agree_with_the_town(template: str, written: str) -> None:
    assert plain(expand(template, Places())) == written


def test_a_label_covers_what_its_slots_give() -> None:
    assert expand("vu {DATE=le 3 mai} à~{mans}", Places()) == [
        Piece("vu "),
        Piece("le 3 mai", Label.DATE),
        Piece(" au "),
        Piece("Mans", Label.CITY),
    ]


def test_a_choice_takes_one_branch() -> None:
    assert {plain(expand("[a|b[c|d]|]", Places())) for _ in range(1)} <= {"a", "bc", "bd", ""}


@pytest.mark.parametrize("template", ["[a|b", "{DATE=le 3", "a]"])
def test_an_unbalanced_bracket_is_refused(template: str) -> None:
    with pytest.raises(TemplateError):
        parse(template)


def _templates() -> list[str]:
    found = [text for entry in read("common").values() for part in entry.sections.values() for _, text in part.lines]
    for pathology in pathologies().values():
        found += [text for name, part in pathology.entry.sections.items() if name != "bio" for _, text in part.lines]
    return found


def test_there_are_hundreds_of_templates_and_25_pathologies() -> None:
    assert len(_templates()) > 900
    assert len(pathologies()) >= 25


def test_every_template_can_be_parsed_and_knows_its_slots() -> None:
    for template in _templates():
        for name in _slots(parse(template)):
            assert name in SLOTS, (name, template)


def _slots(nodes: object) -> Iterable[str]:
    if isinstance(nodes, tuple):
        for node in nodes:
            yield from _slots(node)
    elif hasattr(nodes, "branches"):
        yield from _slots(nodes.branches)
    elif hasattr(nodes, "inner"):
        yield from _slots(nodes.inner)
    elif hasattr(nodes, "argument"):
        yield nodes.name


def test_nothing_that_identifies_stands_bare_in_a_template() -> None:
    """Words that the annotation guide marks must be inside a labelled slot."""
    marked = re.compile(
        r"\b(aujourd'hui|hier|demain|ce (jour|matin|soir)|cette nuit|cet été|(19|20)\d\d|\d\d? ans)\b|\d/\d\d/\d"
    )
    for template in _templates():
        assert not marked.search(_outside(template)), template


def _outside(template: str) -> str:
    """The template without its slots."""
    kept, depth = [], 0
    for mark in template:
        depth += {"{": 1, "}": -1}.get(mark, 0)
        if depth == 0 and mark != "}":
            kept.append(mark)
    return "".join(kept)


def test_an_absent_section_is_empty() -> None:
    assert phrases("salut").lines
    assert not phrases("no such section").lines
