"""Schema of researchers beside the texts: comments, integer ids, OMOP views that join, perturbations, columns."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import psycopg2
import pytest
import yaml
from scipy.stats import spearmanr

from deid.config import policy as policies
from deid.config.policy import next_rewriting
from deid.config.settings import settings
from deid.domain import PARIS
from deid.nightly import runtime
from deid.privacy.perturbations import describe_policy
from deid.publication.publish import make_visible
from docs import dictionary
from tests import ROOT
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put, withdraw

Serve = Callable[..., None]


@pytest.fixture
def hospital(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    decide(monkeypatch, tmp_path)
    open_hospital(deployed, opaque=True)
    put(deployed, "letter", LETTER)
    put(deployed, "page", PAGE, patient="P000002", format="text/html")
    return deployed


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    """Give the policy in force another `publication`."""

    def with_publication(**publication: Any) -> None:
        path = tmp_path / "policy.yaml"
        path.write_text(path.read_text("utf-8") + yaml.safe_dump({"publication": publication}), "utf-8")
        settings.cache_clear()

    return with_publication


def read(hospital: Database, statement: str, parameters: object = None) -> list[tuple]:
    return hospital.rows(statement, parameters, role="researcher")


def test_every_table_and_column_has_a_comment_in_both_languages(postgres: Database) -> None:
    comments = read(
        postgres,
        "SELECT c.relname, a.attname, col_description(c.oid, a.attnum)"
        " FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
        " WHERE c.relnamespace = 'research'::regnamespace AND c.relkind IN ('r', 'v', 'm')"
        " UNION ALL SELECT relname, '', obj_description(oid, 'pg_class') FROM pg_class"
        " WHERE relnamespace = 'research'::regnamespace AND relkind IN ('r', 'v', 'm')",
    )
    assert sum(not column for _, column, _ in comments) == 11
    assert not [(table, column) for table, column, text in comments if not text or " / " not in text]


def test_omop_views_join_on_stored_and_indexed_ids(hospital: Database) -> None:
    put(hospital, "second", LETTER + "\nSuites simples.")
    hospital.rows("INSERT INTO research.loinc_concept VALUES ('34105-7', 3030023)", role="owner")
    night("night")
    joined = read(
        hospital,
        "SELECT n.note_source_value, p.person_source_value, v.visit_source_value, n.note_class_concept_id,"
        " n.note_date BETWEEN v.visit_start_date AND v.visit_end_date"
        " FROM research.note AS n JOIN research.person AS p USING (person_id)"
        " JOIN research.visit_occurrence AS v USING (visit_occurrence_id, person_id)",
    )
    assert {row[3:] for row in joined} == {(3030023, True)}
    assert sorted(row[:3] for row in joined) == read(
        hospital, "SELECT document_id, patient_id, stay_id FROM research.document ORDER BY 1"
    )
    assert read(hospital, "SELECT count(*), count(DISTINCT person_id) FROM research.person") == [(2, 2)]
    assert read(hospital, "SELECT count(*) FROM research.visit_occurrence") == [(2,)]
    numbers = "SELECT document_id, note_id, patient_id, person_id, stay_id, visit_occurrence_id FROM research.document"
    for column in range(0, 6, 2):
        pairs = {row[column : column + 2] for row in read(hospital, numbers)}
        assert len({name for name, _ in pairs}) == len({number for _, number in pairs}) == len(pairs)
        assert all(0 < number < 2**31 for _, number in pairs)
    indexed = dict(
        read(
            hospital,
            "SELECT a.attname, EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = a.attrelid"
            " AND i.indkey[0] = a.attnum) FROM pg_attribute AS a WHERE a.attrelid = 'research.document'::regclass"
            " AND a.attname IN ('note_id', 'person_id', 'visit_occurrence_id')",
        )
    )
    assert indexed == dict.fromkeys(("note_id", "person_id", "visit_occurrence_id"), True)


def test_a_class_without_a_concept_is_0_and_ids_outlast_the_night(hospital: Database) -> None:
    night("night")
    ids = "SELECT note_source_value, note_id, person_id, visit_occurrence_id, note_class_concept_id FROM research.note"
    before = {row[0]: row[1:] for row in read(hospital, ids)}
    assert {row[-1] for row in before.values()} == {0}
    assert len({number for row in before.values() for number in row[:-1]}) == 6
    put(hospital, "letter", LETTER + "\nCorrigé.", at=NIGHT + DAY)
    put(hospital, "third", LETTER + "\nAutre.", at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    after = {row[0]: row[1:] for row in read(hospital, ids)}
    assert len(after) == 3
    assert {name: after[name] for name in before} == before


GIVEN = "SELECT array_agg(deid.omop_id_of(%s, n.name) ORDER BY n.place) FROM unnest(%s::text[])"
GIVEN += " WITH ORDINALITY AS n (name, place)"


def give(hospital: Database, kind: str, names: list[str]) -> list[int]:
    """Return the ids of names, given as the publisher does, in the order of the names."""
    ((found,),) = hospital.rows(GIVEN, (kind, names), role="publisher")
    return list(found)


def test_integer_ids_are_unique_small_kept_and_of_no_order(hospital: Database) -> None:
    """Of 20,000 ids that came one after the other, ranks do not go with arrival: |ρ| < 5 / √n but once in a million."""
    names = [f"p{number:05}" for number in range(20_000)]
    with ThreadPoolExecutor(4) as pool:  # overlapping, at once
        parts = list(
            pool.map(lambda start: give(hospital, "patient", names[start : start + 8000]), range(0, 16_000, 4000))
        )
    ids = give(hospital, "patient", names)
    assert [ids[start : start + 8000] for start in range(0, 16_000, 4000)] == parts
    assert len(set(ids)) == len(ids)
    assert min(ids) > 0
    assert max(ids) < 2**31
    assert abs(spearmanr(range(len(ids)), ids).statistic) < 5 / len(ids) ** 0.5
    assert max(ids) - min(ids) > 2**30, "of the whole range"
    assert set(give(hospital, "stay", names[:100])) != set(ids[:100]), "each kind has its own"


def test_integer_ids_are_a_permutation_of_numbers_that_no_two_transactions_share(hospital: Database) -> None:
    """Two transactions that hold ids of each other's choice would wait in a circle; a number is given once."""
    ((found, distinct, least, most),) = hospital.rows(
        "SELECT count(*), count(DISTINCT p.id), min(p.id), max(p.id)"
        " FROM deid.omop_id_key AS k, generate_series(0, 9999) AS s (n),"
        " LATERAL (VALUES (deid.permuted(n, k.key)), (deid.permuted(2147483646 - n, k.key))) AS p (id)"
    )
    assert found == distinct == 20_000
    assert 0 <= least < most < 2**31 - 1
    for name in ("deid.omop_id_key", "deid.omop_id_number"):
        for role in ("researcher", "steward", "publisher", "worker"):
            with pytest.raises(psycopg2.errors.InsufficientPrivilege):
                hospital.rows(f"SELECT * FROM {name}", role=role)


def test_an_id_that_is_given_already_is_drawn_again(hospital: Database) -> None:
    given = give(hospital, "patient", ["one", "two"])
    hospital.rows("SELECT setval('deid.omop_id_number', 0, false)")
    again = give(hospital, "patient", ["one", "three"])
    assert again[0] == given[0]
    assert again[1] not in given


@pytest.mark.usefixtures("hospital")
def test_ids_go_on_below_2_53_where_none_is_free_below_2_31(hospital: Database) -> None:
    hospital.rows("ALTER TABLE deid.omop_id ADD CONSTRAINT full_range EXCLUDE (kind WITH =) WHERE (id < 2147483648)")
    ids = give(hospital, "document", [f"d{number}" for number in range(50)])
    assert sum(number < 2**31 for number in ids) == 1
    assert len(set(ids)) == 50
    assert max(ids) < 2**53
    assert all(int(float(number)) == number for number in ids)


def test_ids_leave_with_the_last_published_document_but_for_those_of_notes(hospital: Database) -> None:
    night("night")
    kept = "SELECT kind, count(*) FROM deid.omop_id GROUP BY kind ORDER BY kind"
    assert hospital.rows(kept) == [("document", 2), ("patient", 2), ("stay", 2)]
    withdraw(hospital, "letter", NIGHT + DAY)
    night("second", NIGHT + DAY)
    assert hospital.rows(kept) == [("document", 2), ("patient", 1), ("stay", 1)]
    for role in ("researcher", "steward", "publisher", "worker"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            hospital.rows("SELECT id FROM deid.omop_id", role=role)


def test_the_list_of_withdrawals_names_notes_too_and_neither_day_nor_reason(hospital: Database) -> None:
    night("night")
    (note,) = read(
        hospital, "SELECT document_id, note_id FROM research.document WHERE document_type = 'CRH' AND markup IS NULL"
    )
    withdraw(hospital, "letter", NIGHT + DAY)
    night("second", NIGHT + DAY)
    ((name, month, number),) = read(hospital, "SELECT * FROM research.withdrawn_document")
    assert (name, number) == note
    assert re.fullmatch(r"20\d\d-\d\d", month)


def test_researchers_search_words_and_know_until_when_nothing_is_added(hospital: Database) -> None:
    night("night")
    asked = "SELECT count(*) FROM research.document WHERE research.words(text) @@ websearch_to_tsquery('french', %s)"
    assert read(hospital, asked, ("douleurs thoraciques",)) == [(1,)]
    assert read(hospital, asked, ("fibrillation",)) == [(0,)]
    longest = "SELECT length(research.words(string_agg('œdème' || n, ' '))) FROM generate_series(1, %s) AS n"
    assert read(hospital, longest, (300_000,))[0][0] > 20_000, "no text is too long for the index"
    ((rewritten, period, until),) = read(hospital, "SELECT * FROM research.visibility")
    assert (period, until) == ("nightly", rewritten + timedelta(days=1))
    make_visible("weekly", now=datetime(2026, 3, 4, 12, tzinfo=UTC), at_once=True)
    assert read(hospital, "SELECT * FROM research.visibility") == [(date(2026, 3, 4), "weekly", date(2026, 3, 9))]
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        read(hospital, "DELETE FROM research.visibility")


@pytest.mark.parametrize(
    ("period", "day", "expected"),
    [
        ("nightly", date(2026, 12, 31), date(2027, 1, 1)),
        ("weekly", date(2026, 3, 1), date(2026, 3, 2)),
        ("weekly", date(2026, 3, 2), date(2026, 3, 9)),
        ("monthly", date(2026, 1, 31), date(2026, 2, 1)),
        ("monthly", date(2026, 12, 1), date(2027, 1, 1)),
    ],
)
def test_a_period_ends_where_the_next_publication_may_rewrite(period: Any, day: date, expected: date) -> None:
    told = datetime.combine(day, time(12), PARIS)
    assert next_rewriting(period, told, told + timedelta(days=1)) == expected


def test_perturbations_are_those_of_the_policy_of_each_row(hospital: Database, serve: Serve) -> None:
    night("night")
    assert read(hospital, "SELECT DISTINCT policy_hash FROM research.perturbation") == read(
        hospital, "SELECT DISTINCT policy_hash FROM research.document"
    )
    columns = "element, part, strategy, effect, bound, scale, unit, epsilon, epsilon_per"
    told = {tuple(row) for row in read(hospital, f"SELECT {columns} FROM research.perturbation")}
    assert told == set(describe_policy(runtime.policy()))
    stay = "SELECT scale, unit, epsilon, epsilon_per FROM research.perturbation WHERE element = 'DATE' AND part = %s"
    assert read(hospital, stay, ("séjour",)) == [(400.0, "jour", 0.005, "jour")]
    assert read(hospital, stay, ("décalage du patient",)) == [(180.0, "jour", pytest.approx(1 / 180), "jour")]
    names = read(hospital, "SELECT DISTINCT element FROM research.perturbation WHERE element LIKE 'document.%'")
    there = read(
        hospital,
        "SELECT 'document.' || column_name FROM information_schema.columns WHERE table_schema = 'research'"
        " AND table_name = 'document' AND column_name NOT IN ('policy_hash', 'pipeline_version', 'detector_version',"
        " 'key_fingerprint', 'file_type', 'file_suffix')",
    )
    assert set(names) == set(there)
    gone = "jsonb_set(content, '{detection,repeat_across_documents}', 'true')"  # of an earlier version
    hospital.rows(f"UPDATE deid.policy SET content = {gone}")
    serve(columns=["sex"])
    put(hospital, "third", LETTER + "\nAutre.", at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    sex = "SELECT count(*), count(DISTINCT strategy) FROM research.perturbation WHERE element = 'document.sex'"
    assert read(hospital, sex) == [(2, 2)]


@pytest.mark.parametrize("path", sorted(policies.DEFAULT.parent.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_policy_that_ships_tells_each_label_once(path: Path) -> None:
    told = describe_policy(policies.load(path))
    assert len({(one.element, one.part) for one in told}) == len(told)
    assert all(one.epsilon_per for one in told if one.epsilon is not None)
    assert all(one.unit for one in told if one.scale is not None or one.bound is not None)


def test_the_default_policy_publishes_no_column_beside_the_text(hospital: Database) -> None:
    night("night")
    beside = "SELECT DISTINCT sex, age_class, birth_year, service, spans FROM research.document"
    assert read(hospital, beside) == [(None,) * 5]
    assert read(hospital, "SELECT count(*) FROM research.note_nlp") == [(0,)]
    assert read(hospital, "SELECT DISTINCT gender_concept_id, year_of_birth FROM research.person") == [(0, None)]


def test_a_policy_publishes_sex_age_class_birth_year_service_and_spans(hospital: Database, serve: Serve) -> None:
    serve(columns=["sex", "age_class", "birth_year"], services={"CARD": "cardiologie"}, spans=True)
    night("night")
    rows = read(
        hospital,
        "SELECT sex, age_class, birth_year, service, spans IS NOT NULL, text FROM research.document ORDER BY sex",
    )
    assert [row[:2] for row in rows] == [("F", "50-89 ans"), ("M", "50-89 ans")]
    assert [row[3:5] for row in rows] == [("cardiologie", True), (None, True)]
    (born,) = re.findall(r"née le \d\d/\d\d/(\d{4})", rows[0][5])
    assert rows[0][2] == int(born)
    people = read(hospital, "SELECT gender_concept_id, year_of_birth FROM research.person ORDER BY gender_source_value")
    assert people == [(8532, rows[0][2]), (8507, rows[1][2])]
    surrogates = read(
        hospital,
        'SELECT substr(n.note_text, s."offset"::int + 1, length(s.lexical_variant)) = s.lexical_variant,'
        " s.term_modifiers FROM research.note_nlp AS s JOIN research.note AS n USING (note_id)",
    )
    assert {same for same, _ in surrogates} == {True}
    assert {"label=PATIENT", "label=DATE", "label=CITY"} <= {label for _, label in surrogates}
    assert read(hospital, "SELECT count(*) = count(DISTINCT note_nlp_id) FROM research.note_nlp") == [(True,)]
    assert hospital.rows("SELECT permitted FROM deid.count_training()", role="steward") == [(0,)]


def test_another_choice_of_columns_makes_documents_new_and_what_is_staged_cannot_be_changed(
    hospital: Database, serve: Serve
) -> None:
    before = runtime.pipeline_version()
    serve(columns=["sex"])
    assert runtime.pipeline_version() != before
    night("night")
    for role in ("researcher", "steward", "worker"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            hospital.rows("SELECT attributes FROM deid.published_document", role=role)


def test_the_dictionary_is_that_of_the_database(postgres: Database) -> None:
    assert dictionary.page(read(postgres, dictionary.COLUMNS)) == dictionary.PAGE.read_text("utf-8"), (
        "python -m docs.dictionary"
    )


def test_the_statements_of_the_guide_answer_a_researcher(hospital: Database, serve: Serve) -> None:
    serve(spans=True)
    night("night")
    withdraw(hospital, "page", NIGHT + DAY)
    night("second", NIGHT + DAY)
    guide = (ROOT / "docs/fr/guide-chercheur.md").read_text("utf-8")
    answers = [read(hospital, statement) for statement in re.findall(r"```sql\n(.*?)```", guide, re.DOTALL)]
    assert len(answers) == 6
    assert all(answers)
    assert [len(answers[place]) for place in (0, 1, 2, 5)] == [1, 1, 1, 1]
