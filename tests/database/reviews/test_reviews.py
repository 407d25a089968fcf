"""A review on a real database: from a staged night to a bound, annotations, and erased texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from psycopg2.extensions import cursor as Cursor

from deid.config.policy import Review as ReviewPolicy
from deid.config.settings import settings
from deid.database.connection import connect
from deid.database.queries import query
from deid.domain.errors import ReviewRefused
from deid.domain.labels import Label
from deid.ledger import audit
from deid.ledger.steps import read_mentions
from deid.publication.publish import publish_interval
from deid.release import actions
from deid.reviews import ReviewProblem, lifecycle, progress, reading
from deid.reviews.bounds import most_leaking
from deid.reviews.estimate import (
    Estimate,
    Mentions,
    Outlook,
    bound_in_words,
    cohen_kappa,
    estimate_leaks,
    foresee,
    interval_in_words,
    measure_agreement,
)
from deid.reviews.lifecycle import SamplePlan, list_staged_intervals, open_review
from deid.reviews.marks import ErrorKind, Mark, list_marks
from deid.reviews.progress import find_review, list_reviews, list_sampled
from deid.stewardship.overview import read_overview
from tests.conftest import Database, Deploy
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put, withdraw

KEY = "2026-03-02"
STRICT = SamplePlan(0.01, 0.95, 1)
TWICE = SamplePlan(0.01, 0.95, 2)


@contextmanager
def steward(database: Database) -> Iterator[Cursor]:
    with connect(database.dsn("steward")) as link, link.cursor() as cursor:
        yield cursor


def stage_six(database: Database) -> None:
    open_hospital(database)
    for number in range(1, 7):
        put(database, f"D{number:06}", LETTER + f"Numéro d'ordre de la lettre : {number}.\n")
    process("nuit-1")


@pytest.fixture
def staged(deploy: Deploy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """Six letters wait for publication."""
    decide(monkeypatch, tmp_path)
    return deploy(stage_six)


def opened(database: Database, plan: SamplePlan = STRICT) -> int:
    with steward(database) as cursor:
        return open_review(cursor, KEY, plan, "intendante")


def begin(database: Database, review: int, ordinal: int = 1, reader: str = "intendante") -> reading.ReadDocument:
    with steward(database) as cursor:
        return reading.begin_reading(cursor, review, ordinal, reader)


def mark(
    database: Database,
    review: int,
    passage: str,
    *,
    ordinal: int = 1,
    reader: str = "intendante",
    kind: ErrorKind = ErrorKind.MISSED,
    label: Label | None = Label.DOCTOR,
) -> Mark:
    text = begin(database, review, ordinal, reader).text
    start = text.index(passage)
    with steward(database) as cursor:
        return reading.add_mark(cursor, review, ordinal, reader, kind, label, start, start + len(passage))


def finish(database: Database, review: int, *ordinals: int, reader: str = "intendante") -> None:
    for ordinal in ordinals:
        begin(database, review, ordinal, reader)
        with steward(database) as cursor:
            reading.finish_reading(cursor, review, ordinal, reader)


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(ReviewRefused) as refused:
        act()
    return refused.value.why


def lines(database: Database, action: audit.Action) -> list[tuple[str, str]]:
    with steward(database) as cursor:
        return [(line.actor, line.object) for line in audit.list_lines(cursor, action=action)]


def texts(database: Database) -> int:
    return database.rows("SELECT count(*) FROM deid.review_document WHERE text IS NOT NULL OR spans IS NOT NULL")[0][0]


def test_a_review_is_a_random_sample_of_what_is_staged(staged: Database) -> None:
    with steward(staged) as cursor:
        (before,) = list_staged_intervals(cursor)
        first = open_review(cursor, KEY, SamplePlan(0.2, 0.8, 1), "intendante", seed="une graine")
        assert (before.interval_key, before.documents, before.review_id) == (KEY, 6, None)
        assert list_staged_intervals(cursor, KEY)[0].review_id == first
        review = find_review(cursor, first)
    assert (review.population, review.sample, review.finished, review.wanted) == (6, 4, 0, 4)
    drawn = staged.rows("SELECT document_id FROM deid.review_document ORDER BY ordinal")
    assert drawn == staged.rows(
        "SELECT document_id FROM deid.document ORDER BY sha256(convert_to('une graine' || document_id, 'UTF8')) LIMIT 4"
    )
    assert staged.rows(
        "SELECT count(*) FROM deid.review_document AS r JOIN deid.candidate AS c USING (run_id, document_id)"
        " WHERE r.text = c.text AND r.surrogates = jsonb_array_length(c.spans)"
    ) == [(4,)]
    assert lines(staged, audit.Action.OPEN_REVIEW) == [("intendante", f"review {first}")]


def test_two_stewards_who_open_it_at_once_open_one(staged: Database) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert len({*pool.map(lambda _: opened(staged), range(4))}) == 1
    assert staged.rows("SELECT count(*) FROM deid.review") == [(1,)]


def test_nothing_staged_is_nothing_to_review(deployed: Database) -> None:
    assert refusal(lambda: opened(deployed)) == ReviewProblem.NOTHING_STAGED


def test_every_text_shown_is_recorded_with_who_saw_it(staged: Database) -> None:
    review = opened(staged)
    shown_ids = [begin(staged, review, ordinal, "intendante").document_id for ordinal in (1, 2, 1)]
    assert lines(staged, audit.Action.READ_TEXT) == [("intendante", f"document {one}") for one in reversed(shown_ids)]


def test_a_reader_goes_on_where_he_stopped_then_to_the_first_that_lacks_a_reader(staged: Database) -> None:
    review = opened(staged)

    def following(reader: str) -> int | None:
        with steward(staged) as cursor:
            return reading.next_document(cursor, review, reader)

    assert following("intendante") == 1
    begin(staged, review, 1)
    assert (following("intendante"), following("autre")) == (1, 2)
    assert refusal(lambda: begin(staged, review, 1, "autre")) == ReviewProblem.TAKEN
    staged.rows("UPDATE deid.review_reading SET started_at = now() - interval '2 hours'")
    assert following("autre") == 1  # left aside for two hours
    finish(staged, review, 1, 2, 3, 4, 5, 6, reader="autre")
    assert (following("intendante"), following("tierce")) == (1, None)


def test_two_readers_at_the_same_moment_do_not_read_the_same_document(staged: Database) -> None:
    review = opened(staged)

    def attempt(reader: str) -> bool:
        try:
            begin(staged, review, 1, reader)
        except ReviewRefused:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(attempt, [f"lecteur-{number}" for number in range(6)])) == 1


def test_a_mark_is_exact_can_be_sent_twice_and_taken_back(staged: Database) -> None:
    review = opened(staged)
    first = mark(staged, review, "rythme régulier", label=Label.ID)
    assert mark(staged, review, " rythme régulier", label=Label.ID).mark_id == first.mark_id
    document = begin(staged, review, 1)
    source = staged.rows("SELECT content FROM cdw.document WHERE document_id = %s", (document.document_id,))[0][0]
    assert bytes(source).decode()[first.source_start : first.source_end] == "rythme régulier"
    with steward(staged) as cursor:
        reading.remove_mark(cursor, review, 1, "intendante", first.mark_id)
        reading.remove_mark(cursor, review, 1, "intendante", first.mark_id)
        assert list_marks(cursor, review, ordinal=1, reader="intendante") == []
    assert len(lines(staged, audit.Action.UNMARK)) == 1
    with steward(staged) as cursor:
        assert "régulier" not in str([line.details for line in audit.list_lines(cursor)])


def test_only_who_reads_a_document_marks_it_until_it_is_finished(staged: Database) -> None:
    review = opened(staged)
    made = mark(staged, review, "rythme")

    def add(reader: str) -> Mark:
        with steward(staged) as cursor:
            return reading.add_mark(cursor, review, 1, reader, ErrorKind.MISSED, Label.ID, 0, 7)

    def remove(reader: str, mark_id: int) -> None:
        with steward(staged) as cursor:
            reading.remove_mark(cursor, review, 1, reader, mark_id)

    assert refusal(lambda: add("autre")) == ReviewProblem.UNREAD
    assert refusal(lambda: remove("autre", made.mark_id)) == ReviewProblem.UNREAD
    assert refusal(lambda: remove("intendante", 10_000)) == ReviewProblem.UNKNOWN
    finish(staged, review, 1)
    finish(staged, review, 1)
    assert refusal(lambda: add("intendante")) == ReviewProblem.FINISHED
    assert refusal(lambda: begin(staged, review, 99)) == ReviewProblem.UNKNOWN
    assert len(lines(staged, audit.Action.FINISH_READING)) == 1


def test_the_bound_follows_what_was_read_and_never_flatters(staged: Database) -> None:
    review = opened(staged)
    with steward(staged) as cursor:
        assert estimate_leaks(find_review(cursor, review), list_sampled(cursor, review)) is None
    finish(staged, review, 1, 2)
    mark(staged, review, "rythme", ordinal=3)  # seen by a reader who has not finished
    with steward(staged) as cursor:
        found = estimate_leaks(find_review(cursor, review), list_sampled(cursor, review))
    assert found is not None
    assert (found.read, found.leaking, found.at_most, found.reached) == (3, 1, 4, False)
    assert found.mentions.missed == 1
    ((replaced,),) = staged.rows("SELECT sum(surrogates) FROM deid.review_document WHERE ordinal <= 3")
    assert found.mentions.replaced == replaced
    assert bound_in_words(found, "fr") == "au plus 4\u00a0documents sur 6, à 95\u202f%"
    finish(staged, review, 3, 4, 5, 6)
    with steward(staged) as cursor:
        found = estimate_leaks(find_review(cursor, review), list_sampled(cursor, review))
    assert found is not None
    assert found.whole
    assert bound_in_words(found, "fr") == "1 des 6\u00a0documents, tous lus"
    assert interval_in_words(found, "en") == "between 1 and 1 of the 6 documents, with 95% confidence"


def test_a_second_reader_sees_nothing_of_the_first_and_disagreements_are_settled_by_another(staged: Database) -> None:
    review = opened(staged, TWICE)
    lone = mark(staged, review, "rythme", reader="un")
    shared = mark(staged, review, "bisoprolol", reader="un", label=Label.ID)
    begin(staged, review, 1, "deux")
    with steward(staged) as cursor:
        assert list_marks(cursor, review, ordinal=1, reader="deux") == []
    mark(staged, review, "bisoprolol 2,5", reader="deux", label=Label.ID)
    assert refusal(lambda: begin(staged, review, 1, "trois")) == ReviewProblem.TAKEN

    def settle(mark_id: int, senior: str, verdict: progress.Verdict) -> None:
        with steward(staged) as cursor:
            progress.settle_mark(cursor, review, 1, mark_id, senior, verdict)

    finish(staged, review, 1, reader="un")
    assert refusal(lambda: settle(lone.mark_id, "référente", "dismissed")) == ReviewProblem.NOT_READ
    finish(staged, review, 1, reader="deux")
    finish(staged, review, 2, reader="un")
    finish(staged, review, 2, reader="deux")
    with steward(staged) as cursor:
        sampled = list_sampled(cursor, review)
        assert [one.mark_id for one in progress.disputed_marks(sampled[0])] == [lone.mark_id]
        assert [one.ordinal for one in progress.documents_to_settle(find_review(cursor, review), sampled)] == [1]
    (unsettled,) = (one for one in read_overview().findings if one.what == "unsettled")
    assert (unsettled.key, unsettled.facts) == (KEY, {"unsettled": 1, "review": review})
    with steward(staged) as cursor:
        found = measure_agreement(sampled)
    assert found is not None
    assert (found.documents, found.both, found.one, found.none, found.kappa, found.marks) == (2, 1, 0, 1, 1.0, 3)
    assert found.passages == pytest.approx(2 / 3)
    assert refusal(lambda: settle(lone.mark_id, "un", "dismissed")) == ReviewProblem.OWN_MARK
    settle(lone.mark_id, "référente", "dismissed")
    assert "unsettled" not in {one.what for one in read_overview().findings}
    assert refusal(lambda: settle(lone.mark_id, "autre", "upheld")) == ReviewProblem.SETTLED
    with steward(staged) as cursor:
        assert progress.documents_to_settle(find_review(cursor, review), list_sampled(cursor, review)) == []
        assert list_sampled(cursor, review)[0].leaks  # the shared mark stands
    settle(shared.mark_id, "référente", "dismissed")
    with steward(staged) as cursor:
        second = list_marks(cursor, review, reader="deux")[0]
    settle(second.mark_id, "référente", "dismissed")
    with steward(staged) as cursor:
        assert not list_sampled(cursor, review)[0].leaks


@pytest.mark.parametrize(
    ("at_most", "population", "french", "english"),
    [
        (24, 2402, "au plus 10_documents sur 1~000, à 95~%", "at most 10_documents in 1,000, with 95% confidence"),
        (40, 2402, "au plus 17_documents sur 1~000, à 95~%", "at most 17_documents in 1,000, with 95% confidence"),
        (60, 20_000, "au plus 3_documents sur 1~000, à 95~%", "at most 3_documents in 1,000, with 95% confidence"),
        (61, 20_000, "au plus 4_documents sur 1~000, à 95~%", "at most 4_documents in 1,000, with 95% confidence"),
        (1, 40, "au plus 1_document sur 40, à 95~%", "at most 1_document in 40, with 95% confidence"),
        (0, 40, "aucun document, à 95~%", "no document, with 95% confidence"),
    ],
)
def test_the_bound_in_words_is_never_less_than_the_bound(
    at_most: int, population: int, french: str, english: str
) -> None:
    found = Estimate(population, 39, 0, 0.95, 0.01, at_most, (0, at_most), Mentions(0, 0, 0, 0))
    spaces = str.maketrans("_~", "\u00a0\u202f")  # no-break, and narrow no-break
    assert (bound_in_words(found, "fr"), bound_in_words(found, "en")) == (
        french.translate(spaces),
        english.translate(spaces),
    )


def test_kappa_on_a_known_table() -> None:
    answers = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    assert cohen_kappa(answers) == pytest.approx(0.4)
    assert cohen_kappa([(False, False)] * 9) is None
    assert cohen_kappa([]) is None


def test_closing_erases_texts_and_keeps_figures(staged: Database) -> None:
    review = opened(staged)
    mark(staged, review, "rythme")
    finish(staged, review, 1, 2)
    with steward(staged) as cursor:
        before = estimate_leaks(find_review(cursor, review), list_sampled(cursor, review))
        lifecycle.close_review(cursor, review, "intendante")
        assert estimate_leaks(find_review(cursor, review), list_sampled(cursor, review)) == before
        assert [one.review_id for one in list_reviews(cursor, "intendante", "closed")] == [review]
        assert [one.review_id for one in list_reviews(cursor, "intendante", "mine")] == [review]
        assert list_reviews(cursor, "intendante", "open") == list_reviews(cursor, "autre", "mine") == []
    assert texts(staged) == 0
    assert refusal(lambda: begin(staged, review, 3)) == ReviewProblem.CLOSED

    def again() -> None:
        with steward(staged) as cursor:
            lifecycle.close_review(cursor, review, "autre")

    assert refusal(again) == ReviewProblem.CLOSED
    assert staged.rows("SELECT annotator, origin, label FROM deid.annotation") == [
        ("intendante", f"review {review}", "DOCTOR")
    ]


def test_a_withdrawn_document_is_gone_from_its_review_with_its_withdrawal(staged: Database) -> None:
    review = opened(staged)
    document = begin(staged, review, 1).document_id
    withdraw(staged, document, NIGHT + DAY)
    process("nuit-2", NIGHT + DAY)
    # Known, and not yet carried out: nobody reads it any more, and another document is read in its place.
    assert texts(staged) == 6
    assert refusal(lambda: begin(staged, review, 1)) == ReviewProblem.WITHDRAWN
    with steward(staged) as cursor:
        assert reading.next_document(cursor, review, "intendante") == 2
    publish_interval(KEY)
    assert staged.rows("SELECT ordinal, erased_for FROM deid.review_document WHERE text IS NULL") == [(1, "withdrawal")]
    assert refusal(lambda: begin(staged, review, 1)) == ReviewProblem.WITHDRAWN


def test_a_document_withdrawn_once_published_is_gone_from_its_review_too(staged: Database) -> None:
    review = opened(staged)
    document = begin(staged, review, 1).document_id
    publish_interval(KEY)
    assert texts(staged) == 6  # a review outlives its publication
    withdraw(staged, document, NIGHT + DAY)
    publish_interval(process("nuit-2", NIGHT + DAY)["interval_key"])
    assert staged.rows("SELECT ordinal, erased_for FROM deid.review_document WHERE text IS NULL") == [(1, "withdrawal")]


def test_texts_are_not_kept_beyond_their_time(staged: Database) -> None:
    review = opened(staged)
    staged.rows("UPDATE deid.review SET opened_at = now() - interval '89 days'")
    actions.summarise(KEY)
    assert texts(staged) == 6
    staged.rows("UPDATE deid.review SET opened_at = now() - interval '91 days'")
    actions.summarise(KEY)
    assert texts(staged) == 0
    assert refusal(lambda: begin(staged, review, 1)) == ReviewProblem.ERASED


def test_the_policy_opens_a_review_by_itself_once(
    staged: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    actions.summarise(KEY)
    assert staged.rows("SELECT count(*) FROM deid.review") == [(0,)]
    written = (tmp_path / "policy.yaml").read_text(encoding="utf-8")
    automatic = "release: {review: {target: 0.2, readings: 2, automatic: true}}\n"
    (tmp_path / "automatic.yaml").write_text(written + automatic, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(tmp_path / "automatic.yaml"))
    settings.cache_clear()
    for _ in range(2):
        actions.summarise(KEY)
    assert staged.rows("SELECT opened_by, target, readings FROM deid.review") == [("politique", 0.2, 2)]
    assert ReviewPolicy().automatic is False


def test_what_a_patient_objects_to_is_read_no_more(staged: Database) -> None:
    review = opened(staged)
    staged.rows("INSERT INTO deid.opt_out (patient_id, asked_by) VALUES ('P000001', 'intendante')")
    assert refusal(lambda: begin(staged, review, 1)) == ReviewProblem.WITHDRAWN
    with steward(staged) as cursor:
        assert reading.next_document(cursor, review, "intendante") is None
    actions.summarise(KEY)
    assert texts(staged) == 0


@pytest.mark.parametrize("role", ["worker", "reader", "researcher"])
def test_no_other_role_reads_a_text_under_review(staged: Database, role: str) -> None:
    opened(staged)
    with pytest.raises(Exception, match="permission denied"):
        staged.rows("SELECT text FROM deid.review_document", role=role)


ROUGH = SamplePlan(0.34, 0.8, 1)  # of six documents: three to read, five once one leaks


def enlarge(database: Database, review: int, sample: int) -> int:
    with steward(database) as cursor:
        return lifecycle.enlarge_review(cursor, review, sample, "intendante")


def outlook(database: Database, review: int) -> tuple[Outlook, int]:
    with steward(database) as cursor:
        return foresee(find_review(cursor, review), list_sampled(cursor, review))


def drawn(database: Database) -> list[tuple[str]]:
    return database.rows("SELECT document_id FROM deid.review_document ORDER BY ordinal")


def test_a_sample_grows_by_the_next_documents_of_its_order_until_the_precision_is_reached(staged: Database) -> None:
    review = opened(staged, ROUGH)
    before = drawn(staged)
    assert outlook(staged, review) == (Outlook.READ_ON, 3)
    assert refusal(lambda: enlarge(staged, review, 3)) == ReviewProblem.LARGE_ENOUGH
    mark(staged, review, "rythme")
    finish(staged, review, 1, 2, 3)
    assert outlook(staged, review) == (Outlook.TOO_SMALL, 5)
    with ThreadPoolExecutor(3) as pool:
        assert {*pool.map(lambda _: enlarge(staged, review, 3), range(3))} == {5}
    assert drawn(staged)[:3] == before
    ((seed,),) = staged.rows("SELECT seed FROM deid.review")
    assert drawn(staged) == staged.rows(
        "SELECT document_id FROM deid.document ORDER BY sha256(convert_to(%s || document_id, 'UTF8')) LIMIT 5", (seed,)
    )
    assert lines(staged, audit.Action.ENLARGE_REVIEW) == [("intendante", f"review {review}")]
    with steward(staged) as cursor:
        assert (find_review(cursor, review).sample, reading.next_document(cursor, review, "intendante")) == (5, 4)
    finish(staged, review, 4, 5)
    assert outlook(staged, review) == (Outlook.REACHED, 5)
    assert refusal(lambda: enlarge(staged, review, 5)) == ReviewProblem.LARGE_ENOUGH


def test_a_document_withdrawn_unread_is_replaced_by_the_next_of_the_order(staged: Database) -> None:
    review = opened(staged, ROUGH)
    (gone,) = drawn(staged)[0]
    staged.rows(
        "INSERT INTO deid.withdrawal (run_id, document_id) SELECT run_id, document_id FROM deid.review_document"
        " WHERE ordinal = 1"
    )
    finish(staged, review, 2, 3)
    assert outlook(staged, review) == (Outlook.TOO_SMALL, 4)
    assert enlarge(staged, review, 3) == 4
    assert (gone,) not in drawn(staged)[1:]
    finish(staged, review, 4)
    assert outlook(staged, review)[0] == Outlook.REACHED
    with steward(staged) as cursor:
        found = estimate_leaks(find_review(cursor, review), list_sampled(cursor, review))
    assert found is not None
    assert (found.population, found.read) == (5, 3)


def test_what_is_published_is_drawn_from_no_more(staged: Database) -> None:
    review = opened(staged, ROUGH)
    mark(staged, review, "rythme")
    publish_interval(KEY)
    assert refusal(lambda: enlarge(staged, review, 3)) == ReviewProblem.NOT_STAGED
    with steward(staged) as cursor:
        lifecycle.close_review(cursor, review, "intendante")
    assert refusal(lambda: enlarge(staged, review, 3)) == ReviewProblem.CLOSED


def test_too_many_leaks_are_said_at_once(staged: Database) -> None:
    review = opened(staged, ROUGH)
    for ordinal in (1, 2, 3):
        mark(staged, review, "rythme", ordinal=ordinal)
    assert outlook(staged, review)[0] == Outlook.NEVER
    assert refusal(lambda: enlarge(staged, review, 3)) == ReviewProblem.LARGE_ENOUGH


WATCHED = SamplePlan(0.5, 0.8, 1, sentinels=0.5)  # of six documents: every second one holds a sentinel


def sentinels(database: Database) -> list[tuple[int, str, int, int]]:
    """Texts that no role but the owner reads."""
    return database.rows(
        "SELECT DISTINCT ON (ordinal) ordinal, label, start_offset, end_offset FROM deid.review_sentinel"
        " ORDER BY ordinal, start_offset"
    )


def estimated(database: Database, review: int) -> Estimate:
    with steward(database) as cursor:
        found = estimate_leaks(find_review(cursor, review), list_sampled(cursor, review))
    assert found is not None
    return found


def find_sentinel(database: Database, review: int, ordinal: int, start: int, end: int) -> Mark:
    begin(database, review, ordinal)
    with steward(database) as cursor:
        return reading.add_mark(cursor, review, ordinal, "intendante", ErrorKind.MISSED, Label.ID, start, end)


def test_a_sentinel_is_a_surrogate_shown_as_text_and_nobody_knows_which_until_the_sample_is_read(
    staged: Database,
) -> None:
    review = opened(staged, WATCHED)
    with steward(staged) as cursor:
        sample = find_review(cursor, review).sample
    planted = sentinels(staged)
    assert len(planted) == sample // 2 > 1
    assert staged.rows(  # the text is the one to be published; only marks are fewer, in the documents chosen
        "SELECT count(*), count(*) FILTER (WHERE jsonb_array_length(d.spans) < jsonb_array_length(c.spans))"
        " FROM deid.review_document AS d JOIN deid.candidate AS c USING (run_id, document_id) WHERE d.text = c.text"
    ) == [(sample, len(planted))]
    for table in ("review_sentinel", "review_draw", "staged_text"):
        for role in ("steward", "publisher"):
            with pytest.raises(Exception, match="permission denied"):
                staged.rows(f"SELECT * FROM deid.{table}", role=role)
    with pytest.raises(Exception, match="permission denied"):
        staged.rows("SELECT start_offset FROM deid.mention", role="steward")
    first = planted[0]
    shown = read_mentions(
        staged.rows("SELECT run_id FROM deid.run")[0][0], [drawn(staged)[first[0] - 1][0]], role="steward"
    )
    ((detected,),) = staged.rows(
        "SELECT count(*) FROM deid.mention AS m JOIN deid.review_document AS d USING (run_id, document_id)"
        " WHERE d.ordinal = %s",
        (first[0],),
    )
    assert len(shown) < detected

    find_sentinel(staged, review, *first[:1], *first[2:])
    found = estimated(staged, review)
    assert (found.leaking, found.provisional, found.sentinels.planted) == (1, True, 0)
    finish(staged, review, *range(1, sample))
    assert estimated(staged, review).leaking == 1
    assert staged.rows("SELECT * FROM deid.known_sentinels(%s)", (review,), role="steward") == []
    finish(staged, review, sample)
    found = estimated(staged, review)
    assert (found.leaking, found.provisional, found.sentinels) == (0, False, (1, len(planted)))
    assert found.at_most > most_leaking(0, sample, 6, 0.8)
    with steward(staged) as cursor:
        assert progress.count_sentinels(list_sampled(cursor, review), "intendante") == (1, len(planted))
        assert progress.documents_to_settle(find_review(cursor, review), list_sampled(cursor, review)) == []


def test_what_is_said_of_sentinels_is_no_annotation_and_what_is_said_behind_them_is_in_its_place(
    staged: Database,
) -> None:
    review = opened(staged, SamplePlan(0.01, 0.95, 1, sentinels=1.0))
    assert len(sentinels(staged)) == 6
    expected = []
    for ordinal, _, start, end in sentinels(staged):
        find_sentinel(staged, review, ordinal, start, end)
        text = begin(staged, review, ordinal).text
        ((hidden,),) = staged.rows(
            "SELECT array_agg(start_offset) FROM deid.review_sentinel WHERE ordinal = %s", (ordinal,)
        )
        for word in re.compile(r"\w{4,}").finditer(text, end + 1):
            if any(word.start() <= one < word.end() for one in hidden):
                continue
            try:
                with steward(staged) as cursor:
                    where = (word.start(), word.end())
                    reading.add_mark(cursor, review, ordinal, "intendante", ErrorKind.MISSED, Label.ID, *where)
            except ReviewRefused:
                continue  # a surrogate
            expected.append((begin(staged, review, ordinal).document_id, word[0]))
            break
    assert expected
    with steward(staged) as cursor:
        lifecycle.close_review(cursor, review, "intendante")
    said = staged.rows("SELECT document_id, start_offset, end_offset FROM deid.annotation ORDER BY annotation_id")
    source = dict(staged.rows("SELECT document_id, convert_from(content, 'UTF8') FROM cdw.document"))
    # In most draws a sentinel is longer or shorter than its surrogate, so that what is said behind it has moved.
    assert sorted((one, source[one][start:end]) for one, start, end in said) == sorted(expected)


def test_a_sentinel_measures_nothing_once_the_original_was_beside_it(staged: Database) -> None:
    review = opened(staged, SamplePlan(0.01, 0.95, 1, sentinels=1.0))
    begin(staged, review, 1)
    with steward(staged) as cursor:
        reading.note_comparison(cursor, review, 1, "intendante")
    finish(staged, review, *range(1, 7))
    assert estimated(staged, review).sentinels == (0, 5)


def test_a_larger_sample_holds_its_share_of_sentinels(staged: Database) -> None:
    review = opened(staged, SamplePlan(0.67, 0.6, 1, sentinels=0.5))
    kept: list[tuple[int, str, int, int]] = []
    for sample in (1, 4, 6):
        with steward(staged) as cursor:
            cursor.execute(query("deid", "review_document", "draw"), {"review_id": review, "sample": sample})
        planted = sentinels(staged)
        assert (len(drawn(staged)), len(planted)) == (sample, sample // 2)
        assert {*kept} <= {*planted}
        kept = planted


def test_a_reading_that_is_too_fast_does_not_count_and_is_read_again(staged: Database) -> None:
    review = opened(staged)
    characters = len(begin(staged, review, 1).text)  # as many seconds at the least: no machine is that slow

    def read(ordinal: int, seconds: float) -> bool:
        begin(staged, review, ordinal)
        staged.rows("UPDATE deid.review_reading SET started_at = now() - make_interval(secs => %s) WHERE ordinal = %s",
                    (seconds, ordinal))  # fmt: skip
        with steward(staged) as cursor:
            return reading.finish_reading(cursor, review, ordinal, "intendante", fastest=1)

    assert read(1, 2 * characters)
    assert not read(2, 1.5 * characters)  # opened long ago, beside the first: the time since the first counts
    assert (estimated(staged, review).read, find(staged, review).finished) == (1, 1)
    with steward(staged) as cursor:
        (reader,) = progress.list_readers(cursor, review)
        assert (reader.documents, reader.fast) == (1, 1)
        assert reader.seconds == pytest.approx(2 * characters, rel=0.2)
        assert reading.next_document(cursor, review, "intendante") == 3
    finish(staged, review, 3, 4, 5, 6)
    with steward(staged) as cursor:
        assert reading.next_document(cursor, review, "intendante") == 2
        assert reading.next_document(cursor, review, "autre") == 2
    staged.rows("UPDATE deid.review_reading SET finished_at = now() - interval '1 hour' WHERE ordinal <> 2")
    assert read(2, 1.5 * characters)
    assert estimated(staged, review).whole


def find(database: Database, review: int) -> progress.OpenedReview:
    with steward(database) as cursor:
        return find_review(cursor, review)
