-- Grain: one quarantined document version. Purpose: what the desk knows of it, with the choice in force.
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
WHERE q.run_id = %(run_id)s AND q.document_id = %(document_id)s
ORDER BY q.at DESC
LIMIT 1
