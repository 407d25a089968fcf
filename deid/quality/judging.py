"""Judge numbers by bounds with Great Expectations, on a frame that contains only numbers.

This module imports Great Expectations, which takes seconds: import it in the functions that judge.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

os.environ["GX_ANALYTICS_ENABLED"] = "False"  # read when the library is imported

import great_expectations as gx
import pandas as pd
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.expectations.core.expect_column_values_to_be_between import ExpectColumnValuesToBeBetween
from great_expectations.expectations.metadata_types import FailureSeverity

from deid.domain.outcomes import Severity

SOURCE, WHOLE = "numbers", "whole"  # data source and batch definition of every checkpoint
ROW = "row"  # column of the row ordinals
# Ordinals of failing rows and counts, never a value
_ORDINALS_ONLY = {
    "result_format": "COMPLETE",
    "unexpected_index_column_names": [ROW],
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
    frame = pd.DataFrame(
        [[float(row[rule.name]) for rule in rules] for row in rows], columns=[rule.name for rule in rules]
    )
    if frame.empty:
        return [Judgement(rule.name, rule.severity, 0, frozenset()) for rule in rules]
    frame[ROW] = range(len(frame))
    results = _run(suite, rules, frame)
    return [_judgement(rule, results.get(rule.name), len(frame)) for rule in rules]


def _run(suite: str, rules: Sequence[Bounded], frame: pd.DataFrame) -> dict[str, Any]:
    """Return the result of each rule by name, from an ephemeral context, without telemetry.

    The suite validates the batch directly: adding a checkpoint to the context would take as long as two thirds of this.
    """
    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    asset = context.data_sources.add_pandas(SOURCE).add_dataframe_asset(suite)
    batch = asset.add_batch_definition_whole_dataframe(WHOLE).get_batch(batch_parameters={"dataframe": frame})
    outcome = batch.validate(expectation_suite(suite, rules), result_format=_ORDINALS_ONLY)
    return {
        result.expectation_config.meta["rule"]: result
        for result in outcome.results
        if result.expectation_config and result.expectation_config.meta
    }


def _judgement(rule: Bounded, result: Any, rows: int) -> Judgement:
    every = frozenset(range(rows))
    failed = every
    if result is not None and not result.exception_info.get("raised_exception"):
        found = result.result
        ordinals = frozenset(int(row) for item in found.get("unexpected_index_list") or () for row in item[ROW])
        complete = found.get("element_count") == rows and found.get("missing_count") == 0
        agrees = len(ordinals) == found.get("unexpected_count") and result.success == (not ordinals)
        failed = ordinals if complete and agrees else every
    return Judgement(rule.name, rule.severity, rows, failed)
