-- What approval needs: the content of each staged document sealed, so that what was approved is what is published, and
-- the questions that are put to people.

-- Everything of a document that publication writes and that is not a stamp of the run, as one SHA-256.
CREATE FUNCTION deid.content_digest(
    content_hash text, patient_id text, stay_id text, document_type text, loinc_code text, title text, text text,
    markup text, reference_date date
) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(jsonb_build_array($1, $2, $3, $4, $5, $6, $7, $8, $9)::text, 'UTF8')), 'hex')
$$;

-- Grain: one document that a run staged, or whose withdrawal it learnt, at the moment it was staged; never changed.
CREATE TABLE deid.staged_content (
    run_id bigint NOT NULL REFERENCES deid.run,
    document_id text NOT NULL,
    withdrawn boolean NOT NULL,
    digest text,
    PRIMARY KEY (run_id, document_id, withdrawn),
    CHECK (withdrawn = (digest IS NULL))
);

-- The digest of all that a run leaves to be published: whoever approves, approves this.
CREATE FUNCTION deid.run_digest(run bigint) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(coalesce(jsonb_agg(
        jsonb_build_array(s.document_id, s.withdrawn, s.digest) ORDER BY s.document_id COLLATE "C", s.withdrawn
    ), '[]')::text, 'UTF8')), 'hex')
    FROM deid.staged_content AS s
    WHERE s.run_id = run
$$;

-- What waits today is sealed as it is; an approval that was under way is asked again.
INSERT INTO deid.staged_content
SELECT
    d.run_id,
    d.document_id,
    false,
    deid.content_digest(
        d.content_hash, c.patient_id, c.stay_id, d.document_type, d.loinc_code, c.title, c.text, c.markup,
        c.reference_date
    )
FROM deid.document AS d
INNER JOIN deid.candidate AS c ON d.run_id = c.run_id AND d.document_id = c.document_id
WHERE d.state = 'staged';
INSERT INTO deid.staged_content
SELECT w.run_id, w.document_id, true, NULL
FROM deid.withdrawal AS w
INNER JOIN deid.run AS r ON w.run_id = r.run_id
WHERE r.state = 'staged';
UPDATE deid.run SET staged_digest = deid.run_digest(run_id) WHERE state = 'staged';

-- Grain: one question put to people by one run of Airflow's release DAG about one staged content. `requested_by` is who
-- started that run by hand, if anyone; `outcome` is null while the question waits.
CREATE TABLE deid.question (
    airflow_run text PRIMARY KEY,
    interval_key text NOT NULL,
    staged_digest text NOT NULL,
    requested_by text NOT NULL DEFAULT '',
    asked_at timestamptz NOT NULL DEFAULT now(),
    closed_at timestamptz,
    outcome text CHECK (outcome IN ('approve', 'reject', 'rework', 'stale', 'expired')),
    CHECK ((closed_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX question_interval ON deid.question (interval_key, asked_at DESC);
CREATE INDEX question_open ON deid.question (asked_at) WHERE closed_at IS NULL;

-- When people sent a run's documents back for reprocessing; null if they did not.
ALTER TABLE deid.run ADD COLUMN sent_back_at timestamptz;
GRANT UPDATE (sent_back_at) ON deid.run TO nocturne_publisher;

GRANT SELECT, INSERT ON deid.staged_content TO nocturne_worker;
GRANT SELECT ON deid.staged_content TO nocturne_publisher, nocturne_steward;
GRANT SELECT, INSERT, UPDATE ON deid.question TO nocturne_publisher;
GRANT SELECT ON deid.question TO nocturne_steward;
