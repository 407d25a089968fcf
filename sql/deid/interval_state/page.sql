-- Grain: one interval. Purpose: a page of the list of releases, the newest first; each filter may be null. `before` is
-- the key of the last interval of the page before.
SELECT s.interval_key
FROM deid.interval_state AS s
WHERE
    (%(state)s::text IS NULL OR s.state = %(state)s::text)
    AND (
        %(month)s::text IS NULL
        OR to_char(s.interval_start AT TIME ZONE 'Europe/Paris', 'YYYY-MM') = %(month)s::text
    )
    AND (
        %(before)s::text IS NULL
        OR (s.interval_start, s.interval_key) < (
            SELECT min(r.interval_start), min(r.interval_key)
            FROM deid.run AS r
            WHERE r.interval_key = %(before)s::text AND NOT r.dry_run
        )
    )
ORDER BY s.interval_start DESC, s.interval_key DESC
LIMIT %(limit)s
