-- Grain: one ICD-10 code of the visit of one note among document_ids, the main diagnosis first.
-- Purpose: what an evaluation of a release measures coding on; nothing of it is kept or published. The code is that of
-- the source concept where its vocabulary is an ICD-10, else the source value. Statuses: 32902 "Primary diagnosis",
-- 32903 "Primary discharge diagnosis".
SELECT
    n.note_id::text AS document_id,
    n.visit_occurrence_id::text AS stay_id,
    coalesce(k.concept_code, o.condition_source_value)::text AS code
FROM cdw.note AS n
INNER JOIN cdw.condition_occurrence AS o ON n.visit_occurrence_id = o.visit_occurrence_id
LEFT JOIN
    cdw.concept AS k
    ON o.condition_source_concept_id = k.concept_id AND k.vocabulary_id IN ('CIM10', 'ICD10', 'ICD10CM', 'ICD10GM')
WHERE n.note_id = ANY(%(document_ids)s::bigint [])
ORDER BY n.note_id, coalesce(o.condition_status_concept_id IN (32902, 32903), FALSE) DESC, o.condition_occurrence_id
