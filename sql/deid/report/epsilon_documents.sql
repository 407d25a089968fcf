-- Grain: one document. Purpose: the sum of its ε, for the distribution; ordered, so that quantiles are read off.
SELECT sum(b.epsilon) AS epsilon
FROM deid.budget AS b
WHERE b.run_id = ANY(%(run_ids)s)
GROUP BY b.run_id, b.document_id
ORDER BY 1
