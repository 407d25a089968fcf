-- Evaluations of releases: what attacks find in a sample, and what it is still worth. Numbers only.

-- Grain: one measure of one evaluation of a release. `run` is the orchestrator's; `low` and `high` bound the value with
-- 95 % confidence, null where nothing bounds it; `n` counts what the value is a share or a mean of.
CREATE TABLE deid.evaluation (
    release_id bigint NOT NULL REFERENCES deid.release,
    run text NOT NULL CHECK (length(run) BETWEEN 1 AND 250),
    measure text NOT NULL CHECK (measure ~ '^[a-z0-9_.]{1,60}$'),
    value double precision NOT NULL,
    low double precision,
    high double precision,
    n int NOT NULL CHECK (n >= 0),
    policy_hash text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (release_id, run, measure)
);

-- The worker alone reads both texts, and cannot read what was measured before.
GRANT INSERT ON deid.evaluation TO nocturne_worker;
GRANT SELECT ON deid.evaluation TO nocturne_steward;
