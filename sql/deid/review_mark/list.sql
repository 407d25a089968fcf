-- Grain: one mark that nobody took back. Purpose: those of a review, of one document of it, of one reader.
SELECT
    k.mark_id, k.ordinal, k.reader, k.kind, k.label, k.start_offset, k.end_offset, k.source_start, k.source_end,
    k.verdict, k.verdict_by
FROM deid.review_mark AS k
WHERE
    k.review_id = %(review_id)s
    AND k.removed_at IS NULL
    AND (%(ordinal)s::int IS NULL OR k.ordinal = %(ordinal)s)
    AND (%(reader)s::text IS NULL OR k.reader = %(reader)s)
ORDER BY k.ordinal, k.start_offset, k.mark_id
