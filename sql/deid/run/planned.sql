-- Grain: one run. Purpose: tell a person what planning saw for a trigger, dry runs too.
SELECT run_id, interval_key, seen, planned
FROM deid.run
WHERE triggered_by = %(triggered_by)s
