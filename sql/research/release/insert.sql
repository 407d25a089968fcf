-- Grain: one release. Purpose: open it; its rows are invisible to researchers until it is finished.
INSERT INTO research.release (interval_key, run_ids, policy_hash, pipeline_version, staged_digest)
VALUES (%(interval_key)s, %(run_ids)s, %(policy_hash)s, %(pipeline_version)s, %(staged_digest)s)
RETURNING release_id
