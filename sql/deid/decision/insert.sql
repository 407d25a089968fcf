-- Grain: one answer. Purpose: remember what a person, or the policy, said of exactly this staged content. The same
-- answer repeated on the same content, with no other in between, is kept once.
INSERT INTO deid.decision (interval_key, run_id, chosen, decided_by, reason, staged_digest)
SELECT %(interval_key)s, %(run_id)s, %(chosen)s, %(decided_by)s, %(reason)s, %(staged_digest)s
WHERE NOT EXISTS (
    SELECT FROM (
        SELECT d.staged_digest, d.decided_by
        FROM deid.decision AS d
        WHERE d.interval_key = %(interval_key)s AND d.chosen = %(chosen)s
        ORDER BY d.decided_at DESC
        LIMIT 1
    ) AS last
    WHERE last.staged_digest = %(staged_digest)s AND last.decided_by = %(decided_by)s
)
