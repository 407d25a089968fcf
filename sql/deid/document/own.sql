-- Grain: one document. Purpose: lock those that a step has worked on and that are still its own to move on: a
-- second execution of the step, or a run that took the documents over, leaves none.
CREATE TEMPORARY TABLE owned ON COMMIT DROP AS
SELECT d.document_id, d.content_hash
FROM deid.document AS d
INNER JOIN incoming_document AS i ON d.document_id = i.document_id AND d.content_hash = i.content_hash
WHERE d.run_id = %(run_id)s AND d.batch_id = %(batch_id)s AND d.state = %(before)s
FOR UPDATE OF d
