-- The quarantine desk: where each quarantined version stands, kept by the statements that move it, so that a page of
-- the desk is one index scan. Oppositions: rows that leave at once, what was removed, and how one is lifted.

ALTER TABLE deid.quarantine
ADD COLUMN interval_key text NOT NULL DEFAULT '',
ADD COLUMN document_type text NOT NULL DEFAULT '',
-- waiting: for a person. retry, release: for the next run. discard: left out for good. settled: another run has taken
-- the document up, in this version or another, or it was withdrawn.
ADD COLUMN standing text NOT NULL DEFAULT 'waiting'
CHECK (standing IN ('waiting', 'retry', 'release', 'discard', 'settled'));

UPDATE deid.quarantine AS q
SET
    interval_key = r.interval_key,
    document_type = coalesce(d.document_type, ''),
    standing = CASE WHEN d.state = 'quarantined' AND NOT EXISTS (
        SELECT FROM deid.document AS n WHERE n.document_id = q.document_id AND n.run_id > q.run_id
    ) THEN 'waiting' ELSE 'settled' END
FROM deid.run AS r
LEFT JOIN deid.document AS d ON r.run_id = d.run_id
WHERE r.run_id = q.run_id AND d.document_id = q.document_id AND d.content_hash = q.content_hash;

CREATE INDEX quarantine_standing ON deid.quarantine (standing, at DESC, run_id DESC, document_id DESC);
CREATE INDEX quarantine_standing_reason ON deid.quarantine (standing, reason, at DESC, run_id DESC, document_id DESC);
CREATE INDEX quarantine_standing_type
ON deid.quarantine (standing, document_type, at DESC, run_id DESC, document_id DESC);
CREATE INDEX quarantine_interval ON deid.quarantine (interval_key, standing, at DESC, run_id DESC, document_id DESC);
CREATE INDEX quarantine_document ON deid.quarantine (document_id, content_hash);

CREATE FUNCTION deid.describe_quarantined() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF NEW.interval_key = '' THEN
        NEW.interval_key := coalesce((SELECT r.interval_key FROM deid.run AS r WHERE r.run_id = NEW.run_id), '');
        NEW.document_type := coalesce((
            SELECT max(d.document_type) FROM deid.document AS d
            WHERE d.document_id = NEW.document_id AND d.content_hash = NEW.content_hash AND d.run_id = NEW.run_id
        ), '');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER described BEFORE INSERT ON deid.quarantine
FOR EACH ROW EXECUTE FUNCTION deid.describe_quarantined();

-- A run that plans a document settles what earlier runs left of it on the desk.
CREATE FUNCTION deid.settle_planned() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    UPDATE deid.quarantine AS q SET standing = 'settled'
    FROM new_rows AS n
    WHERE q.document_id = n.document_id AND q.run_id < n.run_id AND q.standing IN ('waiting', 'retry', 'release');
    RETURN NULL;
END
$$;
CREATE TRIGGER settle_insert AFTER INSERT ON deid.document
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION deid.settle_planned();

CREATE FUNCTION deid.settle_moved() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    UPDATE deid.quarantine AS q SET standing = 'settled'
    FROM new_rows AS n
    WHERE
        q.document_id = n.document_id AND q.run_id < n.run_id AND q.standing IN ('waiting', 'retry', 'release')
        AND NOT EXISTS (
            SELECT FROM old_rows AS o
            WHERE
                o.document_id = n.document_id AND o.content_hash = n.content_hash
                AND o.pipeline_version = n.pipeline_version AND o.run_id = n.run_id
        );
    UPDATE deid.quarantine AS q SET standing = 'settled'
    FROM old_rows AS o
    WHERE
        o.state = 'quarantined' AND q.run_id = o.run_id AND q.document_id = o.document_id
        AND q.content_hash = o.content_hash AND q.standing IN ('waiting', 'retry', 'release')
        AND NOT EXISTS (
            SELECT FROM new_rows AS n
            WHERE
                n.document_id = o.document_id AND n.content_hash = o.content_hash
                AND n.pipeline_version = o.pipeline_version AND n.run_id = o.run_id AND n.state = 'quarantined'
        );
    RETURN NULL;
END
$$;
CREATE TRIGGER settle_update AFTER UPDATE ON deid.document
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION deid.settle_moved();

-- `waived`: for a release, the checks that it waives and the greatest number that each may show (what was seen when the
-- person judged), under the pipeline that showed it. A choice that no run has used yet can be taken back.
ALTER TABLE deid.quarantine_choice
ADD COLUMN waived jsonb NOT NULL DEFAULT '{}',
ADD COLUMN pipeline_version text NOT NULL DEFAULT '',
ADD COLUMN undone_by text,
ADD COLUMN undone_at timestamptz;
CREATE INDEX quarantine_choice_unused ON deid.quarantine_choice (choice_id)
WHERE used_by_run IS NULL AND undone_at IS NULL AND choice <> 'discard';

-- The first choice wins: whoever comes second waits for the row, finds it taken, and inserts nothing.
CREATE FUNCTION deid.take_choice() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    UPDATE deid.quarantine AS q SET standing = NEW.choice
    WHERE
        q.run_id = NEW.run_id AND q.document_id = NEW.document_id AND q.content_hash = NEW.content_hash
        AND q.standing = 'waiting';
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER taken BEFORE INSERT ON deid.quarantine_choice FOR EACH ROW EXECUTE FUNCTION deid.take_choice();

CREATE FUNCTION deid.untake_choice() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    UPDATE deid.quarantine AS q SET standing = 'waiting'
    WHERE
        q.run_id = NEW.run_id AND q.document_id = NEW.document_id AND q.content_hash = NEW.content_hash
        AND q.standing = NEW.choice;
    RETURN NULL;
END
$$;
CREATE TRIGGER untaken AFTER UPDATE OF undone_at ON deid.quarantine_choice
FOR EACH ROW WHEN (OLD.undone_at IS NULL AND NEW.undone_at IS NOT NULL) EXECUTE FUNCTION deid.untake_choice();

-- A check that failed and that a person waived for this content: the verdict stays what it was.
ALTER TABLE deid.verdict ADD COLUMN waived boolean NOT NULL DEFAULT false;

-- Oppositions. A lifted one stays, and no longer holds; several may have led to the same patient.
ALTER TABLE deid.opt_out
DROP CONSTRAINT opt_out_pseudonym_key,
DROP CONSTRAINT opt_out_patient_id_key,
DROP COLUMN removed,
ADD COLUMN revoked_at timestamptz,
ADD COLUMN revoked_by text,
ADD COLUMN revoked_reason text;
CREATE UNIQUE INDEX opt_out_pseudonym ON deid.opt_out (pseudonym) WHERE revoked_at IS NULL;
CREATE UNIQUE INDEX opt_out_source_patient ON deid.opt_out (patient_id) WHERE pseudonym IS NULL AND revoked_at IS NULL;
CREATE INDEX opt_out_patient ON deid.opt_out (patient_id) WHERE revoked_at IS NULL;
CREATE INDEX document_patient ON deid.document (patient_id) WHERE patient_id IS NOT NULL;

-- Grain: published documents of one release and one type that one opposition removed, at one moment.
CREATE TABLE deid.opt_out_removal (
    opt_out_id bigint NOT NULL REFERENCES deid.opt_out,
    release_id bigint NOT NULL,
    document_type text NOT NULL,
    documents int NOT NULL,
    removed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX opt_out_removal_opt_out ON deid.opt_out_removal (opt_out_id);

-- An opposition and a publication never cross: the publisher holds this lock, shared, while it writes a batch.
CREATE FUNCTION deid.wait_for_batches() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(x'6F707073'::int);  -- "opps"
    RETURN NULL;
END
$$;
CREATE TRIGGER alone BEFORE INSERT ON deid.opt_out FOR EACH STATEMENT EXECUTE FUNCTION deid.wait_for_batches();

-- Whoever may record an opposition may make its rows leave at once, and no others: those of its own pseudonym.
CREATE FUNCTION deid.withdraw_pseudonym(opt_out bigint)
RETURNS TABLE (release_id bigint, document_type text, documents int)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    WITH gone AS (
        DELETE FROM research.document AS d
        USING deid.opt_out AS o
        WHERE o.opt_out_id = $1 AND o.revoked_at IS NULL AND d.patient_id = o.pseudonym
        RETURNING d.release_id, coalesce(d.document_type, '') AS document_type
    )
    INSERT INTO deid.opt_out_removal AS r (opt_out_id, release_id, document_type, documents)
    SELECT $1, g.release_id, g.document_type, count(*) FROM gone AS g GROUP BY 2, 3
    RETURNING r.release_id, r.document_type, r.documents
$$;
REVOKE ALL ON FUNCTION deid.withdraw_pseudonym(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.withdraw_pseudonym(bigint) TO nocturne_steward;

GRANT UPDATE (undone_by, undone_at) ON deid.quarantine_choice TO nocturne_steward;
GRANT SELECT ON deid.opt_out_removal TO nocturne_worker, nocturne_publisher, nocturne_steward;
GRANT INSERT ON deid.opt_out_removal TO nocturne_publisher;
GRANT UPDATE (revoked_at, revoked_by, revoked_reason) ON deid.opt_out TO nocturne_worker;
REVOKE UPDATE (pseudonym) ON deid.opt_out FROM nocturne_worker, nocturne_publisher;
