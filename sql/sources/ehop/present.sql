-- Grain: one document among document_ids.
-- Purpose: which of the documents that Nocturne holds may still be published: neither deleted nor withdrawn; and whose
-- they are now, after merges of patients and corrections of identity.
SELECT
    d.document_id,
    d.patient_id
FROM cdw.document AS d
WHERE d.document_id = ANY(%(document_ids)s) AND d.withdrawn_at IS NULL
