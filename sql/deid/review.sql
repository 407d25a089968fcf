-- name: lock_opening
-- Grain: all reviews. Purpose: two people who open one at the same moment open one after the other.
SELECT deid.lock_reviews();

-- name: try_lock_opening
-- Grain: all reviews. Purpose: the same, without waiting: whether nobody is opening one at this moment.
SELECT deid.try_lock_reviews() AS free;

-- name: close
-- Grain: one review. Purpose: nothing more is read or marked in it.
UPDATE deid.review SET closed_by = %(closed_by)s, closed_at = now() WHERE review_id = %(review_id)s;

-- name: find
-- Grain: one review. Purpose: that of exactly what is staged in an interval.
SELECT max(r.review_id)
FROM deid.review AS r
WHERE r.interval_key = %(interval_key)s AND r.staged_digest = %(staged_digest)s
HAVING max(r.review_id) IS NOT NULL;

-- name: lock
-- Grain: one review. Purpose: lock it against whoever marks or closes it at the same moment.
SELECT r.closed_at IS NOT NULL AS closed FROM deid.review AS r WHERE r.review_id = %(review_id)s FOR UPDATE;

-- name: insert
-- Grain: one review. Purpose: its plan, and the seed that its sample follows from.
INSERT INTO deid.review (
    interval_key, staged_digest, population, sample, target, confidence, readings, sentinels, seed, opened_by
)
VALUES (
    %(interval_key)s, %(staged_digest)s, %(population)s, %(sample)s, %(target)s, %(confidence)s, %(readings)s,
    %(sentinels)s, %(seed)s, %(opened_by)s
)
RETURNING review_id;

-- name: last
-- Grain: one interval. Purpose: its latest review, whatever was staged then.
SELECT max(r.review_id) AS review_id FROM deid.review AS r WHERE r.interval_key = %(interval_key)s;

-- name: list
-- Grain: one review. Purpose: its plan and how far it is; one of them, or a page of those open, closed, or read in by
-- a person.
SELECT
    r.review_id,
    r.interval_key,
    r.staged_digest,
    r.population,
    r.sample,
    r.target,
    r.confidence,
    r.readings,
    r.sentinels,
    r.seed,
    r.opened_by,
    r.opened_at,
    r.closed_by,
    r.closed_at,
    g.finished,
    g.mine,
    (
        SELECT count(*)
        FROM deid.review_document AS d
        WHERE
            d.review_id = r.review_id
            AND NOT EXISTS (
                SELECT FROM deid.readable_document AS a WHERE a.review_id = d.review_id AND a.ordinal = d.ordinal
            )
            AND r.readings > (
                SELECT count(*)
                FROM deid.review_reading AS o
                WHERE
                    o.review_id = d.review_id AND o.ordinal = d.ordinal AND o.finished_at IS NOT NULL AND NOT o.fast
            )
    ) AS unreadable
FROM deid.review AS r
CROSS JOIN LATERAL (
    SELECT
        count(*) FILTER (WHERE o.finished_at IS NOT NULL AND NOT o.fast) AS finished,
        count(*) FILTER (WHERE o.finished_at IS NOT NULL AND o.reader = %(reader)s) AS mine
    FROM deid.review_reading AS o
    WHERE o.review_id = r.review_id
) AS g
WHERE
    (%(review_id)s::bigint IS NULL OR r.review_id = %(review_id)s)
    AND (%(before)s::bigint IS NULL OR r.review_id < %(before)s)
    AND CASE %(which)s
        WHEN 'open' THEN r.closed_at IS NULL
        WHEN 'closed' THEN r.closed_at IS NOT NULL
        WHEN 'mine' THEN EXISTS (
            SELECT FROM deid.review_reading AS o WHERE o.reader = %(reader)s AND o.review_id = r.review_id
        )
        ELSE true
    END
ORDER BY r.review_id DESC
LIMIT %(limit)s;

-- name: enlarge
-- Grain: one review. Purpose: how many documents its sample holds now.
UPDATE deid.review AS r
SET sample = (SELECT count(*) FROM deid.review_document AS d WHERE d.review_id = r.review_id)
WHERE r.review_id = %(review_id)s
RETURNING r.sample;

-- name: population
-- Grain: one interval. Purpose: how many documents a sample can be drawn from.
SELECT count(*) AS documents FROM deid.reviewable WHERE interval_key = %(interval_key)s;

-- name: staged_intervals
-- Grain: one interval that waits for publication. Purpose: what can be reviewed, and how many documents wait there.
SELECT
    r.interval_key,
    coalesce((
        SELECT sum(t.documents)
        FROM deid.document_tally AS t
        WHERE t.run_id = ANY(array_agg(r.run_id)) AND t.state = 'staged'
    ), 0)::bigint AS documents
FROM deid.run AS r
WHERE r.state = 'staged' AND (%(interval_key)s::text IS NULL OR r.interval_key = %(interval_key)s)
GROUP BY r.interval_key
ORDER BY max(r.interval_start) DESC
LIMIT 100;
