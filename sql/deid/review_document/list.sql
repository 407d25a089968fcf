-- Grain: one document of a review. Purpose: who has finished reading it; no text.
SELECT
    d.ordinal,
    d.document_id,
    d.document_type,
    d.surrogates,
    d.erased_for,
    array(
        SELECT g.reader
        FROM deid.review_reading AS g
        WHERE g.review_id = d.review_id AND g.ordinal = d.ordinal AND g.finished_at IS NOT NULL
        ORDER BY g.reader
    ) AS readers
FROM deid.review_document AS d
WHERE d.review_id = %(review_id)s
ORDER BY d.ordinal
