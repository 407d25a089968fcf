-- Grain: one document of a review. Purpose: how many others have read it or are reading it, and whether this person is.
SELECT
    count(*) FILTER (
        WHERE g.reader <> %(reader)s
        AND (g.finished_at IS NOT NULL OR g.started_at > now() - make_interval(hours => %(held_hours)s))
    ) AS others,
    coalesce(bool_or(g.reader = %(reader)s), false) AS mine,
    max(g.finished_at) FILTER (WHERE g.reader = %(reader)s) AS finished_at
FROM deid.review_reading AS g
WHERE g.review_id = %(review_id)s AND g.ordinal = %(ordinal)s
