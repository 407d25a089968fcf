-- Grain: one document version of a patient who objected. Purpose: it is withdrawn wherever it stood, and no text of it
-- stays behind, neither to be published nor in a review.
WITH gone AS (
    UPDATE deid.document AS d
    SET state = 'withdrawn', updated_at = now()
    WHERE d.patient_id = ANY(%(patient_ids)s) AND d.state NOT IN ('withdrawn', 'superseded')
    RETURNING d.document_id, d.run_id, d.patient_id
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING gone AS g
    WHERE c.run_id = g.run_id AND c.document_id = g.document_id
),

forgotten AS (
    UPDATE deid.review_document AS v
    SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'withdrawal'
    FROM (SELECT DISTINCT g.document_id FROM gone AS g) AS g
    WHERE v.document_id = g.document_id AND v.text IS NOT NULL
)

SELECT g.patient_id FROM gone AS g
