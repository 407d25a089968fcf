-- Grain: one label in one document type. Purpose: the table of mentions.
SELECT m.document_type, m.label, sum(m.mentions) AS mentions
FROM deid.mention_count AS m
WHERE m.run_id = ANY(%(run_ids)s)
GROUP BY 1, 2
ORDER BY 1, 2
