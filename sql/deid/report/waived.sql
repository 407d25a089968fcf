-- Grain: one check. Purpose: how many documents of these runs passed although it failed, because a person waived it.
SELECT v.check_name, count(DISTINCT v.document_id) AS documents
FROM deid.quarantine_choice AS c
INNER JOIN deid.verdict AS v ON v.run_id = ANY(%(run_ids)s) AND c.document_id = v.document_id AND v.waived
WHERE c.choice = 'release'
GROUP BY v.check_name
ORDER BY v.check_name
