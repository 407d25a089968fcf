-- What the nightly steps know: runs, documents and their states, mentions, candidates, verdicts, budget.
-- Only deid.candidate holds text, and only until it is published, refused or withdrawn.

-- Grain: one execution of the nightly work over one interval of the warehouse's ingestion time.
CREATE TABLE deid.run (
    run_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    triggered_by text NOT NULL UNIQUE,
    source text NOT NULL,
    interval_start timestamptz NOT NULL,
    interval_end timestamptz NOT NULL CHECK (interval_end > interval_start),
    interval_key text NOT NULL,
    document_types text[] NOT NULL DEFAULT '{}',
    services text[] NOT NULL DEFAULT '{}',
    dry_run boolean NOT NULL,
    reason text NOT NULL DEFAULT '',
    policy_hash text NOT NULL,
    pipeline_version text NOT NULL,
    detector_version text NOT NULL,
    key_version int NOT NULL,
    reference_versions jsonb NOT NULL DEFAULT '{}',
    state text NOT NULL CHECK (state IN ('planned', 'dry_run', 'staged', 'published', 'superseded')),
    seen int NOT NULL DEFAULT 0,
    planned int NOT NULL DEFAULT 0,
    staged_digest text,
    started_at timestamptz NOT NULL DEFAULT now(),
    active_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);
CREATE INDEX run_interval ON deid.run (interval_key);

-- Grain: one version of a document under one version of the pipeline; the ledger that says what is new.
CREATE TABLE deid.document (
    document_id text NOT NULL,
    content_hash text NOT NULL,
    pipeline_version text NOT NULL,
    run_id bigint NOT NULL REFERENCES deid.run,
    batch_id int NOT NULL,
    state text NOT NULL CHECK (state IN (
        'planned', 'detected', 'substituted', 'validated', 'quarantined', 'staged', 'published', 'superseded',
        'withdrawn'
    )),
    ingested_at timestamptz NOT NULL,
    patient_id text,
    document_type text,
    loinc_code text,
    service text,
    characters int,
    title_clean boolean,
    release_id bigint,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (document_id, content_hash, pipeline_version)
);
CREATE INDEX document_batch ON deid.document (run_id, batch_id);
CREATE INDEX document_release ON deid.document (release_id) WHERE release_id IS NOT NULL;

-- Grain: one mention found in a document by a run. Offsets and labels, no text.
CREATE TABLE deid.mention (
    run_id bigint NOT NULL,
    document_id text NOT NULL,
    ordinal int NOT NULL,
    start_offset int NOT NULL,
    end_offset int NOT NULL,
    label text NOT NULL,
    subtype text,
    score double precision NOT NULL,
    votes jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (run_id, document_id, ordinal)
);

-- Grain: one document of a run whose surrogate text is not proven or not published yet.
CREATE TABLE deid.candidate (
    run_id bigint NOT NULL,
    document_id text NOT NULL,
    patient_id text NOT NULL,
    stay_id text,
    title text,
    text text NOT NULL,
    markup text,
    spans jsonb NOT NULL,
    surrogates jsonb NOT NULL,
    reference_date date,
    reference_versions jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (run_id, document_id)
);

-- Grain: one check on one document of a run. A number, no value of the document.
CREATE TABLE deid.verdict (
    run_id bigint NOT NULL,
    document_id text NOT NULL,
    check_name text NOT NULL,
    severity text NOT NULL,
    success boolean NOT NULL,
    observed numeric,
    PRIMARY KEY (run_id, document_id, check_name)
);

-- Grain: one document version that a step of a run refused, and why.
CREATE TABLE deid.quarantine (
    run_id bigint NOT NULL,
    document_id text NOT NULL,
    content_hash text NOT NULL,
    step text NOT NULL,
    reason text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, document_id, content_hash)
);

-- Grain: what one category of elements of a document cost.
CREATE TABLE deid.budget (
    run_id bigint NOT NULL,
    document_id text NOT NULL,
    patient_id text NOT NULL,
    category text NOT NULL,
    mechanism text NOT NULL,
    epsilon double precision NOT NULL,
    elements int NOT NULL,
    PRIMARY KEY (run_id, document_id, category, mechanism)
);
CREATE INDEX budget_patient ON deid.budget (patient_id);

-- Grain: one rule of a suite on a batch (batch_id given) or on a whole run (batch_id null).
CREATE TABLE deid.check_result (
    run_id bigint NOT NULL,
    batch_id int,
    suite text NOT NULL,
    rule text NOT NULL,
    severity text NOT NULL,
    success boolean NOT NULL,
    element_count bigint,
    unexpected_count bigint,
    observed numeric,
    UNIQUE NULLS NOT DISTINCT (run_id, batch_id, suite, rule)
);

-- Grain: one document that the source withdrew, as one run learnt it.
CREATE TABLE deid.withdrawal (
    run_id bigint NOT NULL REFERENCES deid.run,
    document_id text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, document_id)
);
CREATE INDEX withdrawal_document ON deid.withdrawal (document_id);

-- Grain: one answer of a person (or of the policy) to a staged interval.
CREATE TABLE deid.decision (
    interval_key text NOT NULL,
    run_id bigint NOT NULL,
    chosen text NOT NULL,
    decided_by text NOT NULL,
    reason text NOT NULL DEFAULT '',
    staged_digest text NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (interval_key, staged_digest, decided_at)
);

-- Grain: one step of a batch (batch_id 0: of the whole run), the last time it did work.
CREATE TABLE deid.timing (
    run_id bigint NOT NULL,
    batch_id int NOT NULL,
    step text NOT NULL,
    seconds double precision NOT NULL,
    documents int NOT NULL,
    characters bigint NOT NULL,
    peak_rss_mb double precision NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, batch_id, step)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA deid TO nocturne_worker;
REVOKE INSERT, UPDATE, DELETE ON deid.decision FROM nocturne_worker;

-- The publisher reads the ledger, moves states on and erases the text that it has published.
GRANT SELECT ON ALL TABLES IN SCHEMA deid TO nocturne_publisher;
GRANT UPDATE (state, release_id, updated_at) ON deid.document TO nocturne_publisher;
GRANT UPDATE (state, finished_at, active_at) ON deid.run TO nocturne_publisher;
GRANT DELETE ON deid.candidate TO nocturne_publisher;
GRANT INSERT ON deid.decision TO nocturne_publisher;
GRANT INSERT, UPDATE, DELETE ON deid.check_result, deid.timing TO nocturne_publisher;

-- A steward sees everything but text that is not proven.
GRANT SELECT ON
deid.run, deid.document, deid.mention, deid.verdict, deid.quarantine, deid.budget, deid.check_result,
deid.withdrawal, deid.decision, deid.timing TO nocturne_steward;
GRANT SELECT (run_id, document_id, patient_id, stay_id, reference_date, reference_versions)
ON deid.candidate TO nocturne_steward;
