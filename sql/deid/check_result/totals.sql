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
        count(*) FILTER (WHERE q.reason IN ('detection_failed', 'substitution_failed')) AS failed
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
)

SELECT
    count(*) AS documents,
    count(*) FILTER (WHERE j.state = 'quarantined') AS quarantined,
    count(*) FILTER (WHERE j.state <> 'quarantined' AND f.document_id IS NULL) AS without_mentions,
    (SELECT r.foreign_language FROM refused AS r) AS foreign_language,
    (SELECT r.failed FROM refused AS r) AS failed,
    (SELECT w.documents FROM warned AS w) AS warned,
    (SELECT d.surrogates FROM drawn AS d) AS surrogates,
    (SELECT d.unparsed FROM drawn AS d) AS unparsed,
    (SELECT coalesce(max(s.epsilon), 0) FROM spent AS s) AS epsilon_max
FROM judged AS j
LEFT JOIN found AS f ON j.document_id = f.document_id
