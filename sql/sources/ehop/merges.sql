-- Grain: one patient who was merged into another.
-- Purpose: which patients are one person: an opt-out holds for all of them.
SELECT
    m.patient_id,
    m.merged_into
FROM cdw.patient_merge AS m
