-- Grain: one document version. Purpose: the withdrawal is done; no text of the document stays behind, nor in
-- a review.
WITH gone AS (
    SELECT d.document_id, d.content_hash, d.pipeline_version, d.run_id
    FROM deid.document AS d
    WHERE
        d.document_id = ANY(%(document_ids)s)
        AND d.state IN ('staged', 'published')
        AND EXISTS (SELECT FROM deid.withdrawal AS w WHERE w.document_id = d.document_id AND w.run_id >= d.run_id)
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING gone AS g
    WHERE c.document_id = g.document_id AND c.run_id = g.run_id
),

unread AS (
    UPDATE deid.review_document AS v
    SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'withdrawal'
    FROM gone AS g
    WHERE v.document_id = g.document_id AND v.run_id <= g.run_id AND v.text IS NOT NULL
)

UPDATE deid.document AS d
SET state = 'withdrawn', updated_at = now()
FROM gone AS g
WHERE
    d.document_id = g.document_id AND d.content_hash = g.content_hash AND d.pipeline_version = g.pipeline_version
