-- Grain: one choice that no run has used. Purpose: take it back; the document waits again.
UPDATE deid.quarantine_choice AS c
SET undone_by = %(undone_by)s, undone_at = now()
FROM deid.quarantine AS q
WHERE
    c.run_id = %(run_id)s AND c.document_id = %(document_id)s AND c.undone_at IS NULL AND c.used_by_run IS NULL
    AND q.run_id = c.run_id AND q.document_id = c.document_id AND q.content_hash = c.content_hash
    AND q.standing = c.choice
RETURNING c.choice_id, c.choice, c.content_hash
