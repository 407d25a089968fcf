-- Grain: one rule on a whole run. Purpose: what Great Expectations found; judging again replaces it.
INSERT INTO deid.check_result (
    run_id, batch_id, suite, rule, severity, success, element_count, unexpected_count, observed
) VALUES (
    %(run_id)s, NULL, %(suite)s, %(rule)s, %(severity)s, %(success)s, %(element_count)s, %(unexpected_count)s,
    %(observed)s
)
ON CONFLICT (run_id, batch_id, suite, rule) DO UPDATE
SET
    severity = excluded.severity,
    success = excluded.success,
    element_count = excluded.element_count,
    unexpected_count = excluded.unexpected_count,
    observed = excluded.observed
