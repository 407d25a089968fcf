-- Grain: one answer on an interval, the newest first. Purpose: who has decided what, and whether on what was published,
-- for the people who decide next.
SELECT
    d.chosen, d.decided_by, d.reason, d.decided_at, d.staged_digest,
    EXISTS (
        SELECT FROM research.release AS p
        WHERE
            p.interval_key = d.interval_key AND p.staged_digest = d.staged_digest AND p.published_at IS NOT NULL
    ) AS published
FROM deid.decision AS d
WHERE d.interval_key = %(interval_key)s AND d.chosen <> 'proposed'
ORDER BY d.decided_at DESC
LIMIT 50
