-- Grain: one quarantined document version. Purpose: a page of the desk, the newest first, after the last one shown,
-- with the choice in force.
SELECT
    run_id, document_id, content_hash, step, reason, at, interval_key, document_type, standing,
    choice_id, choice, chosen_by, chosen_at, justification
FROM deid.quarantine_desk
WHERE
    standing = %(standing)s
    AND (%(reason)s::text IS NULL OR reason = %(reason)s)
    AND (%(step)s::text IS NULL OR step = %(step)s)
    AND (%(document_type)s::text IS NULL OR document_type = %(document_type)s)
    AND (%(interval_key)s::text IS NULL OR interval_key = %(interval_key)s)
    AND (%(since)s::timestamptz IS NULL OR at >= %(since)s)
    AND (%(before)s::timestamptz IS NULL OR at < %(before)s)
    AND (
        %(after_at)s::timestamptz IS NULL
        OR (at, run_id, document_id) < (%(after_at)s::timestamptz, %(after_run)s::bigint, %(after_document)s::text)
    )
ORDER BY at DESC, run_id DESC, document_id DESC
LIMIT %(limit)s
