-- Grain: one category of elements of a document. Purpose: what its surrogates cost.
INSERT INTO deid.budget (run_id, document_id, content_hash, patient_id, category, mechanism, epsilon, elements)
SELECT
    %(run_id)s, i.document_id, o.content_hash, min(i.patient_id), i.category, i.mechanism, sum(i.epsilon),
    sum(i.elements)
FROM incoming_budget AS i
INNER JOIN owned AS o ON i.document_id = o.document_id
GROUP BY i.document_id, o.content_hash, i.category, i.mechanism
ON CONFLICT (run_id, document_id, category, mechanism) DO UPDATE
SET
    content_hash = excluded.content_hash,
    patient_id = excluded.patient_id,
    epsilon = excluded.epsilon,
    elements = excluded.elements
