-- Grain: one interval. Purpose: the latest intervals that runs have worked on.
SELECT r.interval_key, min(r.interval_start) AS starts, max(r.seen) AS seen, sum(r.planned) AS planned
FROM deid.run AS r
WHERE NOT r.dry_run
GROUP BY r.interval_key
ORDER BY 2 DESC
LIMIT %(limit)s
