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
ORDER BY c.document_type
