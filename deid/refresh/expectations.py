"""Great Expectations on a sample of the staged rows: order of the columns, types, forms and bounds of the values.

Importing this module imports Great Expectations, which takes seconds.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

os.environ["GX_ANALYTICS_ENABLED"] = "False"  # read when the library is imported

import great_expectations as gx
import pandas as pd
from great_expectations.expectations.core.expect_column_values_to_be_between import ExpectColumnValuesToBeBetween
from great_expectations.expectations.core.expect_column_values_to_be_of_type import ExpectColumnValuesToBeOfType
from great_expectations.expectations.core.expect_column_values_to_match_regex import ExpectColumnValuesToMatchRegex
from great_expectations.expectations.core.expect_column_values_to_not_be_null import ExpectColumnValuesToNotBeNull
from great_expectations.expectations.core.expect_table_columns_to_match_ordered_list import (
    ExpectTableColumnsToMatchOrderedList,
)
from great_expectations.expectations.expectation import Expectation
from psycopg2 import sql
from psycopg2.extensions import cursor as Cursor

from deid.domain.errors import ReferenceRefused
from deid.quality.judging import any_frame
from deid.refresh.sources import ReferenceSource
from deid.refresh.sources.source import ValueRule

SAMPLE = 2_000
# Whole pages of the table, by a fixed seed: the same file is always judged on the same rows.
_SAMPLE = sql.SQL(
    "SELECT {} FROM stage TABLESAMPLE SYSTEM (%(percent)s) REPEATABLE (0) ORDER BY hashtext(stage::text) LIMIT %(most)s"
)
_COUNTS_ONLY = {"result_format": "SUMMARY", "partial_unexpected_count": 0, "exclude_unexpected_values": True}


def check_sample(cursor: Cursor, source: ReferenceSource, rows: int) -> None:
    """Check a sample of the staging table, of `rows` rows, against the rules of the source.

    Raises:
        ReferenceRefused: a column or a value breaks a rule; names the columns, never a value.
    """
    columns = [rule.column for rule in source.rules]
    # Great Expectations cannot query the staging table, which only this transaction sees.
    percent = min(100.0, 100 * 5 * SAMPLE / max(rows, 1))
    statement = _SAMPLE.format(sql.SQL(", ").join(map(sql.Identifier, columns)))
    cursor.execute(statement, {"percent": percent, "most": SAMPLE})
    sample = cursor.fetchall()
    if failed := _failed_rules(source.name, source.rules, columns, sample):
        raise ReferenceRefused(
            f"{source.name}: in a sample of {len(sample)} rows {'; '.join(failed)}.",
            "It is not the expected file; the version in use stays.",
        )


def _failed_rules(
    name: str, rules: Sequence[ValueRule], columns: Sequence[str], rows: Sequence[Sequence[Any]]
) -> list[str]:
    """Descriptions of the rules that `rows` break, without values."""
    plain = [[float(cell) if isinstance(cell, Decimal) else cell for cell in row] for row in rows]
    frame = pd.DataFrame(plain, columns=list(columns), dtype=object)
    suite = gx.ExpectationSuite(name=name, expectations=_expectations(rules))
    batch = any_frame("staged").get_batch(batch_parameters={"dataframe": frame})
    outcome = batch.validate(suite, result_format=_COUNTS_ONLY)
    return [_describe_failure(result) for result in outcome.results if not result.success]


def _expectations(rules: Sequence[ValueRule]) -> list[Expectation]:
    """Order of the columns, then of each column: presence, type, form, bounds."""
    suite: list[Expectation] = [
        ExpectTableColumnsToMatchOrderedList(
            column_list=[rule.column for rule in rules], meta={"says": "the columns are not those expected"}
        )
    ]
    for rule in rules:
        column = rule.column
        suite.append(
            ExpectColumnValuesToBeOfType(
                column=column, type_=rule.kind.__name__, meta={"says": f"{column} is not of type {rule.kind.__name__}"}
            )
        )
        if not rule.optional:
            suite.append(ExpectColumnValuesToNotBeNull(column=column, meta={"says": f"{column} is missing"}))
        if rule.pattern is not None:
            says = {"says": f"{column} does not fit {rule.pattern}"}
            suite.append(ExpectColumnValuesToMatchRegex(column=column, regex=f"^(?:{rule.pattern})$", meta=says))
        if rule.least is not None or rule.most is not None:
            says = {"says": f"{column} is beyond its bounds"}
            suite.append(
                ExpectColumnValuesToBeBetween(column=column, min_value=rule.least, max_value=rule.most, meta=says)
            )
    return suite


def _describe_failure(result: Any) -> str:
    says = str(result.expectation_config.meta["says"])
    count = (result.result or {}).get("unexpected_count")
    return f"{says} ({count})" if count else says
