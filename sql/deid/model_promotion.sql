-- name: insert
-- Grain: one promotion. Purpose: keep it, so that it can be rolled back.
INSERT INTO deid.model_promotion (kind, hash, promoted_by, reason)
VALUES (%(kind)s, %(hash)s, %(actor)s, %(reason)s);

-- name: former
-- Grain: one kind. Purpose: the model that served before the one in force; no row: the one that ships.
SELECT p.hash FROM deid.model_promotion AS p
WHERE p.kind = %(kind)s AND p.rolled_back_at IS NULL
ORDER BY p.promotion_id DESC
LIMIT 1 OFFSET 1;

-- name: roll_back
-- Grain: the promotion in force of a kind. Purpose: it is so no more.
UPDATE deid.model_promotion
SET rolled_back_at = now(), rolled_back_by = %(actor)s
WHERE promotion_id = (
    SELECT max(p.promotion_id) FROM deid.model_promotion AS p WHERE p.kind = %(kind)s AND p.rolled_back_at IS NULL
);
