-- name: documents
-- Grain: one version of a document that was read by all who should, in a review that is closed.
-- Purpose: what people said of it, empty where they had nothing to say, and the run whose mentions they saw. Only of
-- the latest review of that version; not of documents that were withdrawn since.
SELECT
    d.run_id,
    d.document_id,
    d.content_hash,
    d.surrogates,
    (
        SELECT coalesce(
            jsonb_agg(
                jsonb_build_array(a.start_offset, a.end_offset, a.label) ORDER BY a.start_offset, a.annotation_id
            ),
            '[]'
        )
        FROM deid.annotation AS a
        WHERE
            a.document_id = d.document_id
            AND a.content_hash = d.content_hash
            AND a.origin = 'review ' || d.review_id
    ) AS annotations
FROM (
    SELECT DISTINCT ON (v.document_id, v.content_hash)
        v.review_id, v.run_id, v.document_id, v.content_hash, v.surrogates
    FROM deid.review_document AS v
    INNER JOIN deid.review AS r ON v.review_id = r.review_id AND r.closed_at IS NOT NULL
    WHERE
        v.erased_for IS DISTINCT FROM 'withdrawal'
        AND r.readings <= (
            SELECT count(*)
            FROM deid.review_reading AS g
            WHERE g.review_id = v.review_id AND g.ordinal = v.ordinal AND g.finished_at IS NOT NULL
        )
        AND NOT EXISTS (
            SELECT FROM deid.withdrawal AS w WHERE w.document_id = v.document_id AND w.run_id >= v.run_id
        )
    ORDER BY v.document_id, v.content_hash, v.review_id DESC
) AS d
ORDER BY d.document_id, d.content_hash;

-- name: keep
-- Grain: one mark of a review. Purpose: what was said of a passage, in offsets of the source: for training.
INSERT INTO deid.annotation (
    document_id, content_hash, start_offset, end_offset, label, annotator, origin, annotated_at
)
SELECT
    d.document_id, d.content_hash, k.source_start, k.source_end, k.label, k.reader, 'review ' || k.review_id,
    k.marked_at
FROM deid.review_mark AS k
INNER JOIN deid.review_document AS d ON k.review_id = d.review_id AND k.ordinal = d.ordinal
WHERE
    k.review_id = %(review_id)s
    AND k.removed_at IS NULL
    AND k.verdict IS DISTINCT FROM 'dismissed'
    AND k.source_start IS NOT NULL
ORDER BY k.ordinal, k.source_start, k.mark_id;
