-- Grain: one document of the warehouse, as it is now.
-- Purpose: what reached the warehouse in [interval_start, interval_end), a page at a time. A correction and a
-- withdrawal move ingested_at. No content leaves the server, only its digest.
SELECT
    d.document_id,
    encode(sha256(coalesce(d.content, ''::bytea)), 'hex') AS content_hash,
    d.patient_id,
    d.ingested_at,
    d.withdrawn_at IS NOT NULL AS withdrawn,
    d.type_code AS document_type,
    s.service_code AS service
FROM cdw.document AS d
LEFT JOIN cdw.stay AS s ON s.stay_id = d.stay_id
WHERE
    d.ingested_at >= %(interval_start)s
    AND d.ingested_at < %(interval_end)s
    AND (
        %(after_ingested_at)s::timestamptz IS NULL
        OR (d.ingested_at, d.document_id) > (%(after_ingested_at)s::timestamptz, %(after_document_id)s::text)
    )
ORDER BY d.ingested_at, d.document_id
LIMIT %(page)s
