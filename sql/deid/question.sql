-- name: ask
-- Grain: one question. Purpose: remember that a release run asks people about this content; asked again by the same
-- run, it waits anew, and an answer that was never weighed is lost.
WITH lost AS (
    UPDATE deid.answer SET outcome = 'lost' WHERE airflow_run = %(airflow_run)s AND outcome IS NULL
)

INSERT INTO deid.question (airflow_run, interval_key, staged_digest, requested_by)
VALUES (%(airflow_run)s, %(interval_key)s, %(staged_digest)s, %(requested_by)s)
ON CONFLICT (airflow_run) DO UPDATE
SET
    staged_digest = excluded.staged_digest,
    requested_by = excluded.requested_by,
    asked_at = CASE WHEN deid.question.outcome IS NULL THEN deid.question.asked_at ELSE now() END,
    closed_at = NULL,
    outcome = NULL;

-- name: asked_by
-- Grain: one question. Purpose: who started its run by hand, and may not settle it alone.
SELECT q.requested_by FROM deid.question AS q WHERE q.airflow_run = %(airflow_run)s;

-- name: close
-- Grain: one question. Purpose: it waits no more, and this is how it ended.
UPDATE deid.question SET closed_at = now(), outcome = %(outcome)s
WHERE airflow_run = %(airflow_run)s AND closed_at IS NULL;

-- name: close_others
-- Grain: one question of an interval. Purpose: it waits no more, for the interval was decided at a command line.
UPDATE deid.question SET closed_at = now(), outcome = %(outcome)s
WHERE interval_key = %(interval_key)s AND closed_at IS NULL;

-- name: last
-- Grain: one question about a content. Purpose: which run asked the latest one, and how it ended; null while it waits.
SELECT q.outcome, q.airflow_run
FROM deid.question AS q
WHERE q.interval_key = %(interval_key)s AND q.staged_digest = %(staged_digest)s
ORDER BY q.asked_at DESC
LIMIT 1;

-- name: lock
-- Grain: one question of an interval. Purpose: wait for the answers that are being received, and let none in until the
-- transaction ends.
SELECT q.airflow_run FROM deid.question AS q
WHERE q.interval_key = %(interval_key)s
ORDER BY q.airflow_run
FOR UPDATE;

-- name: of_run
-- Grain: one question. Purpose: whether a release run has asked about this content.
SELECT FROM deid.question AS q
WHERE q.airflow_run = %(airflow_run)s AND q.staged_digest = %(staged_digest)s;

-- name: open
-- Grain: one question of an interval that waits for people. Purpose: where an answer goes, and since when it is
-- awaited; a question about what is staged now comes before one about what was.
SELECT q.airflow_run, q.staged_digest, q.requested_by, q.asked_at
FROM deid.question AS q
WHERE q.interval_key = %(interval_key)s AND q.closed_at IS NULL
ORDER BY (q.staged_digest = %(staged_digest)s) DESC, q.asked_at DESC
LIMIT 1;

-- name: retry
-- Grain: one content without a question. Purpose: announce its release again, unless that was done in the last hours.
INSERT INTO deid.question_retry AS r (interval_key, staged_digest)
VALUES (%(interval_key)s, %(staged_digest)s)
ON CONFLICT (interval_key, staged_digest) DO UPDATE SET retried_at = now()
WHERE r.retried_at < now() - make_interval(hours => %(hours)s);
