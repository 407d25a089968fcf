-- Grain: one label in one document type. Purpose: the table of mentions.
SELECT coalesce(d.document_type, '') AS document_type, m.label, count(*) AS mentions
FROM deid.mention AS m
INNER JOIN deid.document AS d ON m.run_id = d.run_id AND m.document_id = d.document_id
WHERE m.run_id = ANY(%(run_ids)s)
GROUP BY 1, 2
ORDER BY 1, 2
