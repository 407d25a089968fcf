-- Grain: one interval. Purpose: what its runs left: those staged, how many are at work, when it was last staged, the
-- end of the interval, whether the schedule asked for it, and when it was last published.
SELECT
    count(*) AS runs,
    count(*) FILTER (WHERE r.state = 'planned') AS at_work,
    max(r.finished_at) FILTER (WHERE r.staged_digest IS NOT NULL) AS staged_at,
    max(r.interval_end) AS interval_end,
    coalesce(bool_or(r.triggered_by LIKE 'scheduled\_\_%%'), FALSE) AS scheduled,
    (
        SELECT max(p.published_at) FROM research.release AS p WHERE p.interval_key = %(interval_key)s
    ) AS published_at
FROM deid.run AS r
WHERE r.interval_key = %(interval_key)s AND NOT r.dry_run
