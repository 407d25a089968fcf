-- Grain: one person who was merged into another.
-- Purpose: which persons are one: an opt-out holds for all of them. OMOP CDM 5.4 has no place for it: a table of the
-- site does (here person_merge).
SELECT
    m.person_id::text AS patient_id,
    m.merged_into::text AS merged_into
FROM cdw.person_merge AS m
