-- A correction that is held back leaves the former version in research: a person takes that version out.

-- Withdraws the published version of a document, of which the run holds back a correction: the next publication
-- removes it, as it does what the source withdraws. Null where no such version is read, or somebody asked before.
CREATE FUNCTION deid.withdraw_former(run_id bigint, document_id text) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    INSERT INTO deid.withdrawal (run_id, document_id)
    SELECT $1, $2
    WHERE
        EXISTS (SELECT FROM deid.quarantine AS q WHERE q.run_id = $1 AND q.document_id = $2)
        AND EXISTS (
            SELECT FROM deid.document AS d WHERE d.document_id = $2 AND d.state = 'published' AND d.run_id < $1
        )
    ON CONFLICT DO NOTHING
    RETURNING true
$$;
REVOKE ALL ON FUNCTION deid.withdraw_former(bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.withdraw_former(bigint, text) TO nocturne_steward;
