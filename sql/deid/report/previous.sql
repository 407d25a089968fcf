-- Grain: one interval. Purpose: the published interval just before this one, to compare with.
SELECT r.interval_key
FROM deid.run AS r
INNER JOIN research.release AS p ON r.interval_key = p.interval_key
WHERE
    p.published_at IS NOT NULL AND NOT r.dry_run AND r.planned > 0
    AND r.interval_start < %(interval_start)s AND r.interval_key <> %(interval_key)s
ORDER BY r.interval_start DESC
LIMIT 1
