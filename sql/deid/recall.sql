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
    (
        SELECT count(*) FROM deid.published_document AS p INNER JOIN own AS o ON p.release_id = o.release_id
    )::int AS documents,
    (
        SELECT count(p.visible_from)
        FROM deid.published_document AS p
        INNER JOIN own AS o ON p.release_id = o.release_id
    )::int + (
        SELECT count(*) FROM deid.published_document AS p INNER JOIN own AS o ON p.former_release_id = o.release_id
    )::int AS readable;

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
SELECT d.document_type, count(*)::int AS documents, count(*) FILTER (WHERE d.was_read)::int AS read_before
FROM deid.recalled_document AS d
WHERE d.recall_id = %(recall_id)s
GROUP BY d.document_type
ORDER BY d.document_type;

-- name: check
-- Grain: one recall. Purpose: a fresh look: its documents that researchers read or will read now, by the same
-- identifiers, and rows of its releases. `again` are those that another release holds: a correction, or the same since.
SELECT
    (
        SELECT count(*)
        FROM deid.recalled_document AS d
        INNER JOIN research.document AS v ON d.document_id = v.document_id
        WHERE d.recall_id = k.recall_id
    )::int AS readable,
    (SELECT count(*) FROM deid.published_document AS p WHERE p.release_id = ANY(k.release_ids))::int AS waiting,
    (
        SELECT count(*)
        FROM deid.recalled_document AS d
        INNER JOIN deid.published_document AS p ON d.document_id = p.document_id
        WHERE d.recall_id = k.recall_id AND p.release_id <> ALL(k.release_ids)
    )::int AS again,
    now() AS checked_at
FROM deid.recall AS k
WHERE k.recall_id = %(recall_id)s;
