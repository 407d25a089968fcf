-- Grain: one quarantined document version. Purpose: a page of the desk, the newest first, after the last one shown, with
-- the choice in force.
SELECT
    q.run_id, q.document_id, q.content_hash, q.step, q.reason, q.at, q.interval_key, q.document_type, q.standing,
    c.choice_id, c.choice, c.chosen_by, c.chosen_at, c.justification
FROM deid.quarantine AS q
LEFT JOIN LATERAL (
    SELECT n.choice_id, n.choice, n.chosen_by, n.chosen_at, n.justification
    FROM deid.quarantine_choice AS n
    WHERE
        n.document_id = q.document_id AND n.content_hash = q.content_hash AND n.run_id = q.run_id
        AND n.undone_at IS NULL
    ORDER BY n.choice_id DESC
    LIMIT 1
) AS c ON true
WHERE
    q.standing = %(standing)s
    AND (%(reason)s::text IS NULL OR q.reason = %(reason)s)
    AND (%(step)s::text IS NULL OR q.step = %(step)s)
    AND (%(document_type)s::text IS NULL OR q.document_type = %(document_type)s)
    AND (%(interval_key)s::text IS NULL OR q.interval_key = %(interval_key)s)
    AND (%(since)s::timestamptz IS NULL OR q.at >= %(since)s)
    AND (%(before)s::timestamptz IS NULL OR q.at < %(before)s)
    AND (
        %(after_at)s::timestamptz IS NULL
        OR (q.at, q.run_id, q.document_id) < (%(after_at)s::timestamptz, %(after_run)s::bigint, %(after_document)s::text)
    )
ORDER BY q.at DESC, q.run_id DESC, q.document_id DESC
LIMIT %(limit)s
