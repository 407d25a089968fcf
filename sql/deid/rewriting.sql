-- name: last
-- Grain: one rewriting of what researchers read. Purpose: when the last one was.
SELECT max(w.rewritten_at) AS rewritten_at FROM deid.rewriting AS w;

-- name: insert
-- Grain: one rewriting of what researchers read. Purpose: record it.
INSERT INTO deid.rewriting (documents, added) VALUES (%(documents)s, %(added)s);
