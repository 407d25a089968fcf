-- name: read
-- Grain: one source that has a version in use.
-- Purpose: its age and drift, for the report, the release gate and the alert after a refresh.
SELECT source, version, rows, loaded_at, age_days, drift::double precision, published_on
FROM ref.source_state
ORDER BY source;
