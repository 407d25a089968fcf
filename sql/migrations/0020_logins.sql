-- Who writes, in two parts: the person, whom the client names, and the login, which the database adds and no client can
-- choose. A decision is recorded by the publisher alone: people's answers reach it through Airflow's task.

REVOKE INSERT ON deid.decision FROM nocturne_steward;

-- Empty for what was written before logins were kept.
ALTER TABLE deid.decision ADD COLUMN login text NOT NULL DEFAULT '';
ALTER TABLE deid.review ADD COLUMN login text NOT NULL DEFAULT '', ADD COLUMN closed_login text;
ALTER TABLE deid.review_reading ADD COLUMN login text NOT NULL DEFAULT '';
ALTER TABLE deid.review_mark ADD COLUMN login text NOT NULL DEFAULT '', ADD COLUMN verdict_login text;
ALTER TABLE deid.annotation ADD COLUMN login text NOT NULL DEFAULT '';
ALTER TABLE deid.quarantine_choice ADD COLUMN login text NOT NULL DEFAULT '', ADD COLUMN undone_login text;
ALTER TABLE deid.opt_out ADD COLUMN login text NOT NULL DEFAULT '', ADD COLUMN revoked_login text;

-- Sets the column that the trigger names, whatever the client gave. SET ROLE does not change session_user.
CREATE FUNCTION deid.stamp_login() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    RETURN jsonb_populate_record(NEW, jsonb_build_object(TG_ARGV[0], session_user));
END
$$;
CREATE TRIGGER stamped BEFORE INSERT ON deid.decision FOR EACH ROW EXECUTE FUNCTION deid.stamp_login('login');
CREATE TRIGGER stamped BEFORE INSERT ON deid.review FOR EACH ROW EXECUTE FUNCTION deid.stamp_login('login');
CREATE TRIGGER stamped BEFORE INSERT ON deid.review_reading FOR EACH ROW EXECUTE FUNCTION deid.stamp_login('login');
CREATE TRIGGER stamped BEFORE INSERT ON deid.review_mark FOR EACH ROW EXECUTE FUNCTION deid.stamp_login('login');
CREATE TRIGGER stamped BEFORE INSERT ON deid.annotation FOR EACH ROW EXECUTE FUNCTION deid.stamp_login('login');
CREATE TRIGGER stamped BEFORE INSERT ON deid.quarantine_choice
FOR EACH ROW EXECUTE FUNCTION deid.stamp_login('login');
CREATE TRIGGER stamped BEFORE INSERT ON deid.opt_out FOR EACH ROW EXECUTE FUNCTION deid.stamp_login('login');
CREATE TRIGGER stamped_closed BEFORE UPDATE OF closed_by, closed_at ON deid.review
FOR EACH ROW EXECUTE FUNCTION deid.stamp_login('closed_login');
CREATE TRIGGER stamped_verdict BEFORE UPDATE OF verdict, verdict_by ON deid.review_mark
FOR EACH ROW EXECUTE FUNCTION deid.stamp_login('verdict_login');
CREATE TRIGGER stamped_undone BEFORE UPDATE OF undone_by, undone_at ON deid.quarantine_choice
FOR EACH ROW EXECUTE FUNCTION deid.stamp_login('undone_login');
CREATE TRIGGER stamped_revoked BEFORE UPDATE OF revoked_by, revoked_at ON deid.opt_out
FOR EACH ROW EXECUTE FUNCTION deid.stamp_login('revoked_login');

-- The audit trail: the login is part of the hashed line; null, and absent from the line, in what was written before.
ALTER TABLE deid.audit ADD COLUMN login text;
CREATE FUNCTION deid.audit_line(
    seq bigint, at timestamptz, actor text, action text, object text, details jsonb, login text, previous text
) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN $7 IS NULL THEN jsonb_build_array(
            $1, to_char($2 AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), $3, $4, $5, $6, $8
        )
        ELSE jsonb_build_array(
            $1, to_char($2 AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), $3, $4, $5, $6, $7, $8
        )
    END::text
$$;

CREATE OR REPLACE FUNCTION deid.audit_append(actor text, action text, object text, details jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    last_seq bigint;
    last_digest text;
    moment timestamptz := clock_timestamp();
BEGIN
    PERFORM pg_advisory_xact_lock(x'61756469'::int);  -- "audi": one link of the chain at a time
    SELECT a.seq, a.digest INTO last_seq, last_digest FROM deid.audit AS a ORDER BY a.seq DESC LIMIT 1;
    last_seq := coalesce(last_seq, 0) + 1;
    last_digest := coalesce(last_digest, '');
    INSERT INTO deid.audit (seq, at, actor, action, object, details, login, previous, digest)
    VALUES (
        last_seq, moment, actor, action, object, details, session_user, last_digest,
        encode(sha256(convert_to(
            deid.audit_line(last_seq, moment, actor, action, object, details, session_user, last_digest), 'UTF8'
        )), 'hex')
    );
    RETURN last_seq;
END
$$;
DROP FUNCTION deid.audit_line(bigint, timestamptz, text, text, text, jsonb, text);
