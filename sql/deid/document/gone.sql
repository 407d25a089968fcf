-- Grain: one quarantined document. Purpose: a person wanted it done again, and the source no longer has it.
UPDATE deid.document AS d
SET state = 'withdrawn', updated_at = now()
WHERE d.document_id = ANY(%(gone)s::text[]) AND d.state = 'quarantined'
