-- Grain: one run. Purpose: what a step needs to know of the run it works for.
SELECT run_id, source, interval_key, policy_hash, pipeline_version, detector_version, key_version,
    key_fingerprint, state
FROM deid.run
WHERE run_id = %(run_id)s AND NOT dry_run
