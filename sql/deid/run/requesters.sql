-- Grain: one person who asked by hand for one of some runs. Purpose: who may not approve them alone.
SELECT DISTINCT r.requested_by
FROM deid.run AS r
WHERE r.run_id = ANY(%(run_ids)s::bigint[]) AND r.requested_by <> ''
ORDER BY r.requested_by
