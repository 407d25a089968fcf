-- name: given
-- Grain: one person who approves a content of an interval, and when. Purpose: count approvals. Nobody's approval given
-- before the interval was last rejected or sent back counts, nor one that another login than the publisher's recorded.
SELECT d.decided_by, min(d.decided_at) AS decided_at
FROM deid.decision AS d
WHERE
    d.interval_key = %(interval_key)s
    AND d.staged_digest = %(staged_digest)s
    AND d.chosen = 'approve'
    AND d.decided_by <> %(nobody)s
    AND EXISTS (
        SELECT FROM pg_roles AS l
        WHERE l.rolname = d.login AND NOT l.rolsuper AND pg_has_role(l.oid, 'nocturne_publisher', 'USAGE')
    )
    AND d.decided_at > coalesce((
        SELECT max(o.decided_at)
        FROM deid.decision AS o
        WHERE o.interval_key = %(interval_key)s AND o.chosen IN ('reject', 'rework')
    ), '-infinity')
GROUP BY d.decided_by
ORDER BY decided_at;

-- name: history
-- Grain: one answer on an interval that may be told, the newest first. Purpose: who has decided what, and whether on
-- what was published, for the people who decide next.
SELECT
    d.chosen, d.decided_by, d.reason, d.decided_at, d.staged_digest,
    EXISTS (
        SELECT FROM deid.release AS p
        WHERE
            p.interval_key = d.interval_key AND p.staged_digest = d.staged_digest AND p.published_at IS NOT NULL
    ) AS published
FROM deid.told_decision AS d
WHERE d.interval_key = %(interval_key)s AND d.chosen <> 'proposed'
ORDER BY d.decided_at DESC
LIMIT 50;

-- name: insert
-- Grain: one answer. Purpose: remember what a person, or the policy, said of exactly this staged content. The same
-- answer repeated on the same content, with no other in between, is kept once.
INSERT INTO deid.decision (interval_key, run_id, chosen, decided_by, reason, staged_digest)
SELECT %(interval_key)s, %(run_id)s, %(chosen)s, %(decided_by)s, %(reason)s, %(staged_digest)s
WHERE NOT EXISTS (
    SELECT FROM (
        SELECT d.staged_digest, d.decided_by
        FROM deid.decision AS d
        WHERE d.interval_key = %(interval_key)s AND d.chosen = %(chosen)s
        ORDER BY d.decided_at DESC
        LIMIT 1
    ) AS last
    WHERE last.staged_digest = %(staged_digest)s AND last.decided_by = %(decided_by)s
);

-- name: last
-- Grain: one answer. Purpose: the last thing that a person, or the policy, said of an interval.
SELECT d.chosen, d.staged_digest, d.decided_by, d.reason, d.decided_at
FROM deid.decision AS d
WHERE d.interval_key = %(interval_key)s AND d.chosen <> 'proposed'
ORDER BY d.decided_at DESC
LIMIT 1;

-- name: proposed
-- Grain: one proposal. Purpose: the digest of what was last summarised for an interval, which is what people saw.
SELECT d.staged_digest
FROM deid.decision AS d
WHERE d.interval_key = %(interval_key)s AND d.chosen = 'proposed'
ORDER BY d.decided_at DESC
LIMIT 1;

-- name: record
-- Grain: one answer of a person. Purpose: remember it, with the content that it is about; in the order in which answers
-- are taken, whichever transaction began first.
INSERT INTO deid.decision (
    interval_key, run_id, chosen, decided_by, reason, staged_digest, decided_at, missing, blind
)
VALUES (
    %(interval_key)s, %(run_id)s, %(chosen)s, %(decided_by)s, %(reason)s, %(staged_digest)s, clock_timestamp(),
    %(missing)s, %(blind)s
)
RETURNING decided_at;

-- name: vetoed
-- Grain: one content of an interval. Purpose: whether a person rejected it after the last approval of it, if any.
SELECT EXISTS (
    SELECT FROM deid.decision AS v
    WHERE
        v.interval_key = %(interval_key)s AND v.staged_digest = %(staged_digest)s AND v.chosen IN ('reject', 'rework')
        AND v.decided_at > coalesce((
            SELECT max(d.decided_at)
            FROM deid.decision AS d
            WHERE
                d.interval_key = v.interval_key AND d.staged_digest = v.staged_digest AND d.chosen = 'approve'
                AND d.missing = 0
        ), '-infinity')
) AS vetoed;
