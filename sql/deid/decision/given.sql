-- Grain: one person who approves a content of an interval, and when. Purpose: count approvals. Nobody's approval given
-- before the interval was last rejected or sent back counts.
SELECT d.decided_by, min(d.decided_at) AS decided_at
FROM deid.decision AS d
WHERE
    d.interval_key = %(interval_key)s
    AND d.staged_digest = %(staged_digest)s
    AND d.chosen = 'approve'
    AND d.decided_by <> %(nobody)s
    AND d.decided_at > coalesce((
        SELECT max(o.decided_at)
        FROM deid.decision AS o
        WHERE o.interval_key = %(interval_key)s AND o.chosen IN ('reject', 'rework')
    ), '-infinity')
GROUP BY d.decided_by
ORDER BY decided_at
