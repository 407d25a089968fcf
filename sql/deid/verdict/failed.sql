-- Grain: one failed check of one document. Purpose: what held it back, with the number seen; critical ones first.
SELECT v.check_name, v.severity, v.observed::float8 AS observed, v.waived
FROM deid.verdict AS v
WHERE v.run_id = %(run_id)s AND v.document_id = %(document_id)s AND NOT v.success
ORDER BY array_position(ARRAY['critical', 'warning', 'info'], v.severity), v.check_name
