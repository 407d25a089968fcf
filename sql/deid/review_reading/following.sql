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
        INNER JOIN deid.opt_out AS o ON p.patient_id = o.patient_id AND o.revoked_at IS NULL
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
LIMIT 1
