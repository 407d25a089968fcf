-- Grain: one severity. Purpose: how many run-level rules failed in these runs.
SELECT c.severity, count(*) AS failures
FROM deid.check_result AS c
WHERE c.run_id = ANY(%(run_ids)s) AND c.batch_id IS NULL AND NOT c.success
GROUP BY c.severity
