-- Grain: one release. Purpose: the last finished one of an interval.
SELECT release_id, run_ids, staged_digest, counts
FROM research.release
WHERE interval_key = %(interval_key)s AND published_at IS NOT NULL
ORDER BY release_id DESC
LIMIT 1
