-- name: insert
-- Grain: one document. Purpose: remember for publication what the source has withdrawn or deleted.
INSERT INTO deid.withdrawal (run_id, document_id)
SELECT DISTINCT
    %(run_id)s::bigint AS run_id,
    i.document_id
FROM incoming_withdrawal AS i
WHERE EXISTS (
    SELECT FROM deid.document AS d
    WHERE
        d.document_id = i.document_id
        AND d.state IN ('planned', 'detected', 'substituted', 'validated', 'staged', 'published')
)
ORDER BY i.document_id
ON CONFLICT DO NOTHING;

-- name: pending
-- Grain: one withdrawn document. Purpose: those that no publication has removed yet, and that were not planned anew. A
-- version that was withdrawn before it was staged is no reason to remove a later one that is published.
SELECT DISTINCT w.document_id
FROM deid.withdrawal AS w
INNER JOIN deid.document AS d
    ON w.document_id = d.document_id AND d.run_id <= w.run_id AND d.state IN ('staged', 'published')
WHERE NOT EXISTS (
    SELECT FROM deid.document AS n
    WHERE n.document_id = w.document_id AND n.state = 'published' AND n.run_id > w.run_id
)
ORDER BY w.document_id;

-- name: moved
-- Grain: one document version of another patient than its own now. Purpose: the version leaves, whatever becomes of the
-- one that this run makes: it has the pseudonym and the surrogates of the wrong person. Where the run makes none, the
-- patient having objected, the withdrawal is this run's own, so that a release follows. A document that the run leaves
-- out by a filter is left for another.
INSERT INTO deid.withdrawal (run_id, document_id)
SELECT DISTINCT
    CASE
        WHEN EXISTS (SELECT FROM new_document AS n WHERE n.document_id = d.document_id) THEN d.run_id
        ELSE %(run_id)s::bigint
    END,
    d.document_id
FROM deid.document AS d
INNER JOIN incoming_document AS i ON d.document_id = i.document_id
WHERE
    d.document_id = ANY(%(moved)s::text[])
    AND d.run_id < %(run_id)s
    AND d.state IN ('planned', 'detected', 'substituted', 'validated', 'staged', 'published')
    AND (
        EXISTS (SELECT FROM new_document AS n WHERE n.document_id = d.document_id)
        OR EXISTS (SELECT FROM deid.opted_out_patient AS o WHERE o.patient_id = i.patient_id)
    )
ORDER BY d.document_id
ON CONFLICT DO NOTHING;
