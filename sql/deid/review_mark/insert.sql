-- Grain: one mark. Purpose: what a reader says of a passage.
INSERT INTO deid.review_mark (
    review_id, ordinal, reader, kind, label, start_offset, end_offset, source_start, source_end
)
VALUES (
    %(review_id)s, %(ordinal)s, %(reader)s, %(kind)s, %(label)s, %(start)s, %(end)s, %(source_start)s, %(source_end)s
)
RETURNING mark_id
