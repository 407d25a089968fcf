-- Locks: rows of one table, reached through functions alone. Each role may take those that its work needs, so that no
-- other role can stand in its way; an advisory lock is open to whoever may connect. A lock ends with the transaction
-- that took it, hence with the process.

-- Grain: one thing that only one transaction does at a time. No role has a privilege on the table.
CREATE TABLE deid.lock (name text PRIMARY KEY);
INSERT INTO deid.lock (name)
VALUES ('plan'), ('stage'), ('publish'), ('decide'), ('review'), ('audit'), ('opt-out'), ('opt-out queue');

CREATE FUNCTION deid.lock_row(wanted text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    PERFORM FROM deid.lock AS l WHERE l.name = wanted FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'deid.lock lacks a row' USING ERRCODE = 'no_data_found';
    END IF;
END
$$;

CREATE FUNCTION deid.lock_planning() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$ SELECT deid.lock_row('plan') $$;

CREATE FUNCTION deid.lock_staging() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$ SELECT deid.lock_row('stage') $$;

CREATE FUNCTION deid.lock_publication() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$ SELECT deid.lock_row('publish') $$;

CREATE FUNCTION deid.lock_decisions() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$ SELECT deid.lock_row('decide') $$;

CREATE FUNCTION deid.lock_reviews() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$ SELECT deid.lock_row('review') $$;

-- The same where the lock is free; false, at once, where somebody holds it.
CREATE FUNCTION deid.try_lock_reviews() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    PERFORM FROM deid.lock AS l WHERE l.name = 'review' FOR UPDATE SKIP LOCKED;
    RETURN FOUND;
END
$$;

CREATE FUNCTION deid.try_lock_publication() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    PERFORM FROM deid.lock AS l WHERE l.name = 'publish' FOR UPDATE SKIP LOCKED;
    RETURN FOUND;
END
$$;

-- An opposition and a publication never cross. Whoever records or applies an opposition takes the queue, then the lock;
-- whoever publishes a batch passes through the queue and shares the lock. A batch that comes later waits in the queue:
-- a publication of many batches does not overtake an opposition.
CREATE FUNCTION deid.lock_opt_outs() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    PERFORM deid.lock_row('opt-out queue');
    PERFORM deid.lock_row('opt-out');
END
$$;

CREATE FUNCTION deid.share_opt_outs() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    BEGIN
        PERFORM deid.lock_row('opt-out queue');
        RAISE EXCEPTION 'passed' USING ERRCODE = 'NOC01'; -- ends the lock of the queue, and nothing else
    EXCEPTION WHEN SQLSTATE 'NOC01' THEN
        NULL;
    END;
    PERFORM FROM deid.lock AS l WHERE l.name = 'opt-out' FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'deid.lock lacks a row' USING ERRCODE = 'no_data_found';
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION deid.wait_for_batches() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    PERFORM deid.lock_opt_outs();
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION deid.audit_append(actor text, action text, object text, details jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    last_seq bigint;
    last_digest text;
    moment timestamptz := clock_timestamp();
BEGIN
    PERFORM deid.lock_row('audit'); -- one link of the chain at a time
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

REVOKE ALL ON FUNCTION
deid.lock_row(text), deid.lock_planning(), deid.lock_staging(), deid.lock_publication(), deid.lock_decisions(),
deid.lock_reviews(), deid.try_lock_reviews(), deid.try_lock_publication(), deid.lock_opt_outs(), deid.share_opt_outs()
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.lock_planning(), deid.lock_staging() TO nocturne_worker;
GRANT EXECUTE ON FUNCTION deid.lock_publication(), deid.try_lock_publication(), deid.lock_decisions(),
deid.lock_opt_outs(), deid.share_opt_outs() TO nocturne_publisher;
GRANT EXECUTE ON FUNCTION deid.lock_reviews(), deid.try_lock_reviews() TO nocturne_publisher, nocturne_steward;

-- Grain: one source of reference data that somebody has loaded, or loads.
CREATE TABLE ref.lock (source text PRIMARY KEY);

CREATE FUNCTION ref.lock_source(wanted text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO ref.lock (source) VALUES (wanted) ON CONFLICT DO NOTHING;
    PERFORM FROM ref.lock AS l WHERE l.source = wanted FOR UPDATE;
END
$$;
REVOKE ALL ON FUNCTION ref.lock_source(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ref.lock_source(text) TO nocturne_refresher;
