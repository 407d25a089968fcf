-- Models that a hospital trained: which serve, who decided it and why, and with which one a run began.

-- Grain: one trained model of an annotator. Its files lie in NOCTURNE_MODELS, under kind and hash. `compared_with` is
-- the model of the comparison behind `metrics`, empty for the one that ships, null before any; `metrics` holds numbers.
CREATE TABLE deid.model (
    kind text NOT NULL,
    hash text NOT NULL UNIQUE CHECK (hash ~ '^[0-9a-f]{64}$'),
    state text NOT NULL DEFAULT 'candidate' CHECK (state IN ('candidate', 'serving', 'retired', 'refused')),
    registered_at timestamptz NOT NULL DEFAULT now(),
    registered_by text NOT NULL,
    decided_at timestamptz,
    decided_by text,
    reason text NOT NULL DEFAULT '',
    compared_with text,
    metrics jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (kind, hash)
);
CREATE UNIQUE INDEX model_serving ON deid.model (kind) WHERE state = 'serving';

-- Grain: one promotion. The newest that is not rolled back serves; without one, the model that ships.
CREATE TABLE deid.model_promotion (
    promotion_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    hash text NOT NULL,
    promoted_at timestamptz NOT NULL DEFAULT now(),
    promoted_by text NOT NULL,
    reason text NOT NULL,
    rolled_back_at timestamptz,
    rolled_back_by text,
    FOREIGN KEY (kind, hash) REFERENCES deid.model
);
CREATE INDEX model_promotion_kind ON deid.model_promotion (kind, promotion_id DESC);

-- Kind → hash of the models of the registry that the run began with, and keeps: a promotion is for the runs after it.
ALTER TABLE deid.run ADD COLUMN models jsonb NOT NULL DEFAULT '{}';

GRANT SELECT ON deid.model, deid.model_promotion TO nocturne_worker, nocturne_publisher, nocturne_steward;
GRANT INSERT ON deid.model, deid.model_promotion TO nocturne_worker, nocturne_steward;
GRANT UPDATE (state, decided_at, decided_by, reason, compared_with, metrics) ON deid.model
TO nocturne_worker, nocturne_steward;
GRANT UPDATE (rolled_back_at, rolled_back_by) ON deid.model_promotion TO nocturne_worker, nocturne_steward;
