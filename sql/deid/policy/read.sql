-- Grain: one policy. Purpose: what a hash stands for.
SELECT p.content FROM deid.policy AS p WHERE p.policy_hash = %(policy_hash)s
