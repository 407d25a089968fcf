-- name: empty
-- Grain: the last rewriting. Purpose: it is written again.
DELETE FROM research.visibility;

-- name: insert
-- Grain: the last rewriting of what researchers read. Purpose: they know when, and until when nothing is added.
INSERT INTO research.visibility (rewritten_on, period, unchanged_until)
VALUES (%(rewritten_on)s, %(period)s, %(unchanged_until)s);
