-- Grain: one document that a person wants done again. Purpose: those that no run has taken up, with the time at which
-- the source had brought them.
SELECT c.document_id, max(d.ingested_at) AS ingested_at
FROM deid.quarantine_choice AS c
INNER JOIN deid.run AS r ON c.run_id = r.run_id
INNER JOIN deid.document AS d ON c.document_id = d.document_id AND c.content_hash = d.content_hash
WHERE c.used_by_run IS NULL AND c.undone_at IS NULL AND c.choice <> 'discard' AND r.source = %(source)s
GROUP BY c.document_id
