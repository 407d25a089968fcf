-- name: insert
-- Grain: one comment. Purpose: keep it.
INSERT INTO deid.release_comment (interval_key, staged_digest, account, comment)
VALUES (%(interval_key)s, %(staged_digest)s, %(account)s, %(comment)s);

-- name: of_interval
-- Grain: one comment on an interval, the oldest first. Purpose: what reviewers told each other; with `reader`, what one
-- account wrote on this content, and what everybody wrote on others.
SELECT c.account, c.written_at, c.comment, c.staged_digest = %(staged_digest)s AS about_this
FROM deid.release_comment AS c
WHERE
    c.interval_key = %(interval_key)s
    AND (%(reader)s::text IS NULL OR c.account = %(reader)s OR c.staged_digest <> %(staged_digest)s)
ORDER BY c.comment_id;
