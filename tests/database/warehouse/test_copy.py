"""COPY transfers every value unchanged."""

from __future__ import annotations

from datetime import date, datetime

from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from deid.database.connection import connect
from deid.database.queries import copy_rows
from deid.formats import storable
from tests.conftest import Database

TEXT = st.text(max_size=30).filter(storable)
ROW = st.tuples(
    TEXT | st.sampled_from(["\\N", "\\.", "a\tb", "\\", "\r\n", ""]),
    st.none() | st.integers(-(2**31), 2**31 - 1),
    st.none() | st.booleans(),
    st.none() | st.dates(date(1, 1, 1)),
    st.none() | st.floats(allow_nan=False),
    st.lists(TEXT, max_size=3) | st.dictionaries(TEXT, TEXT, max_size=3),
    st.none() | st.datetimes(datetime(1, 1, 2), datetime(9999, 1, 1)),
)


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(rows=st.lists(ROW, max_size=5))
def test_what_goes_in_comes_out(deployed: Database, rows: list[tuple]) -> None:
    deployed.rows(
        "CREATE TABLE IF NOT EXISTS deid.probe (n int, t text, i int, b boolean, d date, f double precision, j jsonb,"
        " ts timestamp)",
        role="owner",
    )
    columns = ("n", "t", "i", "b", "d", "f", "j", "ts")
    with connect(deployed.owner) as link, link.cursor() as cursor:
        copy_rows(cursor, "deid", "probe", columns, ((n, *row) for n, row in enumerate(rows)))
        cursor.execute("SELECT t, i, b, d, f, j, ts FROM incoming_probe ORDER BY n")
        assert cursor.fetchall() == rows


def test_what_no_text_column_holds_is_known_beforehand() -> None:
    assert storable("é\U0001f600\t\n")
    assert not storable("a\x00b")
    assert not storable("a\ud800b")


def test_a_second_copy_adds_and_the_table_goes_with_the_transaction(deployed: Database) -> None:
    with connect(deployed.owner) as link, link.cursor() as cursor:
        for name in ("a", "b"):
            copy_rows(cursor, "deid", "withdrawal", ("document_id",), [[name]])
        cursor.execute("SELECT document_id FROM incoming_withdrawal ORDER BY 1")
        assert cursor.fetchall() == [("a",), ("b",)]
        link.commit()
        cursor.execute("SELECT to_regclass('incoming_withdrawal')")
        assert cursor.fetchone() == (None,)
