-- name: insert
-- Grain: one policy. Purpose: keep what its hash stands for, so that two releases can be compared key by key.
INSERT INTO deid.policy (policy_hash, content) VALUES (%(policy_hash)s, %(policy)s) ON CONFLICT DO NOTHING;

-- name: read
-- Grain: one policy. Purpose: what a hash stands for.
SELECT p.content FROM deid.policy AS p WHERE p.policy_hash = %(policy_hash)s;
