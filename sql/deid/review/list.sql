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
            AND d.text IS NULL
            AND r.readings > (
                SELECT count(*)
                FROM deid.review_reading AS o
                WHERE o.review_id = d.review_id AND o.ordinal = d.ordinal AND o.finished_at IS NOT NULL
            )
    ) AS unreadable
FROM deid.review AS r
CROSS JOIN LATERAL (
    SELECT
        count(*) FILTER (WHERE o.finished_at IS NOT NULL) AS finished,
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
LIMIT %(limit)s
