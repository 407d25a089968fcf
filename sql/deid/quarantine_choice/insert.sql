-- Grain: one choice on one quarantined document version. Purpose: write it, unless somebody was first: then no row is
-- given back.
INSERT INTO deid.quarantine_choice (
    run_id, document_id, content_hash, reason, choice, chosen_by, justification, waived, pipeline_version
)
SELECT
    q.run_id, q.document_id, q.content_hash, q.reason, %(choice)s, %(chosen_by)s, %(justification)s,
    %(waived)s::jsonb, r.pipeline_version
FROM deid.quarantine AS q
INNER JOIN deid.run AS r ON q.run_id = r.run_id
WHERE q.run_id = %(run_id)s AND q.document_id = %(document_id)s AND q.content_hash = %(content_hash)s
RETURNING choice_id
