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

-- Dates a row behind all that its interval knows: the column that the trigger names.
CREATE FUNCTION deid.stamp_order() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    told timestamptz := to_jsonb(NEW) ->> TG_ARGV[0];
    last timestamptz := deid.last_event(NEW.interval_key);
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
