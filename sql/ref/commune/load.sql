-- Grain: one commune of today.
-- Purpose: rows of the new release, beside those in use.
INSERT INTO ref.commune (
    release_id, insee, name, department, region, zips, lon, lat, population, features, territory, imputed
)
SELECT
    %(release_id)s, insee, name, department, region, zips, lon, lat, population, features, territory, imputed
FROM stage
