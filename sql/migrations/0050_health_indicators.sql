-- Health indicators of communes and departments, which refresh or add features of the communes.

-- Grain: one indicator of a commune or department in one release. Units: docs/reference-data.md.
CREATE TABLE ref.health_indicator (
    release_id bigint NOT NULL REFERENCES ref.release,
    area text NOT NULL, -- INSEE code of a commune or an arrondissement, or code of a department
    indicator text NOT NULL,
    value numeric CHECK (value >= 0), -- null: secret, or not measured
    PRIMARY KEY (release_id, indicator, area)
);

GRANT SELECT ON ref.health_indicator TO nocturne_worker, nocturne_refresher;
GRANT INSERT, DELETE ON ref.health_indicator TO nocturne_refresher;

-- Of communes: each feature that comes from another source, and the version of that source.
ALTER TABLE ref.release ADD COLUMN features jsonb NOT NULL DEFAULT '{}';
