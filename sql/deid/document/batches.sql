-- Grain: one batch. Purpose: what a run was split into, in the same order at every call.
SELECT batch_id, count(*) AS documents
FROM deid.document
WHERE run_id = %(run_id)s
GROUP BY batch_id
ORDER BY batch_id
