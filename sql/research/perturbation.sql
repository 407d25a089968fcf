-- name: policies
-- Grain: one policy of documents that researchers read. Purpose: its content, null if the ledger lacks it.
SELECT d.policy_hash, p.content
FROM (SELECT DISTINCT v.policy_hash FROM research.document AS v) AS d
LEFT JOIN deid.policy AS p ON d.policy_hash = p.policy_hash
ORDER BY d.policy_hash;

-- name: empty
-- Grain: one label or column, and part of it, of one policy. Purpose: all are written again with the documents.
DELETE FROM research.perturbation;

-- name: insert
-- Grain: one label or column, and part of it, of one policy. Purpose: what the policy does to it.
INSERT INTO research.perturbation (
    policy_hash, element, part, strategy, effect, bound, scale, unit, epsilon, epsilon_per
)
SELECT
    %(policy_hash)s, r.element, r.part, r.strategy, r.effect, r.bound, r.scale, r.unit, r.epsilon, r.epsilon_per
FROM jsonb_to_recordset(%(rows)s) AS r (
    element text, part text, strategy text, effect text, bound double precision, scale double precision, unit text,
    epsilon double precision, epsilon_per text
);
