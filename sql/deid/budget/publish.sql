-- Grain: one category of elements of a document. Purpose: what a batch publishes counts for its patients from now on.
UPDATE deid.budget AS b
SET published = true
FROM deid.document AS d
WHERE
    d.release_id = %(release_id)s AND d.run_id = %(run_id)s AND d.batch_id = %(batch_id)s AND d.state = 'staged'
    AND b.run_id = d.run_id AND b.document_id = d.document_id AND b.content_hash = d.content_hash
    AND NOT b.published
