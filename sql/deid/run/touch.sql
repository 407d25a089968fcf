-- Grain: one run. Purpose: show that it is alive, so that no other run takes its documents.
UPDATE deid.run SET active_at = now() WHERE run_id = %(run_id)s
