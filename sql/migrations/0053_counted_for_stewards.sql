-- What stewards read of published documents: counts per release. No relation that their role reads holds a pseudonym or
-- a published id beside a type, a release or a night; of one pseudonym functions give a count, recorded and bounded.

REVOKE SELECT ON deid.published_document, deid.recalled_document, deid.disagreeing_document, deid.training_document,
deid.opt_out_removal, deid.opt_out_check FROM nocturne_steward;
-- Who recalls a release, or records an opt-out, in a transaction that is rolled back would see which rows leave.
REVOKE SELECT ON research.document, research.document_file, research.note, research.note_nlp, research.person,
research.visit_occurrence, research.release, research.withdrawn_document FROM nocturne_steward;
-- Drafts under the ledger's ids: the date is the one to be published.
REVOKE SELECT ON deid.candidate FROM nocturne_steward;
GRANT SELECT (run_id, document_id) ON deid.candidate TO nocturne_steward;

-- Grain: one release. The documents that it holds, those of them that nobody can read yet, and those that researchers
-- read in its version until the next rewriting shows another.
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
FROM deid.release AS r;

-- Grain: documents of one release and type. Those that opt-outs removed, which the ledger knows of (`applied`) or not.
CREATE OR REPLACE VIEW deid.removal_tally AS
SELECT m.release_id, m.document_type, o.applied_at IS NOT NULL AS applied, sum(m.documents)::bigint AS documents
FROM deid.opt_out_removal AS m
INNER JOIN deid.opt_out AS o ON m.opt_out_id = o.opt_out_id
GROUP BY m.release_id, m.document_type, o.applied_at IS NOT NULL;

-- Grain: one opt-out. The documents that it removed, of any release and type.
CREATE OR REPLACE VIEW deid.opt_out_total AS
SELECT m.opt_out_id, sum(m.documents)::bigint AS documents
FROM deid.opt_out_removal AS m
GROUP BY m.opt_out_id;

-- Grain: documents of one type that a recall removed; those of them that researchers could read.
CREATE OR REPLACE VIEW deid.recall_tally AS
SELECT
    d.recall_id, d.document_type, count(*)::int AS documents, count(*) FILTER (WHERE d.was_read)::int AS read_before
FROM deid.recalled_document AS d
GROUP BY d.recall_id, d.document_type;

-- Grain: one recall. Its documents that researchers read now by the same ids, rows of its releases, and documents that
-- another release holds: a correction, or the same since.
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
FROM deid.recall AS k;

-- Grain: one interval. Its published documents that disagree on their patient or in articles.
CREATE OR REPLACE VIEW deid.disagreement_tally AS
SELECT r.interval_key, count(*) AS documents
FROM deid.published_document AS p
INNER JOIN deid.release AS r ON p.release_id = r.release_id
WHERE p.disagreements IS NOT NULL
GROUP BY r.interval_key;

GRANT SELECT ON deid.release_tally, deid.removal_tally, deid.opt_out_total, deid.recall_tally, deid.recall_check,
deid.disagreement_tally TO nocturne_publisher, nocturne_steward;

-- Rewritten files of what a person may read: those of a review's sample, until they are published.
CREATE OR REPLACE VIEW deid.staged_file AS
SELECT c.run_id, c.document_id, d.content_hash, c.file_type, c.file_suffix, c.file
FROM deid.candidate AS c
INNER JOIN deid.document AS d ON c.document_id = d.document_id AND c.run_id = d.run_id
WHERE
    c.file IS NOT NULL AND d.state = 'staged'
    AND EXISTS (
        SELECT FROM deid.review_document AS v WHERE v.run_id = c.run_id AND v.document_id = c.document_id
    );

-- Grain: the deployment. Questions on one pseudonym that may be asked in a day: by one steward, whom the pages name,
-- and by all of them. The owner changes it.
CREATE TABLE IF NOT EXISTS deid.patient_bound (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    per_steward int NOT NULL CHECK (per_steward > 0),
    per_day int NOT NULL CHECK (per_day > 0)
);
INSERT INTO deid.patient_bound (per_steward, per_day) VALUES (50, 150) ON CONFLICT DO NOTHING;
-- The day and its questions, as day * 1000000 + questions: a sequence keeps what a rolled back transaction asked.
CREATE SEQUENCE IF NOT EXISTS deid.patient_question;

-- Counts one question of a steward; false, and nothing counted, where the day has no more.
CREATE OR REPLACE FUNCTION deid.admit_question(steward text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    day date := (clock_timestamp() AT TIME ZONE 'Europe/Paris')::date;
    first bigint := (day - date '2000-01-01') * 1000000::bigint;
    asked bigint;
    own bigint;
    bound deid.patient_bound;
BEGIN
    SELECT b.* INTO STRICT bound FROM deid.patient_bound AS b FOR UPDATE;  -- one question at a time
    SELECT greatest(q.last_value, first) INTO asked FROM deid.patient_question AS q;
    SELECT count(*) INTO own
    FROM deid.audit AS a
    WHERE
        a.actor = steward AND a.action IN ('search_patient', 'opt_out')
        AND a.at >= day::timestamp AT TIME ZONE 'Europe/Paris';
    IF asked - first >= bound.per_day OR own >= bound.per_steward THEN
        RETURN false;
    END IF;
    PERFORM setval('deid.patient_question', asked + 1);
    RETURN true;
END
$$;

-- Published rows of one pseudonym, of any release and type, with a line of the audit trail. Null where the day has no
-- more questions, and for what is no pseudonym.
CREATE OR REPLACE FUNCTION deid.count_patient(pseudonym text, steward text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    found bigint;
BEGIN
    IF pseudonym !~ '^[a-z2-7]{20}$' OR NOT deid.admit_question(steward) THEN
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

-- The counts of deid.opt_out_check for one opt-out, with a line of the audit trail. No row where the day has no more
-- questions.
CREATE OR REPLACE FUNCTION deid.check_opt_out(opt_out bigint, steward text)
RETURNS TABLE (
    readable bigint, published bigint, staged bigint, unfinished bigint, quarantined bigint, checked_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF NOT deid.admit_question(steward) THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT c.readable, c.published, c.staged, c.unfinished, c.quarantined, now()
    FROM deid.opt_out_check AS c
    WHERE c.opt_out_id = opt_out;
    PERFORM deid.audit_append(steward, 'search_patient', 'opt-out ' || opt_out, '{}');
END
$$;

-- The rows of an opt-out leave what researchers read and what waits to be read. Returns how many, of any release and
-- type; null, and nothing done, where the day has no more questions.
DROP FUNCTION IF EXISTS deid.withdraw_pseudonym(bigint);
CREATE FUNCTION deid.withdraw_pseudonym(opt_out bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    named text;
    who text;
    removed bigint;
BEGIN
    SELECT o.pseudonym, o.asked_by INTO named, who
    FROM deid.opt_out AS o
    WHERE o.opt_out_id = opt_out AND o.revoked_at IS NULL AND o.pseudonym IS NOT NULL;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    IF NOT deid.admit_question(who) THEN
        RETURN NULL;
    END IF;
    DELETE FROM research.document AS d WHERE d.patient_id = named;
    WITH gone AS (
        DELETE FROM deid.published_document AS d
        WHERE d.patient_id = named
        RETURNING d.release_id, coalesce(d.document_type, '') AS document_type
    ),

    noted AS (
        INSERT INTO deid.opt_out_removal AS r (opt_out_id, release_id, document_type, documents)
        SELECT opt_out, g.release_id, g.document_type, count(*) FROM gone AS g GROUP BY g.release_id, g.document_type
        RETURNING r.documents
    )

    SELECT coalesce(sum(n.documents), 0) INTO removed FROM noted AS n;
    RETURN removed;
END
$$;

-- One document that researchers read, by the id that they read it by, with a line of the audit trail.
CREATE OR REPLACE FUNCTION deid.read_published(document text, steward text)
RETURNS TABLE (text text, visible_from text, has_file boolean, others text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
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
    WHERE d.document_id = document;
    IF FOUND THEN
        PERFORM deid.audit_append(steward, 'read_text', 'published ' || document, '{}');
    END IF;
END
$$;

-- Its rewritten file, with a line of the audit trail.
CREATE OR REPLACE FUNCTION deid.read_published_file(document text, steward text)
RETURNS TABLE (media_type text, suffix text, file bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    RETURN QUERY
    SELECT f.media_type, f.suffix, f.file FROM research.document_file AS f WHERE f.document_id = document;
    IF FOUND THEN
        PERFORM deid.audit_append(steward, 'read_file', 'published ' || document, '{}');
    END IF;
END
$$;

-- Documents that researchers read: how many may leave as training documents, and how many their policy keeps here.
CREATE OR REPLACE FUNCTION deid.count_training() RETURNS TABLE (permitted bigint, held bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT count(t.document_id), count(*) - count(t.document_id)
    FROM research.document AS d
    LEFT JOIN deid.training_document AS t ON d.document_id = t.document_id
$$;

-- As many training documents as are asked for, in an order that a seed decides, with a line of the audit trail that
-- holds `details` and their number.
CREATE OR REPLACE FUNCTION deid.export_training(seed text, size int, steward text, details jsonb)
RETURNS TABLE (document_id text, document_type text, text text, spans jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    given bigint;
BEGIN
    RETURN QUERY
    SELECT t.document_id, t.document_type, t.text, t.spans
    FROM deid.training_document AS t
    ORDER BY sha256(convert_to(seed || E'\n' || t.document_id, 'UTF8'))
    LIMIT size;
    GET DIAGNOSTICS given = ROW_COUNT;
    PERFORM deid.audit_append(
        steward, 'export', 'published texts for training', details || jsonb_build_object('documents', given)
    );
END
$$;

REVOKE ALL ON FUNCTION deid.admit_question(text), deid.count_patient(text, text), deid.check_opt_out(bigint, text),
deid.withdraw_pseudonym(bigint), deid.read_published(text, text), deid.read_published_file(text, text),
deid.count_training(), deid.export_training(text, int, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.count_patient(text, text), deid.check_opt_out(bigint, text),
deid.withdraw_pseudonym(bigint), deid.read_published(text, text), deid.read_published_file(text, text),
deid.count_training(), deid.export_training(text, int, text, jsonb) TO nocturne_steward;
