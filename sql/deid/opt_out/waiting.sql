-- Grain: one patient of the source. Purpose: how many of the documents are on their way, or in quarantine.
SELECT count(*)::int AS documents
FROM deid.document AS d
WHERE
    d.patient_id = %(patient_id)s
    AND d.state IN ('planned', 'detected', 'substituted', 'validated', 'staged', 'quarantined')
