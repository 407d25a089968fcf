"""Judge numbers by bounds with Great Expectations, on a frame that contains only numbers.

This module imports Great Expectations, which takes seconds: import it in the functions that judge.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

os.environ["GX_ANALYTICS_ENABLED"] = "False"  # read when the library is imported

import great_expectations as gx
import pandas as pd
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.expectations.core.expect_column_pair_values_a_to_be_greater_than_b import (
    ExpectColumnPairValuesAToBeGreaterThanB,
)

from deid.domain.outcomes import Severity

# Columns: one line for each number, with the bounds of its rule and its ordinal.
NUMBER, LEAST, MOST, ROW = "number", "least", "most", "row"
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


def judge(suite: str, rules: Sequence[Bounded], rows: Iterable[Mapping[str, float]]) -> list[Judgement]:
    """Judge every row by every rule, in the order of the rules.

    A row gives a number for the name of each rule; ordinals count from 0. A rule with missing values fails for every
    row; so does every rule if Great Expectations could not evaluate the bounds.
    """
    given = list(rows)
    lines = [(float(row[rule.name]), *_bounds(rule)) for rule in rules for row in given]
    failed = _run(suite, pd.DataFrame(lines, columns=[NUMBER, LEAST, MOST])) if lines else frozenset()
    found = []
    for at, rule in enumerate(rules):
        own = range(at * len(given), (at + 1) * len(given))
        missing = any(math.isnan(lines[line][0]) for line in own)
        ordinals = frozenset(row for row, line in enumerate(own) if missing or line in failed)
        found.append(Judgement(rule.name, rule.severity, len(given), ordinals))
    return found


def _bounds(rule: Bounded) -> tuple[float, float]:
    return (-math.inf if rule.least is None else rule.least, math.inf if rule.most is None else rule.most)


def _run(suite: str, frame: pd.DataFrame) -> frozenset[int]:
    """Return the ordinals of the lines outside their bounds, from an ephemeral context, without telemetry.

    An expectation for each bound, not for each rule: Great Expectations takes ten milliseconds for any expectation.
    """
    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    data = (
        context.data_sources.add_pandas("numbers")
        .add_dataframe_asset(suite)
        .add_batch_definition_whole_dataframe("whole")
    )
    expectations = [
        ExpectColumnPairValuesAToBeGreaterThanB(column_A=above, column_B=below, or_equal=True, ignore_row_if="neither")
        for above, below in ((NUMBER, LEAST), (MOST, NUMBER))
    ]
    definition = context.validation_definitions.add(
        gx.ValidationDefinition(
            name=suite, data=data, suite=context.suites.add(gx.ExpectationSuite(name=suite, expectations=expectations))
        )
    )
    frame[ROW] = range(len(frame))
    outcome = definition.run(batch_parameters={"dataframe": frame}, result_format=_ORDINALS_ONLY)
    every = frozenset(frame[ROW])
    if len(outcome.results) != len(expectations):
        return every
    return frozenset[int]().union(*(_failed(result, every) for result in outcome.results))


def _failed(result: Any, every: frozenset[int]) -> frozenset[int]:
    if result.exception_info.get("raised_exception"):
        return every
    found = result.result
    ordinals = frozenset(int(row) for item in found.get("unexpected_index_list") or () for row in item[ROW])
    agrees = len(ordinals) == found.get("unexpected_count") and result.success == (not ordinals)
    return ordinals if agrees and found.get("element_count") == len(every) else every
