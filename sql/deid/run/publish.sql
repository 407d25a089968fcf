-- Grain: one run. Purpose: close the runs of a release.
UPDATE deid.run
SET state = 'published', active_at = now()
WHERE run_id IN (SELECT unnest(r.run_ids) FROM research.release AS r WHERE r.release_id = %(release_id)s)
