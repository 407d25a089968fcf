"""Every code that pages and reports show has French and English words: a new setting, value or mechanism needs some."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from deid.config.generators import GENERATORS
from deid.config.policy import HISTORY_UNITS, Policy, load
from deid.domain.outcomes import AgreementKind, Constraint, Severity
from deid.domain.wording import LANGUAGES
from deid.reports.figures import _flat
from deid.reports.wording import (
    DOCUMENT_TYPES,
    PARTS,
    SETTINGS,
    VALUES,
    WORDING,
    document_type_words,
    mechanism_words,
    setting_words,
    value_words,
)
from deid.substitution.places.strategies import MECHANISMS as PLACES
from deid.substitution.temporal import generalising, metric, stages
from deid.substitution.temporal.strategies import AGES, DATES
from demo.hospital.kinds import KINDS


def settings(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every setting of a policy with its annotation; of a mapping, what stands under one of its keys as well."""
    for name, field in model.model_fields.items():
        key = f"{prefix}{name}"
        inner = [one for one in parts(field.annotation) if isinstance(one, type) and issubclass(one, BaseModel)]
        mapped = dict in map(get_origin, parts(field.annotation))
        listed = get_origin(field.annotation) is tuple
        if not inner or mapped or listed or prefix.startswith("types"):
            yield key, field.annotation
        for one in [] if listed else inner:
            yield from settings(one, f"{key}.X." if mapped else f"{key}.")


def parts(annotation: Any) -> Iterator[Any]:
    """An annotation, and what it is made of."""
    yield annotation
    for one in get_args(annotation):
        if not isinstance(one, (str, int)):
            yield from parts(one)


def values(annotation: Any) -> Iterator[str]:
    """The values that an annotation lists, as the ledger's JSON writes them; numbers speak for themselves."""
    if get_origin(annotation) is Literal:
        yield from (one for one in get_args(annotation) if isinstance(one, str))
    elif annotation is bool:
        yield from ("true", "false")
    elif get_origin(annotation) in (Union, types.UnionType):
        for one in get_args(annotation):
            yield from values(one)


ALL = list(settings(Policy))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_setting_has_words(lang: str) -> None:
    assert len(ALL) > 80
    for key, _ in ALL:
        stem, _, rest = key.partition(".X")
        assert stem in SETTINGS[lang], key
        assert all(part in PARTS[lang] for part in rest.split(".") if part), key
        assert setting_words(key, lang), key


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_value_that_is_a_word_has_words(lang: str) -> None:
    listed = [(key, value) for key, annotation in ALL for value in values(annotation)]
    listed += [("substitution.labels.CITY.provider", name) for name in GENERATORS]
    listed += [(f"substitution.max_epsilon_per_{one}", "null") for one in ("document", "patient")]
    assert len(listed) > 60
    assert [one for one in listed if not value_words(*one, lang)] == []


def test_no_words_are_left_of_a_setting_that_is_gone() -> None:
    known = {key.partition(".X")[0] for key, _ in ALL}
    assert set(SETTINGS["fr"]) <= known
    assert {key for key in (one.partition("=")[0] for one in VALUES["fr"]) if "." in key} <= known
    assert all(setting_words(key, "fr") for key in _flat(load().content))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_mechanism_of_the_ledger_has_words(lang: str) -> None:
    names = {one.mechanism for one in (*DATES.values(), *AGES.values())} | set(PLACES.values())
    names |= {
        metric.MECHANISM,
        generalising.MECHANISM,
        "tag",
        "discrete_laplace per day of birth",
        "discrete_laplace per month, of the past",
    }
    names |= {f"{stages.MECHANISM} per {unit}, stage {stage}" for unit in ("day", "month") for stage in range(10)}
    names |= {f"{stages.MECHANISM} per {unit}" for unit in HISTORY_UNITS}
    assert [name for name in names if mechanism_words(name, lang) == name] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_usual_document_types_checks_and_kinds_have_words(lang: str) -> None:
    assert set(DOCUMENT_TYPES[lang]) >= set(KINDS)
    assert all(document_type_words(code, lang) for code in KINDS)
    assert document_type_words("ZZ", lang) == ""
    said = WORDING[lang]
    assert all(f"constraint_{kind}" in said for kind in Constraint)
    assert all(f"agreement_{kind}" in said for kind in AgreementKind)
    assert all(f"severity_{severity}" in said for severity in Severity)


def test_words_name_the_label_that_a_setting_is_about() -> None:
    assert setting_words("detection.recall.CITY", "fr") == "Préférence donnée au rappel (Commune)"
    assert setting_words("substitution.labels.CITY.provider", "en") == "Generator chosen for a label (Town, generator)"
    assert value_words("release.approval", "on_warning", "fr") == "sur alerte"
    assert value_words("quality.max_failed_share", "0.05", "fr") == ""
    assert mechanism_words("of_the_hospital", "fr") == "of_the_hospital"
