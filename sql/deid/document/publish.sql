-- Grain: one document version. Purpose: this batch is published; older versions of its documents are superseded,
-- and no text of theirs stays behind.
WITH batch AS (
    SELECT document_id, content_hash, pipeline_version, run_id
    FROM deid.document
    WHERE release_id = %(release_id)s AND run_id = %(run_id)s AND batch_id = %(batch_id)s AND state = 'staged'
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING batch AS b
    WHERE c.document_id = b.document_id AND c.run_id = b.run_id
)

UPDATE deid.document AS d
SET
    state = CASE WHEN d.content_hash = b.content_hash AND d.pipeline_version = b.pipeline_version
        THEN 'published' ELSE 'superseded' END,
    updated_at = now()
FROM batch AS b
WHERE
    d.document_id = b.document_id
    AND (
        (d.content_hash = b.content_hash AND d.pipeline_version = b.pipeline_version)
        OR d.state = 'published'
    )
