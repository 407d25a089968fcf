-- Grain: one document of a review. Purpose: these documents were withdrawn; no text of them stays behind.
UPDATE deid.review_document
SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'withdrawal'
WHERE document_id = ANY(%(document_ids)s) AND text IS NOT NULL
