-- Grain: one interval. Purpose: how many documents a sample can be drawn from: staged, with a text, not withdrawn.
SELECT count(*) AS documents
FROM deid.staged_text AS s
INNER JOIN deid.run AS r ON s.run_id = r.run_id
WHERE
    r.interval_key = %(interval_key)s
    AND r.state = 'staged'
    AND NOT EXISTS (
        SELECT FROM deid.withdrawal AS w WHERE w.document_id = s.document_id AND w.run_id >= s.run_id
    )
