-- name: write
-- Grain: one category by one mechanism. Purpose: sum up what a run spends, without the documents that were held
-- back; a second call adds nothing.
INSERT INTO deid.spend_tally (run_id, category, mechanism, documents, elements, epsilon)
SELECT b.run_id, b.category, b.mechanism, count(DISTINCT b.document_id), sum(b.elements), sum(b.epsilon)
FROM deid.budget AS b
WHERE
    b.run_id = %(run_id)s
    AND NOT EXISTS (SELECT FROM deid.quarantine AS q WHERE q.run_id = b.run_id AND q.document_id = b.document_id)
GROUP BY 1, 2, 3
ON CONFLICT DO NOTHING;
