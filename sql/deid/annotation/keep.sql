-- Grain: one mark of a review. Purpose: what was said of a passage, in offsets of the source: for training.
INSERT INTO deid.annotation (
    document_id, content_hash, start_offset, end_offset, label, annotator, origin, annotated_at
)
SELECT
    d.document_id, d.content_hash, k.source_start, k.source_end, k.label, k.reader, 'review ' || k.review_id,
    k.marked_at
FROM deid.review_mark AS k
INNER JOIN deid.review_document AS d ON k.review_id = d.review_id AND k.ordinal = d.ordinal
WHERE
    k.review_id = %(review_id)s
    AND k.removed_at IS NULL
    AND k.verdict IS DISTINCT FROM 'dismissed'
    AND k.source_start IS NOT NULL
ORDER BY k.ordinal, k.source_start, k.mark_id
