"""Nothing but the mentions changes, in the text or in the page."""

from __future__ import annotations

import html
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.domain.document import Document, Mention, Substitution, Surrogate
from deid.domain.labels import Label
from deid.quality import measure
from deid.quality.grammar import PLACED, count_errors, count_names
from deid.quality.integrity import integrity, markup_counts, spans_are_sound, visible_text
from deid.quality.words import is_foreign
from tests.unit.quality.documents import CLEAN, checked

PAGES = [
    ("<p>Vu par <b>Ma</b>rie</p>", "Vu par Marie", 0, 0),
    ("<table><tr><td colspan='2'>a</td><td>b</td></tr></table>", "a\nb", 0, 0),
    ("<p>a &amp; b &eacute;</p>", "a & b é", 0, 0),
    ("<p>a</p>", "a b", 1, 0),
    ("<p class='x'>a</p>", "a", 0, 1),
    ("<p>a</p><!-- Dupont -->", "a", 0, 1),
    ("<p>a</p><script>x</script>", "a", 0, 1),
    ("<img src='x'>a", "a", 0, 2),
    ("a < b et c > d", "a < b et c > d", 0, 0),
]


@pytest.mark.parametrize(("page", "text", "differs", "unsafe"), PAGES)
def test_pages(page: str, text: str, differs: int, unsafe: int) -> None:
    counts = markup_counts(page, text)
    assert (counts["markup_differs"], counts["markup_unsafe"] > 0) == (differs, unsafe > 0)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=80))
def test_escaped_text_shows_itself(text: str) -> None:
    assert visible_text(f"<p>{html.escape(text)}</p>").strip("\n") == html.unescape(html.escape(text)).strip("\n")


def test_plain_text_has_no_page() -> None:
    assert sum(markup_counts(None, "x").values()) == 0
    assert sum(markup_counts("x", "x").values()) == 0


@given(st.integers(0, 10_000), st.characters(codec="ascii", categories=["L", "N"]))
@settings(max_examples=60, deadline=None)
def test_any_change_between_mentions_is_seen(position: int, char: str) -> None:
    whole = checked()
    source = whole.document.text
    position %= len(source)
    inside = any(mention.start <= position < mention.end for mention in whole.mentions)
    altered = checked(CLEAN, source=source[:position] + char + source[position + 1 :])
    numbers = measure(altered)
    assert (numbers["context_altered"] > 0) == (not inside and source[position] != char)


def test_foreign_languages() -> None:
    german = "der Patient ist mit der Familie und wurde nicht von dem Arzt in den Saal gebracht auf die Station " * 3
    assert is_foreign(german.split())
    assert not is_foreign(CLEAN.casefold().split())
    assert not is_foreign("the of and to".split())  # too short to tell
    assert not is_foreign(["na", "k", "cl", "hb"] * 20)  # a list of results


@pytest.mark.parametrize(
    ("source", "name", "start", "sound"),
    [
        ("CHU d'Avignon.", "Avignon", 4, True), ("vit à Nantes.", "Nantes", 4, True),
        ("vit À\u00a0Nantes.", "Nantes", 4, True),
        ("vu par Nantes.", "Nantes", 3, False), ("vit seul à Nantes.", "Nantes", 4, False),
        ("né, à Nantes.", "Nantes", 2, False),
    ],
)  # fmt: skip
def test_a_surrogate_may_take_in_the_preposition_ahead_and_nothing_else(
    source: str, name: str, start: int, sound: bool
) -> None:
    at = source.index(name)
    mention = Mention(at, at + len(name), Label.CITY)
    text = f"{source[:start]}de Gray."
    drawn = Surrogate(replace(mention, start=start), "de Gray", "x")
    done = Substitution(text, (drawn,), ((start, start + 7),))
    assert spans_are_sound(done, [mention], source) == sound
    assert (integrity(Document("d", source), [mention], done)["context_altered"] == 0) == sound


def _written(text: str, name: str, label: Label = Label.CITY) -> Substitution:
    start = text.index(name)
    mention = Mention(start, start + len(name), label)
    return Substitution(text, (Surrogate(mention, name, "x"),), ((start, start + len(name)),))


@pytest.mark.parametrize(
    ("text", "name", "errors"),
    [
        ("CHU d'Saint-Laurent", "Saint-Laurent", 1), ("vient de Aubord", "Aubord", 1),
        ("suivi au Les Cèdres", "Les Cèdres", 1),
        ("vit à Le Mans", "Le Mans", 1), ("vient du La Roque", "La Roque", 1), ("CHU de Aubord", "CHU de Aubord", 1),
        ("en Le Gers", "Le Gers", 1), ("D’GRAY", "GRAY", 1), ("la Les Cèdres", "Les Cèdres", 1),
        ("vient d'Aubord", "Aubord", 0), ("vient de Haguenau", "Haguenau", 0), ("vit à La Rochelle", "La Rochelle", 0),
        ("du CHU d'Eu", "CHU d'Eu", 0), ("vit au Mans", "Mans", 0), ("de Yutz", "Yutz", 0), ("d'HFME", "HFME", 0),
        ("vient de Aubord puis Gray", "Gray", 0), ("de Les Abymes", "Les Abymes", 1), ("de l'Ain", "Ain", 0),
    ],
)  # fmt: skip
def test_errors_of_elision_and_articles_are_counted_at_surrogates(text: str, name: str, errors: int) -> None:
    assert count_errors(_written(text, name)) == errors


@pytest.mark.parametrize(
    ("text", "name", "errors"),
    [
        ("l'état d'Brigitte", "Brigitte", 1), ("la mère de Odile", "Odile", 1), ("celui qu’Paul voit", "Paul", 1),
        ("M. d'Brissac", "d'Brissac", 1), ("DE AUBIGNY", "AUBIGNY", 1), ("Mme de Élise", "Mme de Élise", 1),
        ("l'état d'Agnès", "Agnès", 0), ("la mère de Brigitte", "Brigitte", 0), ("celui qu'Anne voit", "Anne", 0),
        ("frère d'Hervé, de Hans", "Hans", 0), ("suivi de Yann", "Yann", 0), ("vu à Le Goff", "Le Goff", 0),
        ("la Marie, du petit Léo, de La Fontaine", "La Fontaine", 0), ("dossier de N.D.", "N.D.", 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("label", [Label.PATIENT, Label.DOCTOR, Label.PERSON])
def test_errors_of_elision_are_counted_at_surrogates_of_people(text: str, name: str, errors: int, label: Label) -> None:
    written = _written(text, name, label)
    assert count_errors(written) == errors
    assert count_names(written) >= errors
    assert count_errors(written, PLACED) == count_names(written, PLACED) == 0


def test_letters_of_an_acronym_elide_as_they_are_said() -> None:
    assert count_errors(_written("soins de l'MGEN", "MGEN", Label.ORG)) == 0
