-- Grain: one document of cdw.
-- Purpose: which version is there, so that only what has changed is sent.
SELECT document_id, ingested_at
FROM cdw.document
