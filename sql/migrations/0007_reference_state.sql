-- How old each source of reference data is, and how far it moved: what a steward reads, what the release gate judges.

-- SHA-256 of the territories of a release of communes ("INSEE code, blank, territory" per line, by code); else null.
ALTER TABLE ref.release ADD COLUMN partition text;
GRANT UPDATE (partition) ON ref.release TO nocturne_refresher;

-- Grain: one source that has a release in use. Drift is the change of rows against the release loaded before it,
-- as a share of that one; null for the first. Age counts whole days since the release in use was loaded.
CREATE VIEW ref.source_state AS
WITH loaded AS (
    SELECT
        release_id, source, version, rows, skipped, loaded_at, loaded_by, state,
        lag(version) OVER earlier AS version_before,
        lag(rows) OVER earlier AS rows_before
    FROM ref.release
    WHERE state <> 'loading'
    WINDOW earlier AS (PARTITION BY source ORDER BY release_id)
)

SELECT
    source, release_id, version, rows, skipped, loaded_at, loaded_by,
    extract(DAY FROM now() - loaded_at)::int AS age_days,
    version_before, rows_before,
    round((rows - rows_before)::numeric / nullif(rows_before, 0), 6) AS drift
FROM loaded
WHERE state = 'in_use';

GRANT SELECT ON ref.source_state
TO nocturne_worker, nocturne_refresher, nocturne_publisher, nocturne_steward;
