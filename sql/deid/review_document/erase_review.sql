-- Grain: one document of a review. Purpose: the review is closed; no text of it stays behind.
UPDATE deid.review_document
SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'closed'
WHERE review_id = %(review_id)s AND text IS NOT NULL
