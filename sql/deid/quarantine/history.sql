-- Grain: one thing that happened to a document, in any version: it was planned, quarantined, chosen for, taken back.
-- Purpose: tell its story, oldest first.
SELECT s.at, s.kind, s.run_id, s.interval_key, s.content_hash, s.what, s.who, s.why
FROM (
    SELECT
        d.updated_at AS at, 'state' AS kind, d.run_id, r.interval_key, d.content_hash, d.state AS what, '' AS who,
        d.pipeline_version AS why
    FROM deid.document AS d
    INNER JOIN deid.run AS r ON d.run_id = r.run_id
    WHERE d.document_id = %(document_id)s AND d.state <> 'quarantined'
    UNION ALL
    SELECT q.at, 'quarantine', q.run_id, q.interval_key, q.content_hash, q.reason, '', q.step
    FROM deid.quarantine AS q
    WHERE q.document_id = %(document_id)s
    UNION ALL
    SELECT c.chosen_at, 'choice', c.run_id, '', c.content_hash, c.choice, c.chosen_by, c.justification
    FROM deid.quarantine_choice AS c
    WHERE c.document_id = %(document_id)s
    UNION ALL
    SELECT c.undone_at, 'undone', c.run_id, '', c.content_hash, c.choice, coalesce(c.undone_by, ''), ''
    FROM deid.quarantine_choice AS c
    WHERE c.document_id = %(document_id)s AND c.undone_at IS NOT NULL
) AS s
ORDER BY s.at, s.kind DESC
