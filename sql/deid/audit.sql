-- name: append
-- Grain: one line of the audit trail. Purpose: add it behind the last one.
SELECT deid.audit_append(%(actor)s, %(action)s, %(object)s, %(details)s::jsonb);

-- name: broken
-- Grain: one line of the audit trail that does not follow from the one before it. Purpose: find the first break: a
-- number left out, a link to another line, or a content that is not the digest's.
WITH chained AS (
    SELECT
        a.seq,
        a.previous = lag(a.digest, 1, '') OVER ordered AS linked,
        a.seq = lag(a.seq, 1, 0::bigint) OVER ordered + 1 AS counted,
        a.digest = encode(sha256(convert_to(
            deid.audit_line(a.seq, a.at, a.actor, a.action, a.object, a.details, a.login, a.previous), 'UTF8'
        )), 'hex') AS hashed
    FROM deid.audit AS a
    WINDOW ordered AS (ORDER BY a.seq)
)

SELECT c.seq FROM chained AS c WHERE NOT (c.linked AND c.counted AND c.hashed) ORDER BY c.seq LIMIT 1;

-- name: export
-- Grain: one line of the audit trail, oldest first. Purpose: the exact line whose SHA-256 is the digest, and the
-- digest.
SELECT deid.audit_line(a.seq, a.at, a.actor, a.action, a.object, a.details, a.login, a.previous), a.digest
FROM deid.audit AS a
ORDER BY a.seq;

-- name: head
-- Grain: the last line of the audit trail. Purpose: its number and its digest, which signatures keep.
SELECT a.seq, a.digest FROM deid.audit AS a ORDER BY a.seq DESC LIMIT 1;

-- name: page
-- Grain: one line of the audit trail. Purpose: the newest first, a page at a time, optionally of one person, one action
-- or one object.
SELECT a.seq, a.at, a.actor, a.action, a.object, a.details, a.digest, a.login
FROM deid.audit AS a
WHERE
    (%(before)s::bigint IS NULL OR a.seq < %(before)s)
    AND (%(actor)s::text IS NULL OR a.actor = %(actor)s)
    AND (%(action)s::text IS NULL OR a.action = %(action)s)
    AND (%(object)s::text IS NULL OR a.object = %(object)s)
ORDER BY a.seq DESC
LIMIT %(limit)s;
