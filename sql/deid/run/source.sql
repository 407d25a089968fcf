-- Grain: one run. Purpose: which source its documents came from.
SELECT source FROM deid.run WHERE run_id = %(run_id)s
