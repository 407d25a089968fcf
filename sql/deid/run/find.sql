-- Grain: one run. Purpose: the run that this trigger has already made, if any.
SELECT run_id, dry_run FROM deid.run WHERE triggered_by = %(triggered_by)s
