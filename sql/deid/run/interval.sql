-- Grain: one run of an interval that waits to be published. Purpose: what a release of the interval is made of.
SELECT run_id, policy_hash, pipeline_version, key_version, staged_digest
FROM deid.run
WHERE interval_key = %(interval_key)s AND state = 'staged'
ORDER BY run_id
