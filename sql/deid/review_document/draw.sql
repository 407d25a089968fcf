-- Grain: one document of a review. Purpose: draw the sample in the order of a hash that nobody can choose, and copy the
-- texts to read. The ids are drawn first: only the sample's texts are read.
WITH drawn AS (
    SELECT
        s.run_id,
        s.document_id,
        row_number() OVER (
            ORDER BY sha256(convert_to(%(seed)s || s.document_id, 'UTF8')), s.document_id COLLATE "C", s.run_id
        ) AS ordinal
    FROM deid.reviewable AS s
    WHERE s.interval_key = %(interval_key)s
    ORDER BY ordinal
    LIMIT %(sample)s
)

INSERT INTO deid.review_document (
    review_id, ordinal, run_id, document_id, content_hash, document_type, text, spans, surrogates
)
SELECT
    %(review_id)s, n.ordinal, t.run_id, t.document_id, t.content_hash, t.document_type, t.text, t.spans,
    jsonb_array_length(t.spans)
FROM drawn AS n
INNER JOIN deid.staged_text AS t ON n.run_id = t.run_id AND n.document_id = t.document_id
