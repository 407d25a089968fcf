-- Grain: one reader of one document of a review. Purpose: the person has read it to its end.
UPDATE deid.review_reading
SET finished_at = now()
WHERE review_id = %(review_id)s AND ordinal = %(ordinal)s AND reader = %(reader)s AND finished_at IS NULL
