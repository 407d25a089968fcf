-- Grain: one note among document_ids.
-- Purpose: which of the notes that Nocturne holds may still be published: neither deleted nor withdrawn; and whose
-- they are now, after merges of patients and corrections of identity.
SELECT
    n.note_id::text AS document_id,
    n.person_id::text AS patient_id
FROM cdw.note AS n
INNER JOIN cdw.note_arrival AS a ON a.note_id = n.note_id
WHERE n.note_id = ANY(%(document_ids)s::bigint []) AND a.withdrawn_at IS NULL
