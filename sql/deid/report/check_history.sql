-- Grain: one rule in one earlier interval. Purpose: what the rule gives as a habit: observed, or the share that
-- broke it.
WITH earlier AS (
    SELECT r.interval_key, array_agg(r.run_id) AS run_ids
    FROM deid.run AS r
    WHERE NOT r.dry_run AND r.planned > 0 AND r.state IN ('staged', 'published')
    GROUP BY r.interval_key
    HAVING min(r.interval_start) < %(before)s AND r.interval_key <> %(interval_key)s
    ORDER BY min(r.interval_start) DESC
    LIMIT %(limit)s
)

SELECT
    c.suite,
    c.rule,
    e.interval_key,
    max(c.observed)::float8 AS observed,
    (sum(c.unexpected_count) / nullif(sum(c.element_count), 0))::float8 AS share
FROM earlier AS e
INNER JOIN deid.check_result AS c ON c.run_id = ANY(e.run_ids)
GROUP BY c.suite, c.rule, e.interval_key
