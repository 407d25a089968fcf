-- name: last
-- Grain: one rewriting of what researchers read. Purpose: when the last one was; one that a clock dated ahead of now
-- would hold the next one back.
SELECT max(w.rewritten_at) AS rewritten_at
FROM deid.rewriting AS w
WHERE w.rewritten_at < now() + interval '1 day';

-- name: insert
-- Grain: one rewriting of what researchers read. Purpose: record it.
INSERT INTO deid.rewriting (documents, added) VALUES (%(documents)s, %(added)s);
