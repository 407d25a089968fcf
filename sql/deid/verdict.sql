-- name: failed
-- Grain: one failed check of one document. Purpose: what held it back, with the number seen; critical ones first.
SELECT v.check_name, v.severity, v.observed::float8 AS observed, v.waived
FROM deid.shown_verdict AS v
WHERE v.run_id = %(run_id)s AND v.document_id = %(document_id)s AND NOT v.success
ORDER BY array_position(ARRAY['critical', 'warning', 'info'], v.severity), v.check_name;

-- name: insert
-- Grain: one check on one document. Purpose: what validation measured.
INSERT INTO deid.verdict (run_id, document_id, check_name, severity, success, observed, waived)
SELECT %(run_id)s, i.document_id, i.check_name, i.severity, i.success, i.observed, i.waived
FROM incoming_verdict AS i
INNER JOIN owned AS o ON i.document_id = o.document_id
ORDER BY i.document_id, i.check_name
ON CONFLICT (run_id, document_id, check_name) DO UPDATE
SET
    severity = excluded.severity,
    success = excluded.success,
    observed = excluded.observed,
    waived = excluded.waived;
