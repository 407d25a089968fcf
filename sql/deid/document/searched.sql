-- Grain: one document of a run. Purpose: those that detection has been through, to score what it found.
SELECT d.document_id, d.content_hash, d.document_type
FROM deid.document AS d
WHERE d.run_id = %(run_id)s
AND d.state NOT IN ('planned', 'withdrawn')
AND NOT EXISTS (
    SELECT FROM deid.quarantine AS q
    WHERE q.run_id = d.run_id AND q.document_id = d.document_id AND q.step = 'detect'
)
ORDER BY d.document_id
