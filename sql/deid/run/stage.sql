-- Grain: one run. Purpose: close it, with the digest of what it leaves to be published: contents and withdrawals.
-- Whoever approves the interval approves this digest.
UPDATE deid.run AS r
SET
    state = CASE WHEN r.state = 'planned' THEN 'staged' ELSE r.state END,
    finished_at = coalesce(r.finished_at, now()),
    staged_digest = coalesce(r.staged_digest, deid.run_digest(r.run_id))
WHERE r.run_id = %(run_id)s
