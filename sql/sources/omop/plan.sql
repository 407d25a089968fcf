-- Grain: one note of the warehouse, as it is now.
-- Purpose: what reached the warehouse in [interval_start, interval_end), a page at a time. OMOP CDM 5.4 says neither
-- when a note arrived nor that it was withdrawn: a table of the site does (here note_arrival).
SELECT
    n.note_id::text AS document_id,
    encode(sha256(convert_to(coalesce(n.note_text, ''), 'UTF8')), 'hex') AS content_hash,
    n.person_id::text AS patient_id,
    a.ingested_at,
    a.withdrawn_at IS NOT NULL AS withdrawn,
    a.type_code AS document_type,
    c.care_site_source_value AS service
FROM cdw.note AS n
INNER JOIN cdw.note_arrival AS a ON a.note_id = n.note_id
LEFT JOIN cdw.visit_occurrence AS v ON v.visit_occurrence_id = n.visit_occurrence_id
LEFT JOIN cdw.care_site AS c ON c.care_site_id = v.care_site_id
WHERE
    a.ingested_at >= %(interval_start)s
    AND a.ingested_at < %(interval_end)s
    AND (
        %(after_ingested_at)s::timestamptz IS NULL
        OR (a.ingested_at, n.note_id::text) > (%(after_ingested_at)s::timestamptz, %(after_document_id)s::text)
    )
ORDER BY a.ingested_at, n.note_id::text
LIMIT %(page)s
