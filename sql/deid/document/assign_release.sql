-- Grain: one staged document. Purpose: fix what a release holds before its first batch is written.
UPDATE deid.document
SET release_id = %(release_id)s, updated_at = now()
WHERE run_id = ANY(%(run_ids)s) AND state = 'staged'
