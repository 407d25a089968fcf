-- Who removes published rows in a transaction that is rolled back leaves no line of the audit trail: until the commit,
-- stewards read no count and no text by which the rows that leave tell their night or type.

-- Grain: one transaction that removes published rows for a steward. Only its own reading looks at it.
CREATE TABLE deid.removal_mark (transaction xid8 PRIMARY KEY);

-- Marks the transaction of a steward who is not the owner, until it is rolled back, if to a savepoint; marks of ended
-- ones, or of another server's, are deleted.
CREATE FUNCTION deid.mark_removal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pg_has_role(session_user, 'nocturne_steward', 'MEMBER')
        AND NOT pg_has_role(session_user, current_user, 'MEMBER') THEN
        DELETE FROM deid.removal_mark AS m
        WHERE m.transaction IN (
            SELECT o.transaction
            FROM deid.removal_mark AS o
            WHERE
                o.transaction < pg_snapshot_xmin(pg_current_snapshot())
                OR o.transaction > pg_current_xact_id()
            FOR UPDATE SKIP LOCKED
        );
        INSERT INTO deid.removal_mark (transaction) VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION deid.mark_removal() FROM PUBLIC;
CREATE TRIGGER mark_removal AFTER DELETE ON deid.published_document
FOR EACH STATEMENT EXECUTE FUNCTION deid.mark_removal();

-- True where the transaction has removed no published row; an error otherwise. Without arguments and stable, so that a
-- query asks once, before it reads a row.
CREATE FUNCTION deid.has_removed_nothing() RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM deid.removal_mark AS m WHERE m.transaction = pg_current_xact_id_if_assigned()) THEN
        RAISE EXCEPTION 'this transaction has removed published documents: commit it before reading what is left'
        USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN true;
END
$$;
REVOKE ALL ON FUNCTION deid.has_removed_nothing() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.has_removed_nothing() TO nocturne_publisher, nocturne_steward;

-- Nor does it remove twice: what a recall finds after an opt-out, or the reverse, tells the rows of both.
CREATE FUNCTION deid.refuse_second_removal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM deid.has_removed_nothing();
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION deid.refuse_second_removal() FROM PUBLIC;
CREATE TRIGGER refuse_second_removal BEFORE INSERT ON deid.recall
FOR EACH STATEMENT EXECUTE FUNCTION deid.refuse_second_removal();
CREATE TRIGGER refuse_second_removal BEFORE INSERT ON deid.opt_out_removal
FOR EACH STATEMENT EXECUTE FUNCTION deid.refuse_second_removal();

CREATE OR REPLACE VIEW deid.release_tally AS
SELECT
    r.release_id,
    (SELECT count(*) FROM deid.published_document AS p WHERE p.release_id = r.release_id) AS documents,
    (
        SELECT count(*)
        FROM deid.published_document AS p
        WHERE p.release_id = r.release_id AND p.visible_from IS NULL
    ) AS unread,
    (SELECT count(*) FROM deid.published_document AS p WHERE p.former_release_id = r.release_id) AS former
FROM deid.release AS r
WHERE deid.has_removed_nothing();

CREATE OR REPLACE VIEW deid.removal_tally AS
SELECT m.release_id, m.document_type, o.applied_at IS NOT NULL AS applied, sum(m.documents)::bigint AS documents
FROM deid.opt_out_removal AS m
INNER JOIN deid.opt_out AS o ON m.opt_out_id = o.opt_out_id
WHERE deid.has_removed_nothing()
GROUP BY m.release_id, m.document_type, o.applied_at IS NOT NULL;

CREATE OR REPLACE VIEW deid.recall_check AS
SELECT
    k.recall_id,
    (
        SELECT count(*)
        FROM deid.recalled_document AS d
        INNER JOIN research.document AS v ON d.document_id = v.document_id
        WHERE d.recall_id = k.recall_id
    )::int AS readable,
    (SELECT count(*) FROM deid.published_document AS p WHERE p.release_id = ANY(k.release_ids))::int AS waiting,
    (
        SELECT count(*)
        FROM deid.recalled_document AS d
        INNER JOIN deid.published_document AS p ON d.document_id = p.document_id
        WHERE d.recall_id = k.recall_id AND p.release_id <> ALL(k.release_ids)
    )::int AS again
FROM deid.recall AS k
WHERE deid.has_removed_nothing();

CREATE OR REPLACE VIEW deid.disagreement_tally AS
SELECT r.interval_key, count(*) AS documents
FROM deid.published_document AS p
INNER JOIN deid.release AS r ON p.release_id = r.release_id
WHERE p.disagreements IS NOT NULL AND deid.has_removed_nothing()
GROUP BY r.interval_key;

CREATE OR REPLACE FUNCTION deid.is_read(about text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT deid.has_removed_nothing() AND NOT EXISTS (
        SELECT FROM deid.release AS r
        INNER JOIN deid.published_document AS p ON r.release_id = p.release_id
        WHERE r.interval_key = $1 AND p.visible_from IS NULL
    )
$$;

CREATE OR REPLACE FUNCTION deid.read_published(document text, steward text)
RETURNS TABLE (text text, visible_from text, has_file boolean, others text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT
        d.text,
        d.visible_from,
        d.file IS NOT NULL,
        ARRAY(
            SELECT o.document_id
            FROM research.document AS o
            WHERE o.patient_id = d.patient_id AND o.document_id <> d.document_id
            ORDER BY o.document_id
        )
    FROM research.document AS d
    WHERE d.document_id = document AND deid.has_removed_nothing();
    IF FOUND THEN
        PERFORM deid.audit_append(steward, 'read_text', 'published ' || document, '{}');
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION deid.read_published_file(document text, steward text)
RETURNS TABLE (media_type text, suffix text, file bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT f.media_type, f.suffix, f.file
    FROM research.document_file AS f
    WHERE f.document_id = document AND deid.has_removed_nothing();
    IF FOUND THEN
        PERFORM deid.audit_append(steward, 'read_file', 'published ' || document, '{}');
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION deid.count_patient(pseudonym text, steward text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found bigint;
BEGIN
    IF pseudonym !~ '^[a-z2-7]{20}$' OR NOT deid.has_removed_nothing() OR NOT deid.admit_question(steward) THEN
        RETURN NULL;
    END IF;
    SELECT greatest(
        (SELECT count(*) FROM research.document AS d WHERE d.patient_id = pseudonym),
        (SELECT count(*) FROM deid.published_document AS d WHERE d.patient_id = pseudonym)
    ) INTO found;
    PERFORM deid.audit_append(
        steward, 'search_patient', 'patient ' || pseudonym, jsonb_build_object('documents', found)
    );
    RETURN found;
END
$$;

CREATE OR REPLACE FUNCTION deid.count_training() RETURNS TABLE (permitted bigint, held bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT count(t.document_id), count(*) - count(t.document_id)
    FROM research.document AS d
    LEFT JOIN deid.training_document AS t ON d.document_id = t.document_id
    WHERE deid.has_removed_nothing()
$$;

CREATE OR REPLACE FUNCTION deid.export_training(seed text, size int, steward text, details jsonb)
RETURNS TABLE (document_id text, document_type text, text text, spans jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    given bigint;
BEGIN
    RETURN QUERY
    SELECT t.document_id, t.document_type, t.text, t.spans
    FROM deid.training_document AS t
    WHERE deid.has_removed_nothing()
    ORDER BY sha256(convert_to(seed || E'\n' || t.document_id, 'UTF8'))
    LIMIT size;
    GET DIAGNOSTICS given = ROW_COUNT;
    PERFORM deid.audit_append(
        steward, 'export', 'published texts for training', details || jsonb_build_object('documents', given)
    );
END
$$;
