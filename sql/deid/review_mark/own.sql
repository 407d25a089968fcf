-- Grain: one mark. Purpose: whether this one is this person's, and was taken back already.
SELECT k.removed_at IS NOT NULL AS removed
FROM deid.review_mark AS k
WHERE
    k.mark_id = %(mark_id)s
    AND k.review_id = %(review_id)s
    AND k.ordinal = %(ordinal)s
    AND k.reader = %(reader)s
