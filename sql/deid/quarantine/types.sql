-- Grain: one document type on the desk. Purpose: what one may filter by; a step per type on the index, not a scan.
WITH RECURSIVE types AS (
    (
        SELECT q.document_type
        FROM deid.quarantine AS q
        WHERE q.standing = %(standing)s
        ORDER BY q.document_type
        LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT q.document_type
        FROM deid.quarantine AS q
        WHERE q.standing = %(standing)s AND q.document_type > t.document_type
        ORDER BY q.document_type
        LIMIT 1
    )
    FROM types AS t
    WHERE t.document_type IS NOT NULL
)

SELECT t.document_type FROM types AS t WHERE t.document_type IS NOT NULL
