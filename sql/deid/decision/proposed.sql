-- Grain: one proposal. Purpose: the digest of what was last summarised for an interval, which is what people saw.
SELECT d.staged_digest
FROM deid.decision AS d
WHERE d.interval_key = %(interval_key)s AND d.chosen = 'proposed'
ORDER BY d.decided_at DESC
LIMIT 1
