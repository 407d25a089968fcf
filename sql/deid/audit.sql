-- name: append
-- Grain: one line of the audit trail. Purpose: add it behind the last one.
SELECT deid.audit_append(%(actor)s, %(action)s, %(object)s, %(details)s::jsonb);

-- name: broken
-- Grain: one line of the audit trail that does not follow from the one before it. Purpose: find the first break: a
-- number left out, a link to another line, or a content that is not the digest's.
SELECT deid.audit_broken();

-- name: export
-- Grain: one line of the audit trail that the role may read, oldest first. Purpose: the exact line whose SHA-256 is the
-- digest, the digest, that of the line before, and the number of the last line that is withheld.
SELECT
    deid.audit_line(a.seq, a.at, a.actor, a.action, a.object, a.details, a.login, a.previous), a.digest, a.previous,
    a.withheld
FROM deid.audit_trail AS a
ORDER BY a.seq;

-- name: head
-- Grain: the last line of the audit trail. Purpose: its number and its digest, which signatures keep.
SELECT h.seq, h.digest FROM deid.audit_head() AS h;

-- name: page
-- Grain: one line of the audit trail. Purpose: the newest first, a page at a time, optionally of one person, one action
-- or one object. A reviewer does not see what others did about a release while the reviewer may not know it.
SELECT a.seq, a.at, a.actor, a.action, a.object, a.details, a.digest, a.login
FROM deid.audit_trail AS a
WHERE
    (%(before)s::bigint IS NULL OR a.seq < %(before)s)
    AND (%(actor)s::text IS NULL OR a.actor = %(actor)s)
    AND (%(action)s::text IS NULL OR a.action = %(action)s)
    AND (%(object)s::text IS NULL OR a.object = %(object)s)
    AND (
        %(reviewer)s::text IS NULL OR a.actor = %(reviewer)s OR a.action NOT IN ('approve', 'comment')
        OR NOT EXISTS (
            SELECT FROM deid.decision AS d
            WHERE
                d.blind AND a.object = 'release ' || d.interval_key AND a.at >= d.decided_at - interval '1 minute'
                AND d.decided_by <> %(reviewer)s
                AND NOT EXISTS (
                    SELECT FROM deid.told_decision AS t
                    WHERE t.interval_key = d.interval_key AND t.decided_at = d.decided_at
                )
        )
    )
ORDER BY a.seq DESC
LIMIT %(limit)s;
