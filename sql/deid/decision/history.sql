-- Grain: one answer on an interval, the newest first. Purpose: who has decided what, for the people who decide next.
SELECT d.chosen, d.decided_by, d.reason, d.decided_at, d.staged_digest
FROM deid.decision AS d
WHERE d.interval_key = %(interval_key)s AND d.chosen <> 'proposed'
ORDER BY d.decided_at DESC
LIMIT 50
