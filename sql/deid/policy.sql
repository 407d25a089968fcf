-- name: insert
-- Grain: one policy. Purpose: keep what its hash stands for, so that two releases can be compared key by key.
INSERT INTO deid.policy (policy_hash, content) VALUES (%(policy_hash)s, %(policy)s) ON CONFLICT DO NOTHING;

-- name: read
-- Grain: one policy. Purpose: what a hash stands for.
SELECT p.content FROM deid.policy AS p WHERE p.policy_hash = %(policy_hash)s;

-- name: staged
-- Grain: one staged run of an interval. Purpose: the policy that it was planned with; its content is null if the ledger
-- lacks it.
SELECT r.run_id, r.policy_hash, p.content
FROM deid.run AS r
LEFT JOIN deid.policy AS p ON r.policy_hash = p.policy_hash
WHERE r.interval_key = %(interval_key)s AND r.state = 'staged'
ORDER BY r.run_id;
