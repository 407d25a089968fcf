"""From a mark on a de-identified text to a mention that a tagger is trained on."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from deid.cli import main
from deid.config.settings import settings
from deid.domain.document import Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from deid.ledger import audit
from deid.reviews import lifecycle, reading
from deid.reviews.marks import ErrorKind
from nocturne_lab.evaluation.corpus import gold_record, load_corpus
from nocturne_lab.hospital.annotations import Annotation, correct_mentions
from nocturne_lab.learning.exchange.rounds import adjudicate_round, take_reviews
from tests.conftest import Database
from tests.database.reviews.test_reviews import begin, finish, lines, mark, opened, staged, steward
from tests.database.warehouse.small_hospital import LETTER, NIGHT, put, withdraw

__all__ = ["staged"]  # the fixture


def close(database: Database, review: int) -> None:
    with steward(database) as cursor:
        lifecycle.close_review(cursor, review, "intendante")


def surrogate(database: Database, review: int, ordinal: int, label: str) -> str:
    """The first surrogate of a label in a document."""
    found: reading.ReadDocument = begin(database, review, ordinal)
    span = next(span for span in found.surrogates if span.label == label)
    return found.text[span.start : span.end]


def test_a_marked_mention_becomes_a_training_mention(
    staged: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = opened(staged)
    mark(staged, review, "bisoprolol", label=Label.PERSON)
    date = surrogate(staged, review, 2, "DATE")
    mark(staged, review, date, ordinal=2, kind=ErrorKind.NOT_IDENTIFYING, label=None)
    city = surrogate(staged, review, 3, "PATIENT")
    mark(staged, review, city, ordinal=3, kind=ErrorKind.WRONG_LABEL, label=Label.DOCTOR)
    finish(staged, review, 1, 2, 3, 4)
    ids = {ordinal: begin(staged, review, ordinal).document_id for ordinal in (1, 2, 3, 4)}
    close(staged, review)

    out = tmp_path / "relus.jsonl"
    assert main(["annotations", "export", str(out)]) == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert len(lines(staged, audit.Action.EXPORT)) == 1
    documents = {one.document.id: one for one in load_corpus(out)}
    assert set(documents) == set(ids.values())

    def surfaces(ordinal: int, label: Label) -> list[str]:
        one = documents[ids[ordinal]]
        return [one.document.text[m.start : m.end] for m in one.mentions if m.label is label]

    assert documents[ids[1]].document.patient.last_name == "VASSEROT"
    assert surfaces(1, Label.PERSON) == ["bisoprolol"]
    assert surfaces(4, Label.PERSON) == []
    machine = len(documents[ids[4]].mentions)
    assert [len(documents[ids[ordinal]].mentions) for ordinal in (1, 2, 3)] == [machine + 1, machine - 1, machine]
    assert "14/05/1961" in surfaces(4, Label.DATE)
    assert len(surfaces(2, Label.DATE)) == len(surfaces(4, Label.DATE)) - 1
    assert len(surfaces(3, Label.DOCTOR)) == len(surfaces(4, Label.DOCTOR)) + 1

    # The same as the worker reads it, for a training from Airflow; and beside an annotator.
    monkeypatch.setenv("NOCTURNE_EXCHANGE_FOLDER", str(tmp_path / "exchange"))
    settings.cache_clear()
    corpora = tmp_path / "exchange" / "tour1" / "corpora"
    (tmp_path / "exchange").mkdir(mode=0o700)
    told = {"requested_by": "c.morel", "reason": "premier modèle"}
    assert take_reviews("tour1", **told) == {"documents": 4, "left_out": 0}
    assert {one.document.id: one for one in load_corpus(corpora / "review.jsonl")} == documents
    other = replace(documents[ids[1]], annotator="ab", mentions=documents[ids[1]].mentions[1:])
    (corpora / "ab.jsonl").write_text(json.dumps(gold_record(other)) + "\n", encoding="utf-8")
    assert adjudicate_round("tour1", **told) == {"disagreements": 1, "undecided": 1, "documents": 0}
    files = [str(out), str(corpora / "ab.jsonl")]
    assert main(["annotations", "adjudicate", *files, "--out", str(tmp_path / "differ.jsonl")]) == 0
    passage = json.loads((tmp_path / "differ.jsonl").read_text(encoding="utf-8"))
    assert [option["annotators"] for option in passage["options"]] == [["ab"], ["review"]]
    put(staged, ids[2], LETTER + "Corrigée.")
    withdraw(staged, ids[3], NIGHT)
    assert take_reviews("tour1", **told) == {"documents": 2, "left_out": 2}


def test_what_changed_or_was_not_read_by_all_is_left_out(
    staged: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    review = opened(staged)
    mark(staged, review, "bisoprolol", label=Label.PERSON)
    finish(staged, review, 1, 2)
    changed = begin(staged, review, 2).document_id
    begin(staged, review, 3)
    out = tmp_path / "relus.jsonl"
    assert main(["annotations", "export", str(out)]) == 0  # the review is open
    with pytest.raises(InputRefused, match="no document"):
        load_corpus(out)
    close(staged, review)
    put(staged, changed, LETTER + "Corrigée.")
    assert main(["annotations", "export", str(out)]) == 1
    assert len(load_corpus(out)) == 1
    told = capsys.readouterr().err
    assert changed in told
    assert "VASSEROT" not in told


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"id": "a", "text": 3, "mentions": []}',
        '{"id": "a", "text": "abc", "mentions": [{"start": 0, "end": 9, "label": "ID"}]}',
        '{"id": "a", "text": "abc", "mentions": [{"start": 0, "end": 2, "label": "NOM"}]}',
        '{"id": "a", "text": "abc", "mentions": [{"start": 0, "end": 2, "label": "ID"}, '
        '{"start": 1, "end": 3, "label": "ID"}]}',
        '{"id": "a", "text": "abc", "mentions": [], "patient": {"birth_date": "hier"}}',
    ],
)
def test_a_line_that_cannot_be_trained_on_is_refused_and_not_quoted(tmp_path: Path, line: str) -> None:
    path = tmp_path / "relus.jsonl"
    good = json.dumps({"id": "b", "text": "Jo", "mentions": [{"start": 0, "end": 2, "label": "PATIENT"}]})
    path.write_text(f"{good}\n{line}\n", encoding="utf-8")
    with pytest.raises(InputRefused, match=r"relus.jsonl, line 2") as refused:
        load_corpus(path)
    assert "abc" not in str(refused.value)


def test_people_correct_the_machine_and_a_label_wins_over_none() -> None:
    found = [Mention(0, 4, Label.CITY), Mention(10, 14, Label.DATE), Mention(20, 24, Label.ID)]
    said = [
        *(Annotation(2, 9, Label.PATIENT), Annotation(3, 6, Label.DOCTOR)),
        *(Annotation(10, 14, None), Annotation(20, 24, None), Annotation(20, 22, Label.NDA)),
    ]
    assert correct_mentions(found, said) == (Mention(2, 9, Label.PATIENT), Mention(20, 22, Label.NDA))
    assert correct_mentions(found, []) == tuple(found)
