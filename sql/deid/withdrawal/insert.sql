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
ON CONFLICT DO NOTHING
