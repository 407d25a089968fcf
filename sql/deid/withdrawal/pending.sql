-- Grain: one withdrawn document. Purpose: those that no publication has removed yet, and that were not planned anew.
SELECT DISTINCT w.document_id
FROM deid.withdrawal AS w
INNER JOIN deid.document AS d
    ON w.document_id = d.document_id AND d.run_id <= w.run_id AND d.state IN ('staged', 'published')
ORDER BY w.document_id
