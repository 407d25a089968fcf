-- Grain: one published document. Purpose: what the source withdrew leaves the research schema.
DELETE FROM research.document AS d
USING incoming_document AS i
WHERE d.document_id = i.document_id
