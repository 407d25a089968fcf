-- Grain: one document. Purpose: those of a batch that wait in the given state.
SELECT document_id, content_hash, title_clean
FROM deid.document
WHERE run_id = %(run_id)s AND batch_id = %(batch_id)s AND state = %(state)s
ORDER BY ingested_at, document_id COLLATE "C"
