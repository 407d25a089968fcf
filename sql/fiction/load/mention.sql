-- Grain: one true mention of incoming_mention.
-- Purpose: add those that are not there yet.
INSERT INTO gold.mention (document_id, content_hash, start_offset, end_offset, label)
SELECT document_id, content_hash, start_offset, end_offset, label
FROM incoming_mention
ON CONFLICT (document_id, content_hash, start_offset) DO NOTHING
