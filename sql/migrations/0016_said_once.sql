-- Two things that several statements read, each said once.

-- Grain: one quarantined document version. Purpose: what the desk knows of it, with the last choice that nobody undid.
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

-- Grain: one staged document version. Purpose: what a review may draw from: staged, with a text, not withdrawn since.
CREATE VIEW deid.reviewable WITH (security_invoker = true) AS
SELECT r.interval_key, s.run_id, s.document_id
FROM deid.staged_text AS s
INNER JOIN deid.run AS r ON s.run_id = r.run_id
WHERE
    r.state = 'staged'
    AND NOT EXISTS (
        SELECT FROM deid.withdrawal AS w WHERE w.document_id = s.document_id AND w.run_id >= s.run_id
    );

GRANT SELECT ON deid.quarantine_desk TO nocturne_steward;
GRANT SELECT ON deid.reviewable TO nocturne_publisher, nocturne_steward;
