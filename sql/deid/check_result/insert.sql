-- Grain: one rule on a batch. Purpose: how many of its documents broke the rule.
INSERT INTO deid.check_result (
    run_id, batch_id, suite, rule, severity, success, element_count, unexpected_count, observed
)
SELECT
    %(run_id)s, %(batch_id)s, i.suite, i.rule, i.severity, i.success, i.element_count, i.unexpected_count, i.observed
FROM incoming_check_result AS i
WHERE EXISTS (SELECT FROM owned)
ON CONFLICT (run_id, batch_id, suite, rule) DO UPDATE
SET
    severity = excluded.severity,
    success = excluded.success,
    element_count = excluded.element_count,
    unexpected_count = excluded.unexpected_count,
    observed = excluded.observed
