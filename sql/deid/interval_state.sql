-- name: measures
-- Grain: one interval. Purpose: what is compared from one interval to the next, the newest first; with `before`, those
-- before that instant; with `since`, those from that instant on. Run-level rules count once, in the run that stands.
SELECT
    s.interval_key,
    s.interval_start,
    s.interval_end,
    s.state,
    s.run_ids,
    s.started_at,
    s.finished_at,
    s.published_at,
    s.seen,
    s.treated,
    s.published,
    s.waiting,
    s.quarantined,
    s.corrected,
    s.withdrawn,
    s.decided_by,
    s.decided_at,
    m.mentions,
    e.epsilon,
    k.critical,
    k.warnings,
    v.policy_hash,
    v.pipeline_version,
    v.detector_version
FROM deid.interval_state AS s
CROSS JOIN LATERAL (
    SELECT coalesce(sum(t.mentions), 0)::bigint AS mentions
    FROM deid.mention_count AS t
    WHERE t.run_id = ANY(s.run_ids)
) AS m
CROSS JOIN LATERAL (
    SELECT coalesce(sum(t.epsilon), 0) AS epsilon FROM deid.spend_tally AS t WHERE t.run_id = ANY(s.run_ids)
) AS e
CROSS JOIN LATERAL (
    SELECT
        count(DISTINCT c.rule) FILTER (WHERE c.severity = 'critical') AS critical,
        count(DISTINCT c.rule) FILTER (WHERE c.severity = 'warning') AS warnings
    FROM deid.check_result AS c
    INNER JOIN deid.run AS r ON c.run_id = r.run_id
    WHERE c.run_id = ANY(s.run_ids) AND c.batch_id IS NULL AND NOT c.success AND r.state IN ('staged', 'published')
) AS k
CROSS JOIN LATERAL (
    SELECT r.policy_hash, r.pipeline_version, r.detector_version
    FROM deid.run AS r
    WHERE r.run_id = ANY(s.run_ids)
    ORDER BY r.planned = 0, r.run_id DESC
    LIMIT 1
) AS v
WHERE
    (%(before)s::timestamptz IS NULL OR s.interval_start < %(before)s::timestamptz)
    AND (%(keys)s::text[] IS NULL OR s.interval_key = ANY(%(keys)s::text[]))
    AND (%(since)s::timestamptz IS NULL OR s.interval_start >= %(since)s::timestamptz)
ORDER BY s.interval_start DESC, s.interval_key DESC
LIMIT %(limit)s;

-- name: months
-- Grain: one month. Purpose: the months in which intervals begin, the newest first.
SELECT DISTINCT to_char(r.interval_start AT TIME ZONE 'Europe/Paris', 'YYYY-MM') AS month
FROM deid.run AS r
WHERE NOT r.dry_run
ORDER BY 1 DESC;

-- name: page
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
LIMIT %(limit)s;

-- name: read
-- Grain: one interval. Purpose: where it stands.
SELECT s.state FROM deid.interval_state AS s WHERE s.interval_key = %(interval_key)s;
