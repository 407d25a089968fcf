-- name: write
-- Grain: one label in one type of document. Purpose: count a run's mentions once they stand still, without those of
-- documents that were held back; a second call adds nothing.
INSERT INTO deid.mention_tally (run_id, document_type, label, mentions)
SELECT m.run_id, coalesce(d.document_type, ''), m.label, count(*)
FROM deid.mention AS m
INNER JOIN deid.document AS d ON m.document_id = d.document_id AND m.run_id = d.run_id
WHERE
    m.run_id = %(run_id)s
    AND NOT EXISTS (SELECT FROM deid.quarantine AS q WHERE q.run_id = m.run_id AND q.document_id = m.document_id)
GROUP BY 1, 2, 3
ON CONFLICT DO NOTHING;
