-- Grain: one run. Purpose: what planning saw in the interval, and how much of it is new.
UPDATE deid.run
SET
    seen = %(seen)s,
    planned = %(planned)s,
    finished_at = CASE WHEN dry_run THEN now() END
WHERE run_id = %(run_id)s
