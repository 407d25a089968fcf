-- Grain: one answer. Purpose: the last decision on an interval, and by whom.
SELECT d.chosen, d.decided_by, d.reason, d.decided_at
FROM deid.decision AS d
WHERE d.interval_key = %(interval_key)s AND d.chosen <> 'proposed'
ORDER BY d.decided_at DESC
LIMIT 1
