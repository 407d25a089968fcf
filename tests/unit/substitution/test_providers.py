"""Masking providers: what each keeps, the scope that all obey, what is refused, and that validation accepts them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.config import generators
from deid.config.policy import GeneratorChoice, Policy, load
from deid.domain.document import Document, Mention, Patient, Substitution, Surrogate
from deid.domain.errors import PolicyError
from deid.domain.labels import TEMPORAL, Label
from deid.domain.outcomes import Candidate, Severity
from deid.formats import read_source
from deid.french.folding import comparable
from deid.quality import CHECKS, measure
from deid.quality.integrity import visible_text
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft
from deid.substitution.generators.masking import ALPHABET
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.corpus import load_corpus as load_corpus
from tests import ROOT
from tests.unit.substitution.examples import ANCHOR, KEY, changed, marked, surrogates
from tests.unit.substitution.test_substitutor import LETTER, PATIENT, SHORT, TEXTS

CORPUS = ROOT / "corpus" / "dev"
OTHERS = tuple(name for name in generators.GENERATORS if name != generators.DEFAULT)
REPLACING = tuple(name for name in OTHERS if name != generators.KEEP)
PAIRS = [(label, name) for name in REPLACING for label in Label if label not in generators.REFUSALS[name]]
# Refused for the labels of LETTER, or for those that cost: the library's own generators write these.
PARTIAL = ("shift", "randomise", "truncate", generators.KEEP, generators.GENERALISE)
WIDE = ("hash", "tag", "randomise", "shift")  # whose text depends on the value, drawn over the scope


def _choosing(policy: Policy, provider: str, **changes: Any) -> Policy:
    """`policy` with this provider wherever it is not refused."""
    refused = generators.REFUSALS[provider]
    chosen = {label: GeneratorChoice(provider=provider) for label in Label if label not in refused}
    return changed(policy, labels=chosen, **changes)


@pytest.fixture(scope="session")
def masking(policy: Policy, communes: CommuneTable) -> Any:
    """A substitutor of a provider, wherever it is allowed."""
    return cache(
        lambda provider, scope="patient", key=KEY: Substitutor(_choosing(policy, provider, scope=scope), key, communes)
    )


def _holds(document: Document, mentions: Sequence[Mention], result: Substitution) -> None:
    """Every mention is replaced, in its place, over as many lines, and nothing else has changed."""
    assert [one.mention for one in result.surrogates] == sorted(mentions)
    position = moved = 0
    for surrogate, (start, end) in zip(result.surrogates, result.spans, strict=True):
        mention = surrogate.mention
        original = document.text[mention.start : mention.end]
        assert result.text[start:end] == surrogate.text
        assert result.text[moved:start] == document.text[position : mention.start]
        assert comparable(surrogate.text) != comparable(original)
        position, moved = mention.end, end
    assert result.text[moved:] == document.text[position:]
    assert result.text.count("\n") == document.text.count("\n")


@pytest.mark.parametrize(("label", "provider"), [*((label, None) for label in SHORT), *PAIRS])
def test_short_and_odd_mentions_never_survive(
    label: Label, provider: str | None, masking: Any, substitutor: Substitutor
) -> None:
    drawn = masking(provider) if provider else substitutor
    for text in SHORT.get(label, ["x", "12", "A-1"]):
        for number in range(1 if provider else 12):
            document = Document("d1", f"a {text} b", Patient(key=f"p{number}"), ANCHOR)
            mentions = [Mention(2, 2 + len(text), label)]
            _holds(document, mentions, drawn.substitute(document, mentions))


@settings(max_examples=300, deadline=None)
@given(pair=st.sampled_from(PAIRS), text=TEXTS, scope=st.sampled_from(["patient", "document", "corpus"]))
def test_no_mention_breaks_a_provider_or_survives(pair: tuple[Label, str], text: str, scope: str, masking: Any) -> None:
    document = Document("d1", f"a {text} b", Patient(key="p1"), ANCHOR)
    mentions = [Mention(2, 2 + len(text), pair[0])]
    _holds(document, mentions, masking(pair[1], scope).substitute(document, mentions))


@pytest.mark.parametrize("provider", OTHERS)
def test_what_a_provider_writes_costs_no_epsilon(provider: str, masking: Any) -> None:
    result = masking(provider).substitute(*marked(LETTER, patient=PATIENT))
    assert {spend.category for spend in result.spends} <= (
        {"anchor", "date", "age", "place"} if provider in PARTIAL else {"anchor"}
    )
    if provider == "truncate":  # dates are cut, ages and towns are drawn: what is drawn is paid for
        assert "place" in {spend.category for spend in result.spends}


# Scope


@pytest.mark.parametrize(
    ("provider", "scope", "same_patient", "other_patient"),
    [
        *((provider, "patient", True, False) for provider in WIDE),
        *((provider, "corpus", True, True) for provider in WIDE),
        *((provider, "document", False, False) for provider in WIDE if provider != "tag"),  # numbers begin at 0 in each
    ],
)
def test_the_scope_is_obeyed(provider: str, scope: str, same_patient: bool, other_patient: bool, masking: Any) -> None:
    markup = "dossier [[NDA|230311874]] et [[IPP|0081774523]]"
    one, later, other = (
        surrogates(masking(provider, scope).substitute(*marked(markup, id=id, patient=Patient(key=key))))
        for id, key in (("d1", "p1"), ("d2", "p1"), ("d3", "p2"))
    )
    assert (one == later) is same_patient
    assert (one == other) is other_patient


@pytest.mark.parametrize("provider", WIDE)
def test_another_key_writes_another_text(provider: str, masking: Any) -> None:
    document = marked("dossier [[NDA|230311874]] et [[IPP|0081774523]]")
    assert masking(provider).substitute(*document) != masking(provider, "patient", KEY[::-1]).substitute(*document)


# What each keeps


def test_redaction_tells_no_length(masking: Any) -> None:
    short, long = surrogates(masking("redact").substitute(*marked("[[PATIENT|Ba]] [[PATIENT|Marie-Caroline DURAND]]")))
    assert short == long == "█████"


def test_nothing_is_left_of_an_erased_mention(masking: Any) -> None:
    result = masking("null").substitute(*marked("Vu M. [[PATIENT|DURAND]], [[PHONE|03 53 01 12 34]]."))
    assert result.text == "Vu M. , ."
    assert result.spans == ((6, 6), (8, 8))


def test_a_page_is_rewritten_with_nothing(masking: Any) -> None:
    page = "<p>Vu <b>M. DURAND</b> à <i>Dijon</i>.</p>"
    source = read_source(page.encode(), format="text/html", charset="utf-8", document_id="d1", max_bytes=1000)
    start = source.text.index("DURAND")
    mentions = [Mention(start, start + 6, Label.PATIENT)]
    result = masking("null").substitute(Document("d1", source.text, Patient(key="p1")), mentions)
    rewritten = source.rewrite([(one.mention.start, one.mention.end, one.text) for one in result.surrogates])
    assert visible_text(rewritten).split() == ["Vu", "M.", "à", "Dijon."]


def test_numbers_of_a_document_follow_its_order(masking: Any) -> None:
    markup = "[[EMAIL|a@x.fr]] [[PHONE|0353011234]] [[EMAIL|b@x.fr]] [[EMAIL|A@X.FR]] [[PHONE|03 53 01 12 34]]"
    assert surrogates(masking("tag", "document").substitute(*marked(markup))) == [
        *("EMAIL-0", "PHONE-0", "EMAIL-1", "EMAIL-0", "PHONE-0")
    ]


def test_numbers_of_a_patient_do_not_depend_on_what_came_first(masking: Any) -> None:
    (alone,) = surrogates(masking("tag").substitute(*marked("[[EMAIL|b@x.fr]]", id="d2")))
    _, after = surrogates(masking("tag").substitute(*marked("[[EMAIL|a@x.fr]] [[EMAIL|b@x.fr]]", id="d1")))
    assert alone == after
    assert re.fullmatch(r"EMAIL-\d{1,6}", alone)


def test_a_digest_tells_equal_values_only(masking: Any) -> None:
    markup = "[[PATIENT|DURAND]] [[PATIENT|Durand]] [[DOCTOR|Durand]] [[PATIENT|Durant]]"
    one, same, role, other = surrogates(masking("hash").substitute(*marked(markup)))
    assert one == same
    assert len({one, role, other}) == 3
    assert all(len(text) == 12 and set(text) <= set(ALPHABET) for text in (one, role, other))


def test_shifted_numbers_keep_their_differences(masking: Any) -> None:
    one, other, short = surrogates(masking("shift").substitute(*marked("[[NDA|23-0311]] [[NDA|230399]] [[NDA|0007]]")))
    assert re.fullmatch(r"\d\d-\d{4}", one)
    assert (int(other) - int(one.replace("-", ""))) % 10**6 == 230399 - 230311
    assert re.fullmatch(r"\d{4}", short)


def test_a_shifted_number_hides_among_all(masking: Any) -> None:
    """One number alone: over patients, every other value comes up about as often (χ², 8 degrees of freedom)."""
    count = dict.fromkeys("123456789", 0)
    for number in range(900):
        (text,) = surrogates(masking("shift").substitute(*marked("[[NDA|0]]", patient=Patient(key=f"p{number}"))))
        count[text] += 1
    assert sum((seen - 100) ** 2 / 100 for seen in count.values()) < 26.1  # p = 0.001


def test_random_characters_keep_classes_and_a_names_words(masking: Any) -> None:
    full, turned, number = surrogates(
        masking("randomise").substitute(*marked("[[PATIENT|DURAND Jean]] [[PATIENT|Jean Durand]] [[ID|X2291-004]]"))
    )
    assert re.fullmatch(r"[A-Z]{6} [A-Z][a-z]{3}", full)
    assert full.lower().split() == turned.lower().split()[::-1]
    assert re.fullmatch(r"[A-Z][1-9]\d{3}-\d{3}", number)


@pytest.mark.parametrize(
    ("markup", "cut"),
    [
        ("[[ZIP|21200]]", "21xxx"),
        ("[[ZIP|97 400]]", "97 xxx"),
        ("[[ZIP|212]]", "[ZIP]"),
        ("[[ZIP|vingt et un mille]]", "[ZIP]"),
        ("[[PHONE|03 53 01 12 34]]", "03 xx xx xx xx"),
        ("[[PHONE|+33 (0)3 53 01 12 34]]", "+33 (0)3 xx xx xx xx"),
        ("[[PHONE|0033353011234]]", "00333xxxxxxxx"),
        ("[[PHONE|4412]]", "[PHONE]"),
        ("[[PHONE|+41 22 555 01 88]]", "[PHONE]"),
        ("[[DATE|12/03/1958]]", "1958"),
        ("[[DATE|17 mai]]", "2023"),
        ("[[DATE|lundi 3 mars 2014]]", "2014"),
        ("[[DATE|2015]]", "[DATE]"),
        ("né le [[DATE|12/03/1931]]", "[DATE]"),
        ("[[DATE|45/13/99]]", "[DATE]"),
    ],
)
def test_what_is_left_of_a_value_that_is_cut(markup: str, cut: str, masking: Any) -> None:
    assert surrogates(masking("truncate").substitute(*marked(markup))) == [cut]


# The policy


@pytest.mark.parametrize(
    ("label", "provider"), [(label, name) for name, refused in generators.REFUSALS.items() for label in sorted(refused)]
)
def test_what_would_leak_or_makes_no_sense_is_refused_by_name(label: Label, provider: str, tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(f"extends: default\nsubstitution: {{labels: {{{label}: {{provider: {provider}}}}}}}\n")
    with pytest.raises(PolicyError) as refusal:
        load(path)
    assert f"{label}: {provider} is refused: {generators.REFUSALS[provider][label]}" in str(refusal.value)


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("EMAIL: {provider: blur}", "EMAIL: no provider blur; known: format_preserving, redact"),
        ("EMAIL: {provider: hash, options: {length: 4}}", "EMAIL: hash: length is a whole number from 8 to 32"),
        ("EMAIL: {provider: hash, options: {length: true}}", "EMAIL: hash: length is a whole number from 8 to 32"),
        ("EMAIL: {provider: hash, options: {size: 9}}", "EMAIL: hash has no option size"),
        ("MAIL: {provider: hash}", "MAIL"),
        ("EMAIL: {with: hash}", "with"),
    ],
)
def test_a_choice_that_cannot_be_made_is_refused(choice: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(f"extends: default\nsubstitution: {{labels: {{{choice}}}}}\n")
    with pytest.raises(PolicyError) as refusal:
        load(path)
    assert told in str(refusal.value)


def test_null_needs_no_quotes(tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text("extends: default\nsubstitution: {labels: {EMAIL: {provider: null}, URL: {provider: 'null'}}}\n")
    assert {choice.provider for choice in load(path).substitution.labels.values()} == {generators.NULL}


class Initials:
    """A provider of one's own: the document's own count of mentions, behind a word."""

    def __init__(self, context: DocumentContext, *, word: str = "mention") -> None:
        self._text = f"{word} {len(context.mentions)}"

    def write(self, mention: Mention, attempt: int) -> Draft:
        assert attempt < 8
        return Draft(self._text, "own") if mention.label is not Label.URL else Draft("", "own")


class Broken:
    """Generator without a `write` method."""

    def __init__(self, context: DocumentContext) -> None:
        self.context = context


def _with_own(policy: Policy, communes: CommuneTable, path: str, **options: Any) -> Substitutor:
    choice = GeneratorChoice(provider=path, options=options)
    return Substitutor(changed(policy, labels={Label.EMAIL: choice, Label.URL: choice}), KEY, communes)


def test_a_provider_of_ones_own(policy: Policy, communes: CommuneTable) -> None:
    own = _with_own(policy, communes, f"{__name__}:Initials", word="voir")
    result = own.substitute(*marked("[[EMAIL|a@x.fr]] [[URL|x.fr]] [[EMAIL|voir 3]]"))
    # An empty text and the original itself are taken from nobody.
    assert surrogates(result) == ["voir 3", "[URL]", "[EMAIL]"]


@pytest.mark.parametrize(
    ("path", "options", "told"),
    [
        ("nowhere.at_all:Provider", {}, "EMAIL: nowhere.at_all:Provider cannot be imported"),
        (f"{__name__}:Nothing", {}, "cannot be imported"),
        (f"{__name__}:Broken", {}, "is no class with a method write"),
        (f"{__name__}:Initials", {"size": 3}, r"does not take the options \['size'\]"),
    ],
)
def test_a_provider_that_cannot_be_used_stops_before_any_document(
    path: str, options: dict[str, Any], told: str, policy: Policy, communes: CommuneTable
) -> None:
    with pytest.raises(PolicyError, match=told):
        _with_own(policy, communes, path, **options)


# Validation


@pytest.fixture(scope="module")
def letters() -> list[GoldDocument]:
    return [gold for gold in load_corpus(CORPUS) if gold.document.patient.names]


def _failures(checked: Candidate) -> set[str]:
    numbers = measure(checked)
    failed = (check for check in CHECKS if not check.least <= numbers[check.name] <= check.most)
    return {check.name for check in failed if check.severity is not Severity.INFO}


@pytest.mark.parametrize("provider", OTHERS)
def test_validation_accepts_what_providers_write(
    provider: str, masking: Any, letters: list[GoldDocument], substitutor: Substitutor
) -> None:
    """A document fails under a provider only where it fails under the product's own surrogates too."""
    assert len(letters) > 30
    for gold in letters:
        document, mentions = gold.document, gold.mentions
        checked = [
            Candidate(document, mentions, drawn.substitute(document, mentions))
            for drawn in (masking(provider), substitutor)
        ]
        assert _failures(checked[0]) <= _failures(checked[1]), document.id


def _slips(result: Substitution, document: Document) -> Iterator[tuple[Label, Substitution]]:
    """The same substitution with one original put back, for each mention."""
    for index, one in enumerate(result.surrogates):
        original = document.text[one.mention.start : one.mention.end]
        kept = [*result.surrogates]
        kept[index] = Surrogate(one.mention, original, one.strategy)
        text, spans, end, position = "", [], 0, 0
        for surrogate in kept:
            text += document.text[end : surrogate.mention.start]
            position = len(text)
            text += surrogate.text
            spans.append((position, len(text)))
            end = surrogate.mention.end
        yield (
            one.mention.label,
            replace(result, text=text + document.text[end:], surrogates=tuple(kept), spans=tuple(spans)),
        )


@pytest.mark.parametrize("provider", OTHERS)
def test_validation_refuses_originals_among_what_providers_write(provider: str, masking: Any) -> None:
    document, mentions = marked(LETTER, patient=replace(PATIENT, birth_date=date(1958, 3, 12)))
    result = masking(provider).substitute(document, mentions)
    assert not _failures(Candidate(document, tuple(mentions), result))
    for label, slipped in _slips(result, document):
        # Mechanisms may draw the value itself (docs/privacy.md), so there one original among others is no failure.
        if label not in TEMPORAL | {Label.CITY, Label.ZIP, Label.LOC}:
            assert "original_kept" in _failures(Candidate(document, tuple(mentions), slipped)), label


# The page


def test_the_page_says_where_each_provider_is_allowed() -> None:
    """docs/privacy.md: a column per provider, a row per group of labels, ✓ or – in each cell."""
    page = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
    table = page.partition("| labels | ")[2].partition("\n\n")[0].splitlines()
    columns = [cell.strip("` ") for cell in table[0].strip(" |").split("|")]
    assert tuple(columns) == OTHERS
    said = {}
    for line in table[2:]:
        first, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        said |= {Label(name): cells for name in first.split(", ")}
    refused = {label: ["–" if label in generators.REFUSALS[name] else "✓" for name in OTHERS] for label in Label}
    assert said == refused, "give it a row in the table of masks of docs/privacy.md, as deid/wording/refusals.yaml says"
