-- name: insert
-- Grain: one patient merged into one other. Purpose: what the source says now; it may name several for one patient.
INSERT INTO deid.patient_merge (patient_id, merged_into)
SELECT DISTINCT m.patient_id, m.merged_into
FROM unnest(%(patients)s::text[], %(survivors)s::text[]) AS m (patient_id, merged_into)
WHERE m.patient_id <> m.merged_into
ORDER BY m.patient_id, m.merged_into;
