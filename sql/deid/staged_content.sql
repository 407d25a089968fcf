-- name: forget
-- Grain: one document of a run that was published, sent back or replaced. Purpose: nothing is left to compare with, and
-- no digest is left to guess from.
SELECT deid.forget_digests();

-- name: salt
-- Grain: one run that is being staged. Purpose: what its digests are salted with.
INSERT INTO deid.staging_salt (run_id)
SELECT r.run_id FROM deid.run AS r WHERE r.run_id = %(run_id)s AND r.staged_digest IS NULL
ON CONFLICT DO NOTHING;

-- name: altered
-- Grain: one run or staged document of an interval that is not what was sealed when it was staged. Purpose: publish
-- nothing of it; the first twenty are enough to name.
SELECT 'run' AS kind, r.run_id::text AS id
FROM deid.run AS r
WHERE r.run_id = ANY(%(run_ids)s::bigint[]) AND r.staged_digest IS DISTINCT FROM deid.run_digest(r.run_id)
UNION ALL
SELECT 'document' AS kind, d.document_id AS id
FROM deid.document AS d
LEFT JOIN deid.candidate AS c ON d.run_id = c.run_id AND d.document_id = c.document_id
LEFT JOIN deid.staged_content AS s ON d.run_id = s.run_id AND d.document_id = s.document_id AND NOT s.withdrawn
LEFT JOIN deid.staging_salt AS t ON d.run_id = t.run_id
WHERE
    d.run_id = ANY(%(run_ids)s::bigint[]) AND d.state = 'staged'
    AND (
        c.document_id IS NULL
        OR s.digest IS DISTINCT FROM deid.content_digest(
            t.salt, d.content_hash, c.patient_id, c.stay_id, d.document_type, d.loinc_code, c.title, c.text, c.markup,
            c.reference_date, c.file, c.file_type, c.file_suffix, c.attributes
        )
    )
ORDER BY kind, id
LIMIT 20;

-- name: insert
-- Grain: one document of a run that is being staged. Purpose: seal what publication will write of it, and what it will
-- remove. A run that is staged already is left alone.
INSERT INTO deid.staged_content (run_id, document_id, withdrawn, digest)
SELECT
    d.run_id,
    d.document_id,
    FALSE,
    deid.content_digest(
        t.salt, d.content_hash, c.patient_id, c.stay_id, d.document_type, d.loinc_code, c.title, c.text, c.markup,
        c.reference_date, c.file, c.file_type, c.file_suffix, c.attributes
    )
FROM deid.run AS r
INNER JOIN deid.document AS d ON r.run_id = d.run_id AND d.state = 'staged'
INNER JOIN deid.candidate AS c ON d.run_id = c.run_id AND d.document_id = c.document_id
INNER JOIN deid.staging_salt AS t ON r.run_id = t.run_id
WHERE r.run_id = %(run_id)s AND r.staged_digest IS NULL
UNION ALL
SELECT w.run_id, w.document_id, TRUE, NULL
FROM deid.run AS r
INNER JOIN deid.withdrawal AS w ON r.run_id = w.run_id
WHERE r.run_id = %(run_id)s AND r.staged_digest IS NULL
ORDER BY document_id;
