-- Grain: one refused document version. Purpose: the step and the reason, never the text.
INSERT INTO deid.quarantine (run_id, document_id, content_hash, step, reason)
SELECT %(run_id)s, o.document_id, o.content_hash, %(step)s, i.reason
FROM incoming_quarantine AS i
INNER JOIN owned AS o ON i.document_id = o.document_id
ON CONFLICT (run_id, document_id, content_hash) DO UPDATE
SET step = excluded.step, reason = excluded.reason, at = now()
