-- Grain: one mention. Purpose: what detection found in the documents of a batch.
SELECT document_id, start_offset, end_offset, label, score, subtype, votes
FROM deid.mention
WHERE run_id = %(run_id)s AND document_id = ANY(%(document_ids)s)
ORDER BY document_id, ordinal
