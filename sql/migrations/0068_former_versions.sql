-- A version that a person takes out of research leaves alone: another correction of the document that waits stays, and
-- the version comes back, as one that was recalled, only in a run that a person asks for.

-- `by_person`: a person took the version of that run out; otherwise, the source no longer has the document.
ALTER TABLE deid.withdrawal ADD COLUMN by_person boolean NOT NULL DEFAULT false;

-- Withdraws the version of a document that the run `former` published, of which the run holds back a correction that
-- nobody has replaced: the next publication removes it. Null where that version is no longer read, or somebody asked
-- before.
DROP FUNCTION deid.withdraw_former(bigint, text);
CREATE FUNCTION deid.withdraw_former(run_id bigint, document_id text, former bigint) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO deid.withdrawal (run_id, document_id, by_person)
    SELECT d.run_id, d.document_id, true
    FROM deid.document AS d
    WHERE
        d.document_id = $2 AND d.state = 'published' AND d.run_id = $3 AND d.run_id < $1
        AND EXISTS (
            SELECT FROM deid.quarantine AS q
            WHERE q.run_id = $1 AND q.document_id = $2 AND q.standing <> 'settled'
        )
    ON CONFLICT DO NOTHING
    RETURNING true
$$;
REVOKE ALL ON FUNCTION deid.withdraw_former(bigint, text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.withdraw_former(bigint, text, bigint) TO nocturne_steward;

-- Whether researchers read all that the releases of an interval hold; a release that holds nothing has nothing to read.
CREATE OR REPLACE FUNCTION deid.is_read(about text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT NOT EXISTS (
        SELECT FROM deid.release AS r
        INNER JOIN deid.published_document AS p ON r.release_id = p.release_id
        WHERE r.interval_key = $1 AND p.visible_from IS NULL
    )
$$;

-- A night that is done again comes behind what people decided of the one before, whatever the clock says.
CREATE TRIGGER in_order BEFORE UPDATE OF finished_at ON deid.run
FOR EACH ROW WHEN (old.finished_at IS NULL AND new.finished_at IS NOT NULL AND NOT new.dry_run)
EXECUTE FUNCTION deid.stamp_order('finished_at');

-- `sent_at` keeps the order of an interval's events, and may lie ahead of the clock; whether an answer has been on its
-- way for long is told by the clock alone.
ALTER TABLE deid.answer ADD COLUMN received_at timestamptz;
UPDATE deid.answer SET received_at = sent_at;
ALTER TABLE deid.answer
ALTER COLUMN received_at SET DEFAULT clock_timestamp(),
ALTER COLUMN received_at SET NOT NULL;

-- A session's temporary schema is searched before pg_catalog for tables and types, unless the path names it: whoever
-- may make temporary objects would have a function of the owner read theirs, and run what they hold.
REVOKE ALL ON FUNCTION deid.stamp_order() FROM PUBLIC;
DO $$
DECLARE
    one regprocedure;
BEGIN
    FOR one IN
        SELECT p.oid FROM pg_proc AS p
        WHERE p.prosecdef AND p.proconfig @> ARRAY['search_path=pg_catalog'] AND pg_has_role(p.proowner, 'USAGE')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp', one);
    END LOOP;
END
$$;
