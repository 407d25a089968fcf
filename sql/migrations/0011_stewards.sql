-- What data stewards see and decide: an audit trail that cannot be rewritten, reviews of samples, choices on
-- quarantined documents, opposition of patients, and tallies that keep the overview quick without ever being out of
-- date.

-- Grain: one thing that a person saw, decided or took away. Each row's digest covers the row before it.
CREATE TABLE deid.audit (
    seq bigint PRIMARY KEY,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    object text NOT NULL,
    details jsonb NOT NULL,
    previous text NOT NULL,
    digest text NOT NULL
);
CREATE INDEX audit_at ON deid.audit (at);
CREATE INDEX audit_object ON deid.audit (object);

-- The exact line whose SHA-256 is a row's digest: JSON, instants in UTC. An export holds it, so that anyone can check.
CREATE FUNCTION deid.audit_line(
    seq bigint, at timestamptz, actor text, action text, object text, details jsonb, previous text
) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_array(
        $1, to_char($2 AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), $3, $4, $5, $6, $7
    )::text
$$;

CREATE FUNCTION deid.audit_append(actor text, action text, object text, details jsonb) RETURNS bigint
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
    INSERT INTO deid.audit (seq, at, actor, action, object, details, previous, digest)
    VALUES (
        last_seq, moment, actor, action, object, details, last_digest,
        encode(sha256(convert_to(
            deid.audit_line(last_seq, moment, actor, action, object, details, last_digest), 'UTF8'
        )), 'hex')
    );
    RETURN last_seq;
END
$$;

CREATE FUNCTION deid.refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit trail is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON deid.audit
FOR EACH STATEMENT EXECUTE FUNCTION deid.refuse_rewriting();

REVOKE ALL ON FUNCTION deid.audit_append(text, text, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.audit_append(text, text, text, jsonb)
TO nocturne_steward, nocturne_publisher, nocturne_worker;
GRANT SELECT ON deid.audit TO nocturne_steward, nocturne_publisher;

-- Who asked for a run by hand, as Airflow names the account; empty for the schedule.
ALTER TABLE deid.run ADD COLUMN requested_by text NOT NULL DEFAULT '';

-- The text of documents that passed every check and wait for publication: what a reviewer may read.
CREATE VIEW deid.staged_text AS
SELECT
    c.run_id,
    c.document_id,
    d.content_hash,
    d.document_type,
    c.text,
    (
        SELECT coalesce(jsonb_agg(jsonb_build_array(p.span -> 0, p.span -> 1, p.span -> 2, p.drawn -> 0, p.drawn -> 1)
            ORDER BY p.n), '[]')
        FROM ROWS FROM (jsonb_array_elements(c.spans), jsonb_array_elements(c.surrogates)) -- noqa: PRS
            WITH ORDINALITY AS p (span, drawn, n)
    ) AS spans
FROM deid.candidate AS c
INNER JOIN deid.document AS d ON c.document_id = d.document_id AND c.run_id = d.run_id
WHERE d.state = 'staged';

-- Grain: one sample of an interval's staged documents, to be read by people. `target` is the share of documents with a
-- leak that the sample must be able to exclude at `confidence`; `readings` how many people read each document.
CREATE TABLE deid.review (
    review_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    interval_key text NOT NULL,
    staged_digest text NOT NULL,
    population int NOT NULL CHECK (population > 0),
    sample int NOT NULL CHECK (sample > 0 AND sample <= population),
    target double precision NOT NULL CHECK (target > 0 AND target < 1),
    confidence double precision NOT NULL CHECK (confidence > 0 AND confidence < 1),
    readings int NOT NULL CHECK (readings IN (1, 2)),
    seed text NOT NULL,
    opened_by text NOT NULL,
    opened_at timestamptz NOT NULL DEFAULT now(),
    closed_by text,
    closed_at timestamptz
);
CREATE INDEX review_interval ON deid.review (interval_key);

-- Grain: one document of a review. Its de-identified text and spans ([start, end, label, source start, source end])
-- are kept until the review is closed, or the document is withdrawn; the original is never copied.
CREATE TABLE deid.review_document (
    review_id bigint NOT NULL REFERENCES deid.review,
    ordinal int NOT NULL,
    run_id bigint NOT NULL,
    document_id text NOT NULL,
    content_hash text NOT NULL,
    document_type text,
    text text,
    spans jsonb,
    erased_at timestamptz,
    erased_for text,
    PRIMARY KEY (review_id, ordinal)
);
CREATE INDEX review_document_id ON deid.review_document (document_id);

-- Grain: one person who has read, or reads, one document of a review.
CREATE TABLE deid.review_reading (
    review_id bigint NOT NULL,
    ordinal int NOT NULL,
    reader text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    PRIMARY KEY (review_id, ordinal, reader),
    FOREIGN KEY (review_id, ordinal) REFERENCES deid.review_document
);

-- Grain: one mark of a reader on a text: offsets in the de-identified text and, where they can be told, in the source.
-- `verdict` is of a senior steward where two readers disagree.
CREATE TABLE deid.review_mark (
    mark_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    review_id bigint NOT NULL,
    ordinal int NOT NULL,
    reader text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('missed', 'wrong_label', 'not_identifying')),
    label text,
    start_offset int NOT NULL CHECK (start_offset >= 0),
    end_offset int NOT NULL CHECK (end_offset > start_offset),
    source_start int,
    source_end int,
    marked_at timestamptz NOT NULL DEFAULT now(),
    removed_at timestamptz,
    verdict text CHECK (verdict IN ('upheld', 'dismissed')),
    verdict_by text,
    FOREIGN KEY (review_id, ordinal, reader) REFERENCES deid.review_reading
);
CREATE INDEX review_mark_place ON deid.review_mark (review_id, ordinal);

-- Grain: one thing that people said of a source document, for training. Offsets in its text; a null label says that
-- what lies there identifies nobody.
CREATE TABLE deid.annotation (
    annotation_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id text NOT NULL,
    content_hash text NOT NULL,
    start_offset int NOT NULL,
    end_offset int NOT NULL,
    label text,
    annotator text NOT NULL,
    origin text NOT NULL,
    annotated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX annotation_document ON deid.annotation (document_id, content_hash);

-- Grain: one choice of a person on one quarantined document version. `retry`: do it again at the next run; `release`:
-- do it again, and let `reason` alone not hold it back; `discard`: leave it out for good.
CREATE TABLE deid.quarantine_choice (
    choice_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id bigint NOT NULL,
    document_id text NOT NULL,
    content_hash text NOT NULL,
    reason text NOT NULL,
    choice text NOT NULL CHECK (choice IN ('retry', 'release', 'discard')),
    chosen_by text NOT NULL,
    justification text NOT NULL DEFAULT '',
    chosen_at timestamptz NOT NULL DEFAULT now(),
    used_by_run bigint
);
CREATE INDEX quarantine_choice_document ON deid.quarantine_choice (document_id, content_hash);
CREATE INDEX quarantine_reason ON deid.quarantine (reason, at DESC);
CREATE INDEX quarantine_at ON deid.quarantine (at DESC, document_id);
CREATE INDEX document_quarantined ON deid.document (document_id, run_id) WHERE state = 'quarantined';

-- Grain: one patient's opposition. By the pseudonym of the research schema, or by the source's own patient id, or both
-- once a run that holds the secret has matched them.
CREATE TABLE deid.opt_out (
    opt_out_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pseudonym text UNIQUE,
    patient_id text UNIQUE,
    asked_by text NOT NULL,
    reason text NOT NULL DEFAULT '',
    asked_at timestamptz NOT NULL DEFAULT now(),
    removed jsonb NOT NULL DEFAULT '{}',
    applied_at timestamptz,
    CHECK (pseudonym IS NOT NULL OR patient_id IS NOT NULL)
);

-- Tallies. Every statement that changes a document's state adds what it changed; the sum is exact in every snapshot.
-- Grain: one change of the number of documents of a run, by type and state. Summed up again when the run is staged.
CREATE TABLE deid.document_change (
    run_id bigint NOT NULL,
    document_type text NOT NULL,
    state text NOT NULL,
    documents int NOT NULL
);
CREATE INDEX document_change_run ON deid.document_change (run_id);

CREATE FUNCTION deid.tally_documents() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        INSERT INTO deid.document_change
        SELECT o.run_id, coalesce(o.document_type, ''), o.state, -count(*) FROM old_rows AS o GROUP BY 1, 2, 3;
    END IF;
    IF TG_OP IN ('UPDATE', 'INSERT') THEN
        INSERT INTO deid.document_change
        SELECT n.run_id, coalesce(n.document_type, ''), n.state, count(*) FROM new_rows AS n GROUP BY 1, 2, 3;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER tally_insert AFTER INSERT ON deid.document
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION deid.tally_documents();
CREATE TRIGGER tally_update AFTER UPDATE ON deid.document
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION deid.tally_documents();
CREATE TRIGGER tally_delete AFTER DELETE ON deid.document
REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION deid.tally_documents();
INSERT INTO deid.document_change
SELECT d.run_id, coalesce(d.document_type, ''), d.state, count(*) FROM deid.document AS d GROUP BY 1, 2, 3;

CREATE FUNCTION deid.sum_changes(run bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    WITH gone AS (DELETE FROM deid.document_change AS c WHERE c.run_id = run RETURNING c.*)
    INSERT INTO deid.document_change
    SELECT g.run_id, g.document_type, g.state, sum(g.documents) FROM gone AS g GROUP BY 1, 2, 3
    HAVING sum(g.documents) <> 0
$$;
REVOKE ALL ON FUNCTION deid.sum_changes(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.sum_changes(bigint) TO nocturne_worker, nocturne_publisher;

-- Grain: one run, one type of document, one state.
CREATE VIEW deid.document_tally AS
SELECT c.run_id, c.document_type, c.state, sum(c.documents)::bigint AS documents
FROM deid.document_change AS c
GROUP BY 1, 2, 3
HAVING sum(c.documents) <> 0;

-- Grain: one label in one type of document of a staged run; written when the run is staged, when mentions stand still.
CREATE TABLE deid.mention_tally (
    run_id bigint NOT NULL,
    document_type text NOT NULL,
    label text NOT NULL,
    mentions bigint NOT NULL,
    PRIMARY KEY (run_id, document_type, label)
);
INSERT INTO deid.mention_tally
SELECT m.run_id, coalesce(d.document_type, ''), m.label, count(*)
FROM deid.mention AS m
INNER JOIN deid.document AS d ON m.document_id = d.document_id AND m.run_id = d.run_id
GROUP BY 1, 2, 3;

-- Grain: what a staged run spent on one category by one mechanism: documents, elements, and ε (nats) in all.
CREATE TABLE deid.spend_tally (
    run_id bigint NOT NULL,
    category text NOT NULL,
    mechanism text NOT NULL,
    documents bigint NOT NULL,
    elements bigint NOT NULL,
    epsilon double precision NOT NULL,
    PRIMARY KEY (run_id, category, mechanism)
);
INSERT INTO deid.spend_tally
SELECT b.run_id, b.category, b.mechanism, count(DISTINCT b.document_id), sum(b.elements), sum(b.epsilon)
FROM deid.budget AS b GROUP BY 1, 2, 3;

CREATE INDEX decision_interval ON deid.decision (interval_key, decided_at DESC);
CREATE INDEX release_published ON research.release (published_at DESC);
CREATE INDEX run_started ON deid.run (interval_start DESC);

GRANT SELECT ON deid.document_tally, deid.document_change, deid.mention_tally, deid.spend_tally,
deid.quarantine_choice, deid.opt_out
TO nocturne_worker, nocturne_publisher, nocturne_steward;
GRANT SELECT ON deid.staged_text, deid.review, deid.review_document, deid.review_reading, deid.review_mark,
deid.annotation
TO nocturne_publisher, nocturne_steward;
GRANT INSERT, DELETE ON deid.mention_tally, deid.spend_tally TO nocturne_worker;
GRANT INSERT ON deid.decision, deid.review, deid.review_document, deid.review_reading, deid.review_mark,
deid.annotation,
deid.quarantine_choice, deid.opt_out
TO nocturne_steward;
GRANT UPDATE (closed_by, closed_at) ON deid.review TO nocturne_steward;
GRANT UPDATE (text, spans, erased_at, erased_for) ON deid.review_document TO nocturne_steward, nocturne_publisher;
GRANT UPDATE (finished_at) ON deid.review_reading TO nocturne_steward;
GRANT UPDATE (removed_at, verdict, verdict_by) ON deid.review_mark TO nocturne_steward;
GRANT INSERT ON deid.review, deid.review_document TO nocturne_publisher;
GRANT UPDATE (used_by_run) ON deid.quarantine_choice TO nocturne_worker;
GRANT UPDATE (pseudonym, patient_id, removed, applied_at) ON deid.opt_out TO nocturne_worker, nocturne_publisher;
GRANT INSERT ON deid.opt_out TO nocturne_worker;
