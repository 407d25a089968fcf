-- Grain: one quarantined document version. Purpose: what the desk knows of it, with the choice in force.
SELECT
    run_id, document_id, content_hash, step, reason, at, interval_key, document_type, standing,
    choice_id, choice, chosen_by, chosen_at, justification
FROM deid.quarantine_desk
WHERE run_id = %(run_id)s AND document_id = %(document_id)s
ORDER BY at DESC
LIMIT 1
