-- name: draw
-- Grain: one review. Purpose: draw its sample up to a number of documents, and copy the texts to read. Documents that
-- an earlier draw took come first in the same order, and stay.
SELECT deid.draw_documents(%(review_id)s, %(sample)s) AS sample;

-- name: erase_gone
-- Grain: one document of a review. Purpose: it was withdrawn, or its patient has objected; no text of it stays behind.
UPDATE deid.review_document AS d
SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'withdrawal'
WHERE
    d.text IS NOT NULL
    AND (
        EXISTS (SELECT FROM deid.withdrawal AS w WHERE w.document_id = d.document_id AND w.run_id >= d.run_id)
        OR EXISTS (
            SELECT
            FROM deid.document AS p
            INNER JOIN deid.opted_out_patient AS o ON p.patient_id = o.patient_id
            WHERE p.document_id = d.document_id
        )
    );

-- name: erase_old
-- Grain: one document of a review. Purpose: the time for which texts may be kept is over.
UPDATE deid.review_document AS d
SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'retention'
FROM deid.review AS r
WHERE
    d.review_id = r.review_id
    AND d.text IS NOT NULL
    AND r.opened_at < now() - make_interval(days => %(keep_days)s);

-- name: erase_review
-- Grain: one document of a review. Purpose: the review is closed; no text of it stays behind.
UPDATE deid.review_document
SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'closed'
WHERE review_id = %(review_id)s AND text IS NOT NULL;

-- name: file
-- Grain: one document of a review. Purpose: its rewritten file, as long as it waits for publication.
SELECT f.file_type, f.file_suffix, f.file
FROM deid.review_document AS d
INNER JOIN deid.staged_file AS f
    ON d.run_id = f.run_id AND d.document_id = f.document_id AND d.content_hash = f.content_hash
WHERE d.review_id = %(review_id)s AND d.ordinal = %(ordinal)s;

-- name: lock
-- Grain: one document of a review. Purpose: the text to read, its row locked against a second reader of the same
-- moment, its review against being closed meanwhile.
SELECT
    r.readings,
    r.sample,
    r.interval_key,
    d.run_id,
    d.document_id,
    d.content_hash,
    d.document_type,
    EXISTS (
        SELECT FROM deid.staged_file AS f
        WHERE f.run_id = d.run_id AND f.document_id = d.document_id AND f.content_hash = d.content_hash
    ) AS has_file,
    d.text,
    d.spans,
    d.erased_for,
    EXISTS (
        SELECT FROM deid.withdrawal AS w WHERE w.document_id = d.document_id AND w.run_id >= d.run_id
    )
    OR EXISTS (
        SELECT
        FROM deid.document AS p
        INNER JOIN deid.opted_out_patient AS o ON p.patient_id = o.patient_id
        WHERE p.document_id = d.document_id
    ) AS withdrawn,
    r.closed_at IS NOT NULL AS closed
FROM deid.review_document AS d
INNER JOIN deid.review AS r ON d.review_id = r.review_id
WHERE d.review_id = %(review_id)s AND d.ordinal = %(ordinal)s
FOR UPDATE OF d FOR SHARE OF r; -- noqa: PRS

-- name: list
-- Grain: one document of a review. Purpose: who has finished reading it; no text.
SELECT
    d.ordinal,
    d.document_id,
    d.document_type,
    d.surrogates,
    EXISTS (
        SELECT FROM deid.readable_document AS a WHERE a.review_id = d.review_id AND a.ordinal = d.ordinal
    ) AS readable,
    d.erased_for,
    array(
        SELECT g.reader
        FROM deid.review_reading AS g
        WHERE g.review_id = d.review_id AND g.ordinal = d.ordinal AND g.finished_at IS NOT NULL AND NOT g.fast
        ORDER BY g.reader
    ) AS readers,
    EXISTS (
        SELECT FROM deid.review_reading AS g
        WHERE g.review_id = d.review_id AND g.ordinal = d.ordinal AND g.compared
    ) AS compared
FROM deid.review_document AS d
WHERE d.review_id = %(review_id)s
ORDER BY d.ordinal;

-- name: sentinels
-- Grain: one passage that was shown without its mark. Purpose: those of a review that its readers may know now.
SELECT s.ordinal, s.label, s.start_offset, s.end_offset
FROM deid.known_sentinels(%(review_id)s) AS s;
