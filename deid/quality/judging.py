"""Judge numbers by bounds with Great Expectations, on a frame that contains only numbers.

This module imports Great Expectations, which takes seconds: import it in the functions that judge.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Protocol

os.environ["GX_ANALYTICS_ENABLED"] = "False"  # read when the library is imported

import great_expectations as gx
import numpy as np
import pandas as pd
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.expectations.core.expect_column_values_to_be_between import ExpectColumnValuesToBeBetween
from great_expectations.expectations.metadata_types import FailureSeverity

from deid.domain.outcomes import Severity

SOURCE, WHOLE = "numbers", "whole"  # data source and batch definition of every checkpoint
ROW, RULE = "row", "rule"  # columns of the ordinals of rows and rules
VALUE = "value"
# Ordinals of failing numbers and counts, never a value
_ORDINALS_ONLY = {
    "result_format": "COMPLETE",
    "unexpected_index_column_names": [ROW, RULE],
    "partial_unexpected_count": 0,
    "exclude_unexpected_values": True,
    "return_unexpected_index_query": False,
}


class Bounded(Protocol):
    """A rule: the column `name` is in [`least`, `most`]; None is no bound."""

    @property
    def name(self) -> str: ...
    @property
    def severity(self) -> Severity: ...
    @property
    def least(self) -> float | None: ...
    @property
    def most(self) -> float | None: ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result of one rule: the number of rows judged and the ordinals of the failing rows."""

    rule: str
    severity: Severity
    element_count: int
    failed_rows: frozenset[int]


def expectation_suite(
    name: str, rules: Sequence[Bounded], meanings: Mapping[str, tuple[str, str]] = MappingProxyType({}), **meta: str
) -> gx.ExpectationSuite:
    """Return the suite of some rules, each a bound on the column of its name.

    `meanings` gives the sentences of a rule, in French and in English; `meta` is kept with the suite.
    """
    expectations = []
    for rule in rules:
        french, english = meanings.get(rule.name, (None, None))
        expectations.append(
            ExpectColumnValuesToBeBetween(
                column=rule.name,
                min_value=rule.least,
                max_value=rule.most,
                severity=FailureSeverity(rule.severity.value),
                description=french,
                notes=english,
                meta={"rule": rule.name},
            )
        )
    return gx.ExpectationSuite(name=name, expectations=expectations, meta=meta)


def add_checkpoint(context: Any, suite: gx.ExpectationSuite, result_format: Mapping[str, Any]) -> gx.Checkpoint:
    """Add a checkpoint to a context, under the name of its suite: it validates a frame with a column per rule."""
    sources = context.data_sources
    source = sources.get(SOURCE) if SOURCE in sources.all() else sources.add_pandas(SOURCE)
    known = {asset.name: asset for asset in source.assets}
    asset = known.get(suite.name) or source.add_dataframe_asset(suite.name)
    batches = {batch.name: batch for batch in asset.batch_definitions}
    data = batches.get(WHOLE) or asset.add_batch_definition_whole_dataframe(WHOLE)
    definition = gx.ValidationDefinition(name=suite.name, data=data, suite=context.suites.add_or_update(suite))
    definition = context.validation_definitions.add_or_update(definition)
    checkpoint = gx.Checkpoint(name=suite.name, validation_definitions=[definition], result_format=dict(result_format))
    added: gx.Checkpoint = context.checkpoints.add_or_update(checkpoint)
    return added


def judge(suite: str, rules: Sequence[Bounded], rows: Iterable[Mapping[str, float]]) -> list[Judgement]:
    """Judge every row by every rule, in the order of the rules.

    A row gives a number for the name of each rule; ordinals count from 0. A rule that Great Expectations could not
    evaluate, or with missing values, fails for every row.
    """
    numbers = np.array([[float(row[rule.name]) for rule in rules] for row in rows])
    if not numbers.size:
        return [Judgement(rule.name, rule.severity, 0, frozenset()) for rule in rules]
    failed = _failed_numbers(suite, rules, numbers)
    return [Judgement(rule.name, rule.severity, len(numbers), failed[at]) for at, rule in enumerate(rules)]


def _failed_numbers(suite: str, rules: Sequence[Bounded], numbers: np.ndarray) -> list[frozenset[int]]:
    """Return the failing rows of each rule.

    Rules of the same bounds are one expectation, on one column of all their numbers: an expectation costs about 10 ms,
    and nearly all rules say that a count is 0.
    """
    every = frozenset(range(len(numbers)))
    missing = np.isnan(numbers).any(axis=0)
    failed = [every if lacks else frozenset() for lacks in missing]
    alike: dict[tuple[float | None, float | None], list[int]] = {}
    for at, rule in enumerate(rules):
        if not missing[at]:
            alike.setdefault((rule.least, rule.most), []).append(at)
    for (least, most), members in alike.items():
        places = [(row, at) for row in range(len(numbers)) for at in members]
        frame = pd.DataFrame(places, columns=[ROW, RULE])
        frame[VALUE] = numbers[:, members].ravel()
        batch = any_frame(suite).get_batch(batch_parameters={"dataframe": frame})
        bound = ExpectColumnValuesToBeBetween(column=VALUE, min_value=least, max_value=most)
        found = _failed_places(batch.validate(bound, result_format=_ORDINALS_ONLY), len(frame))
        for at in members:
            failed[at] = every if found is None else frozenset(row for row, rule in found if rule == at)
    return failed


@cache
def any_frame(suite: str) -> Any:
    """Return what makes a batch of any frame, once in a process: it costs more than an expectation."""
    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")  # without telemetry
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    return (
        context.data_sources.add_pandas(SOURCE).add_dataframe_asset(suite).add_batch_definition_whole_dataframe(WHOLE)
    )


def _failed_places(result: Any, count: int) -> set[tuple[int, int]] | None:
    """Return the ordinals of row and rule of the failing ones of `count` numbers; None if they were not evaluated."""
    if result.exception_info.get("raised_exception"):
        return None
    told = result.result
    found = told.get("unexpected_index_list") or ()
    places = {place for item in found for place in zip(map(int, item[ROW]), map(int, item[RULE]), strict=True)}
    complete = told.get("element_count") == count and told.get("missing_count") == 0
    agrees = len(places) == told.get("unexpected_count") and result.success == (not places)
    return places if complete and agrees else None
