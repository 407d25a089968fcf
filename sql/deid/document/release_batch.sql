-- Grain: one document of a batch of a release. Purpose: its candidate text and what its published row carries, and
-- whether it is what was sealed when it was staged.
SELECT
    d.document_id, c.patient_id, c.stay_id, d.document_type, d.loinc_code, c.title, c.text, c.markup,
    c.reference_date, d.release_id, d.run_id, r.policy_hash, d.pipeline_version, r.detector_version,
    c.reference_versions, r.key_fingerprint, r.key_version,
    coalesce(s.digest = deid.content_digest(
        d.content_hash, c.patient_id, c.stay_id, d.document_type, d.loinc_code, c.title, c.text, c.markup,
        c.reference_date
    ), false) AS intact
FROM deid.document AS d
INNER JOIN deid.candidate AS c ON d.run_id = c.run_id AND d.document_id = c.document_id
INNER JOIN deid.run AS r ON d.run_id = r.run_id
LEFT JOIN deid.staged_content AS s ON d.run_id = s.run_id AND d.document_id = s.document_id AND NOT s.withdrawn
WHERE
    d.release_id = %(release_id)s AND d.run_id = %(run_id)s AND d.batch_id = %(batch_id)s AND d.state = 'staged'
ORDER BY d.document_id
FOR UPDATE OF d
