-- Grain: one question of an interval that waits for people. Purpose: where an answer goes, and since when it is
-- awaited; a question about what is staged now comes before one about what was.
SELECT q.airflow_run, q.staged_digest, q.requested_by, q.asked_at
FROM deid.question AS q
WHERE q.interval_key = %(interval_key)s AND q.closed_at IS NULL
ORDER BY (q.staged_digest = %(staged_digest)s) DESC, q.asked_at DESC
LIMIT 1
