-- Grain: one answer of a person. Purpose: remember it, with the content that it is about; in the order in which answers
-- are taken, whichever transaction began first.
INSERT INTO deid.decision (interval_key, run_id, chosen, decided_by, reason, staged_digest, decided_at)
VALUES (
    %(interval_key)s, %(run_id)s, %(chosen)s, %(decided_by)s, %(reason)s, %(staged_digest)s, clock_timestamp()
)
RETURNING decided_at
