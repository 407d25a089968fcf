-- name: begin
-- Grain: one reader of one document of a review. Purpose: the person has opened it; a second time changes nothing.
INSERT INTO deid.review_reading (review_id, ordinal, reader)
VALUES (%(review_id)s, %(ordinal)s, %(reader)s)
ON CONFLICT DO NOTHING;

-- name: finish
-- Grain: one reader of one document of a review. Purpose: the person has read it to its end.
UPDATE deid.review_reading
SET finished_at = now()
WHERE review_id = %(review_id)s AND ordinal = %(ordinal)s AND reader = %(reader)s AND finished_at IS NULL;

-- name: following
-- Grain: one document of a review. Purpose: what this person reads next: one left unfinished, else the first, in the
-- random order of the sample, that lacks a reader.
SELECT d.ordinal
FROM deid.review_document AS d
INNER JOIN deid.review AS r ON d.review_id = r.review_id AND r.closed_at IS NULL
LEFT JOIN deid.review_reading AS m
    ON d.review_id = m.review_id AND d.ordinal = m.ordinal AND m.reader = %(reader)s
WHERE
    d.review_id = %(review_id)s
    AND d.text IS NOT NULL
    AND m.finished_at IS NULL
    AND NOT EXISTS (
        SELECT FROM deid.withdrawal AS w WHERE w.document_id = d.document_id AND w.run_id >= d.run_id
    )
    AND NOT EXISTS (
        SELECT
        FROM deid.document AS p
        INNER JOIN deid.opted_out_patient AS o ON p.patient_id = o.patient_id
        WHERE p.document_id = d.document_id
    )
    AND (
        m.reader IS NOT NULL
        OR r.readings > (
            SELECT count(*)
            FROM deid.review_reading AS o
            WHERE
                o.review_id = d.review_id
                AND o.ordinal = d.ordinal
                AND (o.finished_at IS NOT NULL OR o.started_at > now() - make_interval(hours => %(held_hours)s))
        )
    )
ORDER BY (m.reader IS NULL), d.ordinal
LIMIT 1;

-- name: readers
-- Grain: one document of a review. Purpose: how many others have read it or are reading it, and whether this person is.
SELECT
    count(*) FILTER (
        WHERE g.reader <> %(reader)s
        AND (g.finished_at IS NOT NULL OR g.started_at > now() - make_interval(hours => %(held_hours)s))
    ) AS others,
    coalesce(bool_or(g.reader = %(reader)s), false) AS mine,
    max(g.finished_at) FILTER (WHERE g.reader = %(reader)s) AS finished_at
FROM deid.review_reading AS g
WHERE g.review_id = %(review_id)s AND g.ordinal = %(ordinal)s;
