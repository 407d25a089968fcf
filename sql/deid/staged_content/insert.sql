-- Grain: one document of a run that is being staged. Purpose: seal what publication will write of it, and what it will
-- remove. A run that is staged already is left alone.
INSERT INTO deid.staged_content (run_id, document_id, withdrawn, digest)
SELECT
    d.run_id,
    d.document_id,
    FALSE,
    deid.content_digest(
        d.content_hash, c.patient_id, c.stay_id, d.document_type, d.loinc_code, c.title, c.text, c.markup,
        c.reference_date
    )
FROM deid.run AS r
INNER JOIN deid.document AS d ON r.run_id = d.run_id AND d.state = 'staged'
INNER JOIN deid.candidate AS c ON d.run_id = c.run_id AND d.document_id = c.document_id
WHERE r.run_id = %(run_id)s AND r.staged_digest IS NULL
UNION ALL
SELECT w.run_id, w.document_id, TRUE, NULL
FROM deid.run AS r
INNER JOIN deid.withdrawal AS w ON r.run_id = w.run_id
WHERE r.run_id = %(run_id)s AND r.staged_digest IS NULL
