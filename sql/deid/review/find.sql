-- Grain: one review. Purpose: that of exactly what is staged in an interval.
SELECT max(r.review_id)
FROM deid.review AS r
WHERE r.interval_key = %(interval_key)s AND r.staged_digest = %(staged_digest)s
HAVING max(r.review_id) IS NOT NULL
