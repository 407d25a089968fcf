-- sqlfluff:dialect:duckdb
-- Grain: one document of the index, by its latest lines.
-- Purpose: what was exported in [interval_start, interval_end), a page at a time. A correction and a withdrawal are
-- exported again, with a later date_export. The digest is of the whole line, with the size that it tells: a file of
-- another size is held back. Lines of one document that differ in nothing count once; where they differ at one
-- date_export, contents.sql gives each, and the document is held back.
WITH listed AS (
    SELECT DISTINCT
        i.*,
        strptime(i.date_export, ['%%d/%%m/%%Y %%H:%%M:%%S', '%%d/%%m/%%Y %%H:%%M', '%%d/%%m/%%Y']) AS exported
    FROM read_csv(
        %(file_root)s || '/index*.csv',
        delim = ';', quote = '"', escape = '"', header = true, all_varchar = true, encoding = 'latin-1'
    ) AS i
    QUALIFY rank() OVER (PARTITION BY i.id_document ORDER BY exported DESC) = 1
),

latest AS (
    SELECT
        l.id_document AS document_id,
        min(CASE WHEN l.taille IS NULL THEN 'line:' ELSE 'size:' || l.taille || ';' END || sha256(l::text))
            AS content_hash,
        min(l.ipp) AS patient_id,
        l.exported AT TIME ZONE 'Europe/Paris' AS ingested_at,
        bool_or(upper(coalesce(l.annule, '')) IN ('O', 'OUI', '1')) AS withdrawn,
        min(l.type_document) AS document_type,
        min(l.uf) AS service
    FROM listed AS l
    GROUP BY l.id_document, l.exported
)

SELECT d.*
FROM latest AS d
WHERE
    d.ingested_at >= %(interval_start)s
    AND d.ingested_at < %(interval_end)s
    AND (
        %(after_ingested_at)s::timestamptz IS NULL
        OR (d.ingested_at, d.document_id) > (%(after_ingested_at)s::timestamptz, %(after_document_id)s::text)
    )
ORDER BY d.ingested_at, d.document_id
LIMIT %(page)s
