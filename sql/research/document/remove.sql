-- Grain: one published document. Purpose: what the source withdrew, or another key published, leaves the research
-- schema.
DELETE FROM research.document AS d
WHERE d.document_id = ANY(%(pseudonyms)s)
