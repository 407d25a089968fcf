-- Grain: one month. Purpose: the months in which intervals begin, the newest first.
SELECT DISTINCT to_char(r.interval_start AT TIME ZONE 'Europe/Paris', 'YYYY-MM') AS month
FROM deid.run AS r
WHERE NOT r.dry_run
ORDER BY 1 DESC
