-- name: measures
-- Grain: one interval. Purpose: what is compared from one interval to the next, the newest first; with `before`, those
-- before that instant; with `since`, those from that instant on. `kept` documents are ready or published;
-- mentions and ε are theirs. Run-level rules count once, in the runs that still hold a document, or the last; `broken`
-- names those that failed. `triggered_by`: what asked for the run that has yet to be staged. The intervals are chosen
-- first, for the sums of each take time.
WITH asked AS MATERIALIZED (
    SELECT r.interval_key
    FROM deid.run AS r
    WHERE NOT r.dry_run AND (%(keys)s::text[] IS NULL OR r.interval_key = ANY(%(keys)s::text[]))
    GROUP BY r.interval_key
    HAVING
        (%(before)s::timestamptz IS NULL OR min(r.interval_start) < %(before)s::timestamptz)
        AND (%(since)s::timestamptz IS NULL OR min(r.interval_start) >= %(since)s::timestamptz)
    ORDER BY min(r.interval_start) DESC, r.interval_key DESC
    LIMIT %(limit)s
)

SELECT
    s.interval_key,
    s.interval_start,
    s.interval_end,
    deid.release_state(s.interval_key, s.state) AS state,
    s.run_ids,
    s.started_at,
    w.scheduled,
    w.triggered_by,
    s.finished_at,
    s.published_at,
    b.seen,
    b.treated,
    b.published,
    b.readable,
    b.waiting,
    b.quarantined,
    s.corrected,
    s.withdrawn,
    t.decided_by,
    t.decided_at,
    m.kept,
    m.mentions,
    m.epsilon,
    k.critical,
    k.warnings,
    k.broken,
    v.policy_hash,
    v.pipeline_version,
    v.detector_version
FROM deid.interval_state AS s
CROSS JOIN LATERAL (
    SELECT
        bool_or(r.triggered_by LIKE 'scheduled\_\_%%') AS scheduled,
        (array_agg(r.triggered_by ORDER BY r.run_id DESC) FILTER (WHERE r.state = 'planned'))[1] AS triggered_by
    FROM deid.run AS r
    WHERE r.run_id = ANY(s.run_ids)
) AS w
LEFT JOIN LATERAL (
    SELECT d.decided_by, d.decided_at
    FROM deid.told_decision AS d
    WHERE d.interval_key = s.interval_key AND d.decided_at = s.decided_at
    LIMIT 1
) AS t ON true
CROSS JOIN LATERAL deid.interval_balance(s.interval_key) AS b
CROSS JOIN LATERAL deid.interval_sums(s.interval_key, s.run_ids) AS m
CROSS JOIN LATERAL (
    SELECT
        count(DISTINCT c.rule) FILTER (WHERE c.severity = 'critical') AS critical,
        count(DISTINCT c.rule) FILTER (WHERE c.severity = 'warning') AS warnings,
        coalesce(array_agg(DISTINCT c.rule ORDER BY c.rule), '{}') AS broken
    FROM deid.check_result AS c
    INNER JOIN deid.run AS r ON c.run_id = r.run_id
    WHERE
        c.run_id = ANY(s.run_ids) AND c.batch_id IS NULL AND NOT c.success AND r.state IN ('staged', 'published')
        AND (
            c.run_id = s.run_ids[cardinality(s.run_ids)]
            OR EXISTS (SELECT FROM deid.document AS d WHERE d.run_id = c.run_id AND d.state <> 'superseded')
        )
) AS k
CROSS JOIN LATERAL (
    SELECT r.policy_hash, r.pipeline_version, r.detector_version
    FROM deid.run AS r
    WHERE r.run_id = ANY(s.run_ids)
    ORDER BY r.planned = 0, r.run_id DESC
    LIMIT 1
) AS v
WHERE s.interval_key = ANY(ARRAY(SELECT a.interval_key FROM asked AS a))
ORDER BY s.interval_start DESC, s.interval_key DESC;

-- name: months
-- Grain: one month. Purpose: the months in which intervals begin, the newest first, up to `now`.
SELECT DISTINCT to_char(r.interval_start AT TIME ZONE 'Europe/Paris', 'YYYY-MM') AS month
FROM deid.run AS r
WHERE NOT r.dry_run AND r.interval_start < %(now)s
ORDER BY 1 DESC;

-- name: page
-- Grain: one interval. Purpose: a page of the list of releases, the newest first; each filter may be null. `before` is
-- the key of the last interval of the page before; none begins after `now`.
SELECT s.interval_key
FROM deid.interval_state AS s
WHERE
    s.interval_start < %(now)s
    AND (%(state)s::text IS NULL OR deid.release_state(s.interval_key, s.state) = %(state)s::text)
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
SELECT deid.release_state(s.interval_key, s.state) AS state
FROM deid.interval_state AS s
WHERE s.interval_key = %(interval_key)s;
