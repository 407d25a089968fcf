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
WHERE c.run_id = ANY(%(run_ids)s::bigint[]) AND c.batch_id IS NULL AND NOT c.success
