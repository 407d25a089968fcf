-- name: of_documents
-- Grain: one mention of the synthetic hospital. Purpose: score what a run found in these documents.
SELECT document_id, content_hash, start_offset, end_offset, label
FROM gold.mention
WHERE document_id = ANY(%(document_ids)s)
ORDER BY document_id, content_hash, start_offset;
