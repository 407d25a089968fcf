-- name: ask
-- Grain: one question. Purpose: remember that a release run asks people about this content; asked again by the same
-- run, it waits anew.
INSERT INTO deid.question (airflow_run, interval_key, staged_digest, requested_by)
VALUES (%(airflow_run)s, %(interval_key)s, %(staged_digest)s, %(requested_by)s)
ON CONFLICT (airflow_run) DO UPDATE
SET
    staged_digest = excluded.staged_digest,
    requested_by = excluded.requested_by,
    asked_at = CASE WHEN deid.question.outcome IS NULL THEN deid.question.asked_at ELSE now() END,
    closed_at = NULL,
    outcome = NULL;

-- name: close
-- Grain: one question. Purpose: it waits no more, and this is how it ended.
UPDATE deid.question SET closed_at = now(), outcome = %(outcome)s
WHERE airflow_run = %(airflow_run)s AND closed_at IS NULL;

-- name: last
-- Grain: one question about a content. Purpose: how the latest one ended; null while it waits.
SELECT q.outcome
FROM deid.question AS q
WHERE q.interval_key = %(interval_key)s AND q.staged_digest = %(staged_digest)s
ORDER BY q.asked_at DESC
LIMIT 1;

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
