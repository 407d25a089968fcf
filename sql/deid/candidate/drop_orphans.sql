-- Grain: one candidate text. Purpose: erase what a dead run left of documents that another run has taken over.
DELETE FROM deid.candidate AS c
USING new_document AS n
WHERE
    c.document_id = n.document_id
    AND NOT EXISTS (SELECT FROM deid.document AS d WHERE d.run_id = c.run_id AND d.document_id = c.document_id)
