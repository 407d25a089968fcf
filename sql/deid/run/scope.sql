-- Grain: the runs of an interval that were sent back together. Purpose: what one run must ask for to do all of them
-- again: the hull of their intervals; their filters together, none where one of them had none.
WITH back AS (
    SELECT r.interval_start, r.interval_end, r.document_types, r.services
    FROM deid.run AS r
    WHERE r.interval_key = %(interval_key)s AND r.sent_back_at = %(decided_at)s
)

SELECT
    min(b.interval_start) AS interval_start,
    max(b.interval_end) AS interval_end,
    CASE WHEN bool_or(b.document_types = '{}') THEN '{}' ELSE (
        SELECT array_agg(DISTINCT t.name ORDER BY t.name) FROM back AS o, unnest(o.document_types) AS t (name)
    ) END AS document_types,
    CASE WHEN bool_or(b.services = '{}') THEN '{}' ELSE (
        SELECT array_agg(DISTINCT t.name ORDER BY t.name) FROM back AS o, unnest(o.services) AS t (name)
    ) END AS services
FROM back AS b
HAVING count(*) > 0
