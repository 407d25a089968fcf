-- Grain: one batch. Purpose: those of a release that still have documents to publish.
SELECT DISTINCT run_id, batch_id
FROM deid.document
WHERE release_id = %(release_id)s AND state = 'staged'
ORDER BY run_id, batch_id
