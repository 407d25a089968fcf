-- Grain: one staged document of an earlier run. Purpose: this run has judged the same document again, in a newer
-- version or under a newer pipeline: the earlier one must not be published, and its text goes.
WITH older AS (
    SELECT o.document_id, o.content_hash, o.pipeline_version, o.run_id
    FROM deid.document AS o
    INNER JOIN deid.document AS n
        ON o.document_id = n.document_id
        AND n.run_id = %(run_id)s
        AND n.state IN ('staged', 'quarantined')
        AND (n.ingested_at, n.run_id) > (o.ingested_at, o.run_id)
    WHERE o.state = 'staged' AND o.run_id <> n.run_id AND o.release_id IS NULL
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING older AS o
    WHERE c.run_id = o.run_id AND c.document_id = o.document_id
)

UPDATE deid.document AS d
SET state = 'superseded', updated_at = now()
FROM older AS o
WHERE
    d.document_id = o.document_id AND d.content_hash = o.content_hash AND d.pipeline_version = o.pipeline_version
