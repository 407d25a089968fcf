-- Grain: one state. Purpose: how many documents of a batch are where.
SELECT state, count(*) AS documents, coalesce(sum(characters), 0) AS characters
FROM deid.document
WHERE run_id = %(run_id)s AND batch_id = %(batch_id)s
GROUP BY state
