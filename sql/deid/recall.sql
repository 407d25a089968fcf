-- name: make
-- Grain: one recall. Purpose: take what an interval published out of research; null if it cannot be done now.
SELECT deid.recall_interval(%(interval_key)s, %(release_ids)s::bigint[], %(recalled_by)s, %(reason)s) AS recall_id;

-- name: releases
-- Grain: one interval. Purpose: its complete releases, the documents they hold now, and those that researchers can read
-- in this version or in a former one.
WITH own AS (
    SELECT r.release_id
    FROM deid.release AS r
    WHERE r.interval_key = %(interval_key)s AND r.published_at IS NOT NULL
)

SELECT
    coalesce((SELECT array_agg(o.release_id ORDER BY o.release_id) FROM own AS o), '{}') AS release_ids,
    coalesce(sum(t.documents), 0)::int AS documents,
    coalesce(sum(t.documents - t.unread + t.former), 0)::int AS readable
FROM deid.release_tally AS t
INNER JOIN own AS o ON t.release_id = o.release_id;

-- name: of_interval
-- Grain: one recall of an interval. Purpose: the newest first.
SELECT k.recall_id, k.interval_key, k.recalled_by, k.reason, k.recalled_at
FROM deid.recall AS k
WHERE k.interval_key = %(interval_key)s
ORDER BY k.recall_id DESC;

-- name: read
-- Grain: one recall. Purpose: who made it, when and why.
SELECT k.recall_id, k.interval_key, k.recalled_by, k.reason, k.recalled_at
FROM deid.recall AS k
WHERE k.recall_id = %(recall_id)s;

-- name: removed
-- Grain: documents of one type that a recall removed. Purpose: how many, and how many of them researchers could read.
SELECT d.document_type, d.documents, d.read_before
FROM deid.recall_tally AS d
WHERE d.recall_id = %(recall_id)s
ORDER BY d.document_type;

-- name: check
-- Grain: one recall. Purpose: a fresh look: its documents that researchers read or will read now, by the same
-- identifiers, and rows of its releases. `again` are those that another release holds: a correction, or the same since.
SELECT c.readable, c.waiting, c.again, now() AS checked_at
FROM deid.recall_check AS c
WHERE c.recall_id = %(recall_id)s;
