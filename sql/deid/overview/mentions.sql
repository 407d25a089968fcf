-- Grain: one label. Purpose: how many mentions were replaced in what researchers see now.
SELECT m.label, count(*) AS mentions
FROM deid.mention AS m
INNER JOIN deid.document AS d ON m.run_id = d.run_id AND m.document_id = d.document_id
WHERE d.state = 'published'
GROUP BY m.label
ORDER BY mentions DESC, m.label
