-- name: compared
-- Grain: one model. Purpose: keep the figures of its comparison with the one that serves; a refused one is judged anew.
UPDATE deid.model
SET
    compared_with = %(compared_with)s,
    metrics = %(metrics)s,
    state = CASE WHEN state = 'refused' THEN 'candidate' ELSE state END
WHERE hash = %(hash)s;

-- name: decide
-- Grain: one model. Purpose: its new state, who decided it and why.
UPDATE deid.model
SET state = %(state)s, decided_at = now(), decided_by = %(actor)s, reason = %(reason)s
WHERE hash = %(hash)s;

-- name: insert
-- Grain: one model. Purpose: register it; one that is known stays as it is.
INSERT INTO deid.model (kind, hash, registered_by)
VALUES (%(kind)s, %(hash)s, %(actor)s)
ON CONFLICT DO NOTHING;

-- name: list
-- Grain: one model, newest first, of one kind or of all, whose hash begins so. Purpose: to choose from.
SELECT
    m.kind, m.hash, m.state, m.registered_at, m.registered_by, m.decided_at, m.decided_by, m.reason, m.compared_with,
    m.metrics
FROM deid.model AS m
WHERE
    (%(kind)s::text IS NULL OR m.kind = %(kind)s)
    AND starts_with(m.hash, %(prefix)s)
ORDER BY m.registered_at DESC, m.hash;

-- name: lock
-- Grain: one model of a kind. Purpose: one decision on a kind at a time.
SELECT m.hash FROM deid.model AS m
WHERE m.kind = %(kind)s
ORDER BY m.hash
FOR UPDATE;

-- name: serving
-- Grain: one kind whose model of the registry serves. Purpose: what detection loads.
SELECT m.kind, m.hash FROM deid.model AS m
WHERE m.state = 'serving'
ORDER BY m.kind;
