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

-- What happens to an interval keeps its order whatever the server's clock says: after a clock that was set forward, and
-- back, a rejection would be dated before the approval that it follows, and be lost.

-- The last time that something happened to an interval, by the ledger's dates.
CREATE FUNCTION deid.last_event(about text) RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT greatest(
        (SELECT max(r.finished_at) FROM deid.run AS r WHERE r.interval_key = $1),
        (SELECT max(a.sent_at) FROM deid.answer AS a WHERE a.interval_key = $1),
        (SELECT max(d.decided_at) FROM deid.decision AS d WHERE d.interval_key = $1),
        (SELECT max(p.started_at) FROM deid.publication AS p WHERE p.interval_key = $1),
        (SELECT max(y.published_at) FROM deid.release AS y WHERE y.interval_key = $1),
        (SELECT max(k.recalled_at) FROM deid.recall AS k WHERE k.interval_key = $1)
    )
$$;
REVOKE ALL ON FUNCTION deid.last_event(text) FROM PUBLIC;

-- Dates a row behind all that its interval knows: the column that the trigger names. A release comes behind recalls
-- alone: the decision that sends its interval back ends one that was interrupted, and stays the later of the two.
CREATE FUNCTION deid.stamp_order() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    told timestamptz := to_jsonb(NEW) ->> TG_ARGV[0];
    last timestamptz := CASE
        WHEN TG_TABLE_NAME <> 'release' THEN deid.last_event(NEW.interval_key)
        ELSE (SELECT max(k.recalled_at) FROM deid.recall AS k WHERE k.interval_key = NEW.interval_key)
    END;
BEGIN
    IF told <= last THEN
        NEW := jsonb_populate_record(NEW, jsonb_build_object(TG_ARGV[0], last + interval '1 microsecond'));
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER in_order BEFORE INSERT ON deid.answer
FOR EACH ROW EXECUTE FUNCTION deid.stamp_order('sent_at');
CREATE TRIGGER in_order BEFORE INSERT ON deid.decision
FOR EACH ROW EXECUTE FUNCTION deid.stamp_order('decided_at');
CREATE TRIGGER in_order BEFORE INSERT ON deid.publication
FOR EACH ROW EXECUTE FUNCTION deid.stamp_order('started_at');
CREATE TRIGGER in_order BEFORE INSERT ON deid.recall
FOR EACH ROW EXECUTE FUNCTION deid.stamp_order('recalled_at');
CREATE TRIGGER in_order BEFORE UPDATE OF published_at ON deid.release
FOR EACH ROW WHEN (old.published_at IS NULL AND new.published_at IS NOT NULL)
EXECUTE FUNCTION deid.stamp_order('published_at');

-- A release that is published and not read yet is told from one that researchers read.

-- Whether researchers read all that the releases of an interval hold; false where these hold nothing.
CREATE FUNCTION deid.is_read(about text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT
        EXISTS (
            SELECT FROM deid.release AS r
            INNER JOIN deid.published_document AS p ON r.release_id = p.release_id
            WHERE r.interval_key = $1 AND p.visible_from IS NOT NULL
        )
        AND NOT EXISTS (
            SELECT FROM deid.release AS r
            INNER JOIN deid.published_document AS p ON r.release_id = p.release_id
            WHERE r.interval_key = $1 AND p.visible_from IS NULL
        )
$$;
REVOKE ALL ON FUNCTION deid.is_read(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.is_read(text) TO nocturne_publisher, nocturne_steward;

-- Where an interval stands, given its state in deid.interval_state: one that waits may be approved once, approved, in
-- the middle of its publication, or have failed to be published; one that people refused may be sent back; one that is
-- published may be read.
CREATE OR REPLACE FUNCTION deid.release_state(about text, state text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    SELECT CASE
        WHEN $2 = 'rejected' AND d.chosen = 'rework' THEN 'sent_back'
        WHEN $2 = 'published' AND deid.is_read($1) THEN 'visible'
        WHEN $2 <> 'waiting' OR d.chosen IS DISTINCT FROM 'approve' OR d.decided_at < s.staged_at THEN $2
        WHEN d.missing > 0 THEN 'approved_once'
        WHEN p.started_at >= d.decided_at AND p.state IN ('publishing', 'failed') THEN p.state
        ELSE 'approved'
    END
    FROM (
        SELECT max(r.finished_at) AS staged_at
        FROM deid.run AS r
        WHERE r.interval_key = $1 AND r.state = 'staged'
    ) AS s
    LEFT JOIN LATERAL (
        SELECT o.chosen, o.decided_at, o.missing
        FROM deid.told_decision AS o
        WHERE o.interval_key = $1 AND o.chosen <> 'proposed'
        ORDER BY o.decided_at DESC
        LIMIT 1
    ) AS d ON true
    LEFT JOIN deid.last_publication AS p ON p.interval_key = $1
$$;
