-- Grain: one document type. Purpose: how much text and how many mentions it holds, and how much of it was refused.
WITH found AS (
    SELECT m.document_type, sum(m.mentions) AS mentions
    FROM deid.mention_count AS m
    WHERE m.run_id = ANY(%(run_ids)s)
    GROUP BY m.document_type
)

SELECT
    coalesce(d.document_type, '') AS document_type,
    count(*) AS documents,
    count(*) FILTER (WHERE d.state = 'quarantined') AS quarantined,
    coalesce(sum(d.characters), 0) AS characters,
    coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY d.characters), 0)::float8 AS median_characters,
    coalesce(max(f.mentions), 0) AS mentions
FROM deid.document AS d
LEFT JOIN found AS f ON coalesce(d.document_type, '') = f.document_type
WHERE d.run_id = ANY(%(run_ids)s) AND d.state NOT IN ('planned', 'detected', 'substituted')
GROUP BY 1
ORDER BY 2 DESC, 1
