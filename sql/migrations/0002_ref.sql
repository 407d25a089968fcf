-- Reference tables: open data that detection and substitution read. Nothing here comes from a patient.
-- Each load is a release: its rows lie beside those of the release in use until one UPDATE swaps them.
CREATE SCHEMA IF NOT EXISTS ref;

-- Grain: one load of one source. Rows stay after their data is pruned: published rows cite `version`.
CREATE TABLE ref.release (
    release_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source text NOT NULL,
    version text NOT NULL,
    checksum text NOT NULL CHECK (checksum ~ '^[0-9a-f]{64}$'), -- SHA-256 of the file as it was downloaded
    bytes bigint NOT NULL,
    rows bigint NOT NULL,
    skipped bigint NOT NULL, -- lines of the file that are no row of the table
    location text NOT NULL, -- without credentials or query
    licence text NOT NULL,
    etag text,
    last_modified text,
    loaded_by text NOT NULL DEFAULT session_user,
    loaded_at timestamptz NOT NULL DEFAULT now(),
    state text NOT NULL CHECK (state IN ('loading', 'in_use', 'former', 'pruned'))
);
CREATE UNIQUE INDEX release_in_use ON ref.release (source) WHERE state = 'in_use';
CREATE INDEX release_source ON ref.release (source, release_id DESC);

-- Grain: one commune of today in one release.
CREATE TABLE ref.commune (
    release_id bigint NOT NULL REFERENCES ref.release,
    insee text NOT NULL,
    name text NOT NULL,
    department text NOT NULL,
    region text NOT NULL,
    zips text[] NOT NULL,
    lon numeric NOT NULL,
    lat numeric NOT NULL,
    population int NOT NULL,
    features jsonb NOT NULL, -- feature → value in the unit of docs/reference-data.md
    territory text NOT NULL, -- the public candidate set of a place draw
    PRIMARY KEY (release_id, insee)
);

-- Grain: one street name of one commune in one release; `insee` is null where the source does not say it.
CREATE TABLE ref.street (
    release_id bigint NOT NULL REFERENCES ref.release,
    insee text,
    name text NOT NULL,
    addresses int NOT NULL,
    UNIQUE NULLS NOT DISTINCT (release_id, insee, name)
);

-- Grain: one establishment (FINESS number) in one release.
CREATE TABLE ref.establishment (
    release_id bigint NOT NULL REFERENCES ref.release,
    finess text NOT NULL,
    name text NOT NULL,
    insee text NOT NULL,
    kind text NOT NULL,
    PRIMARY KEY (release_id, finess)
);

-- Grain: one health professional and profession in one release. No phone, mail or address: a name is enough to
-- find a professional in a text, and what is not kept cannot leak.
CREATE TABLE ref.professional (
    release_id bigint NOT NULL REFERENCES ref.release,
    identifier text NOT NULL, -- RPPS (11 digits) or ADELI (9)
    last_name text NOT NULL,
    first_name text NOT NULL,
    profession text NOT NULL,
    insee text, -- commune of one place of work, where the source says it
    PRIMARY KEY (release_id, identifier, profession)
);

GRANT USAGE ON SCHEMA ref TO nocturne_worker, nocturne_refresher, nocturne_publisher, nocturne_steward;
GRANT SELECT ON ALL TABLES IN SCHEMA ref TO nocturne_worker, nocturne_refresher;
GRANT SELECT ON ref.release TO nocturne_publisher, nocturne_steward;
GRANT INSERT ON ALL TABLES IN SCHEMA ref TO nocturne_refresher;
GRANT UPDATE (rows, skipped, state) ON ref.release TO nocturne_refresher;
GRANT DELETE ON ref.commune, ref.street, ref.establishment, ref.professional TO nocturne_refresher;
