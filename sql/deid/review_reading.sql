-- name: begin
-- Grain: one reader of one document of a review. Purpose: the person has opened it; a second time changes nothing, but
-- after a reading that was too fast a new one begins.
INSERT INTO deid.review_reading AS g (review_id, ordinal, reader)
VALUES (%(review_id)s, %(ordinal)s, %(reader)s)
ON CONFLICT (review_id, ordinal, reader)
DO UPDATE SET started_at = now(), finished_at = NULL, seconds = NULL, fast = false WHERE g.fast;

-- name: compare
-- Grain: one reader of one document of a review. Purpose: the person saw the original before the end.
UPDATE deid.review_reading
SET compared = true
WHERE review_id = %(review_id)s AND ordinal = %(ordinal)s AND reader = %(reader)s AND finished_at IS NULL;

-- name: finish
-- Grain: one reader of one document of a review. Purpose: the person has read it to its end, in the time since it was
-- opened, or since the person's reading before it where that ended later: nobody reads two texts at once. Faster than
-- %(fastest)s characters per second (0: no limit), it does not count.
UPDATE deid.review_reading AS g
SET
    finished_at = clock_timestamp(),
    seconds = t.seconds,
    fast = %(fastest)s > 0 AND %(characters)s > %(fastest)s * t.seconds
FROM (
    SELECT extract(EPOCH FROM clock_timestamp() - greatest(
        m.started_at,
        (SELECT max(o.finished_at) FROM deid.review_reading AS o WHERE o.reader = m.reader)
    ))::double precision AS seconds
    FROM deid.review_reading AS m
    WHERE m.review_id = %(review_id)s AND m.ordinal = %(ordinal)s AND m.reader = %(reader)s
) AS t
WHERE g.review_id = %(review_id)s AND g.ordinal = %(ordinal)s AND g.reader = %(reader)s AND g.finished_at IS NULL
RETURNING g.seconds, g.fast;

-- name: times
-- Grain: one reader of a review. Purpose: how many documents the person has read, in what time, and how many too fast.
SELECT
    g.reader,
    count(*) FILTER (WHERE NOT g.fast) AS documents,
    sum(g.seconds) FILTER (WHERE NOT g.fast) AS seconds,
    count(*) FILTER (WHERE g.fast) AS fast
FROM deid.review_reading AS g
WHERE g.review_id = %(review_id)s AND g.finished_at IS NOT NULL
GROUP BY g.reader
ORDER BY g.reader;

-- name: following
-- Grain: one document of a review. Purpose: what this person reads next: one left unfinished, else the first, in the
-- random order of the sample, that lacks a reader.
SELECT d.ordinal
FROM deid.readable_document AS d
INNER JOIN deid.review AS r ON d.review_id = r.review_id AND r.closed_at IS NULL
LEFT JOIN deid.review_reading AS m
    ON d.review_id = m.review_id AND d.ordinal = m.ordinal AND m.reader = %(reader)s
WHERE
    d.review_id = %(review_id)s
    AND (m.finished_at IS NULL OR m.fast)
    AND (
        (m.reader IS NOT NULL AND NOT m.fast)
        OR r.readings > (
            SELECT count(*)
            FROM deid.review_reading AS o
            WHERE
                o.review_id = d.review_id
                AND o.ordinal = d.ordinal
                AND NOT o.fast
                AND (o.finished_at IS NOT NULL OR o.started_at > now() - make_interval(hours => %(held_hours)s))
        )
    )
ORDER BY coalesce(m.fast, false), (m.reader IS NULL), d.ordinal
LIMIT 1;

-- name: readers
-- Grain: one document of a review. Purpose: how many others have read it or are reading it, and whether this person is.
SELECT
    count(*) FILTER (
        WHERE g.reader <> %(reader)s AND NOT g.fast
        AND (g.finished_at IS NOT NULL OR g.started_at > now() - make_interval(hours => %(held_hours)s))
    ) AS others,
    coalesce(bool_or(g.reader = %(reader)s), false) AS mine,
    max(g.finished_at) FILTER (WHERE g.reader = %(reader)s AND NOT g.fast) AS finished_at
FROM deid.review_reading AS g
WHERE g.review_id = %(review_id)s AND g.ordinal = %(ordinal)s;
