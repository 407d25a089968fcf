-- name: insert
-- Grain: one document. Purpose: remember for publication what the source has withdrawn or deleted.
INSERT INTO deid.withdrawal (run_id, document_id)
SELECT DISTINCT %(run_id)s::bigint, i.document_id
FROM incoming_withdrawal AS i
WHERE EXISTS (
    SELECT FROM deid.document AS d
    WHERE
        d.document_id = i.document_id
        AND d.state IN ('planned', 'detected', 'substituted', 'validated', 'staged', 'published')
)
ON CONFLICT DO NOTHING;

-- name: pending
-- Grain: one withdrawn document. Purpose: those that no publication has removed yet, and that were not planned anew.
SELECT DISTINCT w.document_id
FROM deid.withdrawal AS w
INNER JOIN deid.document AS d
    ON w.document_id = d.document_id AND d.run_id <= w.run_id AND d.state IN ('staged', 'published')
ORDER BY w.document_id;
