-- name: fill
-- Grain: one document that researchers read from now on, whose text says of a person that nobody else is of their kind.
-- Purpose: the list of them, rewritten with the table that researchers read.
INSERT INTO deid.unique_text (document_id)
SELECT w.document_id
FROM (
    SELECT p.document_id
    FROM deid.published_document AS p
    INNER JOIN deid.release AS r ON p.release_id = r.release_id
    WHERE r.published_at IS NOT NULL AND p.told_unique
    UNION
    SELECT f.document_id FROM former AS f WHERE f.told_unique
) AS w
ORDER BY w.document_id COLLATE "C";

-- name: page
-- Grain: one document of that list. Purpose: a page of them for who reads texts again; recorded.
SELECT u.document_id
FROM deid.list_unique_texts(%(after)s, %(most)s, %(steward)s) AS u (document_id);
