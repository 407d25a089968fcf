-- Published texts in which words say that a person is one of a kind (check unique_person), for who reads them again.
-- The list changes when researchers' rows do, and tells neither release nor night: by ids of the ledger, or on the page
-- of a release, it would say from which night the documents of a pseudonym come.
ALTER TABLE deid.published_document ADD COLUMN told_unique boolean NOT NULL DEFAULT false;

-- Grain: one document that researchers read, whose text has such words.
CREATE TABLE deid.unique_text (
    document_id text PRIMARY KEY REFERENCES research.document (document_id) ON DELETE CASCADE
);
GRANT SELECT, INSERT, DELETE ON deid.unique_text TO nocturne_publisher;

-- Those ids after one of them, with a line of the audit trail.
CREATE FUNCTION deid.list_unique_texts(after text, most int, steward text) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    RETURN QUERY
    SELECT u.document_id
    FROM deid.unique_text AS u
    WHERE u.document_id COLLATE "C" > after COLLATE "C"
    ORDER BY u.document_id COLLATE "C"
    LIMIT most;
    PERFORM deid.audit_append(steward, 'read_release', 'published unique_person', '{}');
END
$$;

REVOKE ALL ON FUNCTION deid.list_unique_texts(text, int, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.list_unique_texts(text, int, text) TO nocturne_steward;
