-- Grain: one patient with published documents. Purpose: what they have spent together, counted as accounts.sql counts.
WITH spent AS (
    SELECT b.patient_id, b.document_id, max(b.epsilon) AS epsilon
    FROM deid.budget AS b
    INNER JOIN deid.run AS r ON b.run_id = r.run_id
    WHERE b.published
    GROUP BY
        b.patient_id, b.document_id, b.content_hash, r.key_fingerprint, b.category, b.mechanism,
        round((b.epsilon / b.elements)::numeric, 9)
)

SELECT count(DISTINCT s.document_id) AS documents, sum(s.epsilon) AS epsilon
FROM spent AS s
GROUP BY s.patient_id
ORDER BY epsilon DESC
