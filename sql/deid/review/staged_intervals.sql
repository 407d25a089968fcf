-- Grain: one interval that waits for publication. Purpose: what can be reviewed, and how many documents wait there.
SELECT
    r.interval_key,
    coalesce((
        SELECT sum(t.documents)
        FROM deid.document_tally AS t
        WHERE t.run_id = ANY(array_agg(r.run_id)) AND t.state = 'staged'
    ), 0)::bigint AS documents
FROM deid.run AS r
WHERE r.state = 'staged' AND (%(interval_key)s::text IS NULL OR r.interval_key = %(interval_key)s)
GROUP BY r.interval_key
ORDER BY max(r.interval_start) DESC
LIMIT 100
