-- Grain: one staged document. Purpose: what must no longer be published: withdrawn since it was planned, or
-- overtaken by a newer version that is published, or that waits in the same interval.
WITH stale AS (
    SELECT
        d.document_id,
        d.content_hash,
        d.pipeline_version,
        d.run_id,
        CASE
            WHEN EXISTS (
                SELECT FROM deid.withdrawal AS w WHERE w.document_id = d.document_id AND w.run_id >= d.run_id
            ) THEN 'withdrawn'
            WHEN EXISTS (
                SELECT FROM deid.document AS n
                WHERE
                    n.document_id = d.document_id
                    AND (n.state = 'published' OR (n.state = 'staged' AND n.run_id = ANY(%(run_ids)s)))
                    AND (n.ingested_at, n.run_id) > (d.ingested_at, d.run_id)
            ) THEN 'superseded'
        END AS state
    FROM deid.document AS d
    WHERE d.run_id = ANY(%(run_ids)s) AND d.state = 'staged'
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING stale AS s
    WHERE s.state IS NOT NULL AND c.run_id = s.run_id AND c.document_id = s.document_id
),

unread AS (
    UPDATE deid.review_document AS v
    SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'withdrawal'
    FROM stale AS s
    WHERE s.state = 'withdrawn' AND v.document_id = s.document_id AND v.run_id <= s.run_id AND v.text IS NOT NULL
)

UPDATE deid.document AS d
SET state = s.state, updated_at = now()
FROM stale AS s
WHERE
    s.state IS NOT NULL
    AND d.document_id = s.document_id
    AND d.content_hash = s.content_hash
    AND d.pipeline_version = s.pipeline_version
