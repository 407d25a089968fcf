-- Grain: one rule. Purpose: its result over the runs and batches of a report.
SELECT
    c.suite,
    c.rule,
    c.severity,
    bool_and(c.success) AS success,
    coalesce(sum(c.element_count), 0) AS elements,
    coalesce(sum(c.unexpected_count), 0) AS unexpected,
    max(c.observed)::float8 AS observed
FROM deid.check_result AS c
WHERE c.run_id = ANY(%(run_ids)s)
GROUP BY c.suite, c.rule, c.severity
ORDER BY c.suite, c.rule
