-- Grain: one document of a review. Purpose: the text to read, its row locked against a second reader of the same
-- moment, its review against being closed meanwhile.
SELECT
    r.readings,
    r.sample,
    r.interval_key,
    d.run_id,
    d.document_id,
    d.content_hash,
    d.document_type,
    d.text,
    d.spans,
    d.erased_for,
    EXISTS (
        SELECT FROM deid.withdrawal AS w WHERE w.document_id = d.document_id AND w.run_id >= d.run_id
    )
    OR EXISTS (
        SELECT
        FROM deid.document AS p
        INNER JOIN deid.opt_out AS o ON p.patient_id = o.patient_id AND o.revoked_at IS NULL
        WHERE p.document_id = d.document_id
    ) AS withdrawn,
    r.closed_at IS NOT NULL AS closed
FROM deid.review_document AS d
INNER JOIN deid.review AS r ON d.review_id = r.review_id
WHERE d.review_id = %(review_id)s AND d.ordinal = %(ordinal)s
FOR UPDATE OF d FOR SHARE OF r -- noqa: PRS
