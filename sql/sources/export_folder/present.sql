-- sqlfluff:dialect:duckdb
-- Grain: one document among document_ids.
-- Purpose: which of the documents that Nocturne holds may still be published: those of the index, and not withdrawn.
WITH listed AS (
    SELECT DISTINCT
        i.*,
        strptime(i.date_export, ['%%d/%%m/%%Y %%H:%%M:%%S', '%%d/%%m/%%Y %%H:%%M', '%%d/%%m/%%Y']) AS exported
    FROM read_csv(
        %(file_root)s || '/index*.csv',
        delim = ';', quote = '"', escape = '"', header = true, all_varchar = true, encoding = 'latin-1'
    ) AS i
    WHERE i.id_document IN %(document_ids)s
    QUALIFY rank() OVER (PARTITION BY i.id_document ORDER BY exported DESC) = 1
)

SELECT
    l.id_document AS document_id,
    min(l.ipp) AS patient_id
FROM listed AS l
GROUP BY l.id_document
HAVING NOT bool_or(upper(coalesce(l.annule, '')) IN ('O', 'OUI', '1'))
