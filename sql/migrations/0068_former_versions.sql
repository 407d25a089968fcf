-- A version that a person takes out of research leaves alone: another correction of the document that waits stays.

-- Withdraws the published version of a document, of which the run holds back a correction, under the run of that
-- version: the next publication removes it. Null where no such version is read, or somebody asked before.
CREATE OR REPLACE FUNCTION deid.withdraw_former(run_id bigint, document_id text) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    INSERT INTO deid.withdrawal (run_id, document_id)
    SELECT d.run_id, d.document_id
    FROM deid.document AS d
    WHERE
        d.document_id = $2 AND d.state = 'published' AND d.run_id < $1
        AND EXISTS (SELECT FROM deid.quarantine AS q WHERE q.run_id = $1 AND q.document_id = $2)
    ON CONFLICT DO NOTHING
    RETURNING true
$$;

-- Whether researchers read all that the releases of an interval hold; a release that holds nothing has nothing to read.
CREATE OR REPLACE FUNCTION deid.is_read(about text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT NOT EXISTS (
        SELECT FROM deid.release AS r
        INNER JOIN deid.published_document AS p ON r.release_id = p.release_id
        WHERE r.interval_key = $1 AND p.visible_from IS NULL
    )
$$;

REVOKE ALL ON FUNCTION deid.stamp_order() FROM PUBLIC;

-- A night that is done again comes behind what people decided of the one before, whatever the clock says.
CREATE TRIGGER in_order BEFORE UPDATE OF finished_at ON deid.run
FOR EACH ROW WHEN (old.finished_at IS NULL AND new.finished_at IS NOT NULL AND NOT new.dry_run)
EXECUTE FUNCTION deid.stamp_order('finished_at');
