r"""The template language of the prose, parsed once and expanded into labelled pieces.

[a|b|c]          one of several, with equal chances; an alternative may be empty
{slot}           what the scene's slot gives; {slot:argument} passes raw text
{LABEL=text}     text that is a mention of that label; may hold slots and choices
~                "de~" and "que~" lose their vowel before one, "de~" and "à~" contract with "Le" and "Les"
\                takes the next character as it is
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Protocol

from deid.domain.labels import Label

_LABELS = frozenset(str(label) for label in Label)
_VOWELS = frozenset("aeiouyéèêëàâîïôöûüœæAEIOUYÉÈÊËÀÂÎÏÔÖÛÜŒÆ")


class Piece(NamedTuple):
    """A run of text, with its label when it is (part of) a mention."""

    text: str
    label: Label | None = None


class Scene(Protocol):
    """Facts of a situation that the expansion of templates needs."""

    rng: random.Random

    def fill(self, slot: str, argument: str) -> Iterable[Piece]:
        """Pieces for `{slot:argument}`."""


@dataclass(frozen=True, slots=True)
class _Choice:
    branches: tuple[_Sequence, ...]


@dataclass(frozen=True, slots=True)
class _Slot:
    name: str
    argument: str


@dataclass(frozen=True, slots=True)
class _Marked:
    label: Label
    inner: _Sequence


_Node = str | _Choice | _Slot | _Marked
_Sequence = tuple[_Node, ...]


class TemplateError(ValueError):
    """A template has an unbalanced bracket."""


@cache
def parse(template: str) -> _Sequence:
    """Parse `template`.

    Raises:
        TemplateError: a bracket or brace is not closed.
    """
    nodes, end = _parse(template, 0, "")
    if end != len(template):
        raise TemplateError(f"unbalanced bracket at {end} in {template!r}")
    return nodes


def _parse(template: str, at: int, stops: str) -> tuple[_Sequence, int]:
    nodes: list[_Node] = []
    literal: list[str] = []

    def flush() -> None:
        if literal:
            nodes.append("".join(literal))
            literal.clear()

    while at < len(template) and template[at] not in stops:
        mark = template[at]
        if mark == "\\":
            literal.append(template[at + 1])
            at += 2
        elif mark == "[":
            flush()
            choice, at = _parse_choice(template, at + 1)
            nodes.append(choice)
        elif mark == "{":
            flush()
            slot, at = _parse_slot(template, at + 1)
            nodes.append(slot)
        elif mark in "]}":
            break
        else:
            literal.append(mark)
            at += 1
    flush()
    return tuple(nodes), at


def _parse_choice(template: str, at: int) -> tuple[_Choice, int]:
    branches: list[_Sequence] = []
    while True:
        nodes, at = _parse(template, at, "|]")
        branches.append(nodes)
        if at >= len(template) or template[at] not in "|]":
            raise TemplateError(f"choice not closed in {template!r}")
        if template[at] == "]":
            return _Choice(tuple(branches)), at + 1
        at += 1


def _parse_slot(template: str, at: int) -> tuple[_Node, int]:
    depth, end = 1, at
    while depth:
        if end >= len(template):
            raise TemplateError(f"slot not closed in {template!r}")
        depth += {"{": 1, "}": -1}.get(template[end], 0)
        end += 1
    body = template[at : end - 1]
    name, equals, inner = body.partition("=")
    if equals and name in _LABELS:
        return _Marked(Label(name), parse(inner)), end
    name, _, argument = body.partition(":")
    return _Slot(name, argument), end


def expand(template: str, scene: Scene) -> list[Piece]:
    """Write `template` out for `scene`: neighbours with the same label joined, elisions made."""
    return _elide(join(_walk(parse(template), scene, None)))


def _walk(nodes: _Sequence, scene: Scene, label: Label | None) -> Iterable[Piece]:
    for node in nodes:
        if isinstance(node, str):
            yield Piece(node, label)
        elif isinstance(node, _Choice):
            yield from _walk(scene.rng.choice(node.branches), scene, label)
        elif isinstance(node, _Marked):
            yield from _walk(node.inner, scene, node.label)
        else:
            for piece in scene.fill(node.name, node.argument):
                yield Piece(piece.text, label or piece.label)


def join(pieces: Iterable[Piece]) -> list[Piece]:
    """Merge neighbours that bear the same label and drop empty ones; a line break stays alone."""
    merged: list[Piece] = []
    for piece in pieces:
        alone = piece.text == "\n" or (merged and merged[-1].text == "\n")
        if merged and merged[-1].label == piece.label and not alone:
            merged[-1] = Piece(merged[-1].text + piece.text, piece.label)
        elif piece.text:
            merged.append(piece)
    return merged


def _elide(pieces: Sequence[Piece]) -> list[Piece]:
    """Resolve every "~" against the letter that follows it."""
    done: list[Piece] = []
    swallowed = ""  # the article of the present piece that the one before contracted with
    for index, piece in enumerate(pieces):
        text = piece.text[len(swallowed) :]
        swallowed = ""
        following = pieces[index + 1].text if index + 1 < len(pieces) else ""
        while "~" in text:
            before, _, after = text.partition("~")
            head, article = _contract(before, after or following)
            if after:
                after = after[len(article) :]
            else:
                swallowed = article
            text = head + after
        done.append(Piece(text, piece.label))
    return [piece for piece in done if piece.text]


_CONTRACTIONS = tuple(
    (article, preposition, form)
    for articles, preposition, form in (
        (("Le ", "le "), "de", "du "),
        (("Le ", "le "), "à", "au "),
        (("Les ", "les "), "de", "des "),
        (("Les ", "les "), "à", "aux "),
    )
    for article in articles
)


def _contract(before: str, after: str) -> tuple[str, str]:
    """`before` as it reads in front of `after`, and the article of `after` that it swallowed."""
    for article, preposition, form in _CONTRACTIONS:
        stem = before[: -len(preposition)]
        if after.startswith(article) and before.lower().endswith(preposition) and stem[-1:] in ("", " ", "("):
            return stem + form, article
    if before[-1:] in "eE" and after[:1] in _VOWELS:
        return before[:-1] + "'", ""
    return before + " ", ""


def plain(pieces: Iterable[Piece]) -> str:
    """The text of `pieces` alone."""
    return "".join(piece.text for piece in pieces)


def upper(pieces: Iterable[Piece]) -> list[Piece]:
    """The same pieces in capitals."""
    return [Piece(in_capitals(piece.text), piece.label) for piece in pieces]


def in_capitals(text: str) -> str:
    """`text` in capitals; the micro sign stays, as its capital is a Greek letter."""
    return text.upper().replace("\N{GREEK CAPITAL LETTER MU}", "\N{MICRO SIGN}")


def capitalised(pieces: Sequence[Piece]) -> list[Piece]:
    """The same pieces, the first letter a capital."""
    if not pieces or not pieces[0].text:
        return list(pieces)
    first = pieces[0]
    return [Piece(first.text[0].upper() + first.text[1:], first.label), *pieces[1:]]
