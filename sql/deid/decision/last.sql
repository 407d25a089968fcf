-- Grain: one answer. Purpose: the last thing that a person, or the policy, said of an interval.
SELECT d.chosen, d.staged_digest, d.decided_by, d.reason, d.decided_at
FROM deid.decision AS d
WHERE d.interval_key = %(interval_key)s AND d.chosen <> 'proposed'
ORDER BY d.decided_at DESC
LIMIT 1
