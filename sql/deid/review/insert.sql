-- Grain: one review. Purpose: its plan, and the seed that its sample follows from.
INSERT INTO deid.review (
    interval_key, staged_digest, population, sample, target, confidence, readings, seed, opened_by
)
VALUES (
    %(interval_key)s, %(staged_digest)s, %(population)s, %(sample)s, %(target)s, %(confidence)s, %(readings)s,
    %(seed)s, %(opened_by)s
)
RETURNING review_id
