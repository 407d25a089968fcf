-- Grain: published documents of one patient, release and type. Purpose: the patient objected: the rows leave.
WITH gone AS (
    DELETE FROM research.document AS d
    WHERE d.patient_id = ANY(%(pseudonyms)s)
    RETURNING d.patient_id, d.release_id, coalesce(d.document_type, '') AS document_type
)

SELECT g.patient_id, g.release_id, g.document_type, count(*)::int AS documents
FROM gone AS g
GROUP BY g.patient_id, g.release_id, g.document_type
ORDER BY g.release_id, g.document_type
