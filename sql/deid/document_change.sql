-- name: sum_up
-- Grain: one run. Purpose: replace the changes of its tally by their sum.
SELECT deid.sum_changes(%(run_id)s);
