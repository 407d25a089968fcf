-- name: write
-- Grain: one category by one mechanism. Purpose: sum up what a run spends; a second call adds nothing.
INSERT INTO deid.spend_tally (run_id, category, mechanism, documents, elements, epsilon)
SELECT b.run_id, b.category, b.mechanism, count(DISTINCT b.document_id), sum(b.elements), sum(b.epsilon)
FROM deid.budget AS b
WHERE b.run_id = %(run_id)s
GROUP BY 1, 2, 3
ON CONFLICT DO NOTHING;
