-- Grain: one document id. Purpose: every document that is published or on its way, to be looked up at the source.
SELECT DISTINCT document_id
FROM deid.document
WHERE state IN ('planned', 'detected', 'substituted', 'validated', 'staged', 'published')
ORDER BY document_id
