-- How many indirect identifiers (occupation, family, religion…) the text of a document keeps: label → mentions. Null
-- until the document is validated, and for those validated before. Stewards read sums: counts of one document would tie
-- it to its text.
ALTER TABLE deid.document ADD COLUMN indirect jsonb;

-- Grain: one label of indirect identifiers. Mentions that the texts of one side keep, and in how many of them; NULL for
-- how many texts were read for them.
CREATE OR REPLACE FUNCTION deid.report_indirect(text, text)
RETURNS TABLE (label text, mentions bigint, documents bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT
        i.key AS label,
        coalesce(sum(i.value::int), 0)::bigint AS mentions,
        count(DISTINCT d.document_id) AS documents
    FROM deid.release_document AS s
    INNER JOIN deid.document AS d ON s.run_id = d.run_id AND s.document_id = d.document_id
    LEFT JOIN LATERAL jsonb_each(d.indirect) AS i ON true
    WHERE s.interval_key = $1 AND s.side = $2 AND d.indirect IS NOT NULL
    GROUP BY GROUPING SETS ((i.key), ())
    HAVING grouping(i.key) = 1 OR i.key IS NOT NULL
    ORDER BY grouping(i.key), i.key
$$;

REVOKE ALL ON FUNCTION deid.report_indirect(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.report_indirect(text, text) TO nocturne_publisher, nocturne_steward;
