-- Grain: one document of a review. Purpose: it was withdrawn, or its patient has objected; no text of it stays behind.
UPDATE deid.review_document AS d
SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'withdrawal'
WHERE
    d.text IS NOT NULL
    AND (
        EXISTS (SELECT FROM deid.withdrawal AS w WHERE w.document_id = d.document_id AND w.run_id >= d.run_id)
        OR EXISTS (
            SELECT
            FROM deid.document AS p
            INNER JOIN deid.opt_out AS o ON p.patient_id = o.patient_id AND o.revoked_at IS NULL
            WHERE p.document_id = d.document_id
        )
    )
