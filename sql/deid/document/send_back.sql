-- Grain: one staged document of some runs. Purpose: its interval was sent back: no text of it stays behind, and the
-- next run over the interval finds it new, whatever its pipeline version.
WITH back AS (
    SELECT d.document_id, d.content_hash, d.pipeline_version, d.run_id
    FROM deid.document AS d
    WHERE d.run_id = ANY(%(run_ids)s::bigint[]) AND d.state = 'staged' AND d.release_id IS NULL
    FOR UPDATE OF d
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING back AS b
    WHERE c.run_id = b.run_id AND c.document_id = b.document_id
)

UPDATE deid.document AS d
SET state = 'superseded', updated_at = now()
FROM back AS b
WHERE
    d.document_id = b.document_id AND d.content_hash = b.content_hash AND d.pipeline_version = b.pipeline_version
