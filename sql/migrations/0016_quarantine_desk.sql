-- What the desk reads of a quarantined version, said once: the version, and the last choice on it that nobody undid.
CREATE VIEW deid.quarantine_desk WITH (security_invoker = true) AS
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
) AS c ON true;

GRANT SELECT ON deid.quarantine_desk TO nocturne_steward;
