-- More sources (lieux-dits, postal codes, names, former communes), releases of several files, and the way back.

ALTER TABLE ref.release
ADD COLUMN files jsonb NOT NULL DEFAULT '[]', -- per file: location, sha256, bytes, etag, last_modified
ADD COLUMN withdrawn_at timestamptz, -- a person went back to a former release: this file is not loaded again by itself
ADD COLUMN withdrawn_by text;

-- Features that are not the commune's own: of its department, or a median (docs/reference-data.md).
ALTER TABLE ref.commune ADD COLUMN imputed text[] NOT NULL DEFAULT '{}';

-- Grain: one lieu-dit of one commune in one release.
CREATE TABLE ref.locality (
    release_id bigint NOT NULL REFERENCES ref.release,
    insee text NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (release_id, insee, name)
);

-- Grain: one postal code of one commune, and the fifth line of an address where La Poste asks for one.
CREATE TABLE ref.postal_code (
    release_id bigint NOT NULL REFERENCES ref.release,
    insee text NOT NULL,
    zip text NOT NULL,
    label text NOT NULL, -- as written on an envelope
    line text NOT NULL, -- former commune or quarter; empty for none
    PRIMARY KEY (release_id, insee, zip, label, line)
);

-- Grain: one first name and sex in one release; births of the civil registry, in all and by generation.
CREATE TABLE ref.first_name (
    release_id bigint NOT NULL REFERENCES ref.release,
    name text NOT NULL,
    sex text NOT NULL CHECK (sex IN ('F', 'M')),
    births bigint NOT NULL,
    births_1900_1945 bigint NOT NULL,
    births_1946_1975 bigint NOT NULL,
    births_1976_2000 bigint NOT NULL,
    births_2001_on bigint NOT NULL,
    PRIMARY KEY (release_id, name, sex)
);

-- Grain: one surname in one release. A list of names, not of people: the rarest are not kept.
CREATE TABLE ref.surname (
    release_id bigint NOT NULL REFERENCES ref.release,
    name text NOT NULL,
    births bigint NOT NULL,
    PRIMARY KEY (release_id, name)
);

-- Grain: one name that is no longer a commune's own, and the commune of today it leads to, where that is known.
CREATE TABLE ref.former_commune (
    release_id bigint NOT NULL REFERENCES ref.release,
    name text NOT NULL,
    insee text,
    UNIQUE NULLS NOT DISTINCT (release_id, name, insee)
);

GRANT SELECT ON ref.locality, ref.postal_code, ref.first_name, ref.surname, ref.former_commune
TO nocturne_worker, nocturne_refresher;
GRANT INSERT, DELETE ON ref.locality, ref.postal_code, ref.first_name, ref.surname, ref.former_commune
TO nocturne_refresher;
GRANT UPDATE (withdrawn_at, withdrawn_by) ON ref.release TO nocturne_refresher;
