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
    outcome = NULL
