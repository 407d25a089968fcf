-- name: insert
-- Grain: one patient merged into another. Purpose: what the source says now.
INSERT INTO deid.patient_merge (patient_id, merged_into)
SELECT DISTINCT ON (m.patient_id) m.patient_id, m.merged_into
FROM unnest(%(patients)s::text[], %(survivors)s::text[]) AS m (patient_id, merged_into)
WHERE m.patient_id <> m.merged_into
ORDER BY m.patient_id ASC, m.merged_into ASC;
