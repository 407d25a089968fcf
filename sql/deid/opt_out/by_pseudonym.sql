-- Grain: published documents of one release and type, of one pseudonym. Purpose: what an opposition would remove.
SELECT d.release_id, r.interval_key, coalesce(d.document_type, '') AS document_type, count(*)::int AS documents
FROM research.document AS d
INNER JOIN research.release AS r ON d.release_id = r.release_id
WHERE d.patient_id = %(pseudonym)s
GROUP BY d.release_id, r.interval_key, coalesce(d.document_type, '')
ORDER BY d.release_id, 3
