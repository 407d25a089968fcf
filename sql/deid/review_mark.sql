-- name: insert
-- Grain: one mark. Purpose: what a reader says of a passage.
INSERT INTO deid.review_mark (
    review_id, ordinal, reader, kind, label, start_offset, end_offset, source_start, source_end
)
VALUES (
    %(review_id)s, %(ordinal)s, %(reader)s, %(kind)s, %(label)s, %(start)s, %(end)s, %(source_start)s, %(source_end)s
)
RETURNING mark_id;

-- name: list
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
ORDER BY k.ordinal, k.start_offset, k.mark_id;

-- name: own
-- Grain: one mark. Purpose: whether this one is this person's, and was taken back already.
SELECT k.removed_at IS NOT NULL AS removed
FROM deid.review_mark AS k
WHERE
    k.mark_id = %(mark_id)s
    AND k.review_id = %(review_id)s
    AND k.ordinal = %(ordinal)s
    AND k.reader = %(reader)s;

-- name: remove
-- Grain: one mark. Purpose: its reader takes it back; it stays in the table, and counts no more.
UPDATE deid.review_mark SET removed_at = now() WHERE mark_id = %(mark_id)s AND removed_at IS NULL;

-- name: settle
-- Grain: one mark. Purpose: a senior steward's last word on it.
UPDATE deid.review_mark
SET verdict = %(verdict)s, verdict_by = %(senior)s
WHERE mark_id = %(mark_id)s AND verdict IS NULL;
