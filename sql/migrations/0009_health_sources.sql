-- Sources that a deployment may add to the health features of communes; and the date of the extracts that ship.

-- Of the extract that ships with the product, from which its age counts; null: age counts from the load.
ALTER TABLE ref.release ADD COLUMN published_on date;

UPDATE ref.release
SET published_on = CASE source
    WHEN 'communes' THEN date '2024-01-01'
    WHEN 'former_communes' THEN date '2024-01-01'
    WHEN 'streets' THEN date '2024-01-01'
    WHEN 'establishments' THEN date '2022-12-31'
    WHEN 'first_names' THEN date '2022-12-31'
END
WHERE location = 'packaged';

-- Grain: one source that has a release in use. Drift is the change of rows against the release loaded before it,
-- as a share of that one; null for the first. Age counts whole days since the extract's own date, where it ships with
-- the product and has one, else since the release in use was loaded.
CREATE OR REPLACE VIEW ref.source_state AS
WITH loaded AS (
    SELECT
        release_id, source, version, rows, skipped, loaded_at, loaded_by, state, published_on,
        lag(version) OVER earlier AS version_before,
        lag(rows) OVER earlier AS rows_before
    FROM ref.release
    WHERE state <> 'loading'
    WINDOW earlier AS (PARTITION BY source ORDER BY release_id)
)

SELECT
    source, release_id, version, rows, skipped, loaded_at, loaded_by,
    extract(DAY FROM now() - coalesce(published_on::timestamptz, loaded_at))::int AS age_days,
    version_before, rows_before,
    round((rows - rows_before)::numeric / nullif(rows_before, 0), 6) AS drift,
    published_on
FROM loaded
WHERE state = 'in_use';

-- Grain: one commune of the density grid (INSEE) in one release; 1 is the densest of seven levels.
CREATE TABLE ref.density_level (
    release_id bigint NOT NULL REFERENCES ref.release,
    insee text NOT NULL,
    level smallint NOT NULL CHECK (level BETWEEN 1 AND 7),
    PRIMARY KEY (release_id, insee)
);

-- Grain: one pathology, sex and age class of a department in one release (CNAM). Counts are rounded by the producer.
CREATE TABLE ref.pathology (
    release_id bigint NOT NULL REFERENCES ref.release,
    pathology text NOT NULL, -- the producer's code, such as CAN_CAT_CAT for all cancers
    department text NOT NULL,
    sex text NOT NULL CHECK (sex IN ('F', 'M')),
    age text NOT NULL,
    patients bigint, -- null: masked by the producer, so 10 at most
    population bigint, -- null: not said
    PRIMARY KEY (release_id, pathology, department, sex, age)
);

GRANT SELECT ON ref.density_level, ref.pathology TO nocturne_worker, nocturne_refresher;
GRANT INSERT, DELETE ON ref.density_level, ref.pathology TO nocturne_refresher;
