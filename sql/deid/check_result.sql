-- name: density
-- Grain: one document type of a run. Purpose: mention density beside that of the runs before it (nulls: none yet).
WITH earlier AS (
    SELECT r.run_id
    FROM deid.run AS r
    WHERE r.run_id < %(run_id)s AND r.state IN ('staged', 'published')
    ORDER BY r.run_id DESC
    LIMIT %(baseline_runs)s
),

counted AS (
    SELECT
        d.run_id,
        d.document_type,
        d.characters,
        (
            SELECT count(*)
            FROM deid.mention AS m
            WHERE m.run_id = d.run_id AND m.document_id = d.document_id
        ) AS mentions
    FROM deid.document AS d
    WHERE
        d.characters > 0
        AND d.state IN ('validated', 'staged', 'published', 'superseded', 'withdrawn')
        AND NOT EXISTS (
            SELECT FROM deid.quarantine AS q WHERE q.run_id = d.run_id AND q.document_id = d.document_id
        )
        AND (d.run_id = %(run_id)s OR d.run_id IN (SELECT e.run_id FROM earlier AS e))
)

SELECT
    coalesce(c.document_type, '') AS document_type,
    count(*) FILTER (WHERE c.run_id = %(run_id)s) AS documents,
    count(*) FILTER (WHERE c.run_id <> %(run_id)s) AS baseline_documents,
    (1000.0 * sum(c.mentions) FILTER (WHERE c.run_id = %(run_id)s)
        / sum(c.characters) FILTER (WHERE c.run_id = %(run_id)s))::float8 AS density,
    (1000.0 * sum(c.mentions) FILTER (WHERE c.run_id <> %(run_id)s)
        / sum(c.characters) FILTER (WHERE c.run_id <> %(run_id)s))::float8 AS baseline
FROM counted AS c
GROUP BY c.document_type
HAVING count(*) FILTER (WHERE c.run_id = %(run_id)s) > 0
ORDER BY c.document_type;

-- name: insert
-- Grain: one rule on a batch. Purpose: how many of its documents broke the rule.
INSERT INTO deid.check_result (
    run_id, batch_id, suite, rule, severity, success, element_count, unexpected_count, observed
)
SELECT
    %(run_id)s, %(batch_id)s, i.suite, i.rule, i.severity, i.success, i.element_count, i.unexpected_count, i.observed
FROM incoming_check_result AS i
WHERE EXISTS (SELECT FROM owned)
ON CONFLICT (run_id, batch_id, suite, rule) DO UPDATE
SET
    severity = excluded.severity,
    success = excluded.success,
    element_count = excluded.element_count,
    unexpected_count = excluded.unexpected_count,
    observed = excluded.observed;

-- name: judged
-- Grain: one set of runs. Purpose: whether every one was judged as a whole, and what failed at run level.
SELECT
    (
        SELECT count(DISTINCT c.run_id)
        FROM deid.check_result AS c
        WHERE c.run_id = ANY(%(run_ids)s::bigint[]) AND c.batch_id IS NULL
    ) = cardinality(%(run_ids)s::bigint[]) AS judged,
    count(*) FILTER (WHERE c.severity = 'critical') AS critical,
    count(*) FILTER (WHERE c.severity = 'warning') AS warnings
FROM deid.check_result AS c
WHERE c.run_id = ANY(%(run_ids)s::bigint[]) AND c.batch_id IS NULL AND NOT c.success;

-- name: record
-- Grain: one rule on a whole run. Purpose: what Great Expectations found; judging again replaces it.
INSERT INTO deid.check_result (
    run_id, batch_id, suite, rule, severity, success, element_count, unexpected_count, observed
) VALUES (
    %(run_id)s, NULL, %(suite)s, %(rule)s, %(severity)s, %(success)s, %(element_count)s, %(unexpected_count)s,
    %(observed)s
)
ON CONFLICT (run_id, batch_id, suite, rule) DO UPDATE
SET
    severity = excluded.severity,
    success = excluded.success,
    element_count = excluded.element_count,
    unexpected_count = excluded.unexpected_count,
    observed = excluded.observed;

-- name: totals
-- Grain: one run. Purpose: the numbers that the run-level checks judge, before anything is published.
-- Documents that a later version or the source took away are not counted.
WITH judged AS (
    SELECT d.document_id, d.state, d.characters
    FROM deid.document AS d
    WHERE d.run_id = %(run_id)s AND d.state IN ('validated', 'staged', 'quarantined')
),

refused AS (
    SELECT
        count(*) FILTER (WHERE q.reason = 'not_french') AS foreign_language,
        count(*) FILTER (WHERE q.reason IN ('detection_failed', 'substitution_failed', 'too_costly')) AS failed
    FROM deid.quarantine AS q
    WHERE q.run_id = %(run_id)s
),

found AS (
    SELECT m.document_id
    FROM deid.mention AS m
    WHERE m.run_id = %(run_id)s
    GROUP BY m.document_id
),

drawn AS (
    SELECT
        count(*) AS surrogates,
        count(*) FILTER (WHERE item.surrogate ->> 6 = 'false') AS unparsed
    FROM deid.candidate AS c
    CROSS JOIN LATERAL jsonb_array_elements(c.surrogates) AS item (surrogate)
    WHERE c.run_id = %(run_id)s
),

spent AS (
    SELECT sum(b.epsilon) AS epsilon
    FROM deid.budget AS b
    WHERE b.run_id = %(run_id)s
    GROUP BY b.document_id
),

warned AS (
    SELECT count(DISTINCT v.document_id) AS documents
    FROM deid.verdict AS v
    INNER JOIN judged AS j ON v.document_id = j.document_id
    WHERE
        v.run_id = %(run_id)s AND v.severity = 'warning' AND NOT v.success AND j.state <> 'quarantined'
),

clinical AS (
    SELECT
        coalesce(sum(v.observed) FILTER (WHERE v.check_name = 'clinical_items'), 0) AS items,
        coalesce(sum(v.observed) FILTER (WHERE v.check_name = 'clinical_value_changed'), 0) AS changed
    FROM deid.verdict AS v
    INNER JOIN judged AS j ON v.document_id = j.document_id
    WHERE
        v.run_id = %(run_id)s AND v.check_name IN ('clinical_items', 'clinical_value_changed')
        AND j.state <> 'quarantined'
)

SELECT
    count(*) AS documents,
    count(*) FILTER (WHERE j.state = 'quarantined') AS quarantined,
    count(*) FILTER (WHERE j.state <> 'quarantined' AND f.document_id IS NULL) AS without_mentions,
    (SELECT r.foreign_language FROM refused AS r) AS foreign_language,
    (SELECT r.failed FROM refused AS r) AS failed,
    (SELECT w.documents FROM warned AS w) AS warned,
    (SELECT c.items FROM clinical AS c) AS clinical_items,
    (SELECT c.changed FROM clinical AS c) AS clinical_changed,
    (SELECT d.surrogates FROM drawn AS d) AS surrogates,
    (SELECT d.unparsed FROM drawn AS d) AS unparsed,
    (SELECT coalesce(max(s.epsilon), 0) FROM spent AS s) AS epsilon_max
FROM judged AS j
LEFT JOIN found AS f ON j.document_id = f.document_id;
