-- Grain: one line of the audit trail. Purpose: the newest first, a page at a time, optionally of one person, one action
-- or one object.
SELECT a.seq, a.at, a.actor, a.action, a.object, a.details, a.digest
FROM deid.audit AS a
WHERE
    (%(before)s::bigint IS NULL OR a.seq < %(before)s)
    AND (%(actor)s::text IS NULL OR a.actor = %(actor)s)
    AND (%(action)s::text IS NULL OR a.action = %(action)s)
    AND (%(object)s::text IS NULL OR a.object = %(object)s)
ORDER BY a.seq DESC
LIMIT %(limit)s
