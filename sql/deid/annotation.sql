-- name: documents
-- Grain: one version of a document that was read by all who should in a closed review, or by one person in
-- quarantine. Purpose: what people said of it, empty where they had nothing to say, and the run whose mentions they
-- saw. Only of the latest review of that version, or else the latest choice; not of documents withdrawn since.
WITH reviewed AS (
    SELECT DISTINCT ON (v.document_id, v.content_hash)
        v.review_id, v.run_id, v.document_id, v.content_hash, v.surrogates
    FROM deid.review_document AS v
    INNER JOIN deid.review AS r ON v.review_id = r.review_id AND r.closed_at IS NOT NULL
    WHERE
        v.erased_for IS DISTINCT FROM 'withdrawal'
        AND r.readings <= (
            SELECT count(*)
            FROM deid.review_reading AS g
            WHERE g.review_id = v.review_id AND g.ordinal = v.ordinal AND g.finished_at IS NOT NULL AND NOT g.fast
        )
    ORDER BY v.document_id, v.content_hash, v.review_id DESC
),

held AS (
    SELECT DISTINCT ON (c.document_id, c.content_hash)
        c.run_id, c.document_id, c.content_hash, c.read_mentions, c.marks
    FROM deid.quarantine_choice AS c
    WHERE c.read_mentions IS NOT NULL AND c.undone_at IS NULL
    ORDER BY c.document_id, c.content_hash, c.choice_id DESC
),

every AS (
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
    FROM reviewed AS d
    UNION ALL
    SELECT h.run_id, h.document_id, h.content_hash, h.read_mentions, h.marks
    FROM held AS h
    WHERE NOT EXISTS (
        SELECT FROM reviewed AS d WHERE d.document_id = h.document_id AND d.content_hash = h.content_hash
    )
)

SELECT e.run_id, e.document_id, e.content_hash, e.surrogates, e.annotations
FROM every AS e
WHERE NOT EXISTS (
    SELECT FROM deid.withdrawal AS w WHERE w.document_id = e.document_id AND w.run_id >= e.run_id
)
ORDER BY e.document_id, e.content_hash;

-- name: keep
-- Grain: one mark of a review. Purpose: what was said of a passage, in offsets of the source: for training. A mark on a
-- sentinel says nothing of detection; offsets behind a sentinel were reckoned without it, and are shifted here.
INSERT INTO deid.annotation (
    document_id, content_hash, start_offset, end_offset, label, annotator, origin, annotated_at
)
SELECT
    d.document_id, d.content_hash, k.source_start + b.shift_start, k.source_end + b.shift_end,
    k.label, k.reader, 'review ' || k.review_id,
    k.marked_at
FROM deid.review_mark AS k
INNER JOIN deid.review_document AS d ON k.review_id = d.review_id AND k.ordinal = d.ordinal
CROSS JOIN LATERAL (
    SELECT
        coalesce(bool_or(k.start_offset < s.end_offset AND s.start_offset < k.end_offset), false) AS on_sentinel,
        coalesce(sum(s.shift) FILTER (
            WHERE s.end_offset <= k.start_offset AND k.start_offset <= coalesce(s.next_start, k.start_offset)
        ), 0) AS shift_start,
        coalesce(sum(s.shift) FILTER (
            WHERE s.end_offset <= k.end_offset AND k.end_offset <= coalesce(s.next_start, k.end_offset)
        ), 0) AS shift_end
    FROM deid.known_sentinels(%(review_id)s) AS s
    WHERE s.ordinal = k.ordinal
) AS b
WHERE
    k.review_id = %(review_id)s
    AND NOT b.on_sentinel
    AND k.removed_at IS NULL
    AND k.verdict IS DISTINCT FROM 'dismissed'
    AND k.source_start IS NOT NULL
ORDER BY k.ordinal, k.source_start, k.mark_id;
